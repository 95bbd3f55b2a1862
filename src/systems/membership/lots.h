// Which lots of credits pay, and in what order.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "value/attribute_value.h"

namespace gateleg::systems::membership {

struct Lot {
    std::string id;
    std::int64_t expiry = 0;  // as in its key: seconds, 9999999999 for never
    std::int64_t remaining = 0;
    std::string source;

    bool expires() const { return expiry != kNever; }
    bool is_live(std::int64_t now_seconds) const { return !expires() || expiry > now_seconds; }

    static constexpr std::int64_t kNever = 9'999'999'999;
};

Lot read_lot(const value::Item& stored);

struct Part {
    Lot lot;
    std::int64_t amount = 0;
};
struct Payment {
    std::int64_t available = 0;    // of all live lots
    std::vector<Part> parts = {};  // add up to what was asked, if that much is available
    // When the first lot expires that has credits left afterwards.
    std::optional<std::int64_t> next_expiry = {};
};

// ME-R17: the lot that expires first; of those that expire together what was given before what was
// bought; then the oldest.
Payment choose_lots(std::vector<Lot> lots, std::int64_t amount, std::int64_t now_seconds);

// As the operations take them: [{expiry, lotId, amount}].
value::AttributeValue to_argument(const std::vector<Part>& parts);

}  // namespace gateleg::systems::membership
