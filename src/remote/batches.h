// BatchGetItem and BatchWriteItem until all is done or the deadline has come: what the store leaves
// unprocessed is sent again after a pause, and only what is left then is given back.

#pragma once

#include "dynamo/dynamo.h"
#include "remote/store_client.h"

namespace gateleg::remote {

void run_batch(
    StoreClient& client,
    dynamo::BatchGetItemRequest request,
    dynamo::Done<dynamo::BatchGetItemRequest> done
);
void run_batch(
    StoreClient& client,
    dynamo::BatchWriteItemRequest request,
    dynamo::Done<dynamo::BatchWriteItemRequest> done
);

}  // namespace gateleg::remote
