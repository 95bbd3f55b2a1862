#include "model/check_target.h"

#include <algorithm>

#include "model/check.h"

namespace gateleg::model {
namespace {

bool is_posted(const Operation& operation) {
    return std::any_of(operation.routes.begin(), operation.routes.end(), [](const Route& route) {
        return route.method == "POST";
    });
}

void check_alternator(const Model& model, const Operation& operation, Diagnostics& diagnostics) {
    const bool keyed = is_posted(operation) || operation.idempotency_required;
    const int items = worst_case_actions(model, operation) - (keyed ? 1 : 0);
    const auto name = "operation " + operation.name;
    if (items > 1) {
        diagnostics.error(
            "X01",
            operation.position,
            name + " writes up to " + std::to_string(items) +
                " items in one transaction, which Alternator does not have",
            "use another store, or write one item"
        );
    } else if (operation.idempotency_required) {
        diagnostics.error(
            "X01",
            operation.position,
            name + " keeps its idempotency record in a transaction, which Alternator does not have"
        );
    } else if (keyed) {
        diagnostics.warning(
            "X01",
            operation.position,
            name + " cannot take an Idempotency-Key on Alternator, which has no transactions"
        );
    }
}

}  // namespace

std::optional<Target> parse_target(std::string_view name) {
    if (name == "embedded") {
        return Target::kEmbedded;
    }
    if (name == "aws") {
        return Target::kAws;
    }
    return name == "alternator" ? std::optional(Target::kAlternator) : std::nullopt;
}

void check_target(const Model& model, Target target, Diagnostics& diagnostics) {
    // The engine here does what AWS does; a model that passes the other rules runs on both.
    if (target != Target::kAlternator) {
        return;
    }
    for (const auto& operation : model.operations) {
        check_alternator(model, operation, diagnostics);
    }
    for (const auto& index : model.table.indexes) {
        if (index.projection != Index::Projection::kAll) {
            diagnostics.info(
                "X01",
                index.position,
                "index " + index.name + ": Alternator projects all attributes, whatever is asked"
            );
        }
    }
}

}  // namespace gateleg::model
