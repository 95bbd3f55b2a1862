#include "storage/internal/memtable.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "storage/internal/test_directory.h"

namespace gateleg::storage {
namespace {

// A database whose rows all stay in memory.
class MemtableTest : public testing::Test {
protected:
    MemtableTest() {
        rocksdb::Options options;
        options.create_if_missing = true;
        options.allow_concurrent_memtable_write = false;
        options.memtable_factory = internal::make_memtable_factory();
        options.write_buffer_size = 64 << 20;
        rocksdb::DB* opened = nullptr;
        const auto status = rocksdb::DB::Open(options, (directory / "db").string(), &opened);
        EXPECT_TRUE(status.ok()) << status.ToString();
        db.reset(opened);
    }
    void put(const std::string& key, const std::string& value) {
        ASSERT_TRUE(db->Put({}, key, value).ok());
    }
    std::string get(const std::string& key, const rocksdb::Snapshot* snapshot = nullptr) {
        rocksdb::ReadOptions read;
        read.snapshot = snapshot;
        std::string value;
        return db->Get(read, key, &value).ok() ? value : "none";
    }

    internal::TestDirectory directory;
    std::unique_ptr<rocksdb::DB> db;
};

// Keys that begin alike, end in zeroes, or are shorter than what a node keeps of them.
std::string random_key(std::mt19937& random) {
    std::string key(random() % 3 * 8, 'p');
    for (auto left = random() % 12; left > 0; --left) {
        key.push_back(static_cast<char>(random() % 4 == 0 ? 0 : 0x7e + random() % 4));
    }
    return key;
}

using Rows = std::map<std::string, std::string>;

void expect_same_walks(rocksdb::DB& db, const Rows& rows, std::mt19937& random) {
    const std::unique_ptr<rocksdb::Iterator> walk(db.NewIterator({}));
    auto expected = rows.begin();
    for (walk->SeekToFirst(); walk->Valid(); walk->Next(), ++expected) {
        ASSERT_NE(expected, rows.end());
        ASSERT_EQ(walk->key().ToString(), expected->first);
        ASSERT_EQ(walk->value().ToString(), expected->second);
    }
    ASSERT_EQ(expected, rows.end());
    auto backwards = rows.rbegin();
    for (walk->SeekToLast(); walk->Valid(); walk->Prev(), ++backwards) {
        ASSERT_NE(backwards, rows.rend());
        ASSERT_EQ(walk->key().ToString(), backwards->first);
    }
    ASSERT_EQ(backwards, rows.rend());
    for (int i = 0; i < 300; ++i) {
        const auto key = random_key(random);
        const auto from = rows.lower_bound(key);
        walk->Seek(key);
        ASSERT_EQ(walk->Valid(), from != rows.end());
        ASSERT_TRUE(!walk->Valid() || walk->key().ToString() == from->first);
        const auto after = rows.upper_bound(key);
        walk->SeekForPrev(key);
        ASSERT_EQ(walk->Valid(), after != rows.begin());
        ASSERT_TRUE(!walk->Valid() || walk->key().ToString() == std::prev(after)->first);
    }
}

// To and fro, for longer stretches than one search collects.
void expect_same_turns(rocksdb::DB& db, const Rows& rows, std::mt19937& random) {
    const std::unique_ptr<rocksdb::Iterator> walk(db.NewIterator({}));
    for (int i = 0; i < 300; ++i) {
        auto expected = rows.lower_bound(random_key(random));
        if (expected == rows.end()) {
            continue;
        }
        walk->Seek(expected->first);
        bool forward = true;
        for (auto left = random() % 200; left > 0; --left) {
            ASSERT_TRUE(walk->Valid());
            ASSERT_EQ(walk->key().ToString(), expected->first);
            ASSERT_EQ(walk->value().ToString(), expected->second);
            forward = random() % 40 == 0 ? !forward : forward;
            if (forward ? std::next(expected) == rows.end() : expected == rows.begin()) {
                break;
            }
            forward ? walk->Next() : walk->Prev();
            forward ? ++expected : --expected;
        }
    }
}

TEST_F(MemtableTest, AgreesWithAMap) {
    std::mt19937 random(20261117);
    Rows rows;
    for (int i = 0; i < 20'000; ++i) {
        const auto key = random_key(random);
        if (random() % 5 == 0) {
            ASSERT_TRUE(db->Delete({}, key).ok());
            rows.erase(key);
        } else {
            rows[key] = std::to_string(i);
            put(key, rows[key]);
        }
        const auto asked = random_key(random);
        const auto found = rows.find(asked);
        ASSERT_EQ(get(asked), found == rows.end() ? "none" : found->second);
    }
    expect_same_walks(*db, rows, random);
    expect_same_turns(*db, rows, random);
    // And once more from the sorted file that is made of it.
    ASSERT_TRUE(db->Flush({}).ok());
    expect_same_walks(*db, rows, random);
}

TEST_F(MemtableTest, SnapshotsSeeTheirOwnVersion) {
    std::vector<const rocksdb::Snapshot*> snapshots;
    for (int i = 0; i < 50; ++i) {
        put("the key of many versions", std::to_string(i));
        put("k", std::to_string(i));
        snapshots.push_back(db->GetSnapshot());
    }
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
        EXPECT_EQ(get("the key of many versions", snapshots[i]), std::to_string(i));
        EXPECT_EQ(get("k", snapshots[i]), std::to_string(i));
        db->ReleaseSnapshot(snapshots[i]);
    }
}

TEST_F(MemtableTest, ReadersSeeWholeRowsWhileOneWrites) {
    constexpr int kRows = 20'000;
    std::atomic<int> written{0};
    std::vector<std::thread> readers;
    for (unsigned reader = 0; reader < 3; ++reader) {
        readers.emplace_back([&, reader] {
            std::mt19937 random(reader);
            while (written < kRows) {
                const int known = written;
                if (known > 0) {
                    const auto number = static_cast<int>(random() % static_cast<unsigned>(known));
                    const auto key = std::to_string(number * 7919 % kRows);
                    ASSERT_EQ(get(key), std::string(20, 'v') + key);
                }
                if (random() % 50 == 0) {
                    const std::unique_ptr<rocksdb::Iterator> walk(db->NewIterator({}));
                    std::string before;
                    int count = 0;
                    for (walk->SeekToFirst(); walk->Valid() && count < 2000; walk->Next()) {
                        ASSERT_LT(before, walk->key().ToString());
                        before = walk->key().ToString();
                        ASSERT_EQ(walk->value().ToString(), std::string(20, 'v') + before);
                        ++count;
                    }
                    ASSERT_GE(count, std::min(known, 2000));
                    for (; count > 1; --count) {
                        walk->Valid() ? walk->Prev() : walk->SeekToLast();
                        ASSERT_TRUE(walk->Valid());
                        ASSERT_EQ(
                            walk->value().ToString(), std::string(20, 'v') + walk->key().ToString()
                        );
                    }
                }
            }
        });
    }
    for (int i = 0; i < kRows; ++i) {
        const auto key = std::to_string(i * 7919 % kRows);
        put(key, std::string(20, 'v') + key);
        written = i + 1;
    }
    for (auto& reader : readers) {
        reader.join();
    }
}

}  // namespace
}  // namespace gateleg::storage
