// The table of a model for the tools that make tables: pure functions of what the file says.

#pragma once

#include <string>

#include "model/schema.h"

namespace gateleg::model {

// The request for `aws dynamodb create-table --cli-input-json`, or for any SDK.
std::string to_create_table_json(const Table& table);
// A shell script for the AWS CLI: the table, then its time to live.
std::string to_aws_cli(const Table& table);
// A CloudFormation template, as JSON.
std::string to_cloudformation(const Model& model);
// A resource of Terraform's AWS provider.
std::string to_terraform(const Model& model);
// A data model of NoSQL Workbench: the table, its indexes, a facet for each entity.
std::string to_workbench(const Model& model);

}  // namespace gateleg::model
