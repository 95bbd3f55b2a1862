#include "app/transfer_jobs.h"

#include <algorithm>
#include <fstream>
#include <limits>

#include "app/transfer_records.h"
#include "base/ids.h"
#include "base/log.h"
#include "dynamo/named_error.h"
#include "model/table_apply.h"
#include "objects/errors.h"
#include "transfer/byte_file.h"
#include "transfer/export_table.h"
#include "transfer/import_items.h"

namespace gateleg::app {
namespace {

namespace fs = std::filesystem;
using dynamo::named_error;
using dynamo::TransferStatus;

// Set by UpdateContinuousBackups.
constexpr const char* kRecovery = "pointInTimeRecoveryDays";
constexpr const char* kRecordsFile = "transfers.json";
// How long ago the moment of an export may lie: there is no other data than the present one.
constexpr std::int64_t kLatestMillis = 300'000;
constexpr std::size_t kMostKept = 1'000;
constexpr std::size_t kPiece = std::size_t{1} << 20;

// "orders" of "arn:aws:dynamodb:region:account:table/orders", or the name itself.
std::string table_of(const std::string& arn) {
    constexpr std::string_view kTable = ":table/";
    const auto at = arn.find(kTable);
    auto name = at == std::string::npos ? arn : arn.substr(at + kTable.size());
    name.resize(std::min(name.find('/'), name.size()));
    return name;
}

template <class Job>
Job* find_job(std::vector<Job>& jobs, const std::string& arn) {
    const auto found =
        std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) { return job.arn == arn; });
    return found == jobs.end() ? nullptr : &*found;
}

template <class Job>
const Job* find_token(const std::vector<Job>& jobs, const std::string& token) {
    const auto found = std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) {
        return !token.empty() && job.client_token == token;
    });
    return found == jobs.end() ? nullptr : &*found;
}

// The newest first, those after the token's.
template <class Job>
std::vector<Job> page_of(
    const std::vector<Job>& jobs,
    const std::optional<std::string>& table_arn,
    const std::optional<std::string>& token,
    std::size_t limit,
    std::optional<std::string>& next
) {
    std::vector<Job> page;
    bool reached = !token;
    for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) {
        if (!reached) {
            reached = job->arn == *token;
            continue;
        }
        if (table_arn && job->table_arn != *table_arn) {
            continue;
        }
        if (page.size() == limit) {
            next = page.back().arn;
            break;
        }
        page.push_back(*job);
    }
    return page;
}

void keep_newest(auto& jobs) {
    if (jobs.size() > kMostKept) {
        jobs.erase(jobs.begin());
    }
}

Error s3_off() {
    return validation_error("The S3 API of this server is off, so it has no buckets");
}

}  // namespace

TransferJobs::TransferJobs(
    dynamo::Dynamo& dynamo,
    dynamo::TableSettings* settings,
    const Clock& clock,
    std::optional<fs::path> folder
)
    : dynamo_(dynamo), settings_(settings), clock_(clock), folder_(std::move(folder)) {
    scratch_ = (folder_ ? *folder_ / "transfers" : fs::temp_directory_path()) /
               ("gateleg-" + random_uuid());
    if (!folder_ || !fs::exists(*folder_ / kRecordsFile)) {
        return;
    }
    const auto text = transfer::read_whole_file(*folder_ / kRecordsFile);
    auto records = text ? parse_records(*text) : Result<TransferRecords>(text.error());
    if (!records) {
        log_warn(
            "the list of exports and imports cannot be read, and begins anew",
            {{"reason", records.error().message}}
        );
        return;
    }
    exports_ = (*records).exports;
    imports_ = (*records).imports;
    const auto interrupted = [&](dynamo::TransferDescription& job) {
        if (job.status == TransferStatus::kInProgress) {
            end(job, validation_error("The server was stopped"));
        }
    };
    std::for_each(exports_.begin(), exports_.end(), interrupted);
    std::for_each(imports_.begin(), imports_.end(), interrupted);
}

TransferJobs::~TransferJobs() {
    stop();
}

void TransferJobs::start(objects::ObjectStore* store) {
    if (store == nullptr || settings_ == nullptr) {
        return;
    }
    store_ = store;
    std::error_code ignored;
    if (folder_) {
        fs::remove_all(*folder_ / "transfers", ignored);
    }
    thread_ = std::thread([this] { work(); });
}

void TransferJobs::stop() {
    stopping_ = true;
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
    std::error_code ignored;
    fs::remove_all(scratch_, ignored);
}

