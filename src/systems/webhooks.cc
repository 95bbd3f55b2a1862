#include "systems/webhooks.h"

#include <algorithm>
#include <charconv>

#include "base/sha256.h"
#include "value/json_tree.h"

namespace gateleg::systems {
namespace {

using model::CallError;

constexpr std::int64_t kToleranceSeconds = 300;
constexpr std::size_t kMaxSignatures = 16;

struct Signature {
    std::string_view time;
    std::int64_t seconds = 0;
    std::vector<Sha256Digest> digests;
};

std::string_view trim(std::string_view text) {
    const auto first = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(first);
    const auto last = text.find_last_not_of(" \t");
    return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const auto end = std::min(text.find(separator, at), text.size());
        parts.push_back(trim(text.substr(at, end - at)));
        at = end + 1;
    }
    return parts;
}

std::optional<Signature> parse_signature(std::string_view header) {
    Signature signature;
    for (const auto part : split(header, ',')) {
        if (part.starts_with("t=")) {
            signature.time = part.substr(2);
        } else if (part.starts_with("v1=") && signature.digests.size() < kMaxSignatures) {
            if (const auto digest = parse_hex_digest(part.substr(3))) {
                signature.digests.push_back(*digest);
            }
        }
    }
    const auto* end = signature.time.data() + signature.time.size();
    const auto parsed = std::from_chars(signature.time.data(), end, signature.seconds);
    const bool good = !signature.time.empty() && parsed.ec == std::errc() && parsed.ptr == end &&
                      !signature.digests.empty();
    return good ? std::optional(std::move(signature)) : std::nullopt;
}

bool is_signed(const Signature& signature, std::string_view secret, std::string_view body) {
    const auto expected =
        HmacKey(secret).sign(std::string(signature.time) + "." + std::string(body));
    bool found = false;
    for (const auto& digest : signature.digests) {
        found |= equal_in_constant_time(expected, digest);
    }
    return found;
}

CallError signature_invalid() {
    return {400, "SignatureInvalid", "The body is not signed with a secret of this server"};
}

constexpr std::size_t kMaxRecords = 1000;

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char small = static_cast<char>(c | 0x20);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// Keys in events are written as in a query: a space is a plus, other characters %2B.
std::string plain_key(const std::string& written) {
    std::string key;
    for (std::size_t at = 0; at < written.size(); ++at) {
        const bool escaped = written[at] == '%' && at + 2 < written.size() &&
                             hex_digit(written[at + 1]) >= 0 && hex_digit(written[at + 2]) >= 0;
        if (escaped) {
            key += static_cast<char>(hex_digit(written[at + 1]) * 16 + hex_digit(written[at + 2]));
            at += 2;
        } else {
            key += written[at] == '+' ? ' ' : written[at];
        }
    }
    return key;
}

}  // namespace

const value::AttributeValue* WebhookBody::find(std::string_view path) const {
    const auto* at = &tree;
    for (const auto name : split(path, '.')) {
        if (const auto* list = std::get_if<value::List>(&at->data)) {
            std::size_t place = 0;
            const auto parsed = std::from_chars(name.data(), name.data() + name.size(), place);
            if (parsed.ec != std::errc() || place >= list->size()) {
                return nullptr;
            }
            at = &(*list)[place];
            continue;
        }
        const auto* map = std::get_if<value::Map>(&at->data);
        const auto member = map != nullptr ? map->find(name) : value::Map::const_iterator();
        if (map == nullptr || member == map->end()) {
            return nullptr;
        }
        at = &member->second;
    }
    return std::holds_alternative<value::Null>(at->data) ? nullptr : at;
}

std::string WebhookBody::text(std::string_view path) const {
    const auto* found = find(path);
    return found != nullptr ? model::text_of({{"x", *found}}, "x") : std::string();
}

std::optional<std::int64_t> WebhookBody::integer(std::string_view path) const {
    const auto* found = find(path);
    return found != nullptr ? model::integer_of({{"x", *found}}, "x") : std::nullopt;
}

bool WebhookBody::flag(std::string_view path) const {
    const auto* found = find(path);
    return found != nullptr && model::flag_of({{"x", *found}}, "x");
}

std::optional<CallError> find_signature_problem(
    std::string_view secrets,
    std::string_view signature,
    std::string_view body,
    const std::vector<std::int64_t>& now_seconds
) {
    const auto parsed = parse_signature(signature);
    if (!parsed) {
        return signature_invalid();
    }
    bool genuine = false;
    for (const auto secret : split(secrets, ',')) {
        genuine |= !secret.empty() && is_signed(*parsed, secret, body);
    }
    if (!genuine) {
        return signature_invalid();
    }
    const bool timely = std::any_of(now_seconds.begin(), now_seconds.end(), [&](std::int64_t now) {
        return parsed->seconds >= now - kToleranceSeconds &&
               parsed->seconds <= now + kToleranceSeconds;
    });
    if (!timely) {
        return CallError{400, "SignatureExpired", "The signature is older than five minutes"};
    }
    return std::nullopt;
}

std::string sign_webhook(std::string_view secret, std::string_view body, std::int64_t at_seconds) {
    const auto time = std::to_string(at_seconds);
    return "t=" + time + ",v1=" + to_hex(HmacKey(secret).sign(time + "." + std::string(body)));
}

model::CallResult<WebhookBody> read_webhook(
    const Services& services,
    std::string_view provider,
    std::string_view header,
    const model::NativeCall& call
) {
    const auto name = "GATELEG_" + std::string(provider) + "_WEBHOOK_SECRET";
    const auto secrets = services.find_setting(name);
    if (!secrets) {
        return CallError{503, "ProviderNotConfigured", "This server has no secret for these calls"};
    }
    std::vector<std::int64_t> times = {services.real_clock.now_seconds()};
    if (services.test_mode) {
        times.push_back(services.clock.now_seconds());
    }
    if (auto problem =
            find_signature_problem(*secrets, call.header(header), call.raw_body(), times)) {
        return *problem;
    }
    auto tree = value::parse_json(call.raw_body());
    if (!tree || !std::holds_alternative<value::Map>((*tree).data)) {
        return CallError{400, "MalformedJson", "The body is not a JSON object"};
    }
    return WebhookBody{*std::move(tree)};
}

std::vector<std::string> created_objects(const WebhookBody& body) {
    std::vector<std::string> keys;
    for (std::size_t at = 0; at < kMaxRecords; ++at) {
        const auto record = "Records." + std::to_string(at);
        if (body.find(record) == nullptr) {
            break;
        }
        if (body.text(record + ".eventName").find("ObjectCreated:") != std::string::npos) {
            keys.push_back(plain_key(body.text(record + ".s3.object.key")));
        }
    }
    return keys;
}

bool is_outside_id(std::string_view text) {
    return !text.empty() && text.size() <= 128 &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                      c == '_' || c == '.' || c == ':' || c == '-';
           });
}

}  // namespace gateleg::systems
