// What clients set on a table and read back, and what has no effect here: point-in-time recovery,
// Contributor Insights, resource policies. Tools that keep a table in a wanted state, such as
// Terraform, are content only if they find what they have set.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "dynamo/dynamo.h"

namespace gateleg::dynamo {

// Under which a table's resource policy is kept, and how long one may be.
inline constexpr const char* kPolicySetting = "resourcePolicy";
inline constexpr std::size_t kMaxPolicyBytes = 20'480;

struct TableSettingsReply {
    std::string table;
    std::int64_t created_millis = 0;
    std::map<std::string, std::string> settings;
};

struct GetTableSettingsRequest {
    using Reply = TableSettingsReply;
    std::string table;
};

struct ChangeTableSettingRequest {
    using Reply = TableSettingsReply;  // after the change
    std::string table;
    std::string name;
    std::optional<std::string> value;  // nothing: the setting goes
};

// As thread-safe, and as free in when it answers, as Dynamo. A table that is not there is a
// kResourceNotFound.
class TableSettings {
public:
    virtual ~TableSettings() = default;

    virtual void get_table_settings(GetTableSettingsRequest, Done<GetTableSettingsRequest>) = 0;
    virtual void
        change_table_setting(ChangeTableSettingRequest, Done<ChangeTableSettingRequest>) = 0;
};

}  // namespace gateleg::dynamo
