#include "api/s3/cors.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "api/s3/operations.h"
#include "api/s3/xml.h"
#include "objects/errors.h"

namespace gateleg::api::s3 {
namespace {

constexpr std::size_t kMaxRules = 100;
constexpr std::array<std::string_view, 5> kMethods = {"GET", "PUT", "POST", "DELETE", "HEAD"};

// What a page may read of an answer when no rule says so.
constexpr std::string_view kExposed =
    "ETag, x-amz-request-id, x-amz-version-id, x-amz-checksum-crc32, x-amz-checksum-crc32c, "
    "x-amz-checksum-crc64nvme, x-amz-checksum-sha1, x-amz-checksum-sha256, Content-Range, "
    "Accept-Ranges, Content-Length, Last-Modified";

Error forbidden() {
    return auth::s3_error(
        403,
        "AccessForbidden",
        "CORSResponse: This CORS request is not allowed. This is usually because the evaluation of "
        "Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers "
        "are not whitelisted by the resource's CORS spec."
    );
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    });
    return lower;
}

std::string joined(const std::vector<std::string>& texts) {
    std::string line;
    for (const auto& text : texts) {
        line.append(line.empty() ? "" : ", ").append(text);
    }
    return line;
}

bool applies(const objects::CorsRule& rule, const PageRequest& page) {
    const auto any = [](const std::vector<std::string>& patterns, std::string_view text) {
        return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
            return matches_wildcard(pattern, text);
        });
    };
    std::vector<std::string> headers;
    std::transform(
        rule.headers.begin(), rule.headers.end(), std::back_inserter(headers), lower_case
    );
    return any(rule.origins, page.origin) &&
           std::find(rule.methods.begin(), rule.methods.end(), page.method) != rule.methods.end() &&
           std::all_of(
               page.wanted_headers.begin(),
               page.wanted_headers.end(),
               [&](const std::string& name) { return any(headers, name); }
           );
}

std::string lines_of(const objects::CorsRule& rule, const PageRequest& page, bool preflight) {
    std::string lines;
    const bool everybody =
        std::find(rule.origins.begin(), rule.origins.end(), "*") != rule.origins.end();
    add_header(lines, "Access-Control-Allow-Origin", everybody ? "*" : page.origin);
    add_header(lines, "Access-Control-Allow-Methods", joined(rule.methods));
    add_header(lines, "Access-Control-Expose-Headers", joined(rule.exposed_headers));
    if (preflight) {
        add_header(lines, "Access-Control-Allow-Headers", joined(page.wanted_headers));
        if (rule.max_age_seconds) {
            add_header(lines, "Access-Control-Max-Age", std::to_string(*rule.max_age_seconds));
        }
    }
    lines.append("Vary: Origin, Access-Control-Request-Headers, Access-Control-Request-Method\r\n");
    return lines;
}

std::string default_lines(const PageRequest& page, bool preflight) {
    std::string lines;
    add_header(lines, "Access-Control-Allow-Origin", page.origin);
    add_header(lines, "Access-Control-Expose-Headers", kExposed);
    if (preflight) {
        add_header(lines, "Access-Control-Allow-Methods", "GET, PUT, POST, DELETE, HEAD");
        add_header(lines, "Access-Control-Allow-Headers", joined(page.wanted_headers));
        add_header(lines, "Access-Control-Max-Age", "600");
    }
    lines.append("Vary: Origin, Access-Control-Request-Headers, Access-Control-Request-Method\r\n");
    return lines;
}

