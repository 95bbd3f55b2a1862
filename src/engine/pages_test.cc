// Query and Scan: conditions, pages, segments, and what reads and writes cost.

#include <gtest/gtest.h>

#include "engine/capacity.h"
#include "engine/test_engine.h"

namespace gateleg::engine {
namespace {

using dynamo::Select;

class PagesTest : public testing::Test {
protected:
    PagesTest() {
        must(engine.create(new_table("t", {"pk", "sk"}, {"pk:S", "sk:N"})));
        std::vector<std::string> items;
        for (int i = -3; i <= 6; ++i) {
            items.push_back(
                R"({"pk":{"S":"p"},"sk":{"N":")" + std::to_string(i * 5) + R"("},"a":{"N":")" +
                std::to_string(i % 3) + "\"}}"
            );
        }
        engine.load("t", items);
        must(engine.put("t", R"({"pk":{"S":"q"},"sk":{"N":"0"}})"));
    }

    // The sort keys of a query, "0 5 10", or its error.
    std::string sorts(const dynamo::QueryRequest& request) {
        const auto reply = engine.query(request);
        if (!reply) {
            return reply.error().message;
        }
        std::string text;
        for (const auto each : reply->items.items()) {
            text.append(text.empty() ? "" : " ").append(each.find("sk")->text());
        }
        return text;
    }
    static dynamo::QueryRequest where(std::string_view condition, std::string_view values = "") {
        return query_of(
            "t",
            "pk = :p" + (condition.empty() ? "" : " AND " + std::string(condition)),
            R"({":p":{"S":"p"})" + std::string(values) + "}"
        );
    }

