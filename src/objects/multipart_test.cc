#include "objects/multipart.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/base64.h"
#include "objects/test_store.h"

namespace gateleg::objects {
namespace {

class MultipartTest : public StoreTest {
protected:
    UploadName start(const std::string& key, const CreateMultipart& request = {}) {
        const auto upload = store_->create_multipart("pictures", key, request);
        EXPECT_TRUE(upload);
        return {"pictures", key, upload->upload_id};
    }
    Result<Written> part(const UploadName& upload, int number, std::string_view body) {
        GATELEG_TRY_ASSIGN(auto writer, store_->begin_part(upload, number, {}));
        GATELEG_TRY(writer.append(body));
        return writer.finish({});
    }
    Result<Written> complete(const UploadName& upload, std::vector<CompletePart> parts) {
        CompleteMultipart request;
        request.upload = upload;
        request.parts = std::move(parts);
        return store_->complete_multipart(request);
    }

    const std::string large_ = std::string(kMinPartBytes, 'L');
};

TEST_F(MultipartTest, PartsBecomeOneObject) {
    CreateMultipart request;
    request.metadata.content_type = "video/mp4";
    request.tags = {{"a", "b"}};
    const auto upload = start("film", request);
    const auto second = part(upload, 7, "tail");
    const auto first = part(upload, 2, large_);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(reason(store_->head("pictures", "film")), Reason::kNoSuchKey);
    const auto done = complete(upload, {{2, first->etag, {}}, {7, second->etag, {}}});
    ASSERT_TRUE(done);
    EXPECT_EQ(done->etag, hex_of(md5_of(md5_of(large_) + md5_of("tail"))) + "-2");
    EXPECT_EQ(*get(*store_, "pictures", "film"), large_ + "tail");
    const auto info = store_->head("pictures", "film");
    EXPECT_EQ(info->parts, 2);
    EXPECT_EQ(info->metadata.content_type, "video/mp4");
    EXPECT_EQ(info->tags, request.tags);

    auto reader = store_->open("pictures", "film");
    ASSERT_TRUE(reader);
    std::string over_the_edge(6, '\0');
    ASSERT_EQ(*(*reader).read(kMinPartBytes - 2, over_the_edge), 6);
    EXPECT_EQ(over_the_edge, "LLtail");
    EXPECT_EQ((*reader).part(2)->offset, kMinPartBytes);
    EXPECT_FALSE((*reader).part(3));
    EXPECT_EQ((*reader).stretch(kMinPartBytes - 2, 6)->size, 2);

    // A reader outlives the object also when there are many files.
    ASSERT_TRUE(store_->remove("pictures", "film"));
    EXPECT_EQ(*read_all(*reader), large_ + "tail");
}

TEST_F(MultipartTest, CompletingTwiceAnswersTheSame) {
    const auto upload = start("a");
    const auto only = part(upload, 1, "x");
    const auto once = complete(upload, {{1, only->etag, {}}});
    const auto twice = complete(upload, {{1, only->etag, {}}});
    ASSERT_TRUE(once && twice);
    EXPECT_EQ(once->etag, twice->etag);
    ASSERT_TRUE(put(*store_, "pictures", "a", "other"));
    EXPECT_EQ(reason(complete(upload, {{1, only->etag, {}}})), Reason::kNoSuchUpload);
}

TEST_F(MultipartTest, WrongPartsAreRefusedAndNothingIsLost) {
    const auto upload = start("a");
    const auto one = part(upload, 1, "small");
    const auto two = part(upload, 2, "tail");
    EXPECT_EQ(reason(complete(upload, {})), Reason::kInvalidRequest);
    EXPECT_EQ(reason(complete(upload, {{1, two->etag, {}}})), Reason::kInvalidPart);
    EXPECT_EQ(reason(complete(upload, {{3, two->etag, {}}})), Reason::kInvalidPart);
    EXPECT_EQ(
        reason(complete(upload, {{2, two->etag, {}}, {1, one->etag, {}}})),
        Reason::kInvalidPartOrder
    );
    EXPECT_EQ(
        reason(complete(upload, {{1, one->etag, {}}, {2, two->etag, {}}})), Reason::kEntityTooSmall
    );
    EXPECT_EQ(store_->list_parts(upload, 0, 10)->parts.size(), 2);
    // Parts that are left out go.
    ASSERT_TRUE(complete(upload, {{2, two->etag, {}}}));
    EXPECT_EQ(*get(*store_, "pictures", "a"), "tail");
    EXPECT_EQ(store_->check(false)->bodies, 1);
    EXPECT_EQ(reason(store_->begin_part(upload, 1, {})), Reason::kNoSuchUpload);
}

TEST_F(MultipartTest, PartIsReplacedByTheLaterOne) {
    const auto upload = start("a");
    ASSERT_TRUE(part(upload, 1, "first"));
    const auto again = part(upload, 1, "second");
    ASSERT_TRUE(complete(upload, {{1, again->etag, {}}}));
    EXPECT_EQ(*get(*store_, "pictures", "a"), "second");
    EXPECT_EQ(store_->check(false)->bodies, 1);
}

TEST_F(MultipartTest, ChecksumOfTheWhole) {
    CreateMultipart request;
    request.algorithm = ChecksumAlgorithm::kCrc64Nvme;
    const auto upload = start("full", request);
    const auto one = part(upload, 1, large_);
    const auto two = part(upload, 2, "tail");
    ASSERT_TRUE(one && two);
    ASSERT_TRUE(one->checksum);
    const auto whole = encode_base64(digest_of(ChecksumAlgorithm::kCrc64Nvme, large_ + "tail"));
    CompleteMultipart wrong;
    wrong.upload = upload;
    wrong.parts = {{1, one->etag, {}}, {2, two->etag, {}}};
    wrong.checksum =
        Checksum{ChecksumAlgorithm::kCrc64Nvme, ChecksumType::kFullObject, "AAAAAAAAAAA="};
    EXPECT_EQ(reason(store_->complete_multipart(wrong)), Reason::kBadDigest);
    wrong.checksum->value = whole;
    const auto done = store_->complete_multipart(wrong);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->checksum->value, whole);

