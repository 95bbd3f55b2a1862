#include "auth/amz_date.h"

#include <gtest/gtest.h>

namespace gateleg::auth {
namespace {

TEST(AmzDateTest, ParsesWhatItRenders) {
    EXPECT_EQ(parse_amz_date("19700101T000000Z"), 0);
    EXPECT_EQ(parse_amz_date("20150830T123600Z"), 1440938160);
    EXPECT_EQ(render_amz_date(1440938160), "20150830T123600Z");
    EXPECT_EQ(render_amz_date(-1), "19691231T235959Z");
    EXPECT_EQ(parse_amz_date("20240229T000000Z"), 1709164800);
}

TEST(AmzDateTest, RefusesEverythingElse) {
    for (const auto* text :
         {"",
          "20150830",
          "20150830T123600",
          "20150830T123600z",
          "20150830 123600Z",
          "2015-08-30T12:36:00Z",
          "20150830T123600Z ",
          "20150230T000000Z",
          "20230229T000000Z",
          "20151301T000000Z",
          "20150800T000000Z",
          "20150830T240000Z",
          "20150830T006000Z",
          "20150830T000060Z",
          "2015083xT000000Z",
          "+2015830T123600Z",
          "Sun, 30 Aug 2015 12:36:00 GMT"}) {
        EXPECT_FALSE(parse_amz_date(text)) << text;
    }
}

}  // namespace
}  // namespace gateleg::auth