    TestEngine engine;
};

TEST_F(PagesTest, KeyConditionsSelectARange) {
    const auto* ten = R"(,":v":{"N":"10"})";
    EXPECT_EQ(sorts(where("")), "-15 -10 -5 0 5 10 15 20 25 30");
    EXPECT_EQ(sorts(where("sk = :v", ten)), "10");
    EXPECT_EQ(sorts(where("sk < :v", ten)), "-15 -10 -5 0 5");
    EXPECT_EQ(sorts(where("sk <= :v", ten)), "-15 -10 -5 0 5 10");
    EXPECT_EQ(sorts(where("sk > :v", ten)), "15 20 25 30");
    EXPECT_EQ(sorts(where("sk >= :v", ten)), "10 15 20 25 30");
    EXPECT_EQ(
        sorts(where("sk BETWEEN :v AND :w", R"(,":v":{"N":"-10"},":w":{"N":"9"})")), "-10 -5 0 5"
    );
    auto backward = where("sk > :v", ten);
    backward.forward = false;
    EXPECT_EQ(sorts(backward), "30 25 20 15");
    EXPECT_EQ(sorts(query_of("t", "pk = :p", R"({":p":{"S":"nobody"}})")), "");
}

TEST_F(PagesTest, KeyConditionsThatDoNotFitAreRefused) {
    EXPECT_EQ(
        sorts(query_of("t", "sk = :v", R"({":v":{"N":"1"}})")),
        "Query condition missed key schema element: pk"
    );
    EXPECT_EQ(
        sorts(where("a = :v", R"(,":v":{"N":"1"})")),
        "Query condition missed key schema element: sk"
    );
    EXPECT_EQ(
        sorts(where("sk = :v", R"(,":v":{"S":"1"})")),
        "One or more parameter values were invalid: Condition parameter type does not match "
        "schema type"
    );
    auto request = where("");
    request.page.filter = "sk > :p";
    EXPECT_EQ(
        sorts(request),
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk"
    );
}

TEST_F(PagesTest, FilterHidesButCounts) {
    auto request = where("", R"(,":one":{"N":"1"})");
    request.page.filter = "a = :one";
    const auto reply = must(engine.query(request));
    EXPECT_EQ(reply.count, 2);
    EXPECT_EQ(reply.scanned_count, 10);
    EXPECT_EQ(sorts(request), "5 20");
    request.page.select = Select::kCount;
    const auto counted = must(engine.query(request));
    EXPECT_TRUE(counted.count_only);
    EXPECT_TRUE(counted.items.empty());
    EXPECT_EQ(counted.count, 2);
}

TEST_F(PagesTest, LimitCountsWhatWasLookedAt) {
    auto request = where("", R"(,":one":{"N":"1"})");
    request.page.filter = "a = :one";
    request.page.limit = 4;
    const auto reply = must(engine.query(request));
    EXPECT_EQ(reply.count, 0);
    EXPECT_EQ(reply.scanned_count, 4);
    ASSERT_TRUE(reply.last_evaluated_key);
    EXPECT_EQ(json_of(reply.last_evaluated_key), normalized(R"({"pk":{"S":"p"},"sk":{"N":"0"}})"));
}

TEST_F(PagesTest, StartKeyNeedNotExistButMustBeInside) {
    auto request = where("sk >= :v", R"(,":v":{"N":"0"})");
    const auto from = [&](const char* key) {
        request.page.exclusive_start_key = item(key);
        return sorts(request);
    };
    EXPECT_EQ(from(R"({"pk":{"S":"p"},"sk":{"N":"7"}})"), "10 15 20 25 30");
    request.forward = false;
    EXPECT_EQ(from(R"({"pk":{"S":"p"},"sk":{"N":"7"}})"), "5 0");
    EXPECT_EQ(
        from(R"({"pk":{"S":"p"},"sk":{"N":"-7"}})"),
        "The provided starting key is outside query boundaries based on provided conditions"
    );
    EXPECT_EQ(
        from(R"({"pk":{"S":"q"},"sk":{"N":"7"}})"),
        "The provided starting key is outside query boundaries based on provided conditions"
    );
    EXPECT_EQ(
        from(R"({"pk":{"S":"p"}})"),
        "The provided starting key is invalid: The provided key element does not match the schema"
    );
    EXPECT_EQ(
        from(R"({"pk":{"S":"p"},"sk":{"N":"7"},"a":{"N":"7"}})"),
        "The provided starting key is invalid"
    );
}

TEST_F(PagesTest, PagesEndBeforeOneMegabyte) {
    constexpr std::size_t kPage = 1 << 20;
    must(engine.create(new_table("big", {"pk", "sk"}, {"pk:S", "sk:N"})));
    const std::string filler(300 * 1024, 'x');
    for (int i = 0; i < 10; ++i) {
        must(engine.put(
            "big",
            R"({"pk":{"S":"p"},"sk":{"N":")" + std::to_string(i) + R"("},"a":{"S":")" + filler +
                "\"}}"
        ));
    }
    for (const bool filtered : {false, true}) {
        auto request = query_of("big", "pk = :p", R"({":p":{"S":"p"}})");
        if (filtered) {
            request.page.filter = "attribute_not_exists(a)";  // the page is what was read
        }
        request.page.return_capacity = ReturnCapacity::kTotal;
        std::vector<std::int64_t> pages;
        for (;;) {
            const auto reply = must(engine.query(request));
            EXPECT_LE(static_cast<std::size_t>(reply.scanned_count) * filler.size(), kPage);
            pages.push_back(reply.scanned_count);
            if (!reply.last_evaluated_key) {
                break;
            }
            EXPECT_EQ(reply.capacity->units, 112.5 + 0.5);  // 3 * 300 KB and the keys, at half
            request.page.exclusive_start_key = reply.last_evaluated_key;
        }
        EXPECT_EQ(pages, (std::vector<std::int64_t>{3, 3, 3, 1}));
    }
}

