// The DynamoDB API as an interface: one call per operation, whoever answers it.
//
// A reply may come on the calling thread before the call returns, or later on another thread; it
// comes exactly once. Implementations are thread-safe.

#pragma once

#include "base/result.h"
#include "base/unique_function.h"
#include "dynamo/replies.h"
#include "dynamo/requests.h"

namespace gateleg::dynamo {

template <class Request>
using Done = UniqueFunction<void(Result<typename Request::Reply>)>;

class Dynamo {
public:
    virtual ~Dynamo() = default;

    virtual void get_item(GetItemRequest, Done<GetItemRequest>) = 0;
    virtual void put_item(PutItemRequest, Done<PutItemRequest>) = 0;
    virtual void update_item(UpdateItemRequest, Done<UpdateItemRequest>) = 0;
    virtual void delete_item(DeleteItemRequest, Done<DeleteItemRequest>) = 0;
    virtual void query(QueryRequest, Done<QueryRequest>) = 0;
    virtual void scan(ScanRequest, Done<ScanRequest>) = 0;
    virtual void batch_get_item(BatchGetItemRequest, Done<BatchGetItemRequest>) = 0;
    virtual void batch_write_item(BatchWriteItemRequest, Done<BatchWriteItemRequest>) = 0;
    virtual void transact_get_items(TransactGetItemsRequest, Done<TransactGetItemsRequest>) = 0;
    virtual void
        transact_write_items(TransactWriteItemsRequest, Done<TransactWriteItemsRequest>) = 0;

    virtual void create_table(CreateTableRequest, Done<CreateTableRequest>) = 0;
    virtual void describe_table(DescribeTableRequest, Done<DescribeTableRequest>) = 0;
    virtual void update_table(UpdateTableRequest, Done<UpdateTableRequest>) = 0;
    virtual void delete_table(DeleteTableRequest, Done<DeleteTableRequest>) = 0;
    virtual void list_tables(ListTablesRequest, Done<ListTablesRequest>) = 0;
    virtual void update_time_to_live(UpdateTimeToLiveRequest, Done<UpdateTimeToLiveRequest>) = 0;
    virtual void
        describe_time_to_live(DescribeTimeToLiveRequest, Done<DescribeTimeToLiveRequest>) = 0;
    virtual void tag_resource(TagResourceRequest, Done<TagResourceRequest>) = 0;
    virtual void untag_resource(UntagResourceRequest, Done<UntagResourceRequest>) = 0;
    virtual void
        list_tags_of_resource(ListTagsOfResourceRequest, Done<ListTagsOfResourceRequest>) = 0;
};

}  // namespace gateleg::dynamo
