// The operations this face knows, by the name that X-Amz-Target gives them.

#pragma once

#include <string_view>

#include "dynamo/dynamo.h"
#include "http/handler.h"

namespace gateleg::api::dynamodb {

// Readable bytes that `body` has behind it.
inline constexpr std::size_t kBodyPadding = 64;

struct Operation {
    std::string_view name;
    bool reads_only = false;
    // Parses, calls and answers. `body` has kBodyPadding readable bytes behind it and is read
    // before the call returns.
    void (*run)(dynamo::Dynamo& dynamo, std::string_view body, http::Exchange exchange) = nullptr;
    // What an operation does that is told by its body: whether this one only reads.
    bool (*body_reads_only)(std::string_view body) = nullptr;
};

// Null for a name that is not an operation, or not one yet.
const Operation* find_operation(std::string_view name);

// Whether a credential with this gateleg_scope may call it: "" and "full" may call everything,
// "read" what changes nothing; any other scope nothing at all.
bool scope_allows(std::string_view scope, bool reads_only);
inline bool scope_allows(
    std::string_view scope, const Operation& operation, std::string_view body
) {
    return scope_allows(
        scope,
        operation.reads_only ||
            (operation.body_reads_only != nullptr && operation.body_reads_only(body))
    );
}

}  // namespace gateleg::api::dynamodb
