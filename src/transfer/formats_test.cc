// Lines, CSV, compressed files and manifests, without a store.

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <zstd.h>

#include "transfer/byte_file.h"
#include "transfer/csv.h"
#include "transfer/item_lines.h"
#include "transfer/item_reader.h"
#include "transfer/manifest.h"
#include "transfer/table_shape.h"

namespace gateleg::transfer {
namespace {

namespace fs = std::filesystem;

class Formats : public testing::Test {
protected:
    Formats() : folder_(fs::path(testing::TempDir()) / ("formats" + make_export_id(1))) {
        fs::create_directories(folder_);
    }
    ~Formats() override { fs::remove_all(folder_); }

    fs::path write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return folder_ / name;
    }
    // Items and problems, a line each.
    std::vector<std::string> read(const fs::path& path, const LineOptions& options) const {
        auto reader = ItemReader::open(path, compression_of(path), "f", options);
        std::vector<std::string> lines;
        for (;;) {
            auto next = (*reader)->next();
            if (!next) {
                lines.push_back("error " + next.error().message);
                return lines;
            }
            if (!*next) {
                return lines;
            }
            const auto& read = **next;
            lines.push_back(read.problem ? *read.problem : render_item(read.item.view()));
        }
    }
    const fs::path& folder() const { return folder_; }

private:
    fs::path folder_;
};

using Lines = std::vector<std::string>;

TEST_F(Formats, ReadsLinesWithOrWithoutItem) {
    const auto path = write(
        "a", "{\"Item\":{\"k\":{\"S\":\"a\"}}}\n\n  \n{\"k\":{\"N\":\"01.0\"}}\r\n{\"Item\":{}}"
    );
    EXPECT_EQ(read(path, {}), (Lines{R"({"k":{"S":"a"}})", R"({"k":{"N":"1"}})", "{}"}));
}

TEST_F(Formats, NamesLineAndColumn) {
    const auto path = write("a", "{\"k\":{\"S\":\"a\"}}\n{\"k\":}\n{\"k\":{\"S\":\"b\"}}\n[]\n");
    const auto lines = read(path, {});
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[1].rfind("f:2:6: not valid JSON", 0), 0U) << lines[1];
    EXPECT_EQ(lines[2], R"({"k":{"S":"b"}})");
    EXPECT_EQ(lines[3], "f:4:1: an item is an object of attributes");
}

TEST_F(Formats, PlainJsonKeepsEveryDigit) {
    const auto path = write("a", R"({"k":"a","n":12345678901234567890.123456789012345678})");
    EXPECT_EQ(
        read(path, {.format = Format::kJson}),
        (Lines{R"({"k":{"S":"a"},"n":{"N":"12345678901234567890.123456789012345678"}})"})
    );
}

TEST_F(Formats, CsvHasQuotesLinesAndTypes) {
    const LineOptions options{
        .format = Format::kCsv,
        .key_types = {{"n", value::Type::kNumber}, {"b", value::Type::kBinary}}};
    const auto path = write(
        "a.csv",
        "\xef\xbb\xbfk,n,b,t\r\na,1.50,AAE=,\"x\"\"y\r\nz\"\n\nb,2,,\"\"\nc,x,,\nd,1,!,\ne,1\nf,3,,"
        "g"
    );
    EXPECT_EQ(
        read(path, options),
        (Lines{
            R"({"b":{"B":"AAE="},"k":{"S":"a"},"n":{"N":"1.5"},"t":{"S":"x\"y\r\nz"}})",
            R"({"k":{"S":"b"},"n":{"N":"2"},"t":{"S":""}})",
            "f:6:3: attribute n: The parameter cannot be converted to a numeric value: x",
            "f:7:5: attribute b: a binary key is written as base64",
            "f:8:3: the record has 2 fields and the header 4",
            R"({"k":{"S":"f"},"n":{"N":"3"},"t":{"S":"g"}})"})
    );
}

TEST_F(Formats, CsvFieldsComeBack) {
    for (const std::string text : {"", "a", " a ", "a,b", "a\"b\"", "a\nb", "\r", "é"}) {
        std::string line = "k\n";
        append_csv_field(line, text, ',');
        const auto path = write("a.csv", line + "\n");
        const auto reader =
            ItemReader::open(path, Compression::kNone, "f", {.format = Format::kCsv});
        const auto next = (*reader)->next();
        ASSERT_TRUE(next && *next && !(*next)->problem) << text;
        EXPECT_EQ((*next)->item.view().find("k")->text(), text);
    }
}

