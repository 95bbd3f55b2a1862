#include "objects/sample_picture.h"

#include <gtest/gtest.h>

#include "objects/sniff.h"

namespace gateleg::objects {
namespace {

TEST(SamplePictureTest, EachNameIsAnotherImageAndAlwaysTheSame) {
    const auto fox = draw_sample("fox");
    const auto what = sniff(fox);
    ASSERT_TRUE(what);
    EXPECT_EQ(what->kind, MediaKind::kJpeg);
    EXPECT_EQ(what->width, 960U);
    EXPECT_EQ(what->height, 640U);
    EXPECT_EQ(draw_sample("fox"), fox);
    EXPECT_NE(draw_sample("harbour"), fox);
    EXPECT_LT(fox.size(), 200'000U);
}

}  // namespace
}  // namespace gateleg::objects
