#include <string>

#include <gtest/gtest.h>

#include "objects/objects.h"
#include "objects/test_pictures.h"
#include "objects/test_store.h"
#include "objects/thumbnail.h"

namespace gateleg::objects {
namespace {

class LocalObjectsTest : public StoreTest {
protected:
    LocalObjectsTest() {
        LocalObjectsOptions options;
        options.bucket = "figureforge-prod";
        options.base_url = [] { return "http://127.0.0.1:9000"; };
        options.fetch = [this](const FetchRequest& request, const FetchSink& sink) -> Result<void> {
            if (request.url != "https://cdn.example/x") {
                return service_unavailable("unreachable");
            }
            for (const char c : remote_body_) {
                GATELEG_TRY(sink({&c, 1}));
            }
            return {};
        };
        auto made = make_local_objects(options, *store_, thumbnails_, clock_);
        EXPECT_TRUE(made);
        objects_ = *std::move(made);
    }

    ThumbnailMaker thumbnails_{{.deadline = std::chrono::seconds(50)}};
    std::string remote_body_;
    std::unique_ptr<Objects> objects_;
};

TEST_F(LocalObjectsTest, WhatIsPutIsThere) {
    EXPECT_FALSE(*objects_->head("a"));
    ASSERT_TRUE(objects_->put("a", "hello", "text/plain"));
    const auto head = *objects_->head("a");
    ASSERT_TRUE(head);
    EXPECT_EQ(head->size, 5);
    EXPECT_EQ(head->content_type, "text/plain");
    EXPECT_EQ(head->etag, "5d41402abc4b2a76b9719d911017c592");
    EXPECT_EQ(objects_->inspect("a")->kind, MediaKind::kText);
    EXPECT_EQ(*objects_->get("a", 5), "hello");
    EXPECT_EQ(reason(objects_->get("a", 4)), Reason::kEntityTooLarge);
    ASSERT_TRUE(objects_->remove("a"));
    ASSERT_TRUE(objects_->remove("a"));
    EXPECT_FALSE(*objects_->head("a"));
}

TEST_F(LocalObjectsTest, UrlsAreSignedByTheClockInForce) {
    Presign request;
    request.method = "PUT";
    request.key = "users/u 1/x.jpg";
    request.content_type = "image/jpeg";
    const auto signed_url = objects_->presign(request);
    ASSERT_TRUE(signed_url);
    EXPECT_TRUE(signed_url->url.starts_with(
        "http://127.0.0.1:9000/figureforge-prod/users/u%201/x.jpg?X-Amz-Algorithm="
    ));
    EXPECT_NE(signed_url->url.find("X-Amz-Date=20250301T000000Z"), std::string::npos);
    EXPECT_NE(signed_url->url.find("X-Amz-Expires=600"), std::string::npos);
    EXPECT_NE(signed_url->url.find(store_->own_key().access_key_id), std::string::npos);
    EXPECT_EQ(signed_url->url.find(store_->own_key().secret_access_key), std::string::npos);
    EXPECT_EQ(signed_url->expires_at_seconds, kTestTime / 1000 + 600);
    ASSERT_EQ(signed_url->headers.size(), 1);
    EXPECT_EQ(signed_url->headers.front().second, "image/jpeg");

    request.expires_seconds = 604'801;
    EXPECT_EQ(reason(objects_->presign(request)), Reason::kInvalidArgument);
    request.expires_seconds = 0;
    EXPECT_EQ(reason(objects_->presign(request)), Reason::kInvalidArgument);
    request.expires_seconds = 1;
    request.method = "POST";
    EXPECT_EQ(reason(objects_->presign(request)), Reason::kInvalidArgument);
}

TEST_F(LocalObjectsTest, CopiedInHasTheTypeOfItsBytes) {
    remote_body_ = make_png(20, 10);
    const auto copied = objects_->copy_in("https://cdn.example/x", "in.png", {});
    ASSERT_TRUE(copied);
    EXPECT_EQ(copied->what, (Sniffed{MediaKind::kPng, 20, 10, 1}));
    EXPECT_EQ((*objects_->head("in.png"))->content_type, "image/png");

    CopyInLimits limits;
    limits.max_bytes = 10;
    EXPECT_EQ(
        reason(objects_->copy_in("https://cdn.example/x", "b", limits)), Reason::kEntityTooLarge
    );
    limits = {};
    limits.image.max_pixels = 199;
    EXPECT_EQ(
        reason(objects_->copy_in("https://cdn.example/x", "b", limits)), Reason::kImageTooLarge
    );
    remote_body_ = "<html>";
    EXPECT_EQ(reason(objects_->copy_in("https://cdn.example/x", "b", {})), Reason::kNotAnImage);
    EXPECT_FALSE(objects_->copy_in("https://other.example/", "b", {}));
    EXPECT_FALSE(*objects_->head("b"));
}

TEST_F(LocalObjectsTest, ThumbnailIsAnObjectOfItsOwn) {
    ASSERT_TRUE(objects_->put("big", make_jpeg(200, 100), "image/jpeg"));
    const auto made = objects_->thumbnail("big", "small", 50);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->what, (Sniffed{MediaKind::kJpeg, 50, 25, 1}));
    EXPECT_EQ(*objects_->inspect("small"), made->what);
    EXPECT_EQ(reason(objects_->thumbnail("gone", "small", 50)), Reason::kNoSuchKey);
    ASSERT_TRUE(objects_->put("text", "hello", "image/jpeg"));
    EXPECT_EQ(reason(objects_->thumbnail("text", "small", 50)), Reason::kNotAnImage);
}

}  // namespace
}  // namespace gateleg::objects
