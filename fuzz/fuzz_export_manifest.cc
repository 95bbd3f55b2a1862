// The first byte chooses: a manifest, lines of DynamoDB's JSON or of plain JSON, CSV, a table's
// shape; and what goes wrong with files and with a store. What can be read can be written, and read
// again to the same.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/check.h"
#include "transfer/csv.h"
#include "transfer/item_lines.h"
#include "transfer/manifest.h"
#include "transfer/table_shape.h"

namespace {

using namespace gateleg::transfer;  // NOLINT: one file, no header
namespace dynamo = gateleg::dynamo;
namespace fs = std::filesystem;
using dynamo::Done;
using gateleg::Error;
using gateleg::ErrorCode;
using gateleg::value::EncodedItem;
using gateleg::value::ValueView;

void read_manifest_files(std::string_view text) {
    const auto files = parse_manifest_files(text);
    if (!files) {
        GATELEG_CHECK(!files.error().message.empty());
        return;
    }
    const auto rendered = render_manifest_files(*files);
    const auto again = parse_manifest_files(rendered);
    GATELEG_CHECK(again && again->size() == files->size());
    GATELEG_CHECK(render_manifest_files(*again) == rendered);
    for (const auto& file : *files) {
        GATELEG_CHECK(data_file_name(file)->find('/') == std::string::npos);
    }
}

void read_summary(std::string_view text) {
    auto summary = parse_manifest_summary(text);
    if (!summary) {
        GATELEG_CHECK(!summary.error().message.empty());
        return;
    }
    const auto rendered = render_manifest_summary(*summary);
    const auto again = parse_manifest_summary(rendered);
    GATELEG_CHECK(again && again->item_count == summary->item_count);
    GATELEG_CHECK(render_manifest_summary(*again) == rendered);
    GATELEG_CHECK(make_export_id(again->export_millis).size() >= 23);
    GATELEG_CHECK(make_data_file_name().ends_with(".json.gz"));
}

// A folder of this process, made when it is first needed.
const fs::path& folder() {
    struct Folder {
        Folder() { fs::create_directories(path); }
        ~Folder() { fs::remove_all(path); }
        fs::path path = fs::temp_directory_path() / ("fuzz-manifest-" + std::to_string(getpid()));
    };
    static const Folder made;
    return made.path;
}

// Written, changed as `fault` says, and read again.
void keep_manifest(std::string_view text, unsigned fault) {
    constexpr std::string_view kName = "manifest-files";
    const auto sums = folder() / "manifest-files.md5";
    for (const auto& entry : fs::directory_iterator(folder())) {
        fs::remove_all(entry.path());
    }
    GATELEG_CHECK(!read_manifest(folder(), kName));
    if (fault == 1) {
        fs::create_directories(sums / "full");
        GATELEG_CHECK(!write_manifest(folder(), kName, text) && !read_manifest(folder(), kName));
        return;
    }
    GATELEG_CHECK(!write_manifest(folder() / "none", kName, text));
    GATELEG_CHECK(write_manifest(folder(), kName, text).has_value());
    switch (fault) {
        case 2:
            fs::rename(sums, folder() / "manifest-files.checksum");
            break;
        case 3:
            std::ofstream(sums, std::ios::app) << " \r\n";
            break;
        case 4:
            std::ofstream(sums) << text.substr(0, 30);
            break;
        case 5:
            fs::remove(sums);
            break;
        default:
            break;
    }
    const auto found = read_manifest(folder(), kName);
    GATELEG_CHECK(found.has_value() == (fault < 4) && (!found || *found == text));
}

// Each attribute as a field of CSV is one field again.
void write_csv(ValueView item) {
    std::string line = "x";
    std::size_t fields = 1;
    for (const auto entry : item.entries()) {
        line += ';';
        append_csv_value(line, entry.value, ';');
        ++fields;
    }
    CsvCutter cutter(';');
    std::vector<CsvField> record;
    std::string_view rest = line;
    if (line.size() < (std::size_t{1} << 20)) {
        GATELEG_CHECK(cutter.take(rest, record) == CsvCutter::Got::kMore);
        GATELEG_CHECK(cutter.finish(record) == CsvCutter::Got::kRecord && record.size() == fields);
    }
}

void read_line(Format format, std::string_view line) {
    GATELEG_CHECK(!format_name(format).empty());
    LineParser parser(format);
    LineProblem problem;
    EncodedItem item;
    const auto alone = parse_item(line);
    if (!parser.parse(line, item, problem)) {
        GATELEG_CHECK(problem.column >= 1 && !problem.message.empty());
        return;
    }
    std::string text;
    append_item_line(text, Format::kDynamoDbJson, item.view());
    LineParser typed(Format::kDynamoDbJson);
    EncodedItem again;
    GATELEG_CHECK(typed.parse(text, again, problem) && again.bytes() == item.bytes());
    const auto kept = parse_item(render_item(item.view()));
    GATELEG_CHECK(kept && kept->bytes() == item.bytes());
    // Plain JSON has fewer types; what it can say stays.
    std::string plain;
    append_item_line(plain, Format::kJson, item.view());
    LineParser untyped(Format::kJson);
    if (untyped.parse(plain, again, problem)) {
        std::string same;
        append_item_line(same, Format::kJson, again.view());
        GATELEG_CHECK(same == plain);
    }
    write_csv(item.view());
}

// A record that is written is read as the same.
void repeat_record(const std::vector<CsvField>& record, char delimiter) {
    std::string line;
    for (const auto& field : record) {
        line += &field == record.data() ? "" : std::string(1, delimiter);
        if (field.quoted || !field.text.empty()) {
            append_csv_field(line, field.text, delimiter);
        }
    }
    line += '\n';
    CsvCutter cutter(delimiter);
    std::vector<CsvField> again;
    std::string_view rest = line;
    GATELEG_CHECK(cutter.take(rest, again) == CsvCutter::Got::kRecord);
    GATELEG_CHECK(again.size() == record.size());
    for (std::size_t i = 0; i < record.size(); ++i) {
        GATELEG_CHECK(again[i].text == record[i].text);
    }
}

void read_csv(std::string_view bytes, char delimiter) {
    using gateleg::value::Type;
    CsvCutter cutter(delimiter);
    std::vector<CsvField> record;
    std::vector<std::string> header;
    const auto use = [&](CsvCutter::Got got) {
        if (got == CsvCutter::Got::kBroken) {
            GATELEG_CHECK(!cutter.problem().empty());
            return;
        }
        repeat_record(record, delimiter);
        if (header.empty()) {
            header = csv_header(record) ? *csv_header(record) : std::vector<std::string>{"k"};
        } else if (const auto item = csv_item(header, record, {{"n", Type::kNumber}, {"b", Type::kBinary}})) {
            write_csv(item->view());
        }
    };
    for (auto got = cutter.take(bytes, record); got != CsvCutter::Got::kMore;
         got = cutter.take(bytes, record)) {
        use(got);
    }
    if (const auto got = cutter.finish(record); got != CsvCutter::Got::kMore) {
        use(got);
    }
}

// A store with one table. It refuses one kind of call, as a store at fault or as one that does not
// know it.
class Store final : public dynamo::Dynamo {
public:
    enum class Call : std::uint8_t {
        kNone,
        kDescribe,
        kDescribeTtl,
        kListTags,
        kCreate,
        kUpdateTtl,
        kOther
    };
    Store(Call refused, bool unknown) : refused_(refused), unknown_(unknown) {}

