#include "objects/store.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/base64.h"
#include "objects/test_store.h"

namespace gateleg::objects {
namespace {

TEST_F(StoreTest, BucketsComeAndGo) {
    EXPECT_EQ(reason(store_->create_bucket("pictures")), Reason::kBucketAlreadyOwnedByYou);
    ASSERT_TRUE(store_->create_bucket("a-bucket"));
    const auto buckets = store_->list_buckets();
    ASSERT_TRUE(buckets);
    ASSERT_EQ(buckets->size(), 2);
    EXPECT_EQ(buckets->front().name, "a-bucket");
    EXPECT_EQ(buckets->front().created_millis, kTestTime);
    ASSERT_TRUE(store_->delete_bucket("a-bucket"));
    EXPECT_EQ(reason(store_->head_bucket("a-bucket")), Reason::kNoSuchBucket);
    EXPECT_EQ(reason(store_->delete_bucket("a-bucket")), Reason::kNoSuchBucket);
}

TEST_F(StoreTest, BucketNamesAreChecked) {
    for (const auto* name :
         {"", "ab", "Upper", "under_score", "-a-", "a..b", "192.168.1.1", "a/b", ".abc"}) {
        EXPECT_EQ(reason(store_->create_bucket(name)), Reason::kInvalidBucketName) << name;
    }
    EXPECT_EQ(reason(store_->create_bucket(std::string(64, 'a'))), Reason::kInvalidBucketName);
    EXPECT_TRUE(store_->create_bucket(std::string(63, 'a')));
    EXPECT_TRUE(store_->create_bucket("my.bucket-1"));
}

TEST_F(StoreTest, BucketWithObjectsStays) {
    ASSERT_TRUE(put(*store_, "pictures", "a", "x"));
    EXPECT_EQ(reason(store_->delete_bucket("pictures")), Reason::kBucketNotEmpty);
    ASSERT_TRUE(store_->remove("pictures", "a"));
    EXPECT_TRUE(store_->delete_bucket("pictures"));
}

TEST_F(StoreTest, ObjectComesBackAsItWasPut) {
    FinishUpload finish;
    finish.metadata.content_type = "image/png";
    finish.metadata.cache_control = "no-store";
    finish.metadata.user = {{"colour", "blue"}};
    finish.tags = {{"kind", "test"}};
    const auto written = put(*store_, "pictures", "dir/a.png", "hello", finish);
    ASSERT_TRUE(written);
    EXPECT_EQ(written->etag, "5d41402abc4b2a76b9719d911017c592");
    const auto info = store_->head("pictures", "dir/a.png");
    ASSERT_TRUE(info);
    EXPECT_EQ(info->size, 5);
    EXPECT_EQ(info->metadata, finish.metadata);
    EXPECT_EQ(info->tags, finish.tags);
    EXPECT_EQ(info->modified_millis, kTestTime);
    EXPECT_EQ(*get(*store_, "pictures", "dir/a.png"), "hello");
    EXPECT_EQ(reason(store_->head("pictures", "dir/b.png")), Reason::kNoSuchKey);
    EXPECT_EQ(reason(store_->head("nowhere", "a")), Reason::kNoSuchBucket);
}

TEST_F(StoreTest, KeysAreDataAndNotPaths) {
    using namespace std::string_literals;
    const std::vector<std::string> keys = {
        "../../etc/passwd", "/", "a//b", "nul\0byte"s, "back\\slash", ".", "..", "\x01", "ü"};
    for (const auto& key : keys) {
        ASSERT_TRUE(put(*store_, "pictures", key, key)) << key;
    }
    for (const auto& key : keys) {
        EXPECT_EQ(*get(*store_, "pictures", key), key);
    }
    EXPECT_EQ(reason(put(*store_, "pictures", std::string(1025, 'k'), "x")), Reason::kKeyTooLong);
    EXPECT_TRUE(put(*store_, "pictures", std::string(1024, 'k'), "x"));
    EXPECT_EQ(reason(put(*store_, "pictures", "", "x")), Reason::kInvalidArgument);
    EXPECT_EQ(reason(put(*store_, "pictures", "\xC3\x28", "x")), Reason::kInvalidArgument);
}

TEST_F(StoreTest, DigestsAreChecked) {
    const auto md5 = encode_base64(md5_of("hello"));
    FinishUpload finish;
    finish.content_md5 = md5;
    EXPECT_TRUE(put(*store_, "pictures", "a", "hello", finish));
    EXPECT_EQ(reason(put(*store_, "pictures", "b", "hellO", finish)), Reason::kBadDigest);
    finish.content_md5 = "bad";
    EXPECT_EQ(reason(put(*store_, "pictures", "b", "hello", finish)), Reason::kInvalidDigest);
    EXPECT_EQ(reason(store_->head("pictures", "b")), Reason::kNoSuchKey);
}

TEST_F(StoreTest, ChecksumsAreCheckedAndKept) {
    for (const auto algorithm : kChecksumAlgorithms) {
        UploadOptions options;
        options.checksums = {algorithm};
        FinishUpload finish;
        finish.checksums = {
            {algorithm, ChecksumType::kFullObject, encode_base64(digest_of(algorithm, "hello"))}};
        ASSERT_TRUE(put(*store_, "pictures", "a", "hello", finish, options)) << to_text(algorithm);
        EXPECT_EQ(store_->head("pictures", "a")->checksum, finish.checksums.front());
        EXPECT_EQ(
            reason(put(*store_, "pictures", "a", "hellO", finish, options)), Reason::kBadDigest
        );
        finish.checksums.front().value = "AA==";
        EXPECT_EQ(
            reason(put(*store_, "pictures", "a", "hello", finish, options)), Reason::kInvalidRequest
        );
        EXPECT_EQ(*get(*store_, "pictures", "a"), "hello");
    }
}

TEST_F(StoreTest, SignedPayloadIsChecked) {
    UploadOptions options;
    options.payload_sha256 = true;
    FinishUpload finish;
    finish.payload_sha256 = sha256("hello");
    EXPECT_TRUE(put(*store_, "pictures", "a", "hello", finish, options));
    EXPECT_EQ(
        reason(put(*store_, "pictures", "a", "hullo", finish, options)), Reason::kPayloadMismatch
    );
}

TEST_F(StoreTest, LengthsAreHeld) {
    UploadOptions options;
    options.expected_bytes = 5;
    EXPECT_EQ(reason(put(*store_, "pictures", "a", "hell", {}, options)), Reason::kIncompleteBody);
    EXPECT_EQ(
        reason(put(*store_, "pictures", "a", "hello!", {}, options)), Reason::kEntityTooLarge
    );
    options = {};
    options.max_bytes = 3;
    EXPECT_EQ(reason(put(*store_, "pictures", "a", "four", {}, options)), Reason::kEntityTooLarge);
    auto upload = store_->begin_put("pictures", "a", options);
    ASSERT_TRUE(upload);
    EXPECT_FALSE((*upload).append("four"));
    // Over is over: a shorter piece does not bring it back.
    EXPECT_EQ(reason((*upload).append("a")), Reason::kEntityTooLarge);
    EXPECT_EQ(reason((*upload).finish({})), Reason::kEntityTooLarge);
}

TEST_F(StoreTest, AbandonedUploadLeavesNothing) {
    {
        auto upload = store_->begin_put("pictures", "a", {});
        ASSERT_TRUE(upload);
        ASSERT_TRUE((*upload).append(std::string(1 << 20, 'x')));
    }
    EXPECT_EQ(reason(store_->head("pictures", "a")), Reason::kNoSuchKey);
    const auto check = store_->check(false);
    ASSERT_TRUE(check);
    EXPECT_EQ(check->bodies, 0);
    EXPECT_EQ(check->orphans, 0);
}

TEST_F(StoreTest, ConditionsDecideAtTheWrite) {
    FinishUpload if_absent;
    if_absent.condition.if_none_match = "*";
    const auto first = put(*store_, "pictures", "a", "one", if_absent);
    ASSERT_TRUE(first);
    EXPECT_EQ(reason(put(*store_, "pictures", "a", "two", if_absent)), Reason::kPreconditionFailed);
    FinishUpload if_same;
    if_same.condition.if_match = first->etag;
    ASSERT_TRUE(put(*store_, "pictures", "a", "two", if_same));
    EXPECT_EQ(reason(put(*store_, "pictures", "a", "three", if_same)), Reason::kPreconditionFailed);
    EXPECT_EQ(reason(put(*store_, "pictures", "b", "x", if_same)), Reason::kNoSuchKey);
    EXPECT_EQ(
        reason(store_->remove("pictures", "a", if_same.condition)), Reason::kPreconditionFailed
    );
    EXPECT_EQ(*get(*store_, "pictures", "a"), "two");
    // What was refused left no file behind.
    EXPECT_EQ(store_->check(false)->bodies, 1);
    EXPECT_EQ(store_->check(false)->orphans, 0);
}

TEST_F(StoreTest, OneOfManyWinsTheRace) {
    constexpr int kThreads = 8;
    std::atomic<int> won = 0;
    std::atomic<int> lost = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            FinishUpload if_absent;
            if_absent.condition.if_none_match = "*";
            for (int round = 0; round < 20; ++round) {
                const auto result =
                    put(*store_,
                        "pictures",
                        "race" + std::to_string(round),
                        std::to_string(i),
                        if_absent);
                (result ? won : lost) += 1;
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(won, 20);
    EXPECT_EQ(lost, 20 * (kThreads - 1));
    EXPECT_EQ(store_->check(false)->bodies, 20);
    EXPECT_EQ(store_->check(false)->orphans, 0);
}

TEST_F(StoreTest, ReaderKeepsWhatItOpened) {
    ASSERT_TRUE(put(*store_, "pictures", "a", "old"));
    auto reader = store_->open("pictures", "a");
    ASSERT_TRUE(reader);
    ASSERT_TRUE(put(*store_, "pictures", "a", "new one"));
    EXPECT_EQ(*read_all(*reader), "old");
    ASSERT_TRUE(store_->remove("pictures", "a"));
    ASSERT_TRUE(store_->sweep());
    EXPECT_EQ(*read_all(*reader), "old");
}

TEST_F(StoreTest, ReadersAndWritersAtOnce) {
    ASSERT_TRUE(put(*store_, "pictures", "a", std::string(1000, '0')));
    std::atomic<bool> stop = false;
    std::atomic<int> bad = 0;
    std::thread reading([&] {
        while (!stop) {
            const auto body = get(*store_, "pictures", "a");
            if (!body || body->size() != 1000 ||
                body->find_first_not_of(body->front()) != std::string::npos) {
                ++bad;
            }
        }
    });
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(
            put(*store_, "pictures", "a", std::string(1000, static_cast<char>('0' + i % 10)))
        );
        if (i % 20 == 0) {
            ASSERT_TRUE(store_->sweep());
        }
    }
    stop = true;
    reading.join();
    EXPECT_EQ(bad, 0);
}

TEST_F(StoreTest, DeletingManyAnswersForEach) {
    ASSERT_TRUE(put(*store_, "pictures", "a", "1"));
    ASSERT_TRUE(put(*store_, "pictures", "b", "2"));
    const auto verdicts = store_->remove_many("pictures", {"a", "missing", "b", "a"});
    ASSERT_TRUE(verdicts);
    ASSERT_EQ(verdicts->size(), 4);
    EXPECT_EQ((*verdicts)[1].key, "missing");
    EXPECT_FALSE((*verdicts)[1].error);
    EXPECT_TRUE(store_->list("pictures", {})->objects.empty());
    EXPECT_EQ(store_->check(false)->bodies, 0);
}

TEST_F(StoreTest, CopyKeepsOrReplacesMetadata) {
    FinishUpload finish;
    finish.metadata.content_type = "text/plain";
    finish.tags = {{"a", "1"}};
    ASSERT_TRUE(put(*store_, "pictures", "a", "hello", finish));
    CopyRequest copy;
    copy.source_bucket = copy.bucket = "pictures";
    copy.source_key = "a";
    copy.key = "b";
    ASSERT_TRUE(store_->copy(copy));
    EXPECT_EQ(store_->head("pictures", "b")->metadata.content_type, "text/plain");
    EXPECT_EQ(store_->head("pictures", "b")->tags, finish.tags);
    ASSERT_TRUE(store_->remove("pictures", "a"));
    EXPECT_EQ(*get(*store_, "pictures", "b"), "hello");

    copy.source_key = copy.key = "b";
    EXPECT_EQ(reason(store_->copy(copy)), Reason::kInvalidRequest);
    copy.metadata = ObjectMetadata{};
    copy.metadata->content_type = "text/html";
    copy.checksum = ChecksumAlgorithm::kCrc32;
    const auto copied = store_->copy(copy);
    ASSERT_TRUE(copied);
    EXPECT_EQ(copied->checksum->value, "NhCmhg==");
    EXPECT_EQ(store_->head("pictures", "b")->metadata.content_type, "text/html");
    EXPECT_EQ(*get(*store_, "pictures", "b"), "hello");
    EXPECT_EQ(store_->check(false)->bodies, 1);

    copy.source_condition.if_match = {"other"};
    EXPECT_EQ(reason(store_->copy(copy)), Reason::kPreconditionFailed);
    copy.source_key = "gone";
    EXPECT_EQ(reason(store_->copy(copy)), Reason::kNoSuchKey);
}

TEST_F(StoreTest, TagsAreChecked) {
    ASSERT_TRUE(put(*store_, "pictures", "a", "hello"));
    ASSERT_TRUE(store_->set_tags("pictures", "a", {{"k", "v"}}));
    EXPECT_EQ(store_->tags("pictures", "a")->size(), 1);
    EXPECT_EQ(
        reason(store_->set_tags("pictures", "a", {{"k", "v"}, {"k", "w"}})), Reason::kInvalidTag
    );
    EXPECT_EQ(
        reason(store_->set_tags("pictures", "a", std::vector<NamedText>(11))), Reason::kInvalidTag
    );
    EXPECT_EQ(reason(store_->set_tags("pictures", "b", {})), Reason::kNoSuchKey);
    ASSERT_TRUE(store_->set_tags("pictures", "a", {}));
    EXPECT_TRUE(store_->tags("pictures", "a")->empty());
    EXPECT_EQ(*get(*store_, "pictures", "a"), "hello");
}

TEST_F(StoreTest, MetadataThatCannotBeSentBackIsRefused) {
    FinishUpload finish;
    finish.metadata.user = {{"a", "x\r\nSet-Cookie: y"}};
    EXPECT_EQ(reason(put(*store_, "pictures", "a", "x", finish)), Reason::kInvalidArgument);
    finish.metadata.user = {{"a", std::string(2048, 'x')}};
    EXPECT_EQ(reason(put(*store_, "pictures", "a", "x", finish)), Reason::kMetadataTooLarge);
}

TEST_F(StoreTest, CorsRulesBelongToTheBucket) {
    EXPECT_TRUE(store_->cors("pictures")->empty());
    const CorsRule rule{"one", {"https://*.example"}, {"PUT", "GET"}, {"*"}, {"ETag"}, 3600};
    ASSERT_TRUE(store_->set_cors("pictures", {rule}));
    ASSERT_EQ(store_->cors("pictures")->size(), 1);
    EXPECT_EQ(store_->cors("pictures")->front(), rule);
    ASSERT_TRUE(store_->set_cors("pictures", {}));
    EXPECT_TRUE(store_->cors("pictures")->empty());
    EXPECT_EQ(reason(store_->set_cors("nowhere", {})), Reason::kNoSuchBucket);
}

TEST(ConditionTest, ReadsFollowTheRfc) {
    ObjectInfo info;
    info.etag = "x";
    info.modified_millis = 10'500;
    const auto verdict = [&](ReadCondition condition) { return judge(condition, info); };
    EXPECT_EQ(verdict({}), ReadVerdict::kProceed);
    EXPECT_EQ(verdict({.if_match = {"y", "x"}}), ReadVerdict::kProceed);
    EXPECT_EQ(verdict({.if_match = {"y"}}), ReadVerdict::kPreconditionFailed);
    EXPECT_EQ(verdict({.if_none_match = {"x"}}), ReadVerdict::kNotModified);
    EXPECT_EQ(verdict({.if_none_match = {"*"}}), ReadVerdict::kNotModified);
    EXPECT_EQ(verdict({.if_modified_since = 10}), ReadVerdict::kNotModified);
    EXPECT_EQ(verdict({.if_modified_since = 9}), ReadVerdict::kProceed);
    EXPECT_EQ(verdict({.if_unmodified_since = 9}), ReadVerdict::kPreconditionFailed);
    // A tag takes the place of a time.
    EXPECT_EQ(verdict({.if_match = {"x"}, .if_unmodified_since = 9}), ReadVerdict::kProceed);
    EXPECT_EQ(verdict({.if_none_match = {"y"}, .if_modified_since = 10}), ReadVerdict::kProceed);
}

}  // namespace
}  // namespace gateleg::objects