transfer::Control TransferJobs::control() const {
    transfer::Control control;
    control.stopped = [this] { return stopping_.load(); };
    return control;
}

void TransferJobs::queue(std::function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(job));
    }
    changed_.notify_all();
}

void TransferJobs::work() {
    for (;;) {
        std::function<void()> job;
        {
            std::unique_lock lock(mutex_);
            // stop() may have come between the check and the wait: look again each second.
            while (waiting_.empty() && !stopping_) {
                changed_.wait_for(lock, std::chrono::seconds(1));
            }
            if (stopping_) {
                return;
            }
            job = std::move(waiting_.front());
            waiting_.pop_front();
        }
        job();
        std::error_code ignored;
        fs::remove_all(scratch_, ignored);
    }
}

void TransferJobs::save() {
    if (!folder_) {
        return;
    }
    const auto kept =
        transfer::replace_file(*folder_ / kRecordsFile, render_records(exports_, imports_));
    if (!kept) {
        log_warn(
            "the list of exports and imports cannot be kept", {{"reason", kept.error().message}}
        );
    }
}

void TransferJobs::end(dynamo::TransferDescription& job, const Result<void>& result) {
    job.status = result ? TransferStatus::kCompleted : TransferStatus::kFailed;
    job.end_millis = clock_.now_millis();
    if (!result) {
        const auto reason = objects::reason_of(result.error());
        job.failure_code =
            reason ? "S3" + std::string(objects::s3_code(*reason)) : "InternalServerError";
        job.failure_message = result.error().message;
    }
}

void TransferJobs::export_table(
    dynamo::ExportTableRequest request, dynamo::Done<dynamo::ExportTableRequest> done
) {
    if (store_ == nullptr) {
        return done(s3_off());
    }
    auto table = table_of(request.wanted.table_arn);
    dynamo_.describe_table(
        {table},
        [this, table, request = std::move(request), done = std::move(done)](
            Result<dynamo::TableReply> reply
        ) mutable {
            if (!reply) {
                return done(
                    reply.error().code == ErrorCode::kResourceNotFound
                        ? named_error(
                              ErrorCode::kResourceNotFound,
                              "TableNotFoundException",
                              "Table not found: " + request.wanted.table_arn
                          )
                        : reply.error()
                );
            }
            settings_->get_table_settings(
                {table},
                [this,
                 table,
                 described = reply->table,
                 request = std::move(request),
                 done = std::move(done)](Result<dynamo::TableSettingsReply> settings) mutable {
                    if (!settings) {
                        return done(settings.error());
                    }
                    if (!settings->settings.contains(kRecovery)) {
                        return done(named_error(
                            ErrorCode::kValidation,
                            "PointInTimeRecoveryUnavailableException",
                            "Point in time recovery is not enabled for table '" + table + "'"
                        ));
                    }
                    add_export(std::move(request), described, std::move(done));
                }
            );
        }
    );
}

void TransferJobs::add_export(
    dynamo::ExportTableRequest request,
    const dynamo::TableDescription& table,
    dynamo::Done<dynamo::ExportTableRequest> done
) {
    const auto now = clock_.now_millis();
    const auto wanted_time = request.export_millis.value_or(now);
    if (wanted_time > now || wanted_time < now - kLatestMillis) {
        return done(named_error(
            ErrorCode::kValidation,
            "InvalidExportTimeException",
            "ExportTime is outside of the range that can be exported: this server keeps the "
            "present data only"
        ));
    }
    auto job = std::move(request.wanted);
    {
        const std::lock_guard lock(mutex_);
        if (const auto* same = find_token(exports_, job.client_token)) {
            auto again = *same;
            const bool conflict = same->fingerprint != job.fingerprint;
            return conflict ? done(named_error(
                                  ErrorCode::kValidation,
                                  "ExportConflictException",
                                  "There is an export with the client token " + job.client_token +
                                      " and other parameters"
                              ))
                            : done(std::move(again));
        }
        if (job.client_token.empty()) {
            job.client_token = random_uuid();
        }
        job.table_arn = table.arn;
        job.table_id = table.id;
        job.arn = table.arn + "/export/" + transfer::make_export_id(now);
        job.start_millis = now;
        job.export_millis = wanted_time;
        exports_.push_back(job);
        keep_newest(exports_);
        save();
    }
    const auto arn = job.arn;
    queue([this, arn] {
        const auto result = run_export(arn);
        const std::lock_guard lock(mutex_);
        if (auto* found = find_job(exports_, arn)) {
            end(*found, result);
            save();
        }
    });
    done(std::move(job));
}

