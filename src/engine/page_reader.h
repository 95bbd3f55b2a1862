// Reads one page of a table or index: the part that Query and Scan share.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "dynamo/requests.h"
#include "engine/core.h"
#include "engine/keyspace.h"
#include "engine/table.h"
#include "expr/condition.h"
#include "expr/projection.h"
#include "expr/scope.h"

namespace gateleg::engine {

// Refers to the request it was made from. One thread at a time.
class PageReader {
public:
    PageReader(const Core& core, const dynamo::ReadPage& request)
        : core_(core), request_(request) {}

    // The scope of the request's expressions; key conditions are compiled in it before compile().
    expr::Scope& open_scope();
    // Filter and projection, then the check that every name and value was used.
    Result<void> compile();
    // Finds table and index, and checks what depends on them.
    Result<void> bind();

    const Table& table() const { return *table_; }
    const Index* index() const { return index_; }
    const KeyDefinition& key() const { return index_ == nullptr ? table_->key : index_->key; }
    IndexId index_id() const { return index_ == nullptr ? kPrimary : index_->id; }

    const expr::Condition* filter() const { return filter_ ? &*filter_ : nullptr; }

    // The start key lies where the request looks; `refusal` says so otherwise.
    Result<void> check_start_inside(const KeyRange& range, std::string_view refusal) const;

    // Items in `range`, from behind the request's ExclusiveStartKey on.
    Result<dynamo::PageReply> read(const KeyRange& range, bool forward) const;

private:
    Result<void> check_projection() const;
    Result<void> check_select() const;
    bool reads_whole_items() const;
    // Nothing if its values could not be keys.
    std::optional<std::string> start_position() const;
    void append_key_of(std::string& out, value::ValueView item) const;
    dynamo::ConsumedCapacity capacity(std::size_t bytes, double fetch_units) const;

    struct Progress;
    Result<void> take(std::string_view stored, Progress& progress) const;
    void append_result(std::string& out, value::ValueView item) const;

    const Core& core_;
    const dynamo::ReadPage& request_;
    std::optional<expr::Scope> scope_;
    std::optional<expr::Condition> filter_;
    std::optional<expr::Projection> projection_;
    std::shared_ptr<const Table> table_;
    const Index* index_ = nullptr;
    // A local index that does not project what is wanted: whole items come from the table.
    bool fetch_ = false;
};

}  // namespace gateleg::engine
