// DynamoDB requests as the JSON a client of the wire would have sent.

#pragma once

#include <string>

#include "dynamo/requests.h"

namespace gateleg::model {

// {"operation":"Query","request":{..}}
std::string explain(const dynamo::GetItemRequest& request);
std::string explain(const dynamo::BatchGetItemRequest& request);
std::string explain(const dynamo::QueryRequest& request);
std::string explain(const dynamo::ScanRequest& request);
std::string explain(const dynamo::PutItemRequest& request);
std::string explain(const dynamo::UpdateItemRequest& request);
std::string explain(const dynamo::DeleteItemRequest& request);
std::string explain(const dynamo::TransactWriteItemsRequest& request);

}  // namespace gateleg::model