Result<void> TransferJobs::run_export(const std::string& arn) {
    dynamo::ExportDescription job;
    {
        const std::lock_guard lock(mutex_);
        const auto* found = find_job(exports_, arn);
        if (found == nullptr) {
            return {};
        }
        job = *found;
    }
    GATELEG_TRY(store_->head_bucket(job.bucket));
    transfer::ExportOptions options;
    options.table = table_of(job.table_arn);
    options.folder = scratch_;
    options.consistent = true;
    options.s3_bucket = job.bucket;
    options.id = arn.substr(arn.rfind('/') + 1);
    const auto given = [](const std::string& text) {
        return text.empty() ? std::nullopt : std::optional(text);
    };
    options.s3_prefix = given(job.prefix);
    options.s3_sse_algorithm = given(job.sse_algorithm);
    options.s3_sse_kms_key_id = given(job.sse_kms_key_id);
    GATELEG_TRY_ASSIGN(
        const auto report, transfer::export_table(dynamo_, clock_, options, control())
    );
    if (!report.finished) {
        return validation_error("The server was stopped");
    }
    const auto place = (job.prefix.empty() ? "" : job.prefix + "/") + "AWSDynamoDB/" + report.id;
    GATELEG_TRY(upload(report.folder, job.bucket, place));
    const std::lock_guard lock(mutex_);
    if (auto* found = find_job(exports_, arn)) {
        found->items = report.items;
        found->size_bytes = report.summary.billed_size_bytes;
        found->manifest = place + "/manifest-summary.json";
    }
    return {};
}

Result<void> TransferJobs::upload(
    const fs::path& folder, const std::string& bucket, const std::string& prefix
) {
    // The data first, the summary last: whoever waits for it finds everything.
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file() && entry.path().filename() != "table.json") {
            files.push_back(entry.path().lexically_relative(folder));
        }
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
        GATELEG_TRY_ASSIGN(
            auto upload, store_->begin_put(bucket, prefix + "/" + file.generic_string(), {})
        );
        GATELEG_TRY_ASSIGN(
            const auto reader,
            transfer::open_bytes(folder / file, transfer::Compression::kNone, file.string())
        );
        for (std::string piece;; piece.clear()) {
            GATELEG_TRY_ASSIGN(const bool more, reader->read(piece));
            if (!more) {
                break;
            }
            GATELEG_TRY(upload.append(piece));
        }
        GATELEG_TRY(upload.finish({}));
    }
    return {};
}

void TransferJobs::import_table(
    dynamo::ImportTableRequest request, dynamo::Done<dynamo::ImportTableRequest> done
) {
    if (store_ == nullptr) {
        return done(s3_off());
    }
    auto& job = request.wanted;
    {
        const std::lock_guard lock(mutex_);
        if (const auto* same = find_token(imports_, job.client_token)) {
            auto again = *same;
            const bool conflict = same->fingerprint != job.fingerprint;
            return conflict ? done(named_error(
                                  ErrorCode::kValidation,
                                  "ImportConflictException",
                                  "There is an import with the client token " + job.client_token +
                                      " and other parameters"
                              ))
                            : done(std::move(again));
        }
    }
    auto create = std::move(request.table);
    dynamo_.create_table(
        std::move(create),
        [this, job = std::move(job), done = std::move(done)](Result<dynamo::TableReply> made
        ) mutable {
            if (!made) {
                return done(made.error());
            }
            const auto now = clock_.now_millis();
            job.table_arn = made->table.arn;
            job.table_id = made->table.id;
            job.arn = job.table_arn + "/import/" + transfer::make_export_id(now);
            job.start_millis = now;
            if (job.client_token.empty()) {
                job.client_token = random_uuid();
            }
            {
                const std::lock_guard lock(mutex_);
                imports_.push_back(job);
                keep_newest(imports_);
                save();
            }
            queue([this, arn = job.arn, table = made->table.name] {
                const auto result = run_import(arn, table);
                const std::lock_guard lock(mutex_);
                if (auto* found = find_job(imports_, arn)) {
                    end(*found, result);
                    save();
                }
            });
            done(std::move(job));
        }
    );
}