    void create_table(dynamo::CreateTableRequest request, Done<dynamo::CreateTableRequest> done)
        override {
        auto& table = shape_.table;
        table.name = request.table;
        table.attributes = request.attributes;
        table.key_schema = request.key_schema;
        table.billing_mode = *request.billing_mode;
        table.throughput = request.throughput.value_or(dynamo::Throughput{});
        for (auto& index : request.global_indexes.value_or(Indexes{})) {
            table.global_indexes.push_back({.definition = index, .arn = {}, .warm = {}});
        }
        for (auto& index : request.local_indexes.value_or(Indexes{})) {
            table.local_indexes.push_back({.definition = index, .arn = {}, .warm = {}});
        }
        if (request.stream) {
            table.stream_view = request.stream->view;
        }
        shape_.tags = request.tags;
        answer(Call::kCreate, dynamo::TableReply{table}, done);
    }
    void describe_table(dynamo::DescribeTableRequest, Done<dynamo::DescribeTableRequest> done)
        override {
        answer(Call::kDescribe, dynamo::TableReply{shape_.table}, done);
    }
    void update_time_to_live(
        dynamo::UpdateTimeToLiveRequest request, Done<dynamo::UpdateTimeToLiveRequest> done
    ) override {
        shape_.ttl = request.specification.attribute;
        answer(Call::kUpdateTtl, request.specification, done);
    }
    void describe_time_to_live(
        dynamo::DescribeTimeToLiveRequest, Done<dynamo::DescribeTimeToLiveRequest> done
    ) override {
        answer(Call::kDescribeTtl, dynamo::TimeToLiveDescription{shape_.ttl}, done);
    }
    // One tag a page.
    void list_tags_of_resource(
        dynamo::ListTagsOfResourceRequest request, Done<dynamo::ListTagsOfResourceRequest> done
    ) override {
        dynamo::ListTagsReply reply;
        const auto& tags = shape_.tags;
        auto next = request.next_token ? tags.upper_bound(*request.next_token) : tags.begin();
        if (next != tags.end()) {
            reply.tags.emplace_back(*next);
            reply.next_token = next->first;
        }
        answer(Call::kListTags, reply, done);
    }

