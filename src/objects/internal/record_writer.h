// Changes of records, decided one after the other and written in groups.
//
// Whoever comes while a write is under way waits; the first of those who wait then decides and
// writes for all of them, so that one sync of the log serves many.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/store.h"

namespace gateleg::objects::internal {

// The newest state, changes of the same group included, and what this change adds to it.
// For the deciding function alone, while it runs.
class Change {
public:
    using Changes = std::map<std::string, std::optional<std::string>, std::less<>>;
    Change(const storage::Store& store, const Changes& group) : store_(store), group_(group) {}

    // Nothing if there is no such record.
    Result<std::optional<std::string>> get(std::string_view key) const;
    void put(std::string key, std::string value);
    void erase(std::string key);

private:
    friend class RecordWriter;

    const storage::Store& store_;
    const Changes& group_;
    Changes own_;
};

enum class Company : std::uint8_t {
    kShared,  // may be written with others
    kAlone,   // reads ranges of the store, so nothing may be pending that the store does not have
};

// Thread-safe.
class RecordWriter {
public:
    using Decide = std::function<Result<void>(Change&)>;

    explicit RecordWriter(storage::Store& store) : store_(store) {}

    // Durable and visible when it succeeds. An error of `decide` changes nothing. After an error of
    // the store itself nobody knows what a restart will find: bodies must stay where they are.
    Result<void> commit(
        const Decide& decide,
        Company company = Company::kShared,
        storage::WriteClass write_class = storage::WriteClass::kMayGrow
    );

private:
    struct Job {
        const Decide& decide;
        Company company;
        storage::WriteClass write_class;
        std::optional<Result<void>> result;
    };

    std::vector<Job*> take_group();
    void write(const std::vector<Job*>& group);

    static constexpr std::size_t kMaxGroup = 256;

    storage::Store& store_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job*> waiting_;
    bool writing_ = false;
};

}  // namespace gateleg::objects::internal
