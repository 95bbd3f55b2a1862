// What deliveries by HTTP have in common: how a provider is called, and where it calls back.

#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/deliveries.h"
#include "jobs/providers.h"
#include "outbound/client.h"
#include "value/attribute_value.h"

namespace gateleg::jobs {

// Thread-safe. What `parts` names outlives it.
class Provider {
public:
    Provider(const DeliveryParts& parts, Target target);

    Result<value::AttributeValue> post_json(
        const Parcel& parcel,
        const std::string& url,
        const value::AttributeValue& body,
        const std::vector<std::string>& headers
    ) const;
    Result<value::AttributeValue> post(
        const Parcel& parcel,
        const std::string& url,
        std::string body,
        const std::string& type,
        const std::vector<std::string>& headers
    ) const;
    // A reply of any status.
    Result<outbound::Reply> send(
        const Parcel& parcel,
        const std::string& method,
        const std::string& url,
        std::string body,
        const std::vector<std::string>& headers
    ) const;

    // "Authorization: Bearer KEY", unless there is no key.
    std::vector<std::string> authorization(const std::string& scheme) const;
    // Where a provider reports to; the token of the job is part of it. Empty where nobody has said
    // how this server is reached: then it asks.
    std::string callback(const Parcel& parcel, const std::string& path) const;

    // The payload without what only we need.
    static value::Map without(
        const Parcel& parcel, const std::set<std::string, std::less<>>& names
    );
    // What the provider works on: `input` of the payload, or all that is not for us.
    static value::AttributeValue input_of(const Parcel& parcel);

protected:
    const Config& config_;
    const outbound::Client& client_;
    const Clock& clock_;
    Target target_;
};

// What a provider answered, or an empty map when it was no JSON object.
value::AttributeValue parse_answer(const std::string& body);
value::AttributeValue text_value(std::string text);
std::string joined(std::string url, const std::string& path);
std::string percent_encoded(std::string_view text);
// A path within a provider's URL; never a way out of it.
bool is_plain_path(const std::string& path);

}  // namespace gateleg::jobs
