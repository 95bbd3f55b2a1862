#include "api/rest/query_string.h"

#include <simdjson.h>

#include "api/rest/problem.h"

namespace gateleg::api::rest {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '+' && plus_is_blank) {
            out.push_back(' ');
            continue;
        }
        if (text[at] != '%') {
            out.push_back(text[at]);
            continue;
        }
        const int high = at + 1 < text.size() ? hex_digit(text[at + 1]) : -1;
        const int low = at + 2 < text.size() ? hex_digit(text[at + 2]) : -1;
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        out.push_back(static_cast<char>(high * 16 + low));
        at += 2;
    }
    if (!simdjson::validate_utf8(out)) {
        return std::nullopt;
    }
    return out;
}

std::optional<std::vector<std::string>> split_path(std::string_view path) {
    std::vector<std::string> segments;
    if (!path.starts_with('/')) {
        return std::nullopt;
    }
    if (path.size() > 1 && path.ends_with('/')) {
        path.remove_suffix(1);
    }
    path.remove_prefix(1);
    while (!path.empty()) {
        const auto end = std::min(path.find('/'), path.size());
        auto segment = percent_decode(path.substr(0, end), false);
        if (!segment || segment->empty()) {
            return std::nullopt;
        }
        segments.push_back(std::move(*segment));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return segments;
}

model::CallResult<QueryParameters> parse_query(std::string_view query) {
    QueryParameters parameters;
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        const auto pair = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        if (pair.empty()) {
            continue;
        }
        const auto equals = std::min(pair.find('='), pair.size());
        auto name = percent_decode(pair.substr(0, equals), true);
        auto text = percent_decode(
            equals < pair.size() ? pair.substr(equals + 1) : std::string_view(), true
        );
        if (!name || !text) {
            return validation_failed("", "The query is not percent-encoded UTF-8");
        }
        if (!parameters.emplace(*name, std::move(*text)).second) {
            return validation_failed(*name, "is given more than once");
        }
    }
    return parameters;
}

}  // namespace gateleg::api::rest