    void get_item(dynamo::GetItemRequest, Done<dynamo::GetItemRequest> done) override {
        refuse(done);
    }
    void put_item(dynamo::PutItemRequest, Done<dynamo::PutItemRequest> done) override {
        refuse(done);
    }
    void update_item(dynamo::UpdateItemRequest, Done<dynamo::UpdateItemRequest> done) override {
        refuse(done);
    }
    void delete_item(dynamo::DeleteItemRequest, Done<dynamo::DeleteItemRequest> done) override {
        refuse(done);
    }
    void query(dynamo::QueryRequest, Done<dynamo::QueryRequest> done) override { refuse(done); }
    void scan(dynamo::ScanRequest, Done<dynamo::ScanRequest> done) override { refuse(done); }
    void batch_get_item(dynamo::BatchGetItemRequest, Done<dynamo::BatchGetItemRequest> done)
        override {
        refuse(done);
    }
    void batch_write_item(dynamo::BatchWriteItemRequest, Done<dynamo::BatchWriteItemRequest> done)
        override {
        refuse(done);
    }
    void transact_get_items(
        dynamo::TransactGetItemsRequest, Done<dynamo::TransactGetItemsRequest> done
    ) override {
        refuse(done);
    }
    void transact_write_items(
        dynamo::TransactWriteItemsRequest, Done<dynamo::TransactWriteItemsRequest> done
    ) override {
        refuse(done);
    }
    void update_table(dynamo::UpdateTableRequest, Done<dynamo::UpdateTableRequest> done) override {
        refuse(done);
    }
    void delete_table(dynamo::DeleteTableRequest, Done<dynamo::DeleteTableRequest> done) override {
        refuse(done);
    }
    void list_tables(dynamo::ListTablesRequest, Done<dynamo::ListTablesRequest> done) override {
        refuse(done);
    }
    void tag_resource(dynamo::TagResourceRequest, Done<dynamo::TagResourceRequest> done) override {
        refuse(done);
    }
    void untag_resource(dynamo::UntagResourceRequest, Done<dynamo::UntagResourceRequest> done)
        override {
        refuse(done);
    }

private:
    using Indexes = std::vector<dynamo::IndexDefinition>;

    template <class Callback>
    void refuse(Callback& done) {
        done(Error{unknown_ ? ErrorCode::kUnknownOperation : ErrorCode::kInternal, "refused"});
    }
    template <class Reply, class Callback>
    void answer(Call call, Reply reply, Callback& done) {
        if (call == refused_) {
            refuse(done);
        } else {
            done(std::move(reply));
        }
    }

    Call refused_;
    bool unknown_;
    TableShape shape_;
};

void copy_table(const TableShape& shape, unsigned fault) {
    constexpr unsigned kCalls = 6;
    const auto refused = static_cast<Store::Call>(fault % kCalls);
    Store store(refused, fault / kCalls % 2 == 1);
    const auto made = create_table(store, shape, "copy");
    const auto enabled = enable_ttl(store, shape, "copy");
    const auto again = enable_ttl(store, shape, "copy");
    const auto copy = read_table_shape(store, "copy");
    if (refused != Store::Call::kNone) {
        return;
    }
    GATELEG_CHECK(made && enabled && again && copy);
    GATELEG_CHECK(copy->ttl == shape.ttl && copy->tags == shape.tags);
    GATELEG_CHECK(copy->table.key_schema == shape.table.key_schema);
    GATELEG_CHECK(copy->table.stream_view == shape.table.stream_view);
    GATELEG_CHECK(key_types_of(copy->table) == key_types_of(shape.table));
}

void read_shape(std::string_view text, unsigned fault) {
    const auto shape = parse_table_shape(text);
    if (!shape) {
        return;
    }
    const auto rendered = render_table_shape(*shape);
    const auto again = parse_table_shape(rendered);
    GATELEG_CHECK(again && render_table_shape(*again) == rendered);
    copy_table(*shape, fault);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    constexpr unsigned kKinds = 6;
    const unsigned fault = data[0] / kKinds;
    switch (data[0] % kKinds) {
        case 0:
            read_manifest_files(text);
            if (fault < 6) {
                keep_manifest(text, fault);
            }
            break;
        case 1:
            read_summary(text);
            break;
        case 2:
            read_line(Format::kDynamoDbJson, text);
            break;
        case 3:
            read_line(Format::kJson, text);
            break;
        case 4: {
            constexpr std::array kDelimiters = {',', ';', '\t', '|'};
            read_csv(text, kDelimiters[fault % kDelimiters.size()]);
            break;
        }
        default:
            read_shape(text, fault);
    }
    return 0;
}
