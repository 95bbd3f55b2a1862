#include "transfer/manifest.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "base/base64.h"
#include "base/ids.h"
#include "base/json_writer.h"
#include "base/time_text.h"
#include "objects/checksum.h"
#include "transfer/byte_file.h"
#include "transfer/json_members.h"

namespace gateleg::transfer {
namespace {

void member_or_null(
    JsonWriter& json, std::string_view name, const std::optional<std::string>& text
) {
    json.key(name);
    if (text) {
        json.string(*text);
    } else {
        json.raw("null");
    }
}

}  // namespace

std::string render_manifest_summary(const ManifestSummary& summary) {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.member("version", "2020-06-30");
    json.member("exportArn", summary.export_arn);
    json.member("startTime", render_rfc3339(summary.start_millis));
    json.member("endTime", render_rfc3339(summary.end_millis));
    json.member("tableArn", summary.table_arn);
    json.member("tableId", summary.table_id);
    json.member("exportTime", render_rfc3339(summary.export_millis));
    json.member("s3Bucket", summary.s3_bucket);
    member_or_null(json, "s3Prefix", summary.s3_prefix);
    member_or_null(json, "s3SseAlgorithm", summary.s3_sse_algorithm);
    member_or_null(json, "s3SseKmsKeyId", summary.s3_sse_kms_key_id);
    json.member("manifestFilesS3Key", summary.manifest_files_key);
    json.member("billedSizeBytes", summary.billed_size_bytes);
    json.member("itemCount", summary.item_count);
    json.member("outputFormat", summary.output_format);
    json.member("exportType", summary.export_type);
    json.end_object();
    return out;
}

std::string render_manifest_files(const std::vector<ManifestFile>& files) {
    std::string out;
    for (const auto& file : files) {
        JsonWriter json(out);
        json.begin_object();
        json.member("itemCount", file.item_count);
        json.member("md5Checksum", file.md5_base64);
        json.member("etag", file.etag);
        json.member("dataFileS3Key", file.key);
        json.end_object();
        out += "\n";
    }
    return out;
}

Result<ManifestSummary> parse_manifest_summary(std::string_view text) {
    GATELEG_TRY_ASSIGN(const auto members, JsonMembers::parse(text));
    ManifestSummary summary;
    GATELEG_TRY_ASSIGN(summary.item_count, members.required_count("itemCount"));
    GATELEG_TRY_ASSIGN(summary.output_format, members.required_text("outputFormat"));
    if (summary.output_format != "DYNAMODB_JSON") {
        return validation_error(
            "outputFormat is " + summary.output_format + ", and only DYNAMODB_JSON is read here"
        );
    }
    GATELEG_TRY_ASSIGN(const auto type, members.text("exportType"));
    summary.export_type = type.value_or("FULL_EXPORT");
    if (summary.export_type != "FULL_EXPORT") {
        return validation_error(
            "exportType is " + summary.export_type + ", and only FULL_EXPORT is read here"
        );
    }
    const auto take = [&](std::string_view name, std::string& target) -> Result<void> {
        GATELEG_TRY_ASSIGN(auto found, members.text(name));
        target = std::move(found).value_or("");
        return {};
    };
    GATELEG_TRY(take("exportArn", summary.export_arn));
    GATELEG_TRY(take("tableArn", summary.table_arn));
    GATELEG_TRY(take("tableId", summary.table_id));
    GATELEG_TRY(take("s3Bucket", summary.s3_bucket));
    GATELEG_TRY(take("manifestFilesS3Key", summary.manifest_files_key));
    GATELEG_TRY_ASSIGN(summary.s3_prefix, members.text("s3Prefix"));
    std::string time;
    GATELEG_TRY(take("exportTime", time));
    summary.export_millis = parse_rfc3339_millis(time).value_or(0);
    return summary;
}

Result<std::vector<ManifestFile>> parse_manifest_files(std::string_view text) {
    std::vector<ManifestFile> files;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
            continue;
        }
        const auto read = [&]() -> Result<ManifestFile> {
            ManifestFile file;
            GATELEG_TRY_ASSIGN(const auto members, JsonMembers::parse(line));
            GATELEG_TRY_ASSIGN(file.item_count, members.required_count("itemCount"));
            GATELEG_TRY_ASSIGN(file.md5_base64, members.required_text("md5Checksum"));
            GATELEG_TRY_ASSIGN(auto etag, members.text("etag"));
            file.etag = std::move(etag).value_or("");
            GATELEG_TRY_ASSIGN(file.key, members.required_text("dataFileS3Key"));
            GATELEG_TRY(data_file_name(file));
            return file;
        }();
        if (!read) {
            return validation_error("line " + std::to_string(number) + ": " + read.error().message);
        }
        files.push_back(*read);
    }
    return files;
}

Result<std::string> data_file_name(const ManifestFile& file) {
    const auto slash = file.key.rfind('/');
    auto name = slash == std::string::npos ? file.key : file.key.substr(slash + 1);
    if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string::npos) {
        return validation_error("dataFileS3Key " + file.key + " names no file");
    }
    return name;
}

std::string make_export_id(std::int64_t millis) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "%014lld", static_cast<long long>(millis));
    return std::string(digits) + "-" + random_uuid().substr(0, 8);
}

std::string make_data_file_name() {
    constexpr std::size_t kLength = 26;
    auto name = random_request_id().substr(0, kLength);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return name + ".json.gz";
}

Result<void> write_manifest(
    const std::filesystem::path& folder, std::string_view name, std::string_view text
) {
    const std::string base(name);
    GATELEG_TRY(replace_file(folder / (base + ".json"), text));
    return replace_file(folder / (base + ".md5"), encode_base64(objects::md5_of(text)));
}

Result<std::string> read_manifest(const std::filesystem::path& folder, std::string_view name) {
    const auto path = folder / (std::string(name) + ".json");
    GATELEG_TRY_ASSIGN(auto text, read_whole_file(path));
    for (const auto* ending : {".md5", ".checksum"}) {
        const auto sums = folder / (std::string(name) + ending);
        if (!std::filesystem::exists(sums)) {
            continue;
        }
        GATELEG_TRY_ASSIGN(auto wanted, read_whole_file(sums));
        while (!wanted.empty() && std::isspace(static_cast<unsigned char>(wanted.back())) != 0) {
            wanted.pop_back();
        }
        const auto found = encode_base64(objects::md5_of(text));
        if (found != wanted) {
            return validation_error(
                path.string() + ": is damaged: its MD5 is " + found + ", and " + sums.string() +
                " says " + wanted
            );
        }
        return text;
    }
    return validation_error(
        path.string() + ": its checksum is missing: there is no " + std::string(name) + ".md5"
    );
}

}  // namespace gateleg::transfer
