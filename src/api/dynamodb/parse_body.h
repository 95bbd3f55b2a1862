// The body of a request as JSON.

#pragma once

#include <string>
#include <string_view>

#include "api/dynamodb/wire_reader.h"
#include "base/result.h"

namespace gateleg::api::dynamodb {

// Calls `use` with the parsed body, which lives until it returns. `body` is padded as operations.h
// says. Parsers keep their memory: one per thread for common bodies, and one just now for large
// ones.
template <class Use>
Result<void> parse_body(std::string_view body, Use use) {
    constexpr std::size_t kCommonBodyBytes = 1 << 20;
    thread_local dom::parser common_parser;
    dom::parser large_parser;
    auto& parser = body.size() <= kCommonBodyBytes ? common_parser : large_parser;
    dom::element root;
    const auto problem = parser.parse(body.data(), body.size(), false).get(root);
    if (problem == simdjson::MEMALLOC) {
        // What it has of its memory does not fit together any more.
        parser = dom::parser();
        return service_unavailable("The server has no memory for the request; try again later");
    }
    if (problem != simdjson::SUCCESS) {
        return serialization_error(
            std::string("The request body is not valid JSON: ") + simdjson::error_message(problem)
        );
    }
    return use(root);
}

}  // namespace gateleg::api::dynamodb
