#include "api/s3/target.h"

#include <algorithm>

#include <simdjson.h>

#include "auth/s3_error.h"

namespace gateleg::api::s3 {
namespace {

Error invalid_uri() {
    return auth::s3_error(400, "InvalidURI", "Couldn't parse the specified URI.");
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_unreserved(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

// `host` without its port.
std::string_view name_of(std::string_view host) {
    return host.starts_with('[') ? std::string_view() : host.substr(0, host.find(':'));
}

std::optional<std::string> label_before(std::string_view name, std::string_view domain) {
    if (name.size() < domain.size() + 2 || name[name.size() - domain.size() - 1] != '.' ||
        !http::equal_ignoring_case(name.substr(name.size() - domain.size()), domain)) {
        return std::nullopt;
    }
    return std::string(name.substr(0, name.size() - domain.size() - 1));
}

}  // namespace

std::optional<std::string> decode(std::string_view text, bool plus_is_blank) {
    std::string bytes;
    bytes.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            if (i + 2 >= text.size() || hex_value(text[i + 1]) < 0 || hex_value(text[i + 2]) < 0) {
                return std::nullopt;
            }
            bytes.push_back(static_cast<char>(hex_value(text[i + 1]) << 4 | hex_value(text[i + 2]))
            );
            i += 2;
        } else {
            bytes.push_back(plus_is_blank && text[i] == '+' ? ' ' : text[i]);
        }
    }
    if (!simdjson::validate_utf8(bytes.data(), bytes.size())) {
        return std::nullopt;
    }
    return bytes;
}

std::string encode(std::string_view text, bool keep_slashes) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (is_unreserved(c) || (keep_slashes && c == '/')) {
            out.push_back(c);
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out.push_back('%');
            out.push_back(kHex[byte >> 4]);
            out.push_back(kHex[byte & 15]);
        }
    }
    return out;
}

Result<Query> Query::parse(std::string_view text) {
    Query query;
    while (!text.empty()) {
        const auto piece = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(piece.size() + 1, text.size()));
        const auto equals = std::min(piece.find('='), piece.size());
        auto name = decode(piece.substr(0, equals));
        auto value = decode(piece.substr(std::min(equals + 1, piece.size())));
        if (!name || !value) {
            return invalid_uri();
        }
        if (!piece.empty()) {
            query.parameters_.emplace_back(*std::move(name), *std::move(value));
        }
    }
    return query;
}

const std::string* Query::find(std::string_view name) const {
    for (const auto& [known, value] : parameters_) {
        if (known == name) {
            return &value;
        }
    }
    return nullptr;
}

std::string Query::get(std::string_view name) const {
    const auto* value = find(name);
    return value == nullptr ? std::string() : *value;
}

std::optional<std::string> bucket_of_host(std::string_view host, const http::HostPolicy& policy) {
    const auto name = name_of(host);
    if (auto bucket = label_before(name, "localhost")) {
        return bucket;
    }
    for (const auto& listed : policy.hosts) {
        if (auto bucket = label_before(name, name_of(listed))) {
            return bucket;
        }
    }
    return std::nullopt;
}

Result<Target> read_target(const http::RequestHead& head, const http::HostPolicy& policy) {
    Target target;
    auto path = head.path();
    if (!path.starts_with('/')) {
        return invalid_uri();
    }
    path.remove_prefix(1);
    if (auto bucket = bucket_of_host(head.find("host").value_or(""), policy)) {
        target.bucket = *std::move(bucket);
    } else {
        const auto slash = std::min(path.find('/'), path.size());
        auto decoded = decode(path.substr(0, slash));
        if (!decoded) {
            return invalid_uri();
        }
        target.bucket = *std::move(decoded);
        path.remove_prefix(std::min(slash + 1, path.size()));
    }
    auto key = decode(path);
    if (!key || (target.bucket.empty() && !key->empty())) {
        return invalid_uri();
    }
    target.key = *std::move(key);
    GATELEG_TRY_ASSIGN(target.query, Query::parse(head.query()));
    return target;
}

Result<std::pair<std::string, std::string>> read_copy_source(std::string_view text) {
    const auto invalid = [] {
        return auth::s3_error(
            400,
            "InvalidArgument",
            "Copy Source must mention the source bucket and key: sourcebucket/sourcekey"
        );
    };
    const auto mark = text.find('?');
    if (mark != std::string_view::npos && text.substr(mark) != "?versionId=null") {
        return auth::s3_error(400, "InvalidArgument", "Invalid version id specified");
    }
    auto source = decode(text.substr(0, mark));
    if (!source) {
        return invalid();
    }
    std::string_view rest = *source;
    rest.remove_prefix(rest.starts_with('/') ? 1 : 0);
    const auto slash = rest.find('/');
    if (slash == 0 || slash == std::string_view::npos || slash + 1 == rest.size()) {
        return invalid();
    }
    return std::pair(std::string(rest.substr(0, slash)), std::string(rest.substr(slash + 1)));
}

}  // namespace gateleg::api::s3
