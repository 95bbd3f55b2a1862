#include "base/time_text.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace gateleg {
namespace {

TEST(TimeTextTest, ParsesUtcFractionsAndOffsets) {
    EXPECT_EQ(parse_rfc3339_millis("1970-01-01T00:00:00Z"), 0);
    EXPECT_EQ(parse_rfc3339_millis("2025-03-01T00:00:00Z"), 1740787200000);
    EXPECT_EQ(parse_rfc3339_millis("2025-03-01T00:00:00.25Z"), 1740787200250);
    EXPECT_EQ(parse_rfc3339_millis("2025-03-01T02:00:00+02:00"), 1740787200000);
    EXPECT_EQ(parse_rfc3339_millis("1969-12-31T23:59:59.999Z"), -1);
}

TEST(TimeTextTest, RefusesWhatIsNotATime) {
    for (const auto* text :
         {"",
          "2025-03-01",
          "2025-02-29T00:00:00Z",
          "2025-13-01T00:00:00Z",
          "2025-03-01T24:00:00Z",
          "2025-03-01T00:00:00",
          "2025-03-01T00:00:00.Z",
          "2025-03-01T00:00:00Zx",
          "-025-03-01T00:00:00Z"}) {
        EXPECT_EQ(parse_rfc3339_millis(text), std::nullopt) << text;
    }
}

TEST(TimeTextTest, RendersWhatItParses) {
    for (const std::int64_t millis : {0LL, -1LL, 1740787200250LL, 253402300799999LL}) {
        EXPECT_EQ(parse_rfc3339_millis(render_rfc3339(millis)), millis);
    }
}

TEST(TimeTextTest, CountsOfUnitsHaveTheYearsThatTextsHave) {
    EXPECT_EQ(find_epoch_millis(1'740'824'430, 1000), 1'740'824'430'000);
    EXPECT_EQ(
        render_rfc3339(*find_epoch_millis(253'402'300'799, 1000)), "9999-12-31T23:59:59.000Z"
    );
    EXPECT_EQ(render_rfc3339(*find_epoch_millis(kFirstEpochMillis, 1)), "0000-01-01T00:00:00.000Z");
    EXPECT_FALSE(find_epoch_millis(253'402'300'800, 1000));
    EXPECT_FALSE(find_epoch_millis(kFirstEpochMillis - 1, 1));
    EXPECT_FALSE(find_epoch_millis(std::numeric_limits<std::int64_t>::max(), 1000));
    EXPECT_FALSE(find_epoch_millis(std::numeric_limits<std::int64_t>::min(), 1));
}

TEST(TimeTextTest, ParsesDurationsOfFixedLength) {
    EXPECT_EQ(parse_iso_duration_millis("PT1H30M"), 5400000);
    EXPECT_EQ(parse_iso_duration_millis("P7DT1S"), 604801000);
    EXPECT_EQ(parse_iso_duration_millis("PT0.5S"), 500);
    EXPECT_EQ(parse_iso_duration_millis("P2W"), 1209600000);
    EXPECT_EQ(parse_iso_duration_millis("-PT1M"), -60000);
    for (const auto* text : {"", "P", "PT", "P1Y", "P1M", "1H", "PT1", "P1H", "PT1.5H", "P1DT"}) {
        EXPECT_EQ(parse_iso_duration_millis(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace gateleg
