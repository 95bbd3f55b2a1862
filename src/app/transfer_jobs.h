// Exports of tables into this server's own buckets and imports from them, one after the other on a
// thread of its own.
//
// A job goes through files in a folder, with the code of the commands (transfer/). What is known of
// jobs is kept in transfers.json in the data directory; one that a stop of the server interrupted
// has failed.

#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "dynamo/table_settings.h"
#include "dynamo/transfers.h"
#include "objects/store.h"
#include "transfer/control.h"
#include "transfer/import_source.h"

namespace gateleg::app {

// Thread-safe. What it is given outlives it, but for the object store: stop() comes before that
// goes.
class TransferJobs final : public dynamo::Transfers {
public:
    // Without a folder nothing is kept over a restart.
    TransferJobs(
        dynamo::Dynamo& dynamo,
        dynamo::TableSettings* settings,
        const Clock& clock,
        std::optional<std::filesystem::path> folder
    );
    ~TransferJobs() override;
    TransferJobs(const TransferJobs&) = delete;
    TransferJobs& operator=(const TransferJobs&) = delete;

    // Where the buckets are, and the thread. Null: the S3 API is off, and jobs are refused.
    void start(objects::ObjectStore* store);
    // Ends what is running at its next page.
    void stop();

    void export_table(
        dynamo::ExportTableRequest request, dynamo::Done<dynamo::ExportTableRequest> done
    ) override;
    void describe_export(
        dynamo::DescribeExportRequest request, dynamo::Done<dynamo::DescribeExportRequest> done
    ) override;
    void list_exports(
        dynamo::ListExportsRequest request, dynamo::Done<dynamo::ListExportsRequest> done
    ) override;
    void import_table(
        dynamo::ImportTableRequest request, dynamo::Done<dynamo::ImportTableRequest> done
    ) override;
    void describe_import(
        dynamo::DescribeImportRequest request, dynamo::Done<dynamo::DescribeImportRequest> done
    ) override;
    void list_imports(
        dynamo::ListImportsRequest request, dynamo::Done<dynamo::ListImportsRequest> done
    ) override;

private:
    void add_export(
        dynamo::ExportTableRequest request,
        const dynamo::TableDescription& table,
        dynamo::Done<dynamo::ExportTableRequest> done
    );
    Result<void> run_export(const std::string& arn);
    Result<void> run_import(const std::string& arn, const std::string& table);
    void queue(std::function<void()> job);
    void work();
    // Changes a job and keeps it. The lock is held.
    void save();
    void end(dynamo::TransferDescription& job, const Result<void>& result);
    Result<void> upload(
        const std::filesystem::path& folder, const std::string& bucket, const std::string& prefix
    );
    Result<transfer::ImportSource> download(
        const dynamo::ImportDescription& job, const std::filesystem::path& folder
    );
    transfer::Control control() const;

    dynamo::Dynamo& dynamo_;
    dynamo::TableSettings* settings_;
    const Clock& clock_;
    std::optional<std::filesystem::path> folder_;
    std::filesystem::path scratch_;
    objects::ObjectStore* store_ = nullptr;
    std::atomic<bool> stopping_ = false;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;
    std::vector<dynamo::ExportDescription> exports_;
    std::vector<dynamo::ImportDescription> imports_;
    std::thread thread_;
};

}  // namespace gateleg::app
