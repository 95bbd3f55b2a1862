#include "model/table_apply.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "model/blocking_call.h"
#include "model/table_request.h"

namespace gateleg::model {
namespace {

using Kind = TableChange::Kind;
using dynamo::Dynamo;
using Steady = std::chrono::steady_clock;

// Hours are not unheard of when an index of a large table is built; a day is.
constexpr std::chrono::hours kPatience{24};
constexpr std::chrono::milliseconds kFirstPoll{50};
constexpr std::chrono::milliseconds kLastPoll{5'000};

class Applier {
public:
    Applier(const Table& table, Dynamo& dynamo, const ApplyHooks& hooks)
        : table_(table), dynamo_(dynamo), hooks_(hooks) {}

    Result<void> run(const TablePlan& plan) {
        for (const auto& change : plan.changes) {
            if (hooks_.starting) {
                hooks_.starting(change);
            }
            GATELEG_TRY(make(change));
        }
        return {};
    }

private:
    Result<void> make(const TableChange& change) {
        switch (change.kind) {
            case Kind::kCreateTable:
                GATELEG_TRY(
                    blocking_call(dynamo_, &Dynamo::create_table, create_table_request(table_))
                );
                return wait_until_settled("table " + table_.name);
            case Kind::kAddIndex:
                return add_index(*table_.find_index(change.name));
            case Kind::kDropIndex:
                return drop_index(change.name);
            case Kind::kEnableTtl:
                return set_ttl(change.name, true);
            case Kind::kDisableTtl:
                return set_ttl(change.name, false);
        }
        return {};
    }

    Result<void> add_index(const Index& index) {
        dynamo::UpdateTableRequest request;
        request.table = table_.name;
        request.attributes = key_attributes(index.key);
        request.index_updates.emplace().push_back({.create = index_definition(table_, index.name)});
        GATELEG_TRY(blocking_call(dynamo_, &Dynamo::update_table, std::move(request)));
        return wait_until_settled("index " + index.name);
    }

    Result<void> drop_index(const std::string& name) {
        dynamo::UpdateTableRequest request;
        request.table = table_.name;
        request.index_updates.emplace().push_back({.remove = name});
        GATELEG_TRY(blocking_call(dynamo_, &Dynamo::update_table, std::move(request)));
        return wait_until_settled("index " + name);
    }

    Result<void> set_ttl(const std::string& attribute, bool enabled) {
        GATELEG_TRY(blocking_call(
            dynamo_,
            &Dynamo::update_time_to_live,
            dynamo::UpdateTimeToLiveRequest{table_.name, {attribute, enabled}}
        ));
        return {};
    }

    Result<void> wait_until_settled(const std::string& what) {
        return model::wait_until_settled(table_.name, what, dynamo_, hooks_);
    }

    const Table& table_;
    Dynamo& dynamo_;
    const ApplyHooks& hooks_;
};

}  // namespace

Result<TableState> read_table_state(const Table& table, Dynamo& dynamo) {
    TableState state;
    auto described =
        blocking_call(dynamo, &Dynamo::describe_table, dynamo::DescribeTableRequest{table.name});
    if (!described) {
        if (described.error().code == ErrorCode::kResourceNotFound) {
            return state;
        }
        return described.error();
    }
    state.table = (*described).table;
    auto ttl = blocking_call(
        dynamo, &Dynamo::describe_time_to_live, dynamo::DescribeTimeToLiveRequest{table.name}
    );
    if (ttl) {
        state.ttl = (*ttl).attribute;
    } else if (ttl.error().code != ErrorCode::kUnknownOperation || !table.ttl.empty()) {
        return ttl.error();
    }
    return state;
}

Result<void> apply_plan(
    const Table& table, const TablePlan& plan, Dynamo& dynamo, const ApplyHooks& hooks
) {
    return Applier(table, dynamo, hooks).run(plan);
}

Result<void> wait_until_settled(
    const std::string& table, const std::string& what, Dynamo& dynamo, const ApplyHooks& hooks
) {
    const auto end = Steady::now() + kPatience;
    auto pause = kFirstPoll;
    while (Steady::now() < end) {
        GATELEG_TRY_ASSIGN(
            const auto reply,
            blocking_call(dynamo, &Dynamo::describe_table, dynamo::DescribeTableRequest{table})
        );
        const auto& indexes = reply.table.global_indexes;
        const bool settled = reply.table.status == dynamo::Status::kActive &&
                             std::all_of(indexes.begin(), indexes.end(), [](const auto& index) {
                                 return index.status == dynamo::Status::kActive;
                             });
        if (settled) {
            return {};
        }
        if (hooks.waiting) {
            hooks.waiting(what);
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, kLastPoll);
    }
    return service_unavailable(what + " was not ready in time");
}

}  // namespace gateleg::model
