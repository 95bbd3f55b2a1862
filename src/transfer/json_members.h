// The members of a small JSON document of ours: manifests and state files.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/attribute_value.h"

namespace gateleg::transfer {

// Absent and null are the same. Errors name the member.
class JsonMembers {
public:
    static Result<JsonMembers> parse(std::string_view text);
    explicit JsonMembers(value::Map members) : members_(std::move(members)) {}

    Result<std::optional<std::string>> text(std::string_view name) const;
    Result<std::string> required_text(std::string_view name) const;
    // A whole number from 0 on.
    Result<std::int64_t> required_count(std::string_view name) const;
    Result<bool> required_flag(std::string_view name) const;
    // The objects of a list.
    Result<std::vector<JsonMembers>> required_list(std::string_view name) const;

private:
    const value::AttributeValue* find(std::string_view name) const;
    template <class T>
    Result<T> required(std::string_view name, const char* what) const;

    value::Map members_;
};

}  // namespace gateleg::transfer
