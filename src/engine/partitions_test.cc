// From partition to partition: what the console's view of item collections reads.

#include <gtest/gtest.h>

#include "engine/test_engine.h"

namespace gateleg::engine {
namespace {

class PartitionsTest : public testing::Test {
protected:
    PartitionsTest() {
        must(engine.create(new_table("t", {"pk", "sk"}, {"pk:S", "sk:N"})));
        std::vector<std::string> items;
        for (int partition = 0; partition < 7; ++partition) {
            for (int sort = 0; sort < 4; ++sort) {
                items.push_back(
                    R"({"pk":{"S":")" + std::string(partition % 2 == 0 ? "even#" : "odd#") +
                    std::to_string(partition) + R"("},"sk":{"N":")" + std::to_string(sort) + "\"}}"
                );
            }
        }
        engine.load("t", items);
    }

    // "even#0:4" for each partition of every page; '+' where there is more.
    std::set<std::string> walk(dynamo::PartitionsRequest request) {
        std::set<std::string> seen;
        request.table = "t";
        for (;;) {
            const auto reply = reader().read_partitions(request);
            must(reply);
            EXPECT_LE(reply->partitions.size(), request.limit);
            for (const auto& partition : reply->partitions) {
                const auto name = std::string(partition.key.view().find("pk")->text());
                EXPECT_TRUE(seen.insert(
                                    name + ":" + std::to_string(partition.items.size()) +
                                    (partition.more ? "+" : "")
                )
                                .second);
                int sort = 0;
                for (const auto& each : partition.items) {
                    EXPECT_EQ(each.view().find("pk")->text(), name);
                    EXPECT_EQ(each.view().find("sk")->text(), std::to_string(sort++));
                }
            }
            if (reply->next.empty()) {
                return seen;
            }
            request.after = reply->next;
        }
    }

    const dynamo::PartitionReader& reader() {
        return dynamic_cast<const dynamo::PartitionReader&>(engine.dynamo());
    }

    TestEngine engine;
};

TEST_F(PartitionsTest, EveryPartitionComesOnceWhateverThePageSize) {
    const std::set<std::string> all = {
        "even#0:4", "odd#1:4", "even#2:4", "odd#3:4", "even#4:4", "odd#5:4", "even#6:4"};
    for (const std::size_t limit : {1, 2, 3, 7, 50}) {
        EXPECT_EQ(walk({.table = "", .limit = limit}), all) << limit;
    }
}

TEST_F(PartitionsTest, ItemsOfAPartitionAreLimited) {
    const std::set<std::string> all = {
        "even#0:2+", "odd#1:2+", "even#2:2+", "odd#3:2+", "even#4:2+", "odd#5:2+", "even#6:2+"};
    EXPECT_EQ(walk({.table = "", .limit = 3, .items = 2}), all);
}

TEST_F(PartitionsTest, APrefixChoosesPartitions) {
    const std::set<std::string> odd = {"odd#1:4", "odd#3:4", "odd#5:4"};
    EXPECT_EQ(walk({.table = "", .prefix = "odd", .limit = 2}), odd);
    EXPECT_TRUE(walk({.table = "", .prefix = "none"}).empty());
}

TEST_F(PartitionsTest, UnknownNamesAreRefused) {
    EXPECT_FALSE(reader().read_partitions({.table = "other"}));
    EXPECT_FALSE(reader().read_partitions({.table = "t", .index = "other"}));
}

}  // namespace
}  // namespace gateleg::engine
