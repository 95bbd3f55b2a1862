// Tables that a request names by their ARN: inside they go by their names, and replies show again
// what the client wrote.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "dynamo/replies.h"

namespace gateleg::api::dynamodb {

// "arn:aws:dynamodb:region:account:table/name" names a table as well as "name" does.
std::string table_of_arn(std::string_view text);

// By name, the ARN it was given as. Empty for nearly every request.
using TableArns = std::map<std::string, std::string, std::less<>>;
TableArns arns_given(simdjson::dom::element root);

void show_arns(const TableArns& arns, dynamo::ConsumedCapacity& capacity);
void show_arns(const TableArns& arns, dynamo::BatchGetItemReply& reply);
void show_arns(const TableArns& arns, dynamo::BatchWriteItemReply& reply);

template <class Reply>
void show_arns(const TableArns& arns, Reply& reply) {
    if constexpr (requires { reply.capacity->units; }) {
        if (reply.capacity) {
            show_arns(arns, *reply.capacity);
        }
    } else if constexpr (requires { reply.capacity; }) {
        for (auto& capacity : reply.capacity) {
            show_arns(arns, capacity);
        }
    }
}

}  // namespace gateleg::api::dynamodb
