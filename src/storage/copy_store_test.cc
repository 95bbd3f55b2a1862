#include "storage/copy_store.h"

#include <string>

#include <gtest/gtest.h>

#include "storage/internal/test_directory.h"

namespace gateleg::storage {
namespace {

void put(Store& store, const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.put(key, value);
    ASSERT_TRUE(store.write(batch).has_value());
}

TEST(CopyStoreTest, ACopyIsTheStoreAtOneMoment) {
    const internal::TestDirectory directory;
    const auto from = Store::open({.in_memory = true});
    WriteBatch rows;
    for (int i = 0; i < 1200; ++i) {
        rows.put("key" + std::to_string(i), std::string(4000, 'x'));
    }
    ASSERT_TRUE(from->write(rows).has_value());
    CopyTotals totals;
    {
        const auto to = Store::open({.directory = directory / "to"});
        bool first = true;
        const auto copied = copy_store(*from, *to, [&](const CopyTotals&) {
            if (first) {
                first = false;
                put(*from, "late", "x");
            }
            return true;
        });
        ASSERT_TRUE(copied.has_value()) << copied.error().message;
        totals = *copied;
    }
    EXPECT_EQ(totals.rows, 1200);
    const auto opened = Store::open({.directory = directory / "to"});
    std::string value;
    EXPECT_TRUE(*opened->get("key1199", value));
    EXPECT_EQ(value.size(), 4000);
    EXPECT_FALSE(*opened->get("late", value));
}

TEST(CopyStoreTest, ACopyCanBeEnded) {
    const internal::TestDirectory directory;
    const auto from = Store::open({.in_memory = true});
    put(*from, "key", "value");
    const auto to = Store::open({.directory = directory / "to"});
    EXPECT_FALSE(copy_store(*from, *to, [](const CopyTotals&) { return false; }).has_value());
}

TEST(CopyStoreTest, ATargetThatHoldsRowsIsNoCopy) {
    const auto from = Store::open({.in_memory = true});
    const auto to = Store::open({.in_memory = true});
    put(*from, "key", "value");
    put(*to, "other", "value");
    EXPECT_FALSE(copy_store(*from, *to, [](const CopyTotals&) { return true; }).has_value());
}

}  // namespace
}  // namespace gateleg::storage
