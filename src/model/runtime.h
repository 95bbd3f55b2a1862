// Executes the patterns and operations of a loaded model on the DynamoDB interface, and on nothing
// else.
//
// A pattern is one read; an operation is a few consistent reads and one transaction. Callers speak
// of attributes; keys, guards, index rows and idempotency records are made here.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "dynamo/dynamo.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

// Who calls. Nobody is signed in when `user` is empty.
struct Caller {
    std::optional<std::string> user = {};
    std::set<std::string, std::less<>> roles = {};
    std::string viewer = {};  // the user, or a salted hash of the address
    bool internal = false;    // C++ and jobs: may call what says `allow: internal`, sees everything
};

// A failure as the API answers it. `status` 304..599; `field` and `details` may be empty.
struct CallError {
    int status = 500;
    std::string code;
    std::string message;
    std::string field = {};
    // Every bad field with what is wrong with it, when there are several.
    std::vector<std::pair<std::string, std::string>> details = {};
};

// A T or the CallError that took its place. Named as base/result.h names its members.
template <class T>
class [[nodiscard]] CallResult {
public:
    CallResult(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit
    CallResult(CallError error)                                                // NOLINT: implicit
        : state_(std::in_place_index<1>, std::move(error)) {}

    bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    const T& operator*() const& { return std::get<0>(state_); }
    T& operator*() & { return std::get<0>(state_); }
    T&& operator*() && { return std::get<0>(std::move(state_)); }
    const T* operator->() const { return &std::get<0>(state_); }
    T* operator->() { return &std::get<0>(state_); }

    const CallError& error() const& { return std::get<1>(state_); }
    CallError&& error() && { return std::get<1>(std::move(state_)); }

private:
    std::variant<T, CallError> state_;
};

// Parameters as they came: JSON as trees without DynamoDB types (objects are maps, arrays are
// lists). Values from a path or a query string are strings; they are read as the type they go to.
using Arguments = std::map<std::string, value::AttributeValue, std::less<>>;

// Items in stored form with the attributes of their keys filled in; to_api() gives their answer.
struct Page {
    std::vector<value::Item> items = {};
    std::vector<const Entity*> kinds = {};   // of each item
    std::optional<std::string> cursor = {};  // nothing: this was the last page
    bool partial = false;                    // the read budget ended before the page was full
    std::optional<std::int64_t> count = {};  // of a pattern with `count`; `items` is then empty
};

// The item of a `get` or `one` pattern.
struct Found {
    value::Item item;
    const Entity* entity = nullptr;
};

struct PatternCall {
    // Names of `by`, the names of the range (`from` and `to`, or <name>.from and <name>.to), the
    // name of `prefix`.
    Arguments arguments = {};
    std::optional<int> limit = {};  // 1 to 100
    std::optional<std::string> cursor = {};
    std::optional<bool> descending = {};  // only where the pattern says `order: either`
};

struct OperationCall {
    Arguments arguments = {};
    std::optional<std::string> idempotency_key = {};
    std::optional<std::int64_t> if_match = {};
    // Part of the idempotency record's key, such as "POST /v1/stories"; empty: the operation's
    // name.
    std::string route = {};
};

struct OperationReply {
    bool changed = true;    // false: the outcome was `unchanged`, nothing was written
    bool created = false;   // the operation puts an item: 201
    bool replayed = false;  // a stored answer of the same idempotency key
    // What `return` gave, in API form. Nothing: the operation returns nothing.
    std::optional<value::AttributeValue> body = {};
};

// The DynamoDB calls that were made, in order, as JSON: {"operation": "Query", "request": {..}}.
struct Explained {
    std::vector<std::string> calls = {};
    double capacity = 0;
};

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

    // CreateTable and UpdateTimeToLive as the model says, if there is no such table yet.
    CallResult<bool> create_table();

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

    // Reads the whole table and compares every key and row with what the model says.
    CallResult<FsckReport> fsck(std::size_t most = 100);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gateleg::model
