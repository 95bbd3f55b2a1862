// Views of the store: a snapshot holds a moment still, a cursor walks keys in order.
//
// Both keep the open database from being replaced (see Store), so they are for one request, or for
// one page of a long job, not for hours.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gateleg::storage {

// The store as it was when the snapshot was taken. Immutable; any thread may read through it.
class Snapshot {
public:
    ~Snapshot();
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

private:
    friend class Store;
    struct Impl;
    explicit Snapshot(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

struct CursorOptions {
    // Null: the state at the moment the cursor is made. It need not outlive that moment.
    const Snapshot* snapshot = nullptr;
    // Keys in [lower_bound, upper_bound) are seen; an empty bound is no bound.
    std::string lower_bound = {};
    std::string upper_bound = {};
    // False for reads of whole tables, which would push everything else out of the cache.
    bool fill_cache = true;
};

// Sees one unchanging state of the store. One thread at a time; it starts at no key.
class Cursor {
public:
    ~Cursor();
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;

    // To the first key at or after `key`.
    void seek(std::string_view key);
    // To the last key at or before `key`.
    void seek_for_prev(std::string_view key);
    // To the last key before `key`, which itself is not seen.
    void seek_to_last_before(std::string_view key);
    void seek_to_first();
    void seek_to_last();

    // These need valid().
    void next();
    void prev();
    // Both are good until the cursor moves.
    std::string_view key() const;
    std::string_view value() const;

    // False past either end, and after an error: ask status() which of the two it was.
    bool valid() const;
    Result<void> status() const;

private:
    friend class Store;
    struct Impl;
    explicit Cursor(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace gateleg::storage
