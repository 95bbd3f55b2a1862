// The signature header of a webhook, and its body: nobody gets in without a secret, and what a
// provider signs is taken, whatever stands beside it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "systems/webhooks.h"
#include "value/json_tree.h"

namespace {

constexpr std::int64_t kNow = 1'750'000'000;
constexpr std::string_view kSecret = "not-in-the-corpus";

}  // namespace

// A line of header, then the body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace systems = gateleg::systems;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto header = bytes.substr(0, bytes.find('\n'));
    const auto body = bytes.substr(std::min(size, header.size() + 1));

    GATELEG_CHECK(systems::find_signature_problem(kSecret, header, body, {kNow}).has_value());
    GATELEG_CHECK(systems::find_signature_problem("", header, body, {kNow}).has_value());

    const auto good = systems::sign_webhook(kSecret, body, kNow);
    const auto two = "another," + std::string(kSecret);
    GATELEG_CHECK(!systems::find_signature_problem(kSecret, good, body, {kNow}));
    GATELEG_CHECK(!systems::find_signature_problem(two, good, body, {kNow}));
    GATELEG_CHECK(!systems::find_signature_problem(kSecret, good, body, {kNow + 300}));
    GATELEG_CHECK(systems::find_signature_problem(kSecret, good, body, {kNow + 301}).has_value());
    GATELEG_CHECK(systems::find_signature_problem(kSecret, good, body, {kNow - 301}).has_value());
    const auto longer = std::string(body) + "x";
    GATELEG_CHECK(systems::find_signature_problem(kSecret, good, longer, {kNow}).has_value());

    if (auto tree = gateleg::value::parse_json(body)) {
        const systems::WebhookBody read{*std::move(tree)};
        const std::string path(header);
        static_cast<void>(read.find(path));
        static_cast<void>(read.text(path));
        static_cast<void>(read.integer(path));
        static_cast<void>(read.flag(path));
        static_cast<void>(systems::created_objects(read));
    }
    static_cast<void>(systems::is_outside_id(header));
    return 0;
}
