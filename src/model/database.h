// The DynamoDB interface as blocking calls on one table, with items as trees, and a record of what
// was called.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "dynamo/dynamo.h"
#include "model/call.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

// Text of an expression with its placeholders; merged when several go into one request.
struct Text {
    std::string text = {};
    std::map<std::string, std::string> names = {};  // "#n0" -> attribute
    value::Item values = {};                        // ":v0" -> value
};

struct Write {
    dynamo::TransactAction kind = dynamo::TransactAction::kPut;
    value::Item item = {};  // of a put; the key otherwise
    std::string condition = {};
    std::string update = {};
    std::map<std::string, std::string> names = {};
    value::Item values = {};
};

// Why a write of a batch was refused.
struct Refusal {
    std::string code = "None";
    std::string message = {};
    std::optional<value::Item> item = {};  // as it was found
    bool failed_condition() const { return code == "ConditionalCheckFailed"; }
};

struct RangeQuery {
    std::optional<std::string> index = {};
    std::string key_condition = {};
    std::map<std::string, std::string> names = {};
    value::Item values = {};
    bool forward = true;
    bool consistent = false;
    std::int64_t limit = 0;  // 0: as much as fits into a reply
    std::optional<value::EncodedItem> start = {};
};
struct RangePage {
    std::vector<value::Item> items = {};
    std::optional<value::Item> next = {};
};

// Made for one call; one thread at a time.
class Database {
public:
    Database(const Table& table, dynamo::Dynamo& dynamo, Explained* explained)
        : table_(table), dynamo_(dynamo), explained_(explained) {}

    Result<std::optional<value::Item>> get(const value::Item& key, bool consistent);
    // Each key's item or nothing, in the order of the keys.
    Result<std::vector<std::optional<value::Item>>> get_all(
        const std::vector<value::Item>& keys, bool consistent
    );
    Result<RangePage> query(const RangeQuery& query);
    // The same in the bytes that came.
    Result<dynamo::PageReply> query_page(const RangeQuery& query);
    // A limit of 0 is as much as fits into a reply.
    Result<RangePage> scan(const std::optional<value::Item>& start, std::int64_t limit = 0);

    // All or nothing: one item by its own call, several by a transaction. Empty: done; otherwise a
    // refusal for each write.
    Result<std::vector<Refusal>> write(const std::vector<Write>& writes);

private:
    template <class Request>
    Result<typename Request::Reply> call(
        void (dynamo::Dynamo::*method)(Request, dynamo::Done<Request>), Request request
    );
    Result<std::vector<Refusal>> write_one(const Write& write);
    Result<std::vector<Refusal>> write_all(const std::vector<Write>& writes);

    const Table& table_;
    dynamo::Dynamo& dynamo_;
    Explained* explained_;
};

}  // namespace gateleg::model
