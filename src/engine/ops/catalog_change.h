// Changes of tables run on the commit thread like every other write, so they have a place in the
// one order of things and are answered when they are durable.

#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/unique_function.h"
#include "engine/core.h"

namespace gateleg::engine::ops {

template <class Reply>
class CatalogChange final : public WriteOperation {
public:
    using Change = UniqueFunction<Result<Reply>(CommitContext&)>;
    using ReplyDone = UniqueFunction<void(Result<Reply>)>;

    CatalogChange(Change change, ReplyDone done)
        : change_(std::move(change)), done_(std::move(done)) {}

    void apply(CommitContext& context) override { reply_.emplace(change_(context)); }
    void finish(const Result<void>& committed) override {
        if (!committed) {
            done_(committed.error());
        } else {
            done_(*std::move(reply_));
        }
    }
    // Dropping a table writes range tombstones, which must not hide rows of the same batch.
    bool needs_empty_batch() const override { return true; }

private:
    Change change_;
    ReplyDone done_;
    std::optional<Result<Reply>> reply_;
};

template <class Reply>
void change_catalog(
    const Core& core,
    typename CatalogChange<Reply>::Change change,
    typename CatalogChange<Reply>::ReplyDone done
) {
    core.submit(std::make_unique<CatalogChange<Reply>>(std::move(change), std::move(done)));
}

inline Error table_not_found(std::string_view name) {
    return resource_not_found(
        "Requested resource not found: Table: " + std::string(name) + " not found"
    );
}

}  // namespace gateleg::engine::ops
