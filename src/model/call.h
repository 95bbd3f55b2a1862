// What a call of a pattern or an operation takes and gives, whoever runs it.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

// Who calls. Nobody is signed in when `user` is empty.
struct Caller {
    std::optional<std::string> user = {};
    std::set<std::string, std::less<>> roles = {};
    std::string viewer = {};  // the user, or a salted hash of the address
    // C++ and jobs: may call everything, `allow: internal` included, and sees every item.
    bool internal = false;
};

// A failure as the API answers it. `field` and `details` may be empty.
struct CallError {
    int status = 500;
    std::string code;
    std::string message;
    std::string field = {};
    // Every bad field with what is wrong with it.
    std::vector<std::pair<std::string, std::string>> details = {};
    // What a program may want to know, by name, such as the balance that was too small; shown as
    // details when there are some.
    value::Map facts = {};
};

// A T or the CallError that took its place. Members are named as in base/result.h.
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
struct Nothing {};

// What DynamoDB or an expression failed with, as the API answers it.
CallError to_call_error(const Error& error);
CallError validation_failed(std::string field, std::string message);
// The status of an outcome: what the model lists, else that of the names all systems share.
int outcome_status(const Model& model, std::string_view name);

// Parameters as they came: JSON as trees without DynamoDB types (objects are maps, arrays are
// lists). Values from a path or a query string are strings; they are read as the type they go to.
using Arguments = std::map<std::string, value::AttributeValue, std::less<>>;

// Items in stored form with the attributes of their keys filled in; Runtime::to_api() gives their
// answer.
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
    // Names of `by` or of the key's variables; `from` and `to` of the range; the name of `prefix`.
    Arguments arguments = {};
    std::optional<int> limit = {};  // 1 to 100
    std::optional<std::string> cursor = {};
    std::optional<bool> descending = {};  // only where the pattern says `order: either`
};

// What C++ that runs an operation may want to know of the request behind a call.
struct RequestFacts {
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string remote_address = {};
    bool tls = false;

    // The first of that name, in any case; empty if there is none.
    std::string_view header(std::string_view name) const;
};

struct OperationCall {
    Arguments arguments = {};
    std::optional<std::string> idempotency_key = {};
    std::optional<std::int64_t> if_match = {};
    // Part of the idempotency record's key, such as "POST /v1/stories"; empty: the operation's
    // name.
    std::string route = {};
    // What the record compares instead of the arguments: C++ that adds random values to those of
    // its caller says here what the caller sent. No secret, it is stored as a hash.
    std::string fingerprint = {};
    // Of an operation with `body: raw`.
    std::string_view raw_body = {};
    // Null when no request is behind the call.
    const RequestFacts* request = nullptr;
    // The call whose work C++ does by this one. Its arguments, key and route make the idempotency
    // record, so that a repeated request is recognised whatever was computed for it since.
    const OperationCall* behind = nullptr;

    const OperationCall& first() const { return behind != nullptr ? *behind : *this; }
};

struct OperationReply {
    bool changed = true;    // false: the outcome was `unchanged`, nothing was written
    bool created = false;   // answers with an item that it put: 201
    bool replayed = false;  // a stored answer of the same idempotency key
    // What `return` gave, in API form. Nothing: the operation returns nothing.
    std::optional<value::AttributeValue> body = {};
    int status = 0;  // of success; 0: by what was done
    // Further headers of the answer, such as Set-Cookie.
    std::vector<std::pair<std::string, std::string>> headers = {};
    // Sent as it is, instead of `body`, when it has a type.
    std::string content_type = {};
    std::string content = {};
};

struct JobCall {
    Arguments arguments = {};
    // Where an earlier call ended; nothing: at the beginning.
    std::optional<std::string> cursor = {};
    bool dry_run = false;
    // One call ends behind whichever comes first, and gives a cursor.
    std::int64_t max_items = 1'000;
    std::int64_t max_reads = 20'000;
    std::int64_t max_millis = 20'000;
};

struct JobReport {
    std::int64_t scanned = 0;
    std::int64_t changed = 0;  // in a dry run: those the operation would be called for
    std::int64_t skipped = 0;  // `when` did not hold, or there was nothing to change
    std::int64_t failed = 0;   // the operation refused the item
    std::string first_failure = {};
    bool done = false;
    std::optional<std::string> cursor = {};  // unless it is done
};

// The DynamoDB calls that were made, in order, as JSON: {"operation": "Query", "request": {..}}.
struct Explained {
    std::vector<std::string> calls = {};
    double capacity = 0;
};

}  // namespace gateleg::model

// The same as GATELEG_TRY for a Result inside a function that gives a CallResult.
#define GATELEG_CALL_TRY_ASSIGN(declaration, expr) \
    GATELEG_CALL_TRY_IMPL(GATELEG_CONCAT(gateleg_call_, __LINE__), declaration, expr)
#define GATELEG_CALL_TRY_IMPL(temporary, declaration, expr)        \
    auto temporary = (expr);                                       \
    if (!temporary)                                                \
        return ::gateleg::model::to_call_error(temporary.error()); \
    declaration = *std::move(temporary)
#define GATELEG_CALL_TRY(expr)                                   \
    if (auto gateleg_call_result = (expr); !gateleg_call_result) \
    return ::gateleg::model::to_call_error(gateleg_call_result.error())
// The same for a CallResult.
#define GATELEG_CALL_TRY_ASSIGN_CALL(declaration, expr) \
    GATELEG_TRY_ASSIGN_IMPL(return, GATELEG_CONCAT(gateleg_call_, __LINE__), declaration, expr)
