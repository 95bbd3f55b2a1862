// Rows that are read again and again, by their keys, in the cache that also holds blocks of files:
// docs/adr/0042-rows-kept-in-memory.md.
//
// Every key has a place, which it shares with others, and every place a count. A write counts up
// the places of its rows before anybody can see it and again when it is over. A row is kept with
// the count from before it was read: as long as that is the count of its place, nothing was written
// since.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/cache.h>

#include "storage/early_read.h"

namespace gateleg::storage::internal {

// Thread-safe, except that writes take turns.
class RowCache {
public:
    explicit RowCache(std::shared_ptr<rocksdb::Cache> cache);
    RowCache(const RowCache&) = delete;
    RowCache& operator=(const RowCache&) = delete;

    // What find() has to tell keep().
    struct Miss {
        RowCounts counts;
        // While the cache has room, and of a row that is asked for again: to keep one takes as long
        // as to find it a few times, and others have to go for it.
        bool worth_keeping = false;
    };

    // False if the row is not here; then it may be read from the database and kept.
    bool find(std::string_view key, std::string& value, Miss& miss);
    void keep(std::string_view key, std::string_view value, const Miss& miss);
    // Nothing has been written to the row since the counts were taken, and nothing is being
    // written.
    bool is_newest(std::string_view key, const RowCounts& counts) const;

    // Whether a block that is read for the sake of a row should stay in the cache: all of them
    // while it has room, and one of a few when it is full, or they only push each other out.
    bool wants_block();

    // What a write changes.
    class Touched {
    public:
        void add(std::string_view key);
        void add_range() { range_ = true; }
        void clear();

    private:
        friend class RowCache;
        std::vector<std::uint32_t> places_;
        bool range_ = false;
    };

    // Lives while a write is under way.
    class Write {
    public:
        Write(RowCache& rows, const Touched& touched);
        // It is looked at again at the end.
        Write(RowCache& rows, const Touched&& touched) = delete;
        ~Write();
        Write(const Write&) = delete;
        Write& operator=(const Write&) = delete;

    private:
        RowCache& rows_;
        const Touched& touched_;
    };

    // Another database may hold other rows.
    void forget_all();

private:
    struct Place;
    struct Places;
    struct Freeing {
        void operator()(Places* places) const;
    };

    std::shared_ptr<rocksdb::Cache> cache_;
    std::atomic<bool> is_full_{false};
    std::unique_ptr<Places, Freeing> places_;
};

}  // namespace gateleg::storage::internal