Result<objects::CorsRule> read_rule(const XmlNode& node) {
    objects::CorsRule rule;
    for (const auto& child : node.children) {
        if (child.name == "ID") {
            rule.id = child.text;
        } else if (child.name == "AllowedOrigin") {
            rule.origins.push_back(child.text);
        } else if (child.name == "AllowedMethod") {
            rule.methods.push_back(child.text);
        } else if (child.name == "AllowedHeader") {
            rule.headers.push_back(child.text);
        } else if (child.name == "ExposeHeader") {
            rule.exposed_headers.push_back(child.text);
        } else if (child.name == "MaxAgeSeconds") {
            std::int64_t seconds = 0;
            const auto* end = child.text.data() + child.text.size();
            const auto parsed = std::from_chars(child.text.data(), end, seconds);
            if (parsed.ec != std::errc() || parsed.ptr != end || seconds < 0) {
                return malformed_xml();
            }
            rule.max_age_seconds = seconds;
        } else {
            return malformed_xml();
        }
    }
    if (rule.origins.empty() || rule.methods.empty()) {
        return malformed_xml();
    }
    for (const auto& method : rule.methods) {
        if (std::find(kMethods.begin(), kMethods.end(), method) == kMethods.end()) {
            return invalid_request(
                "Found unsupported HTTP method in CORS config. Unsupported method is " +
                method.substr(0, 32)
            );
        }
    }
    for (const auto* list : {&rule.origins, &rule.headers, &rule.exposed_headers}) {
        for (const auto& text : *list) {
            const bool odd = std::any_of(text.begin(), text.end(), [](char c) {
                return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f;
            });
            if (text.empty() || odd || std::count(text.begin(), text.end(), '*') > 1) {
                return invalid_request(
                    "A name in the CORS configuration can have one wildcard at "
                    "most, and no blanks"
                );
            }
        }
    }
    return rule;
}

}  // namespace

bool matches_wildcard(std::string_view pattern, std::string_view text) {
    const auto star = pattern.find('*');
    if (star == std::string_view::npos) {
        return pattern == text;
    }
    const auto before = pattern.substr(0, star);
    const auto after = pattern.substr(star + 1);
    return text.size() >= before.size() + after.size() && text.starts_with(before) &&
           text.ends_with(after);
}

Result<std::string> allow_page(
    const objects::ObjectStore& store,
    const http::HostPolicy& policy,
    std::string_view bucket,
    const PageRequest& page,
    bool preflight
) {
    const bool ours = http::is_allowed_origin(page.origin, policy);
    std::vector<objects::CorsRule> rules;
    if (!bucket.empty()) {
        // A bucket that is not there has no rules; the operation itself says so.
        if (auto found = store.cors(bucket)) {
            rules = *std::move(found);
        }
    }
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const objects::CorsRule& each) {
        return applies(each, page);
    });
    if (rule != rules.end()) {
        return lines_of(*rule, page, preflight);
    }
    if (!ours || (preflight && !rules.empty())) {
        return forbidden();
    }
    return rules.empty() ? default_lines(page, preflight) : std::string();
}

Answer get_bucket_cors(const Context& context, const Call& call, std::string_view /*body*/) {
    GATELEG_TRY_ASSIGN(const auto rules, context.store.cors(call.target.bucket));
    if (rules.empty()) {
        return objects::object_error(objects::Reason::kNoSuchCorsConfiguration);
    }
    XmlWriter xml("CORSConfiguration");
    const auto list = [&](std::string_view name, const std::vector<std::string>& texts) {
        for (const auto& text : texts) {
            xml.element(name, text);
        }
    };
    for (const auto& rule : rules) {
        xml.open("CORSRule");
        if (!rule.id.empty()) {
            xml.element("ID", rule.id);
        }
        list("AllowedMethod", rule.methods);
        list("AllowedOrigin", rule.origins);
        list("AllowedHeader", rule.headers);
        list("ExposeHeader", rule.exposed_headers);
        if (rule.max_age_seconds) {
            xml.element("MaxAgeSeconds", std::to_string(*rule.max_age_seconds));
        }
        xml.close("CORSRule");
    }
    return xml_response(std::move(xml).finish());
}

Answer put_bucket_cors(const Context& context, const Call& call, std::string_view body) {
    GATELEG_TRY_ASSIGN(const auto root, parse_xml(body));
    if (root.name != "CORSConfiguration" || root.children.empty() ||
        root.children.size() > kMaxRules) {
        return malformed_xml();
    }
    std::vector<objects::CorsRule> rules;
    for (const auto& node : root.children) {
        if (node.name != "CORSRule") {
            return malformed_xml();
        }
        GATELEG_TRY_ASSIGN(auto rule, read_rule(node));
        rules.push_back(std::move(rule));
    }
    GATELEG_TRY(context.store.set_cors(call.target.bucket, std::move(rules)));
    return empty_response();
}

Answer delete_bucket_cors(const Context& context, const Call& call, std::string_view /*body*/) {
    GATELEG_TRY(context.store.set_cors(call.target.bucket, {}));
    return empty_response(204);
}

}  // namespace gateleg::api::s3
