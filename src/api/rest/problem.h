// Failures as the systems API answers them: {"error":{"code","message","field?","details?",
// "requestId"}}.

#pragma once

#include <string>
#include <string_view>

#include "http/response.h"
#include "model/runtime.h"

namespace gateleg::api::rest {

// `message` completes the sentence that `field` begins; without a field it is a whole one.
model::CallError validation_failed(std::string_view field, std::string_view message);
model::CallError unauthenticated(std::string message);
model::CallError forbidden();
model::CallError not_found();
model::CallError method_not_allowed();
model::CallError internal_failure();
model::CallError unavailable(std::string message);

http::Response problem_response(const model::CallError& error, std::string_view request_id);

// How a refusal of the HTTP server itself is called here.
std::string_view refusal_code(int status);

// The headers every answer of this face has, with its id.
std::string common_headers(std::string_view request_id);

}  // namespace gateleg::api::rest