Result<transfer::ImportSource> TransferJobs::download(
    const dynamo::ImportDescription& job, const fs::path& folder
) {
    transfer::ImportSource source;
    source.name = "s3://" + job.bucket + "/" + job.prefix;
    source.format = job.format == "CSV" ? transfer::Format::kCsv : transfer::Format::kDynamoDbJson;
    std::error_code error;
    fs::create_directories(folder, error);
    objects::ListRequest list;
    list.prefix = job.prefix;
    for (;;) {
        GATELEG_TRY_ASSIGN(const auto page, store_->list(job.bucket, list));
        for (const auto& object : page.objects) {
            if (object.size == 0) {
                continue;
            }
            GATELEG_TRY_ASSIGN(auto reader, store_->open(job.bucket, object.key));
            const auto path = folder / std::to_string(source.files.size());
            std::ofstream file(path, std::ios::binary);
            std::vector<char> piece(kPiece);
            for (std::uint64_t at = 0; at < object.size;) {
                GATELEG_TRY_ASSIGN(const auto count, reader.read(at, piece));
                if (count == 0) {
                    break;
                }
                file.write(piece.data(), static_cast<std::streamsize>(count));
                at += count;
            }
            file.close();
            if (!file) {
                return service_unavailable(path.string() + " cannot be written");
            }
            source.files.push_back(
                {.path = path,
                 .compression = job.compression == "GZIP"   ? transfer::Compression::kGzip
                                : job.compression == "ZSTD" ? transfer::Compression::kZstd
                                                            : transfer::Compression::kNone}
            );
        }
        if (!page.truncated) {
            break;
        }
        list.token = page.next_token;
    }
    if (source.files.empty()) {
        return objects::object_error(objects::Reason::kNoSuchKey);
    }
    return source;
}

Result<void> TransferJobs::run_import(const std::string& arn, const std::string& table) {
    dynamo::ImportDescription job;
    {
        const std::lock_guard lock(mutex_);
        const auto* found = find_job(imports_, arn);
        if (found == nullptr) {
            return {};
        }
        job = *found;
    }
    GATELEG_TRY_ASSIGN(const auto source, download(job, scratch_));
    GATELEG_TRY(model::wait_until_settled(table, "table " + table, dynamo_));
    transfer::ImportOptions options;
    options.table = table;
    options.delimiter = job.csv_delimiter[0];
    options.header = job.csv_header;
    options.max_errors = std::numeric_limits<std::int64_t>::max();
    auto watching = control();
    watching.progress = [this, &arn](const transfer::Progress& progress) {
        const std::lock_guard lock(mutex_);
        if (auto* found = find_job(imports_, arn)) {
            found->processed = progress.items;
        }
    };
    GATELEG_TRY_ASSIGN(
        const auto report, transfer::import_items(dynamo_, source, options, watching)
    );
    const std::lock_guard lock(mutex_);
    if (auto* found = find_job(imports_, arn)) {
        found->processed = report.records;
        found->items = report.written;
        found->errors = report.failed;
        found->size_bytes = report.bytes;
    }
    return report.finished ? Result<void>() : validation_error("The server was stopped");
}

void TransferJobs::describe_export(
    dynamo::DescribeExportRequest request, dynamo::Done<dynamo::DescribeExportRequest> done
) {
    std::unique_lock lock(mutex_);
    const auto* found = find_job(exports_, request.arn);
    auto reply = found != nullptr ? Result<dynamo::ExportDescription>(*found)
                                  : named_error(
                                        ErrorCode::kResourceNotFound,
                                        "ExportNotFoundException",
                                        "Export not found: " + request.arn
                                    );
    lock.unlock();
    done(std::move(reply));
}

void TransferJobs::describe_import(
    dynamo::DescribeImportRequest request, dynamo::Done<dynamo::DescribeImportRequest> done
) {
    std::unique_lock lock(mutex_);
    const auto* found = find_job(imports_, request.arn);
    auto reply = found != nullptr ? Result<dynamo::ImportDescription>(*found)
                                  : named_error(
                                        ErrorCode::kResourceNotFound,
                                        "ImportNotFoundException",
                                        "Import not found: " + request.arn
                                    );
    lock.unlock();
    done(std::move(reply));
}

void TransferJobs::list_exports(
    dynamo::ListExportsRequest request, dynamo::Done<dynamo::ListExportsRequest> done
) {
    dynamo::ListExportsReply reply;
    {
        const std::lock_guard lock(mutex_);
        reply.exports = page_of(
            exports_, request.table_arn, request.next_token, request.limit, reply.next_token
        );
    }
    done(std::move(reply));
}

void TransferJobs::list_imports(
    dynamo::ListImportsRequest request, dynamo::Done<dynamo::ListImportsRequest> done
) {
    dynamo::ListImportsReply reply;
    {
        const std::lock_guard lock(mutex_);
        reply.imports = page_of(
            imports_, request.table_arn, request.next_token, request.limit, reply.next_token
        );
    }
    done(std::move(reply));
}

}  // namespace gateleg::app