// Few items are not counted one by one, unless somebody asks what they cost. Null takes one byte,
// and counts as two in a list.
TEST_F(PagesTest, PagesEndAtTheSameItemWhetherOrNotItemsAreCounted) {
    std::string nulls = R"({"NULL":true})";
    for (int i = 1; i < 2000; ++i) {
        nulls += R"(,{"NULL":true})";
    }
    must(engine.create(new_table("nulls", {"pk", "sk"}, {"pk:S", "sk:N"})));
    std::vector<std::string> items;
    for (int i = 0; i < 600; ++i) {
        items.push_back(
            R"({"pk":{"S":"p"},"sk":{"N":")" + std::to_string(i) + R"("},"a":{"L":[)" + nulls +
            "]}}"
        );
    }
    engine.load("nulls", items);
    std::vector<std::vector<std::int64_t>> pages(2);
    for (const bool counted : {false, true}) {
        auto request = query_of("nulls", "pk = :p", R"({":p":{"S":"p"}})");
        request.page.return_capacity = counted ? ReturnCapacity::kTotal : ReturnCapacity::kNone;
        do {
            auto reply = must(engine.query(request));
            pages[counted ? 1 : 0].push_back(reply.scanned_count);
            request.page.exclusive_start_key = std::move(reply.last_evaluated_key);
        } while (request.page.exclusive_start_key);
    }
    EXPECT_EQ(pages[0], pages[1]);
    EXPECT_EQ(pages[0].size(), 3U);
}

TEST_F(PagesTest, SegmentsTogetherAreTheTable) {
    std::vector<std::string> items;
    for (int i = 0; i < 200; ++i) {
        items.push_back(R"({"pk":{"S":"s)" + std::to_string(i) + R"("},"sk":{"N":"1"}})");
    }
    engine.load("t", items);
    const auto whole = encoded(engine.scan_all("t"));
    ASSERT_EQ(whole.size(), 211U);
    for (const std::uint32_t total : {1U, 2U, 3U, 8U, 1000U}) {
        std::vector<std::string> joined;
        std::uint32_t used = 0;
        for (std::uint32_t segment = 0; segment < total; ++segment) {
            dynamo::ScanRequest request{.segment = segment, .total_segments = total};
            request.page.table = "t";
            const auto part = json_of(must(engine.scan(request)).items);
            used += part.empty() ? 0 : 1;
            joined.insert(joined.end(), part.begin(), part.end());
        }
        EXPECT_EQ(sorted(joined), whole) << total;
        EXPECT_GE(used, std::min(total, 8U)) << total;
    }
}

TEST_F(PagesTest, SegmentedScanPagesStayInTheirSegment) {
    const auto whole = encoded(engine.scan_all("t"));
    std::vector<std::string> joined;
    for (std::uint32_t segment = 0; segment < 3; ++segment) {
        dynamo::ScanRequest request{.segment = segment, .total_segments = 3};
        request.page.table = "t";
        request.page.limit = 1;
        for (;;) {
            auto reply = must(engine.scan(request));
            for (auto& each : json_of(reply.items)) {
                joined.push_back(std::move(each));
            }
            if (!reply.last_evaluated_key) {
                break;
            }
            request.page.exclusive_start_key = std::move(reply.last_evaluated_key);
        }
    }
    EXPECT_EQ(sorted(joined), whole);
}

TEST(CapacityTest, UnitsGoInSteps) {
    EXPECT_EQ(read_units(0, true), 1.0);
    EXPECT_EQ(read_units(1, false), 0.5);
    EXPECT_EQ(read_units(4096, true), 1.0);
    EXPECT_EQ(read_units(4097, true), 2.0);
    EXPECT_EQ(read_units(4097, false), 1.0);
    EXPECT_EQ(write_units(0), 1.0);
    EXPECT_EQ(write_units(1024), 1.0);
    EXPECT_EQ(write_units(1025), 2.0);
    EXPECT_EQ(write_units(400 * 1024), 400.0);
}

