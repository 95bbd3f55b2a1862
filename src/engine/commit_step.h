// A step of a long job that runs on the commit thread while the job's own thread waits for it.

#pragma once

#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "engine/core.h"

namespace gateleg::engine {

// `change` takes a CommitContext& and gives whether there is more to do.
template <class Change>
class CommitStep final : public WriteOperation {
public:
    CommitStep(Change change, std::promise<Result<bool>> done)
        : change_(std::move(change)), done_(std::move(done)) {}
    void apply(CommitContext& context) override { more_.emplace(change_(context)); }
    void finish(const Result<void>& committed) override {
        // A full queue ends a step that was never applied.
        done_.set_value(committed ? *std::move(more_) : Result<bool>(committed.error()));
    }
    bool needs_empty_batch() const override { return true; }

private:
    Change change_;
    std::promise<Result<bool>> done_;
    std::optional<Result<bool>> more_;
};

template <class Change>
Result<bool> run_commit_step(const Core& core, Change change) {
    std::promise<Result<bool>> promise;
    auto done = promise.get_future();
    core.submit(std::make_unique<CommitStep<Change>>(std::move(change), std::move(promise)));
    return done.get();
}

}  // namespace gateleg::engine
