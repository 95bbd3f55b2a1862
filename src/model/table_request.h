// The CreateTable that makes the table of a model: what serve sends, and what export prints.

#pragma once

#include "dynamo/requests.h"
#include "model/schema.h"

namespace gateleg::model {

// Time to live is not part of CreateTable; it follows in a call of its own.
dynamo::CreateTableRequest create_table_request(const Table& table);

}  // namespace gateleg::model
