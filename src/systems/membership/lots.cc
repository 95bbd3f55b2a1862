#include "systems/membership/lots.h"

#include <algorithm>
#include <tuple>

#include "model/native.h"

namespace gateleg::systems::membership {

Lot read_lot(const value::Item& stored) {
    return {
        model::text_of(stored, "lotId"),
        model::integer_of(stored, "expiresAt").value_or(Lot::kNever),
        model::integer_of(stored, "remaining").value_or(0),
        model::text_of(stored, "source")};
}

Payment choose_lots(std::vector<Lot> lots, std::int64_t amount, std::int64_t now_seconds) {
    const auto place = [](const Lot& lot) {
        return std::tuple(lot.expiry, lot.source == "top_up", lot.id);
    };
    std::sort(lots.begin(), lots.end(), [&](const Lot& left, const Lot& right) {
        return place(left) < place(right);
    });
    Payment payment;
    auto open = amount;
    for (const auto& lot : lots) {
        if (lot.remaining <= 0 || !lot.is_live(now_seconds)) {
            continue;
        }
        payment.available += lot.remaining;
        const auto taken = std::min(open, lot.remaining);
        if (taken > 0) {
            payment.parts.push_back({lot, taken});
            open -= taken;
        }
        if (taken < lot.remaining && lot.expires() && !payment.next_expiry) {
            payment.next_expiry = lot.expiry;
        }
    }
    return payment;
}

value::AttributeValue to_argument(const std::vector<Part>& parts) {
    value::List list;
    for (const auto& part : parts) {
        list.push_back({value::Map{
            {"expiry", model::number(part.lot.expiry)},
            {"lotId", model::text(part.lot.id)},
            {"amount", model::number(part.amount)}}});
    }
    return {std::move(list)};
}

}  // namespace gateleg::systems::membership
