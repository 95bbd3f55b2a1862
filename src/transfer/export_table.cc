#include "transfer/export_table.h"

#include <chrono>
#include <mutex>
#include <vector>

#include "base/json_writer.h"
#include "transfer/byte_file.h"
#include "transfer/json_members.h"
#include "transfer/table_reader.h"
#include "transfer/table_shape.h"
#include "value/item_size.h"

namespace gateleg::transfer {
namespace {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;

constexpr const char* kRoot = "AWSDynamoDB";
constexpr const char* kStateFile = "export-state.json";
constexpr const char* kTableFile = "table.json";
// A member of a data file, and so what is done again at most.
constexpr std::size_t kMemberBytes = std::size_t{4} << 20;
constexpr std::chrono::milliseconds kMemberTime{500};

struct Segment {
    std::string file;
    std::int64_t length = 0;
    std::int64_t bytes = 0;  // of the items, as DynamoDB counts
    SegmentPosition position = {};
};

struct State {
    std::string table;
    std::string table_id;
    std::int64_t start_millis = 0;
    std::vector<Segment> segments = {};

    std::string render() const {
        std::string out;
        JsonWriter json(out);
        json.begin_object();
        json.member("table", table);
        json.member("tableId", table_id);
        json.member("startMillis", start_millis);
        json.key("segments");
        json.begin_array();
        for (const auto& segment : segments) {
            json.begin_object();
            json.member("file", segment.file);
            json.member("length", segment.length);
            json.member("bytes", segment.bytes);
            write_position(json, segment.position);
            json.end_object();
        }
        json.end_array();
        json.end_object();
        return out + "\n";
    }

    static Result<State> parse(std::string_view text) {
        GATELEG_TRY_ASSIGN(const auto members, JsonMembers::parse(text));
        State state;
        GATELEG_TRY_ASSIGN(state.table, members.required_text("table"));
        GATELEG_TRY_ASSIGN(state.table_id, members.required_text("tableId"));
        GATELEG_TRY_ASSIGN(state.start_millis, members.required_count("startMillis"));
        GATELEG_TRY_ASSIGN(const auto segments, members.required_list("segments"));
        for (const auto& each : segments) {
            auto& segment = state.segments.emplace_back();
            GATELEG_TRY_ASSIGN(segment.file, each.required_text("file"));
            GATELEG_TRY_ASSIGN(segment.length, each.required_count("length"));
            GATELEG_TRY_ASSIGN(segment.bytes, each.required_count("bytes"));
            GATELEG_TRY_ASSIGN(segment.position, parse_position(each));
        }
        return state;
    }
};

Result<void> make_folders(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) {
        return validation_error(path.string() + ": cannot be made: " + error.message());
    }
    return {};
}

// The folder of an export of `table` that was broken off.
Result<std::optional<fs::path>> find_unfinished(const fs::path& root, const std::string& table) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root, error)) {
        const auto file = entry.path() / kStateFile;
        if (!fs::exists(file, error)) {
            continue;
        }
        GATELEG_TRY_ASSIGN(const auto text, read_whole_file(file));
        const auto state = State::parse(text);
        if (!state) {
            return validation_error(file.string() + ": " + state.error().message);
        }
        if (state->table == table) {
            return std::optional(entry.path());
        }
    }
    return std::optional<fs::path>();
}

class Exporter {
public:
    Exporter(
        dynamo::Dynamo& dynamo,
        const Clock& clock,
        const ExportOptions& options,
        const Control& control
    )
        : dynamo_(dynamo),
          clock_(clock),
          options_(options),
          control_(control),
          units_(options.max_read_units),
          items_(options.max_items) {}

    Result<ExportReport> run() {
        GATELEG_TRY_ASSIGN(shape_, read_table_shape(dynamo_, options_.table));
        GATELEG_TRY(options_.resume ? resume() : begin());
        GATELEG_TRY(read());
        ExportReport report;
        report.id = folder_.filename().string();
        report.folder = folder_;
        report.items = items_done();
        report.files = static_cast<std::int64_t>(state_.segments.size());
        report.read_units = units_.spent();
        report.finished = true;
        for (const auto& segment : state_.segments) {
            report.finished = report.finished && segment.position.finished;
        }
        if (report.finished) {
            GATELEG_TRY(write_manifests(report));
        }
        return report;
    }

private:
    Result<void> begin() {
        const auto root = options_.folder / kRoot;
        GATELEG_TRY_ASSIGN(const auto unfinished, find_unfinished(root, options_.table));
        if (unfinished) {
            return validation_error(
                unfinished->string() + " is an export of " + options_.table +
                " that was broken off: go on with --resume, or delete it"
            );
        }
        const auto now = clock_.now_millis();
        folder_ = root / options_.id.value_or(make_export_id(now));
        GATELEG_TRY(make_folders(folder_ / "data"));
        state_.table = options_.table;
        state_.table_id = shape_.table.id;
        state_.start_millis = now;
        for (std::uint32_t i = 0; i < options_.segments; ++i) {
            state_.segments.push_back({.file = make_data_file_name()});
        }
        GATELEG_TRY(replace_file(folder_ / "_started", ""));
        GATELEG_TRY(replace_file(folder_ / kTableFile, render_table_shape(shape_)));
        return save();
    }

