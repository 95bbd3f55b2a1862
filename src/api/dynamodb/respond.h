// The last step of an exchange: headers that every answer of this face carries.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "http/handler.h"

namespace gateleg::api::dynamodb {

void respond_json(http::Exchange exchange, std::string json);

// `status` takes the place of the error's own.
void respond_error(
    http::Exchange exchange, const Error& error, std::optional<int> status = std::nullopt
);
// An error of a few operations only, by the name that an SDK matches on.
void respond_named_error(
    http::Exchange exchange, std::string_view name, const std::string& message
);
// Another body for an answer made here, with the checksum that SDKs compare.
void replace_body(http::Response& response, std::string body);
http::Response error_response(const Error& error, std::optional<int> status = std::nullopt);

void respond_plain(
    http::Exchange exchange, int status, std::string body, std::string_view extra_headers = ""
);

}  // namespace gateleg::api::dynamodb
