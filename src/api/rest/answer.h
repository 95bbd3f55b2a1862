// From what the runtime gave to the reply: single entities, lists, entity tags, explanations.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/response.h"
#include "model/listing.h"
#include "model/runtime.h"
#include "model/surface.h"

namespace gateleg::api::rest {

// A reply before it has an id.
struct Answer {
    int status = 200;
    std::string body = {};
    std::string entity_tag = {};  // with its quotes; empty for none
    bool replayed = false;
    std::string content_type = "application/json";
    std::vector<std::pair<std::string, std::string>> headers = {};
};

Answer answer_found(
    const model::Runtime& runtime,
    const model::Endpoint& endpoint,
    model::Found found,
    const model::Caller& caller
);
Answer answer_list(const model::Listing& listing);
Answer answer_operation(const model::Endpoint& endpoint, const model::OperationReply& reply);
Answer answer_job(const model::JobReport& report);

// {"answer": .., "explain": {"calls": [..], "capacity": n}}
void add_explanation(Answer& answer, const model::Explained& explained);

http::Response to_response(Answer answer, std::string_view request_id);

}  // namespace gateleg::api::rest