TEST_F(Formats, ReadsWhatIsCompressed) {
    const std::string line = "{\"k\":{\"S\":\"" + std::string(300'000, 'x') + "\"}}\n";
    auto file = FileAppender::open(folder() / "a.gz", 0, true);
    ASSERT_TRUE(file && (*file).append(line) && (*file).append(line) && (*file).append(""));
    EXPECT_EQ(read(folder() / "a.gz", {}).size(), 2U);
    EXPECT_EQ(*count_lines(folder() / "a.gz", Compression::kGzip, "f"), 2);

    std::string packed(ZSTD_compressBound(line.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), line.data(), line.size(), 3));
    EXPECT_EQ(read(write("a.zst", packed + packed), {}).size(), 2U);
    const auto cut = read(write("b.zst", packed.substr(0, packed.size() - 3)), {});
    EXPECT_EQ(cut.back(), "error f: the zstd data ends in the middle");
}

TEST_F(Formats, AFileGoesOnFromALength) {
    const auto path = folder() / "a.gz";
    std::int64_t length = 0;
    {
        auto file = FileAppender::open(path, 0, true);
        ASSERT_TRUE((*file).append("{\"k\":{\"S\":\"a\"}}\n"));
        length = file->length();
        ASSERT_TRUE((*file).append("{\"k\":{\"S\":\"lost\"}}\n"));
    }
    auto file = FileAppender::open(path, length, true);
    ASSERT_TRUE(file && (*file).append("{\"k\":{\"S\":\"b\"}}\n"));
    EXPECT_EQ(read(path, {}), (Lines{R"({"k":{"S":"a"}})", R"({"k":{"S":"b"}})"}));
    EXPECT_FALSE(FileAppender::open(path, 1'000'000, true));
}

TEST_F(Formats, ManifestsComeBack) {
    ManifestSummary summary;
    summary.export_arn = "arn:e";
    summary.s3_prefix = "p";
    summary.item_count = 7;
    const auto read = parse_manifest_summary(render_manifest_summary(summary));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->item_count, 7);
    EXPECT_EQ(read->s3_prefix, "p");
    const auto files =
        parse_manifest_files(render_manifest_files({{7, "bWQ1", "tag", "p/AWSDynamoDB/1/data/x"}}));
    ASSERT_TRUE(files);
    EXPECT_EQ(*data_file_name(files->front()), "x");
    EXPECT_EQ(
        parse_manifest_files("{\"itemCount\":1}\n").error().message,
        "line 1: md5Checksum is missing"
    );
    EXPECT_EQ(
        parse_manifest_files(R"({"itemCount":-1,"md5Checksum":"","dataFileS3Key":"x"})")
            .error()
            .message,
        "line 1: itemCount is not a whole number from 0 on"
    );
    EXPECT_FALSE(parse_manifest_files(R"({"itemCount":1,"md5Checksum":"","dataFileS3Key":"a/.."})")
    );
    EXPECT_FALSE(parse_manifest_summary(R"({"itemCount":1,"outputFormat":"ION"})"));
}

TEST(TableShapeText, ReadsDescribeTableAndCreateTable) {
    constexpr std::string_view kBare =
        R"({"TableName":"t","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"N"}],
            "KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"})";
    auto shape = parse_table_shape(kBare);
    ASSERT_TRUE(shape) << shape.error().message;
    EXPECT_EQ(key_types_of(shape->table).at("k"), value::Type::kNumber);
    auto full = *shape;
    full.ttl = "gone";
    full.tags["a"] = "b";
    full.table.stream_view = dynamo::StreamView::kOldImage;
    const auto again = parse_table_shape(render_table_shape(full));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->ttl, "gone");
    EXPECT_EQ(again->tags, full.tags);
    EXPECT_EQ(again->table.stream_view, dynamo::StreamView::kOldImage);
    EXPECT_FALSE(parse_table_shape("{}"));
    EXPECT_FALSE(parse_table_shape("{"));
}

}  // namespace
}  // namespace gateleg::transfer