TEST(CapacityTest, CostsAddUpByIndex) {
    WriteCost cost{.table = 1, .global_indexes = {{"a", 1}}, .local_indexes = {{"l", 3}}};
    cost.add({.table = 2, .global_indexes = {{"a", 2}, {"b", 4}}});
    const auto twice = consumed("t", cost.times(2), ReturnCapacity::kIndexes);
    EXPECT_EQ(twice.table_units, 6.0);
    EXPECT_EQ(twice.global_indexes, (std::map<std::string, double>{{"a", 6}, {"b", 8}}));
    EXPECT_EQ(twice.local_indexes, (std::map<std::string, double>{{"l", 6}}));
    EXPECT_EQ(twice.units, 26.0);
    EXPECT_TRUE(twice.show_indexes);
    EXPECT_FALSE(consumed("t", cost, ReturnCapacity::kTotal).show_indexes);
}

class WriteCapacityTest : public testing::Test {
protected:
    WriteCapacityTest() {
        auto request = new_table("t", {"pk", "sk"}, {"pk:S", "sk:N", "g:S", "l:S"});
        request.global_indexes = {
            index_on("all", {"g"}, {}), index_on("keys", {"g"}, {}, keys_only())};
        request.local_indexes = {index_on("local", {"pk"}, {"l"}, keys_only())};
        must(engine.create(request));
    }

    // "table 1 all 2 keys 1": what a write cost.
    static std::string cost(const Result<dynamo::ItemWriteReply>& result) {
        const auto reply = must(result);
        std::string text = "table " + std::to_string(static_cast<int>(reply.capacity->table_units));
        for (const auto* map : {&reply.capacity->global_indexes, &reply.capacity->local_indexes}) {
            for (const auto& [name, units] : *map) {
                text += " " + name + " " + std::to_string(static_cast<int>(units));
            }
        }
        return text;
    }

    TestEngine engine;
};

TEST_F(WriteCapacityTest, EachIndexThatChangesIsPaidFor) {
    const Extra counted{.capacity = ReturnCapacity::kIndexes};
    const std::string key = R"({"pk":{"S":"p"},"sk":{"N":"1"}})";
    const auto with = [&](const std::string& more) {
        return R"({"pk":{"S":"p"},"sk":{"N":"1"})" + more + "}";
    };
    const auto big = R"(,"a":{"S":")" + std::string(1500, 'x') + "\"}";
    EXPECT_EQ(cost(engine.put("t", key, counted)), "table 1");
    EXPECT_EQ(cost(engine.put("t", with(big), counted)), "table 2");
    EXPECT_EQ(
        cost(engine.put("t", with(big + R"(,"g":{"S":"x"})"), counted)), "table 2 all 2 keys 1"
    );
    // Unchanged entries cost nothing, and moved ones twice.
    EXPECT_EQ(cost(engine.put("t", with(big + R"(,"g":{"S":"x"})"), counted)), "table 2");
    EXPECT_EQ(
        cost(engine.put("t", with(big + R"(,"g":{"S":"y"})"), counted)), "table 2 all 4 keys 2"
    );
    EXPECT_EQ(
        cost(engine.put("t", with(R"(,"g":{"S":"y"},"l":{"S":"l"})"), counted)),
        "table 2 all 2 local 1"
    );
    EXPECT_EQ(cost(engine.remove("t", key, counted)), "table 1 all 1 keys 1 local 1");
    EXPECT_EQ(cost(engine.remove("t", key, counted)), "table 1");
}

TEST_F(WriteCapacityTest, CollectionMetricsNameTheCollection) {
    const auto reply =
        must(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"1"},"a":{"S":"x"}})", {.metrics = true})
        );
    ASSERT_TRUE(reply.collection_metrics);
    EXPECT_EQ(to_json(reply.collection_metrics->key.view()), normalized(R"({"pk":{"S":"p"}})"));
    EXPECT_FALSE(must(engine.put("t", R"({"pk":{"S":"p"},"sk":{"N":"1"}})")).collection_metrics);
}

}  // namespace
}  // namespace gateleg::engine
