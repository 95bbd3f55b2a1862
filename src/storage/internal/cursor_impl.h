#pragma once

#include <memory>
#include <string>
#include <utility>

#include <rocksdb/db.h>

#include "storage/cursor.h"
#include "storage/internal/database.h"

namespace gateleg::storage {

struct Snapshot::Impl {
    Impl(std::shared_ptr<internal::Database> from, internal::ReaderGate::Pass with)
        : database(std::move(from)),
          pass(std::move(with)),
          snapshot(database->db == nullptr ? nullptr : database->db->GetSnapshot()) {}
    ~Impl() {
        if (snapshot != nullptr) {
            database->db->ReleaseSnapshot(snapshot);
        }
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    std::shared_ptr<internal::Database> database;
    internal::ReaderGate::Pass pass;
    const rocksdb::Snapshot* snapshot;
};

struct Cursor::Impl {
    Impl(
        std::shared_ptr<internal::Database> from,
        internal::ReaderGate::Pass with,
        const rocksdb::Snapshot* snapshot,
        CursorOptions options
    );

    // Declared in the order they depend on each other; the iterator goes first.
    std::shared_ptr<internal::Database> database;
    internal::ReaderGate::Pass pass;
    std::string lower;
    std::string upper;
    rocksdb::Slice lower_slice;
    rocksdb::Slice upper_slice;
    std::unique_ptr<rocksdb::Iterator> iterator;
};

}  // namespace gateleg::storage
