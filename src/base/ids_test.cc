#include "base/ids.h"

#include <set>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

namespace gateleg {
namespace {

TEST(IdsTest, RequestIdsHaveTheFormOfDynamoDb) {
    for (int i = 0; i < 1000; ++i) {
        const auto id = random_request_id();
        ASSERT_EQ(id.size(), 52U);
        ASSERT_EQ(id.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUV"), id.npos) << id;
    }
}

TEST(IdsTest, UuidsAreOfVersionFour) {
    for (int i = 0; i < 1000; ++i) {
        const auto uuid = random_uuid();
        ASSERT_EQ(uuid.size(), 36U);
        for (const std::size_t dash : {8, 13, 18, 23}) {
            ASSERT_EQ(uuid[dash], '-') << uuid;
        }
        ASSERT_EQ(uuid[14], '4') << uuid;
        ASSERT_NE(std::string_view("89ab").find(uuid[19]), std::string_view::npos) << uuid;
        ASSERT_EQ(uuid.find_first_not_of("0123456789abcdef-"), uuid.npos) << uuid;
    }
}

TEST(IdsTest, NoneRepeatsWithinOrAcrossThreads) {
    std::set<std::string> mine;
    std::set<std::string> theirs;
    const auto fill = [](std::set<std::string>& ids) {
        for (int i = 0; i < 1000; ++i) {
            ids.insert(random_request_id());
            ids.insert(random_uuid());
        }
    };
    std::thread other(fill, std::ref(theirs));
    fill(mine);
    other.join();
    mine.merge(theirs);
    EXPECT_EQ(mine.size(), 4000U);
}

}  // namespace
}  // namespace gateleg
