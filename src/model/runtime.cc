#include "model/runtime.h"

#include <stdexcept>

#include "model/access.h"
#include "model/blocking_call.h"
#include "model/fsck.h"
#include "model/idempotency.h"
#include "model/item_codec.h"
#include "model/job_run.h"
#include "model/operation_run.h"
#include "model/outbox_table.h"
#include "model/pattern_run.h"
#include "model/runtime_shared.h"
#include "model/schedule_table.h"
#include "model/table_request.h"
#include "model/taken_item.h"

namespace gateleg::model {
namespace {

template <class T>
const T& named(const T* found, std::string_view name) {
    if (found == nullptr) {
        throw std::invalid_argument("the model has no " + std::string(name));
    }
    return *found;
}

}  // namespace

struct Runtime::Parts {
    Parts(const Model& model, dynamo::Dynamo& dynamo, const Clock& clock, RuntimeOptions options)
        : shared(model, dynamo, clock, std::move(options)), outbox(shared), schedule(shared) {}

    Shared shared;
    OutboxTable outbox;
    ScheduleTable schedule;
};

std::string_view finding_name(Finding::Kind kind) {
    switch (kind) {
        case Finding::Kind::kUnknownItem:
            return "unknown item";
        case Finding::Kind::kStaleKey:
            return "stale key";
        case Finding::Kind::kMissingRow:
            return "missing row";
        case Finding::Kind::kOrphanRow:
            return "orphan row";
        case Finding::Kind::kBadAttribute:
            return "bad attribute";
    }
    return "";
}

Runtime::Runtime(
    const Model& model, dynamo::Dynamo& dynamo, const Clock& clock, RuntimeOptions options
)
    : parts_(std::make_unique<Parts>(model, dynamo, clock, std::move(options))) {}

Runtime::~Runtime() = default;

const Model& Runtime::model() const {
    return parts_->shared.model;
}

const Clock& Runtime::clock() const {
    return parts_->shared.clock;
}

void Runtime::install(std::string_view operation, NativeFunction function) {
    const auto* found = model().find_operation(operation);
    if (found == nullptr || !found->native) {
        throw std::invalid_argument(
            "model " + model().name + " has no native operation " + std::string(operation)
        );
    }
    parts_->shared.natives[found] = std::move(function);
}

CallResult<std::optional<OperationReply>> Runtime::find_replay(const NativeCall& call) {
    auto& shared = parts_->shared;
    if (!call.original.first().idempotency_key) {
        return std::optional<OperationReply>();
    }
    GATELEG_CALL_TRY_ASSIGN_CALL(
        const auto record,
        IdempotencyRecord::make(
            shared.model.table,
            call.operation,
            call.original,
            call.caller,
            shared.clock.now_millis()
        )
    );
    Database database(shared.model.table, shared.dynamo, nullptr);
    return record.find(database);
}

std::vector<std::string> Runtime::missing_natives() const {
    std::vector<std::string> names;
    for (const auto& operation : model().operations) {
        if (operation.native && !parts_->shared.natives.contains(&operation)) {
            names.push_back(operation.name);
        }
    }
    return names;
}

CallResult<bool> Runtime::create_table() {
    auto& dynamo = parts_->shared.dynamo;
    const auto& table = model().table;
    const auto there = blocking_call(
        dynamo, &dynamo::Dynamo::describe_table, dynamo::DescribeTableRequest{table.name}
    );
    if (there) {
        return false;
    }
    if (there.error().code != ErrorCode::kResourceNotFound) {
        return to_call_error(there.error());
    }
    GATELEG_CALL_TRY(
        blocking_call(dynamo, &dynamo::Dynamo::create_table, create_table_request(table))
    );
    if (!table.ttl.empty()) {
        GATELEG_CALL_TRY(blocking_call(
            dynamo,
            &dynamo::Dynamo::update_time_to_live,
            dynamo::UpdateTimeToLiveRequest{table.name, {table.ttl, true}}
        ));
    }
    return true;
}

CallResult<bool> Runtime::has_items() {
    Database database(model().table, parts_->shared.dynamo, nullptr);
    std::optional<value::Item> start;
    do {
        GATELEG_CALL_TRY_ASSIGN(auto page, database.scan(start));
        if (!page.items.empty()) {
            return true;
        }
        start = std::move(page.next);
    } while (start);
    return false;
}

CallResult<Page> Runtime::query(
    const Pattern& pattern, const PatternCall& call, const Caller& caller, Explained* explained
) {
    auto& shared = parts_->shared;
    Database database(shared.model.table, shared.dynamo, explained);
    return run_query(shared, database, pattern, call, caller);
}

CallResult<Found> Runtime::get(
    const Pattern& pattern, const PatternCall& call, const Caller& caller, Explained* explained
) {
    auto& shared = parts_->shared;
    Database database(shared.model.table, shared.dynamo, explained);
    return run_get(shared, database, pattern, call, caller);
}

CallResult<OperationReply> Runtime::run(
    const Operation& operation,
    const OperationCall& call,
    const Caller& caller,
    Explained* explained
) {
    return run_operation(parts_->shared, operation, call, caller, explained);
}

CallResult<JobReport> Runtime::run_job(const Job& job, const JobCall& call, const Caller& caller) {
    return model::run_job(
        parts_->shared,
        job,
        call,
        caller,
        [this](const Operation& operation, const OperationCall& one, const Caller& who) {
            return run(operation, one, who);
        }
    );
}

CallResult<Page> Runtime::query(
    std::string_view pattern, const PatternCall& call, const Caller& caller
) {
    return query(named(model().find_pattern(pattern), pattern), call, caller);
}

CallResult<Found> Runtime::get(
    std::string_view pattern, Arguments arguments, const Caller& caller
) {
    const PatternCall call{.arguments = std::move(arguments)};
    return get(named(model().find_pattern(pattern), pattern), call, caller);
}

CallResult<OperationReply> Runtime::run(
    std::string_view operation, const OperationCall& call, const Caller& caller
) {
    return run(named(model().find_operation(operation), operation), call, caller);
}

value::AttributeValue Runtime::to_api(
    const Entity& entity, const value::Item& stored, const Caller& caller
) const {
    const auto environment =
        entity.full ? make_environment(model(), caller, clock().now_millis()) : Environment{};
    return show_item(model(), entity, stored, caller, environment);
}

value::AttributeValue Runtime::to_api(
    const Pattern& pattern, const Entity& entity, const value::Item& stored, const Caller& caller
) const {
    return show_of_pattern(
        model(), pattern, entity, value::Item(stored), caller, clock().now_millis()
    );
}

const OutboxTable& Runtime::outbox() const {
    return parts_->outbox;
}

const ScheduleTable& Runtime::schedule() const {
    return parts_->schedule;
}

void Runtime::on_outbox(std::function<void()> listener) {
    parts_->shared.outbox_bell.on_ring(std::move(listener));
}

CallResult<FsckReport> Runtime::fsck(std::size_t most) {
    auto& shared = parts_->shared;
    Database database(shared.model.table, shared.dynamo, nullptr);
    return run_fsck(shared, database, most);
}

}  // namespace gateleg::model
