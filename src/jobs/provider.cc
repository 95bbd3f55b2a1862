#include "jobs/provider.h"

#include "model/surface.h"
#include "value/json_tree.h"

namespace gateleg::jobs {

using value::AttributeValue;
using value::Map;

AttributeValue text_value(std::string text) {
    return {std::move(text)};
}

AttributeValue parse_answer(const std::string& body) {
    auto tree = value::parse_json(body);
    if (tree && std::holds_alternative<Map>((*tree).data)) {
        return *std::move(tree);
    }
    return {Map{}};
}

std::string joined(std::string url, const std::string& path) {
    while (url.ends_with('/')) {
        url.pop_back();
    }
    return path.empty() ? url : url + (path.starts_with('/') ? "" : "/") + path;
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
        if (plain) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += kDigits[byte >> 4U];
        out += kDigits[byte & 15U];
    }
    return out;
}

bool is_plain_path(const std::string& path) {
    return path.find("..") == std::string::npos &&
           path.find_first_not_of(
               "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./"
           ) == std::string::npos;
}

Provider::Provider(const DeliveryParts& parts, Target target)
    : config_(parts.config),
      client_(parts.client),
      clock_(parts.real_clock),
      target_(std::move(target)) {}

Result<AttributeValue> Provider::post_json(
    const Parcel& parcel,
    const std::string& url,
    const AttributeValue& body,
    const std::vector<std::string>& headers
) const {
    std::string json;
    value::append_plain_json(json, body);
    return post(parcel, url, std::move(json), "application/json", headers);
}

Result<AttributeValue> Provider::post(
    const Parcel& parcel,
    const std::string& url,
    std::string body,
    const std::string& type,
    const std::vector<std::string>& headers
) const {
    auto all = headers;
    all.push_back("Content-Type: " + type);
    GATELEG_TRY_ASSIGN(const auto reply, send(parcel, "POST", url, std::move(body), all));
    if (!reply.is_success()) {
        return service_unavailable("the answer was " + std::to_string(reply.status));
    }
    return parse_answer(reply.body);
}

Result<outbound::Reply> Provider::send(
    const Parcel& parcel,
    const std::string& method,
    const std::string& url,
    std::string body,
    const std::vector<std::string>& headers
) const {
    outbound::Request request;
    request.method = method;
    request.url = url;
    request.body = std::move(body);
    request.headers = headers;
    request.headers.push_back("Accept: application/json");
    request.headers.push_back("Idempotency-Key: " + parcel.row.id);
    return client_.send(request);
}

std::vector<std::string> Provider::authorization(const std::string& scheme) const {
    if (target_.key.empty()) {
        return {};
    }
    return {"Authorization: " + scheme + " " + target_.key};
}

std::string Provider::callback(const Parcel& parcel, const std::string& path) const {
    if (config_.public_url.empty()) {
        return {};
    }
    const auto token = parcel.text("token");
    return config_.public_url + model::base_path(parcel.runtime.model()) + "/webhooks/" + path +
           (token.empty() ? "" : "/" + token);
}

Map Provider::without(const Parcel& parcel, const std::set<std::string, std::less<>>& names) {
    Map rest;
    if (const auto* map = std::get_if<Map>(&parcel.row.payload.data)) {
        for (const auto& [name, member] : *map) {
            if (!names.contains(name) && member.type() != value::Type::kNull) {
                rest[name] = member;
            }
        }
    }
    return rest;
}

AttributeValue Provider::input_of(const Parcel& parcel) {
    if (const auto* input = parcel.find("input")) {
        return *input;
    }
    return {without(parcel, {"token", "model", "provider", "provider_model_id", "user_id"})};
}

}  // namespace gateleg::jobs