    request.algorithm = ChecksumAlgorithm::kSha256;
    request.checksum_type = ChecksumType::kFullObject;
    EXPECT_EQ(reason(store_->create_multipart("pictures", "a", request)), Reason::kInvalidRequest);
    request.checksum_type = std::nullopt;
    const auto composite = start("composite", request);
    const auto only = part(composite, 1, "x");
    const auto made = complete(composite, {{1, only->etag, {}}});
    ASSERT_TRUE(made);
    EXPECT_EQ(made->checksum->type, ChecksumType::kComposite);
    EXPECT_TRUE(made->checksum->value.ends_with("=-1"));
}

TEST_F(MultipartTest, PartsFromAnotherObject) {
    ASSERT_TRUE(put(*store_, "pictures", "source", "0123456789"));
    const auto upload = start("a");
    CopyPart copy;
    copy.upload = upload;
    copy.number = 1;
    copy.source_bucket = "pictures";
    copy.source_key = "source";
    copy.range = ByteRange{2, 5};
    const auto copied = store_->copy_part(copy);
    ASSERT_TRUE(copied);
    EXPECT_EQ(copied->etag, hex_of(md5_of("23456")));
    copy.range = ByteRange{2, 9};
    EXPECT_EQ(reason(store_->copy_part(copy)), Reason::kInvalidArgument);
    ASSERT_TRUE(complete(upload, {{1, copied->etag, {}}}));
    EXPECT_EQ(*get(*store_, "pictures", "a"), "23456");
}

TEST_F(MultipartTest, CopyOfAnObjectInParts) {
    const auto upload = start("a");
    const auto one = part(upload, 1, large_);
    const auto two = part(upload, 2, "tail");
    ASSERT_TRUE(complete(upload, {{1, one->etag, {}}, {2, two->etag, {}}}));
    CopyRequest copy;
    copy.source_bucket = copy.bucket = "pictures";
    copy.source_key = "a";
    copy.key = "b";
    ASSERT_TRUE(store_->copy(copy));
    ASSERT_TRUE(store_->remove("pictures", "a"));
    EXPECT_EQ(*get(*store_, "pictures", "b"), large_ + "tail");
}

TEST_F(MultipartTest, AbortAndDeletedBucketRemoveParts) {
    const auto upload = start("a");
    ASSERT_TRUE(part(upload, 1, "x"));
    ASSERT_TRUE(store_->abort_multipart(upload));
    EXPECT_EQ(reason(store_->abort_multipart(upload)), Reason::kNoSuchUpload);
    ASSERT_TRUE(part(start("b"), 1, "x"));
    ASSERT_TRUE(store_->delete_bucket("pictures"));
    const auto check = store_->check(false);
    EXPECT_EQ(check->bodies, 0);
    EXPECT_EQ(check->orphans, 0);
    EXPECT_EQ(check->loose_records, 0);
}

TEST_F(MultipartTest, AbandonedUploadsGoAfterSevenDays) {
    const auto old = start("old");
    ASSERT_TRUE(part(old, 1, "x"));
    clock_.advance(std::int64_t{6} * 24 * 3600 * 1000);
    const auto young = start("young");
    clock_.advance(std::int64_t{24} * 3600 * 1000);
    ASSERT_TRUE(store_->sweep());
    EXPECT_EQ(reason(store_->head_multipart(old)), Reason::kNoSuchUpload);
    EXPECT_TRUE(store_->head_multipart(young));
    EXPECT_EQ(store_->check(false)->bodies, 0);
}

TEST_F(MultipartTest, ListsComeInPages) {
    const auto upload = start("a");
    for (int number = 1; number <= 5; ++number) {
        ASSERT_TRUE(part(upload, number * 300, std::to_string(number)));
    }
    const auto first = store_->list_parts(upload, 0, 3);
    ASSERT_TRUE(first);
    EXPECT_TRUE(first->truncated);
    EXPECT_EQ(first->next_number, 900);
    const auto second = store_->list_parts(upload, 900, 3);
    EXPECT_FALSE(second->truncated);
    EXPECT_EQ(second->parts.size(), 2);
    EXPECT_EQ(second->parts.front().number, 1200);

    start("a");
    start("dir/x");
    start("dir/y");
    start("z");
    ListUploads request;
    request.delimiter = "/";
    request.max_uploads = 1;
    std::vector<std::string> seen;
    for (int page = 0; page < 10; ++page) {
        const auto got = store_->list_multiparts("pictures", request);
        ASSERT_TRUE(got);
        for (const auto& found : got->uploads) {
            seen.push_back(found.key);
        }
        for (const auto& prefix : got->common_prefixes) {
            seen.push_back(prefix);
        }
        if (!got->truncated) {
            break;
        }
        request.key_marker = got->next_key_marker;
        request.upload_id_marker = got->next_upload_id_marker;
    }
    EXPECT_EQ(seen, (std::vector<std::string>{"a", "a", "dir/", "z"}));
}

}  // namespace
}  // namespace gateleg::objects
