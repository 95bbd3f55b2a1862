#include "api/dynamodb/tool_operations.h"

#include <algorithm>
#include <array>

#include "api/dynamodb/parse_body.h"
#include "api/dynamodb/read_request.h"
#include "api/dynamodb/respond.h"
#include "api/dynamodb/write_reply.h"
#include "base/hash.h"
#include "base/json_writer.h"

namespace gateleg::api::dynamodb {
namespace {

using dynamo::kPolicySetting;
using dynamo::TableSettings;
using dynamo::TableSettingsReply;

constexpr const char* kRecoveryDays = "pointInTimeRecoveryDays";
constexpr const char* kInsights = "contributorInsights";
constexpr std::string_view kInsightsOn = "on";  // by a version that knew no modes
constexpr std::int64_t kMostRecoveryDays = 35;

// What a request of these operations says, whichever it is.
struct Asked {
    std::string table;
    std::string resource_arn;
    std::string policy;
    std::optional<std::string> expected_revision;
    std::string index;
    std::string insights_mode = "ACCESSED_AND_THROTTLED_KEYS";
    bool enabled = false;
    std::int64_t days = kMostRecoveryDays;
};

using Reading = Result<void> (*)(const Fields& in, Asked& asked);
using Writing = void (*)(JsonWriter& json, const Asked& asked, const TableSettingsReply& table);

Result<void> read_nothing(const Fields& /*in*/, Asked& /*asked*/) {
    return {};
}

Result<void> read_table(const Fields& in, Asked& asked) {
    GATELEG_TRY_ASSIGN(asked.table, read_table_name(in));
    return in.problems().check();
}

Result<void> read_table_if_given(const Fields& in, Asked& asked) {
    return in.has("TableName") ? read_table(in, asked) : Result<void>();
}

Result<void> read_recovery(const Fields& in, Asked& asked) {
    GATELEG_TRY_ASSIGN(asked.table, read_table_name(in));
    if (const auto fields = in.object("PointInTimeRecoverySpecification")) {
        fields->require("PointInTimeRecoveryEnabled");
        fields->check_range("RecoveryPeriodInDays", 1, kMostRecoveryDays);
        asked.enabled = fields->boolean("PointInTimeRecoveryEnabled").value_or(false);
        asked.days = fields->integer("RecoveryPeriodInDays").value_or(kMostRecoveryDays);
        if (!asked.enabled && fields->has("RecoveryPeriodInDays")) {
            in.problems().later(validation_error(
                "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling "
                "point-in-time recovery."
            ));
        }
    } else {
        in.problems().constraint_on_null("pointInTimeRecoverySpecification");
    }
    return in.problems().check();
}

Result<void> read_table_or_index(const Fields& in, Asked& asked) {
    GATELEG_TRY_ASSIGN(asked.table, read_table_name(in));
    asked.index = in.text("IndexName").value_or("");
    GATELEG_TRY(in.problems().check());
    if (in.has("IndexName") && (asked.index.size() < 3 || asked.index.size() > 255)) {
        return validation_error(
            "IndexName must be at least 3 characters long and at most 255 characters long"
        );
    }
    return {};
}

Result<void> read_insights(const Fields& in, Asked& asked) {
    GATELEG_TRY(read_table_or_index(in, asked));
    in.require("ContributorInsightsAction");
    asked.insights_mode = in.choice<std::string_view>(
                                "ContributorInsightsMode",
                                {{"ACCESSED_AND_THROTTLED_KEYS", "ACCESSED_AND_THROTTLED_KEYS"},
                                 {"THROTTLED_KEYS", "THROTTLED_KEYS"}},
                                "[THROTTLED_KEYS, ACCESSED_AND_THROTTLED_KEYS]"
    )
                              .value_or(asked.insights_mode);
    asked.enabled = in.choice<bool>(
                          "ContributorInsightsAction",
                          {{"ENABLE", true}, {"DISABLE", false}},
                          "[ENABLE, DISABLE]"
    )
                        .value_or(false);
    return in.problems().check();
}

// The ARN of a table, or of one of its streams.
Result<void> read_resource(const Fields& in, Asked& asked) {
    constexpr std::string_view kTable = ":table/";
    asked.resource_arn = in.required_text("ResourceArn", 1, 1283);
    asked.expected_revision = in.text("ExpectedRevisionId");
    GATELEG_TRY(in.problems().check());
    const auto at = asked.resource_arn.find(kTable);
    if (!asked.resource_arn.starts_with("arn:aws:dynamodb:") || at == std::string::npos) {
        return validation_error("Invalid ResourceArn: " + asked.resource_arn);
    }
    asked.table = asked.resource_arn.substr(at + kTable.size());
    asked.table.resize(std::min(asked.table.find('/'), asked.table.size()));
    return {};
}

Result<void> read_policy(const Fields& in, Asked& asked) {
    GATELEG_TRY(read_resource(in, asked));
    in.require("Policy");
    asked.policy = in.text("Policy").value_or("");
    GATELEG_TRY(in.problems().check());
    return check_resource_policy(asked.policy);
}

// Each resource under a table has a policy of its own.
std::string policy_setting(const Asked& asked) {
    const auto at = asked.resource_arn.find("/", asked.resource_arn.find(":table/") + 7);
    return kPolicySetting + (at == std::string::npos ? "" : asked.resource_arn.substr(at));
}

std::string revision_of(std::string_view policy) {
    return std::to_string(hash64(policy));
}

const std::string* find_setting(const TableSettingsReply& table, const std::string& name) {
    const auto found = table.settings.find(name);
    return found == table.settings.end() ? nullptr : &found->second;
}

void write_recovery(JsonWriter& json, const Asked& /*asked*/, const TableSettingsReply& table) {
    const auto* days = find_setting(table, kRecoveryDays);
    json.key("ContinuousBackupsDescription");
    json.begin_object();
    json.member("ContinuousBackupsStatus", "ENABLED");
    json.key("PointInTimeRecoveryDescription");
    json.begin_object();
    json.member("PointInTimeRecoveryStatus", days == nullptr ? "DISABLED" : "ENABLED");
    if (days != nullptr) {
        json.key("RecoveryPeriodInDays");
        json.raw(*days);
    }
    json.end_object();
    json.end_object();
}

// Each index has insights of its own. The setting is their mode.
std::string insights_setting(const std::string& index) {
    return kInsights + (index.empty() ? "" : "/" + index);
}

void write_insights_of(
    JsonWriter& json, const std::string& index, const TableSettingsReply& table
) {
    const auto* mode = find_setting(table, insights_setting(index));
    json.member("TableName", table.table);
    if (!index.empty()) {
        json.member("IndexName", index);
    }
    json.member("ContributorInsightsStatus", mode == nullptr ? "DISABLED" : "ENABLED");
    if (mode != nullptr && *mode != kInsightsOn) {
        json.member("ContributorInsightsMode", *mode);
    }
}

void write_insights(JsonWriter& json, const Asked& asked, const TableSettingsReply& table) {
    write_insights_of(json, asked.index, table);
}

void write_insights_list(JsonWriter& json, const Asked& asked, const TableSettingsReply& table) {
    json.key("ContributorInsightsSummaries");
    json.begin_array();
    if (!asked.table.empty()) {
        json.begin_object();
        write_insights(json, asked, table);
        json.end_object();
        const auto prefix = insights_setting("") + "/";
        for (const auto& [name, mode] : table.settings) {
            if (name.starts_with(prefix)) {
                json.begin_object();
                write_insights_of(json, name.substr(prefix.size()), table);
                json.end_object();
            }
        }
    }
    json.end_array();
}

void write_destinations(JsonWriter& json, const Asked& /*asked*/, const TableSettingsReply& table) {
    json.member("TableName", table.table);
    json.key("KinesisDataStreamDestinations");
    json.begin_array();
    json.end_array();
}

void write_auto_scaling(JsonWriter& json, const Asked& /*asked*/, const TableSettingsReply& table) {
    json.key("TableAutoScalingDescription");
    json.begin_object();
    json.member("TableName", table.table);
    json.member("TableStatus", "ACTIVE");
    json.key("Replicas");
    json.begin_array();
    json.end_array();
    json.end_object();
}

void write_policy(JsonWriter& json, const Asked& asked, const TableSettingsReply& table) {
    if (const auto* policy = find_setting(table, policy_setting(asked))) {
        json.member("Policy", *policy);
        json.member("RevisionId", revision_of(*policy));
    }
}

void write_revision(JsonWriter& json, const Asked& asked, const TableSettingsReply& /*table*/) {
    if (!asked.policy.empty()) {
        json.member("RevisionId", revision_of(asked.policy));
    }
}

void write_empty_list(JsonWriter& json, std::string_view member) {
    json.key(member);
    json.begin_array();
    json.end_array();
}
void write_no_global_tables(
    JsonWriter& json, const Asked& /*asked*/, const TableSettingsReply& /*table*/
) {
    write_empty_list(json, "GlobalTables");
}
void write_no_exports(
    JsonWriter& json, const Asked& /*asked*/, const TableSettingsReply& /*table*/
) {
    write_empty_list(json, "ExportSummaries");
}
void write_no_imports(
    JsonWriter& json, const Asked& /*asked*/, const TableSettingsReply& /*table*/
) {
    write_empty_list(json, "ImportSummaryList");
}

void answer(
    http::Exchange exchange, const Asked& asked, const TableSettingsReply& table, Writing write
) {
    auto out = exchange.take_buffer();
    JsonWriter json(out);
    json.begin_object();
    write(json, asked, table);
    json.end_object();
    respond_json(std::move(exchange), std::move(out));
}

bool read_body(std::string_view body, Reading read, Asked& asked, http::Exchange& exchange) {
    const auto done = parse_body(body, [&](dom::element root) {
        Problems problems;
        return read(Fields(problems, root), asked);
    });
    if (!done) {
        respond_error(std::move(exchange), done.error());
    }
    return done.has_value();
}

void respond_missing(http::Exchange exchange, const Asked& asked, const Error& error) {
    // These operations have their own error for a missing table, but not those of policies.
    if (error.code == ErrorCode::kResourceNotFound && asked.resource_arn.empty()) {
        respond_named_error(
            std::move(exchange), "TableNotFoundException", "Table not found: " + asked.table
        );
    } else {
        respond_error(std::move(exchange), error);
    }
}

template <Reading read, Writing write>
void show(TableSettings& settings, std::string_view body, http::Exchange exchange) {
    Asked asked;
    if (!read_body(body, read, asked, exchange)) {
        return;
    }
    if (asked.table.empty()) {
        answer(std::move(exchange), asked, {}, write);
        return;
    }
    settings.get_table_settings(
        {asked.table},
        [exchange = std::move(exchange), asked](Result<TableSettingsReply> reply) mutable {
            if (!reply) {
                respond_missing(std::move(exchange), asked, reply.error());
                return;
            }
            answer(std::move(exchange), asked, *reply, write);
        }
    );
}

// Changes the setting `name` to `value` and answers with what is set then.
template <Writing write>
void change(
    TableSettings& settings,
    Asked asked,
    std::string name,
    std::optional<std::string> value,
    http::Exchange exchange
) {
    const auto table = asked.table;
    settings.change_table_setting(
        {table, std::move(name), std::move(value)},
        [exchange = std::move(exchange),
         asked = std::move(asked)](Result<TableSettingsReply> reply) mutable {
            if (!reply) {
                respond_missing(std::move(exchange), asked, reply.error());
                return;
            }
            answer(std::move(exchange), asked, *reply, write);
        }
    );
}

void update_recovery(TableSettings& settings, std::string_view body, http::Exchange exchange) {
    Asked asked;
    if (!read_body(body, read_recovery, asked, exchange)) {
        return;
    }
    auto days = asked.enabled ? std::optional(std::to_string(asked.days)) : std::nullopt;
    change<write_recovery>(settings, asked, kRecoveryDays, std::move(days), std::move(exchange));
}

void update_insights(TableSettings& settings, std::string_view body, http::Exchange exchange) {
    Asked asked;
    if (!read_body(body, read_insights, asked, exchange)) {
        return;
    }
    auto mode = asked.enabled ? std::optional(asked.insights_mode) : std::nullopt;
    const auto name = insights_setting(asked.index);
    change<write_insights>(settings, asked, name, std::move(mode), std::move(exchange));
}

void respond_no_policy(http::Exchange exchange, const Asked& asked) {
    respond_named_error(
        std::move(exchange),
        "PolicyNotFoundException",
        "Resource-based policy not found for the provided ResourceArn: " + asked.resource_arn
    );
}

// Whether the policy is the one that the client has seen; NO_POLICY: that there is none.
bool is_expected(const Asked& asked, const TableSettingsReply& table) {
    const auto* policy = find_setting(table, policy_setting(asked));
    return policy == nullptr ? *asked.expected_revision == "NO_POLICY"
                             : *asked.expected_revision == revision_of(*policy);
}

// Sets the policy, or removes it if the request has none.
void change_policy(TableSettings& settings, Asked asked, http::Exchange exchange) {
    auto policy = asked.policy.empty() ? std::nullopt : std::optional(asked.policy);
    if (!asked.expected_revision) {
        const auto name = policy_setting(asked);
        change<write_revision>(settings, asked, name, std::move(policy), std::move(exchange));
        return;
    }
    settings.get_table_settings(
        {asked.table},
        [&settings, asked, exchange = std::move(exchange)](Result<TableSettingsReply> reply
        ) mutable {
            if (!reply) {
                respond_error(std::move(exchange), reply.error());
            } else if (!is_expected(asked, *reply)) {
                respond_no_policy(std::move(exchange), asked);
            } else {
                asked.expected_revision.reset();
                change_policy(settings, asked, std::move(exchange));
            }
        }
    );
}

void put_policy(TableSettings& settings, std::string_view body, http::Exchange exchange) {
    Asked asked;
    if (read_body(body, read_policy, asked, exchange)) {
        change_policy(settings, asked, std::move(exchange));
    }
}

void delete_policy(TableSettings& settings, std::string_view body, http::Exchange exchange) {
    Asked asked;
    if (read_body(body, read_resource, asked, exchange)) {
        change_policy(settings, asked, std::move(exchange));
    }
}

void get_policy(TableSettings& settings, std::string_view body, http::Exchange exchange) {
    Asked asked;
    if (!read_body(body, read_resource, asked, exchange)) {
        return;
    }
    settings.get_table_settings(
        {asked.table},
        [exchange = std::move(exchange), asked](Result<TableSettingsReply> reply) mutable {
            if (!reply) {
                respond_error(std::move(exchange), reply.error());
            } else if (find_setting(*reply, policy_setting(asked)) == nullptr) {
                respond_no_policy(std::move(exchange), asked);
            } else {
                answer(std::move(exchange), asked, *reply, write_policy);
            }
        }
    );
}

void describe_global_table(
    TableSettings& /*settings*/, std::string_view /*body*/, http::Exchange exchange
) {
    respond_named_error(
        std::move(exchange),
        "GlobalTableNotFoundException",
        "Global table not found: there are none on this server"
    );
}

using enum auth::Action;

constexpr std::array kOperations = {
    ToolOperation{"DeleteResourcePolicy", {kAdmin, touches::resource}, &delete_policy},
    ToolOperation{
        "DescribeContinuousBackups", {kRead, touches::table}, &show<read_table, write_recovery>},
    ToolOperation{
        "DescribeContributorInsights",
        {kRead, touches::table},
        &show<read_table_or_index, write_insights>},
    ToolOperation{"DescribeGlobalTable", {kRead, touches::every_table}, &describe_global_table},
    ToolOperation{
        "DescribeGlobalTableSettings", {kRead, touches::every_table}, &describe_global_table},
    ToolOperation{
        "DescribeKinesisStreamingDestination",
        {kRead, touches::table},
        &show<read_table, write_destinations>},
    ToolOperation{
        "DescribeTableReplicaAutoScaling",
        {kRead, touches::table},
        &show<read_table, write_auto_scaling>},
    ToolOperation{"GetResourcePolicy", {kRead, touches::resource}, &get_policy},
    ToolOperation{
        "ListContributorInsights",
        {kRead, touches::table},
        &show<read_table_if_given, write_insights_list>},
    ToolOperation{
        "ListExports", {kRead, touches::every_table}, &show<read_nothing, write_no_exports>},
    ToolOperation{
        "ListGlobalTables",
        {kRead, touches::every_table},
        &show<read_nothing, write_no_global_tables>},
    ToolOperation{
        "ListImports", {kRead, touches::every_table}, &show<read_nothing, write_no_imports>},
    ToolOperation{"PutResourcePolicy", {kAdmin, touches::resource}, &put_policy},
    ToolOperation{"UpdateContinuousBackups", {kAdmin, touches::table}, &update_recovery},
    ToolOperation{"UpdateContributorInsights", {kAdmin, touches::table}, &update_insights},
};

}  // namespace

const ToolOperation* find_tool_operation(std::string_view name) {
    return find_among(kOperations, name);
}

std::string_view why_missing(std::string_view name) {
    constexpr std::string_view kNoReplicas = "This server has no replicas and no global tables";
    constexpr std::string_view kNoKinesis =
        "This server has no Kinesis destinations; a table's stream can be read instead";
    constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kReasons = {{
        {"RestoreTableToPointInTime",
         "This server keeps no past states of tables; a backup can be restored by "
         "RestoreTableFromBackup"},
        {"CreateGlobalTable", kNoReplicas},
        {"UpdateGlobalTable", kNoReplicas},
        {"UpdateGlobalTableSettings", kNoReplicas},
        {"UpdateTableReplicaAutoScaling", kNoReplicas},
        {"EnableKinesisStreamingDestination", kNoKinesis},
        {"DisableKinesisStreamingDestination", kNoKinesis},
        {"UpdateKinesisStreamingDestination", kNoKinesis},
    }};
    for (const auto& [operation, reason] : kReasons) {
        if (operation == name) {
            return reason;
        }
    }
    return "";
}

}  // namespace gateleg::api::dynamodb
