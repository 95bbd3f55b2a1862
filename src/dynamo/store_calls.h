// Calls that are handed on to a store as they came: what a store over the network answers itself,
// such as its streams, its backups and what tools ask of it.

#pragma once

#include <string>

#include "dynamo/dynamo.h"

namespace gateleg::dynamo {

struct ForwardedReply {
    std::string json;
};

struct ForwardedRequest {
    using Reply = ForwardedReply;
    std::string target;  // "DynamoDBStreams_20120810.ListStreams"
    std::string body;    // JSON
    bool writes = true;
};

// As thread-safe, and as free in when it answers, as Dynamo. Errors of the store keep the names it
// gave them (named_error.h).
class StoreCalls {
public:
    virtual ~StoreCalls() = default;
    virtual void forward(ForwardedRequest, Done<ForwardedRequest>) = 0;
};

}  // namespace gateleg::dynamo