    Result<void> resume() {
        GATELEG_TRY_ASSIGN(
            const auto unfinished, find_unfinished(options_.folder / kRoot, options_.table)
        );
        if (!unfinished) {
            return validation_error(
                (options_.folder / kRoot).string() + " holds no export of " + options_.table +
                " that was broken off; without --resume a new one begins"
            );
        }
        folder_ = *unfinished;
        GATELEG_TRY_ASSIGN(const auto text, read_whole_file(folder_ / kStateFile));
        GATELEG_TRY_ASSIGN(state_, State::parse(text));
        if (state_.table_id != shape_.table.id) {
            return validation_error(
                "the table " + options_.table + " is not the one whose export " + folder_.string() +
                " began: it was made anew since; delete that folder"
            );
        }
        return {};
    }

    Result<void> read() {
        std::vector<SegmentPosition> positions;
        std::vector<FileAppender> files;
        for (const auto& segment : state_.segments) {
            positions.push_back(segment.position);
            GATELEG_TRY_ASSIGN(
                auto file, FileAppender::open(folder_ / "data" / segment.file, segment.length, true)
            );
            files.push_back(std::move(file));
        }
        const auto count = state_.segments.size();
        std::vector<std::string> texts(count);
        std::vector<std::int64_t> bytes(count);
        std::vector<Steady::time_point> written(count, Steady::now());
        const ReadTable request{
            .table = options_.table,
            .segments = static_cast<std::uint32_t>(count),
            .consistent = options_.consistent,
            .units = units_,
            .items = items_};
        return read_segments(
            dynamo_,
            request,
            std::move(positions),
            control_,
            [&](std::uint32_t at, const dynamo::PageReply& page, const SegmentPosition& after
            ) -> Result<void> {
                for (const auto item : page.items.items()) {
                    append_item_line(texts[at], Format::kDynamoDbJson, item);
                    texts[at] += "\n";
                    bytes[at] += static_cast<std::int64_t>(value::item_size(item));
                }
                if (!after.finished && !control_.is_stopped() && texts[at].size() < kMemberBytes &&
                    Steady::now() - written[at] < kMemberTime) {
                    return {};
                }
                // A segment without items is a valid, empty gzip file.
                if (!texts[at].empty() || (after.finished && files[at].length() == 0)) {
                    GATELEG_TRY(files[at].append(texts[at]));
                    texts[at].clear();
                }
                written[at] = Steady::now();
                const std::lock_guard lock(mutex_);
                auto& segment = state_.segments[at];
                segment.length = files[at].length();
                segment.bytes += std::exchange(bytes[at], 0);
                segment.position = after;
                GATELEG_TRY(save());
                show();
                return {};
            }
        );
    }

    Result<void> save() { return replace_file(folder_ / kStateFile, state_.render()); }

    std::int64_t items_done() const {
        std::int64_t items = 0;
        for (const auto& segment : state_.segments) {
            items += segment.position.items;
        }
        return items;
    }

    void show() {
        if (control_.progress) {
            control_.progress(
                {.items = items_done(),
                 .total = shape_.table.item_count,
                 .read_units = units_.spent()}
            );
        }
    }

    // "prefix/AWSDynamoDB/<id>/..." as it is in the bucket.
    std::string key_of(const std::string& name) const {
        const auto prefix = options_.s3_prefix.value_or("");
        return (prefix.empty() ? "" : prefix + "/") + kRoot + "/" + folder_.filename().string() +
               "/" + name;
    }

    Result<void> write_manifests(ExportReport& report) {
        std::vector<ManifestFile> files;
        auto& summary = report.summary;
        for (const auto& segment : state_.segments) {
            GATELEG_TRY_ASSIGN(const auto digest, digest_file(folder_ / "data" / segment.file));
            files.push_back(
                {.item_count = segment.position.items,
                 .md5_base64 = digest.md5_base64,
                 .etag = digest.md5_hex,
                 .key = key_of("data/" + segment.file)}
            );
            summary.billed_size_bytes += segment.bytes;
        }
        summary.export_arn = shape_.table.arn + "/export/" + report.id;
        summary.start_millis = state_.start_millis;
        summary.end_millis = clock_.now_millis();
        summary.table_arn = shape_.table.arn;
        summary.table_id = shape_.table.id;
        summary.export_millis = state_.start_millis;
        summary.s3_bucket = options_.s3_bucket.value_or(
            fs::absolute(options_.folder / "x").parent_path().filename().string()
        );
        summary.s3_prefix = options_.s3_prefix;
        summary.s3_sse_algorithm = options_.s3_sse_algorithm;
        summary.s3_sse_kms_key_id = options_.s3_sse_kms_key_id;
        summary.manifest_files_key = key_of("manifest-files.json");
        summary.item_count = report.items;
        GATELEG_TRY(write_manifest(folder_, "manifest-files", render_manifest_files(files)));
        GATELEG_TRY(write_manifest(folder_, "manifest-summary", render_manifest_summary(summary)));
        std::error_code ignored;
        fs::remove(folder_ / kStateFile, ignored);
        return {};
    }

    dynamo::Dynamo& dynamo_;
    const Clock& clock_;
    const ExportOptions& options_;
    const Control& control_;
    Budget units_;
    Budget items_;
    TableShape shape_;
    fs::path folder_;
    std::mutex mutex_;  // the state, once segments are read
    State state_;
};

}  // namespace

Result<ExportReport> export_table(
    dynamo::Dynamo& dynamo, const Clock& clock, const ExportOptions& options, const Control& control
) {
    return Exporter(dynamo, clock, options, control).run();
}

}  // namespace gateleg::transfer
