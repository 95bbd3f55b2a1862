// From the parts of a request to the call of a pattern, an operation or a job.
//
// What may be said, and where, is decided here; what it means, by the runtime.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/rest/query_string.h"
#include "model/runtime.h"
#include "model/surface.h"

namespace gateleg::api::rest {

// A request after routing.
struct CallParts {
    std::vector<std::string> variables = {};  // of the path, in order
    QueryParameters query = {};
    std::string_view body = {};
    std::optional<std::string_view> content_type = {};
    std::optional<std::string_view> idempotency_key = {};
    std::optional<std::string_view> if_match = {};
    // Of native operations.
    model::RequestFacts facts = {};
};

model::CallResult<model::PatternCall> read_pattern_call(
    const model::Endpoint& endpoint, const CallParts& parts
);
model::CallResult<model::OperationCall> read_operation_call(
    const model::Endpoint& endpoint, const CallParts& parts
);
model::CallResult<model::JobCall> read_job_call(
    const model::Endpoint& endpoint, const CallParts& parts
);

// The version in "7" (an entity tag of ours) or 7; `*` asks for nothing. A tag that cannot be one
// of ours is VersionMismatch.
model::CallResult<std::optional<std::int64_t>> parse_if_match(std::string_view text);

}  // namespace gateleg::api::rest
