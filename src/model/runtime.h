// Executes the patterns, operations and jobs of a loaded model on the DynamoDB interface, and on
// nothing else.
//
// A pattern is one read; an operation is a few consistent reads and one transaction. Callers speak
// of attributes; keys, guards, index rows and idempotency records are made here.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "dynamo/dynamo.h"
#include "model/call.h"
#include "model/native.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

class OutboxTable;
class ScheduleTable;

struct RuntimeOptions {
    // Signs cursors, and makes ids from idempotency keys. Equal for all servers of one table.
    std::string secret;
    // For tests; empty: random. The ULIDs of one process ascend.
    std::function<std::string()> make_ulid = {};
    std::function<std::string()> make_uuid = {};
    // The most items one call of a pattern reads to fill its page.
    std::int64_t read_budget = 2'000;
    std::int64_t retry_millis = 5'000;
};

// What fsck found wrong with the live data.
struct Finding {
    enum class Kind : std::uint8_t {
        kUnknownItem,   // no entity of the model has such a key
        kStaleKey,      // a key or derived attribute differs from what its attributes give
        kMissingRow,    // an owner without its row, or the row has other content
        kOrphanRow,     // a row no owner asks for
        kBadAttribute,  // a value against the rules of its attribute
    };
    Kind kind = Kind::kUnknownItem;
    std::string key;  // {"PK":{"S":".."},..}
    std::string entity = {};
    std::string message = {};
};
std::string_view finding_name(Finding::Kind kind);
struct FsckReport {
    std::int64_t scanned = 0;
    std::vector<Finding> findings = {};  // at most `most`
    std::int64_t found = 0;
};

// Thread-safe. Calls block until DynamoDB has answered: for worker threads, never for the thread
// that answers DynamoDB requests. The model, the database and the clock outlive it.
class Runtime {
public:
    Runtime(const Model& model, dynamo::Dynamo& dynamo, const Clock& clock, RuntimeOptions options);
    ~Runtime();

    const Model& model() const;
    const Clock& clock() const;

    // Gives an operation with `native: true` its body. Before the first call; throws
    // std::invalid_argument if the model has no such operation.
    void install(std::string_view operation, NativeFunction function);
    // The stored answer, if the same call was made before with the same idempotency key. For
    // native operations whose effect names them as the call behind it (OperationCall::behind).
    CallResult<std::optional<OperationReply>> find_replay(const NativeCall& call);
    // Native operations that nobody has installed.
    std::vector<std::string> missing_natives() const;

    // CreateTable and UpdateTimeToLive as the model says, if there is no such table yet.
    CallResult<bool> create_table();
    // False: the table is empty.
    CallResult<bool> has_items();

    CallResult<Page> query(
        const Pattern& pattern,
        const PatternCall& call,
        const Caller& caller,
        Explained* explained = nullptr
    );
    // Of a `get` or `one` pattern: the item, or 404 <Entity>NotFound.
    CallResult<Found> get(
        const Pattern& pattern,
        const PatternCall& call,
        const Caller& caller,
        Explained* explained = nullptr
    );
    CallResult<OperationReply> run(
        const Operation& operation,
        const OperationCall& call,
        const Caller& caller,
        Explained* explained = nullptr
    );

    // The same by name, for C++: a name that the model does not have throws std::invalid_argument.
    CallResult<Page> query(std::string_view pattern, const PatternCall& call, const Caller& caller);
    CallResult<Found> get(std::string_view pattern, Arguments arguments, const Caller& caller);
    CallResult<OperationReply> run(
        std::string_view operation, const OperationCall& call, const Caller& caller
    );

    // Part of a job: its operation for each item of its source, one transaction each. Safe to
    // repeat and to break off; the cursor of a report goes on where it ended.
    CallResult<JobReport> run_job(const Job& job, const JobCall& call, const Caller& caller);

    // The item as the API shows it: attribute names, no keys, nothing hidden, times as text,
    // booleans as booleans. `returns` of a pattern limits it to those names.
    value::AttributeValue to_api(
        const Entity& entity, const value::Item& stored, const Caller& caller
    ) const;
    value::AttributeValue to_api(
        const Pattern& pattern,
        const Entity& entity,
        const value::Item& stored,
        const Caller& caller
    ) const;

    // The rows that src/jobs delivers, and the times of the jobs.
    const OutboxTable& outbox() const;
    const ScheduleTable& schedule() const;
    // Calls `listener`, which must be quick, after each operation that put a row into the outbox;
    // an empty one ends that.
    void on_outbox(std::function<void()> listener);

    // Reads the whole table and compares every key and row with what the model says.
    CallResult<FsckReport> fsck(std::size_t most = 100);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gateleg::model
