// One put, update, delete or condition check on one item, from its request to its place in a batch.
//
// The steps run in this order: compile (expressions alone), bind (against the table) and read_early
// (a guess), all on the caller's thread; evaluate (reads the item, checks the condition, works out
// the new one) and apply, both on the commit thread. A transaction evaluates all its writers before
// it applies any.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "dynamo/requests.h"
#include "engine/capacity.h"
#include "engine/commit_context.h"
#include "engine/table.h"
#include "expr/cache.h"
#include "expr/condition.h"
#include "expr/scope.h"
#include "expr/update.h"

namespace gateleg::engine {

enum class WriteKind : std::uint8_t { kPut, kUpdate, kDelete, kCheck };

// Stays where it was made: its compiled expressions point into its request.
class ItemWriter {
public:
    // `item` is the item of a put and the key of everything else.
    ItemWriter(
        WriteKind kind,
        dynamo::ItemWrite write,
        value::EncodedItem item,
        std::optional<std::string> update
    );
    ItemWriter(const ItemWriter&) = delete;
    ItemWriter& operator=(const ItemWriter&) = delete;

    const std::string& table_name() const { return write_.table; }

    Result<void> compile(expr::Cache& cache);
    Result<void> bind(std::shared_ptr<const Table> table);
    // The item as it is now, which the commit thread then need not read unless it changes
    // meanwhile. `room` is for the items that an operation holds so, in bytes, and is used up.
    void read_early(const storage::Store& store, std::size_t& room);
    // Which of UPDATED_OLD and UPDATED_NEW the caller will ask for.
    void want_updated(bool old_values, bool new_values);

    // Fails with ConditionalCheckFailed, a ValidationException, or an error of the store. Nothing
    // has changed yet when it returns.
    Result<void> evaluate(CommitContext& context);
    // What it costs is added to `cost`, if anybody asks.
    void apply(CommitContext& context, WriteCost* cost);

    // After bind: the item's place in the store.
    const std::string& key() const { return key_; }
    const Table& table() const { return *table_; }
    value::ValueView request_item() const { return item_.view(); }

    // After evaluate.
    std::optional<value::ValueView> old_item() const;
    std::optional<value::ValueView> new_item() const;
    std::size_t new_size() const { return new_size_; }  // 0 without a new item
    const std::string& updated_old() const { return updated_old_; }
    const std::string& updated_new() const { return updated_new_; }

private:
    // The table may have changed between bind and evaluate: then bind runs again.
    Result<void> rebind(const CommitContext& context);
    Result<void> run_update();

    WriteKind kind_;
    dynamo::ItemWrite write_;
    value::EncodedItem item_;
    std::optional<std::string> update_text_;

    std::optional<expr::Scope> scope_;
    std::optional<expr::Condition> condition_;
    std::optional<expr::Update> update_;
    std::shared_ptr<const Table> table_;
    std::string key_;
    bool want_updated_old_ = false;
    bool want_updated_new_ = false;

    storage::EarlyRead early_;
    std::string old_bytes_;
    bool exists_ = false;
    std::optional<value::EncodedItem> updated_item_;
    std::size_t new_size_ = 0;
    std::string updated_old_;
    std::string updated_new_;
};

// The error of a failed condition, with the item if the request asked for it.
Error conditional_check_failed(bool with_item, std::optional<value::ValueView> item);

// Names without expressions, expressions without values and the like: checked before any expression
// is parsed. `expressions` lists the request's expression parameters by name.
struct NamedExpression {
    std::string_view parameter;
    bool present = false;
};
Result<void> check_placeholders(
    const dynamo::Placeholders& placeholders, std::initializer_list<NamedExpression> expressions
);

}  // namespace gateleg::engine
