#include "objects/remote_objects.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "objects/test_pictures.h"
#include "objects/test_store.h"
#include "objects/thumbnail.h"

namespace gateleg::objects {
namespace {

// A store at the other end, as far as these calls see one.
class RemoteObjectsTest : public testing::Test {
protected:
    RemoteObjectsTest() {
        clock_.freeze_at(kTestTime);
        options_.bucket = "figureforge-prod";
        options_.region = "eu-west-1";
        options_.credentials = [] { return S3Credentials{"AKID", "secret", "token"}; };
        options_.call = [this](S3Call call) { return answer(call); };
    }

    Result<S3Answer> answer(const S3Call& call) {
        last_ = call;
        ++calls_;
        if (failures_ > 0) {
            --failures_;
            return S3Answer{503, {}, ""};
        }
        const auto path = call.url.substr(0, call.url.find('?'));
        if (call.method == "PUT") {
            stored_[path] = call.body;
            return S3Answer{200, {{"etag", "\"abc\""}}, ""};
        }
        if (call.method == "DELETE") {
            stored_.erase(path);
            return S3Answer{204, {}, ""};
        }
        const auto found = stored_.find(path);
        if (found == stored_.end()) {
            return S3Answer{404, {}, ""};
        }
        return S3Answer{
            200,
            {{"content-length", std::to_string(found->second.size())},
             {"content-type", "image/png"},
             {"etag", "\"abc\""},
             {"last-modified", "Sat, 01 Mar 2025 00:00:00 GMT"}},
            call.method == "GET" ? found->second : ""};
    }

    std::unique_ptr<Objects> make() { return make_remote_objects(options_, thumbnails_, clock_); }

    SettableClock clock_;
    RemoteObjectsOptions options_;
    ThumbnailMaker thumbnails_{{.deadline = std::chrono::seconds(50)}};
    std::map<std::string, std::string> stored_;
    S3Call last_;
    int calls_ = 0;
    int failures_ = 0;
};

TEST_F(RemoteObjectsTest, AddressesAsAwsHasThem) {
    const auto url = make()->presign({.key = "a/b"});
    ASSERT_TRUE(url);
    EXPECT_TRUE(
        url->url.starts_with("https://figureforge-prod.s3.eu-west-1.amazonaws.com/a/b?X-Amz-")
    );
    EXPECT_NE(url->url.find("X-Amz-Security-Token=token"), std::string::npos);
    EXPECT_NE(url->url.find("X-Amz-Date=20250301T000000Z"), std::string::npos);
    options_.bucket = "with.dots";
    EXPECT_TRUE(make()
                    ->presign({.key = "a"})
                    ->url.starts_with("https://s3.eu-west-1.amazonaws.com/with.dots/a?"));
    options_.endpoint = "http://minio.example:9000/";
    EXPECT_TRUE(
        make()->presign({.key = "a"})->url.starts_with("http://minio.example:9000/with.dots/a?")
    );
}

TEST_F(RemoteObjectsTest, PutHeadGetAndRemove) {
    const auto objects = make();
    EXPECT_FALSE(*objects->head("a"));
    EXPECT_EQ(reason(objects->get("a", 10)), Reason::kNoSuchKey);
    const auto put = objects->put("a", "hello", "image/png");
    ASSERT_TRUE(put);
    EXPECT_EQ(put->etag, "abc");
    EXPECT_EQ(last_.headers, std::vector<std::string>{"content-type: image/png"});
    const auto head = *objects->head("a");
    ASSERT_TRUE(head);
    EXPECT_EQ(head->size, 5);
    EXPECT_EQ(head->etag, "abc");
    EXPECT_EQ(head->modified_millis, kTestTime);
    EXPECT_EQ(*objects->get("a", 5), "hello");
    EXPECT_EQ(reason(objects->get("a", 4)), Reason::kEntityTooLarge);
    ASSERT_TRUE(objects->remove("a"));
    EXPECT_FALSE(*objects->head("a"));
}

TEST_F(RemoteObjectsTest, CallsAreMadeByTheRealClock) {
    ASSERT_TRUE(make()->put("a", "x", "text/plain"));
    EXPECT_EQ(last_.url.find("X-Amz-Date=20250301"), std::string::npos);
}

TEST_F(RemoteObjectsTest, BusyStoresAreAskedAgain) {
    failures_ = 2;
    EXPECT_TRUE(make()->put("a", "x", "text/plain"));
    EXPECT_EQ(calls_, 3);
    failures_ = 100;
    const auto failed = make()->put("a", "x", "text/plain");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::kServiceUnavailable);
}

TEST_F(RemoteObjectsTest, WithoutCredentialsNothingIsSigned) {
    options_.credentials = []() -> Result<S3Credentials> {
        return service_unavailable("no credentials");
    };
    EXPECT_FALSE(make()->presign({.key = "a"}));
    EXPECT_FALSE(make()->head("a"));
}

TEST_F(RemoteObjectsTest, Thumbnails) {
    const auto objects = make();
    ASSERT_TRUE(objects->put("big", make_png(100, 50), "image/png"));
    EXPECT_EQ(*objects->inspect("big"), (Sniffed{MediaKind::kPng, 100, 50, 1}));
    const auto made = objects->thumbnail("big", "small", 20);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->what, (Sniffed{MediaKind::kJpeg, 20, 10, 1}));
}

}  // namespace
}  // namespace gateleg::objects
