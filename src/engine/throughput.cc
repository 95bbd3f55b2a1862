#include "engine/throughput.h"

#include <algorithm>
#include <string>

namespace gateleg::engine {
namespace {

using dynamo::BillingMode;
using dynamo::OnDemandThroughput;
using dynamo::Throughput;
using dynamo::WarmThroughput;
using Units = std::optional<std::int64_t>;

constexpr Throughput kOnDemandStart{12'000, 4'000};

Error parameter_error(const std::string& text) {
    return validation_error("One or more parameter values were invalid: " + text);
}

Throughput start_of(BillingMode mode, const Throughput& provisioned) {
    return mode == BillingMode::kPayPerRequest ? kOnDemandStart : provisioned;
}

Throughput highest(const Throughput& left, const Throughput& right) {
    return {
        std::max(left.read_units, right.read_units), std::max(left.write_units, right.write_units)};
}

// Calls `check(name, wanted, least)` for reads, then for writes.
template <class Check>
Result<void> for_each_units(const WarmThroughput& wanted, const Throughput& least, Check check) {
    GATELEG_TRY(check(std::string("Read"), wanted.read_units, least.read_units));
    return check(std::string("Write"), wanted.write_units, least.write_units);
}

// `what` is "table" or "index NAME".
Result<void> check_new_warm(
    const std::optional<WarmThroughput>& wanted,
    BillingMode mode,
    const Throughput& provisioned,
    const std::string& what
) {
    if (!wanted) {
        return {};
    }
    const auto check = [&](const std::string& name, Units units, std::int64_t least) {
        if (!units || *units >= least) {
            return Result<void>();
        }
        return Result<void>(parameter_error(
            "Requested " + name + "UnitsPerSecond for WarmThroughput for " + what +
            " is lower than " +
            (mode == BillingMode::kPayPerRequest
                 ? "initial throughput for OnDemand. See: https://docs.aws.amazon.com/"
                   "amazondynamodb/latest/developerguide/"
                   "on-demand-capacity-mode.html#on-demand-capacity-mode-initial"
                 : name + "CapacityUnits of ProvisionedThroughput")
        ));
    };
    return for_each_units(*wanted, start_of(mode, provisioned), check);
}

// What it is then.
Result<Throughput> changed_warm(
    const WarmThroughput& wanted, const Throughput& current, const std::string& what
) {
    const auto check = [&](const std::string& name, Units units, std::int64_t least) {
        return !units || *units >= least
                   ? Result<void>()
                   : Result<void>(parameter_error(
                         "Requested " + name + "UnitsPerSecond for WarmThroughput for " + what +
                         " is lower than current WarmThroughput, decreasing WarmThroughput is not "
                         "supported"
                     ));
    };
    GATELEG_TRY(for_each_units(wanted, current, check));
    return Throughput{
        wanted.read_units.value_or(current.read_units),
        wanted.write_units.value_or(current.write_units)};
}

// `what` is " for table" or " for index : NAME".
Result<void> check_limit(
    Units limit, std::string_view name, const std::string& what, bool may_be_taken_away
) {
    if (!limit || *limit >= 1 || (may_be_taken_away && *limit == -1)) {
        return {};
    }
    return parameter_error(
        "Requested " + std::string(name) + " for OnDemandThroughput" + what +
        " is outside of valid range"
    );
}

Result<void> check_limits(
    const OnDemandThroughput& limits, const std::string& what, bool may_be_taken_away
) {
    GATELEG_TRY(check_limit(limits.max_read_units, "MaxReadRequestUnits", what, may_be_taken_away));
    return check_limit(limits.max_write_units, "MaxWriteRequestUnits", what, may_be_taken_away);
}

// Nothing if no limit is given. `index` is " for index: NAME", or empty.
std::optional<Error> refuse_limits_of_provisioned(
    const OnDemandThroughput& limits, const std::string& index, std::string_view rest
) {
    if (!limits.max_read_units && !limits.max_write_units) {
        return std::nullopt;
    }
    return parameter_error(
        std::string(limits.max_read_units ? "MaxReadRequestUnits" : "MaxWriteRequestUnits") +
        " for OnDemandThroughput" + index + " cannot be specified when " + std::string(rest)
    );
}

Result<void> check_new_limits(
    const std::optional<OnDemandThroughput>& limits,
    BillingMode mode,
    const std::string& what,
    const std::string& index
) {
    if (!limits) {
        return {};
    }
    if (mode == BillingMode::kProvisioned) {
        if (auto refused =
                refuse_limits_of_provisioned(*limits, index, "table BillingMode is PROVISIONED.")) {
            return *std::move(refused);
        }
        return {};
    }
    return check_limits(*limits, what, false);
}

// A member that is not there stays, and -1 takes one away; without any there are none.
void change_limits(std::optional<OnDemandThroughput>& limits, const OnDemandThroughput& wanted) {
    const auto changed = [](Units before, Units after) {
        return !after ? before : *after == -1 ? std::nullopt : after;
    };
    const auto before = limits.value_or(OnDemandThroughput{});
    const OnDemandThroughput after{
        changed(before.max_read_units, wanted.max_read_units),
        changed(before.max_write_units, wanted.max_write_units)};
    limits = after.max_read_units || after.max_write_units ? std::optional(after) : std::nullopt;
}

Throughput mark_of(const std::optional<WarmThroughput>& warm) {
    const auto kept = warm.value_or(WarmThroughput{});
    return {kept.read_units.value_or(0), kept.write_units.value_or(0)};
}

}  // namespace

Throughput warm_throughput(const dynamo::TableDescription& table) {
    return highest(
        table.warm.value_or(Throughput{}), start_of(table.billing_mode, table.throughput)
    );
}

Throughput warm_throughput(
    const dynamo::TableDescription& table, const dynamo::IndexDefinition& index
) {
    return highest(
        mark_of(index.warm), start_of(table.billing_mode, index.throughput.value_or(Throughput{}))
    );
}

void keep_warm_throughput(Table& table) {
    table.description.warm = warm_throughput(table.description);
    for (auto& index : table.indexes) {
        if (index.global) {
            const auto shown = warm_throughput(table.description, index.definition);
            index.definition.warm = WarmThroughput{shown.read_units, shown.write_units};
        }
    }
}

Result<void> check_new_throughput(const dynamo::CreateTableRequest& request) {
    const auto mode = request.billing_mode.value_or(BillingMode::kProvisioned);
    GATELEG_TRY(check_new_limits(request.on_demand, mode, " for table", ""));
    return check_new_warm(request.warm, mode, request.throughput.value_or(Throughput{}), "table");
}

Result<void> check_new_throughput(BillingMode billing_mode, const dynamo::IndexDefinition& index) {
    GATELEG_TRY(check_new_limits(
        index.on_demand, billing_mode, " for index : " + index.name, " for index: " + index.name
    ));
    return check_new_warm(
        index.warm, billing_mode, index.throughput.value_or(Throughput{}), "index " + index.name
    );
}

Result<void> change_throughput(const dynamo::UpdateTableRequest& request, Table& table) {
    auto& description = table.description;
    if (request.on_demand) {
        if (description.billing_mode == BillingMode::kProvisioned) {
            if (auto refused = refuse_limits_of_provisioned(
                    *request.on_demand, "", "the table BillingMode is PROVISIONED"
                )) {
                return *std::move(refused);
            }
        }
        GATELEG_TRY(check_limits(*request.on_demand, " for table", true));
        change_limits(description.on_demand, *request.on_demand);
    }
    if (request.warm) {
        GATELEG_TRY_ASSIGN(
            description.warm, changed_warm(*request.warm, warm_throughput(description), "table")
        );
    }
    return {};
}

Result<void> change_throughput(
    const dynamo::UpdateTableRequest::IndexThroughput& update,
    const dynamo::TableDescription& table,
    dynamo::IndexDefinition& index
) {
    if (update.on_demand) {
        if (table.billing_mode == BillingMode::kProvisioned) {
            if (auto refused = refuse_limits_of_provisioned(
                    *update.on_demand,
                    " for index: " + update.name,
                    "the table BillingMode is PROVISIONED"
                )) {
                return *std::move(refused);
            }
        }
        GATELEG_TRY(check_limits(*update.on_demand, " for index : " + update.name, true));
        change_limits(index.on_demand, *update.on_demand);
    }
    if (update.warm) {
        GATELEG_TRY_ASSIGN(
            const auto warm,
            changed_warm(*update.warm, warm_throughput(table, index), "index " + update.name)
        );
        index.warm = WarmThroughput{warm.read_units, warm.write_units};
    }
    return {};
}

}  // namespace gateleg::engine
