#include "api/dynamodb/wire_reader.h"

#include <set>
#include <utility>

namespace gateleg::api::dynamodb {
namespace {

// How DynamoDB's deserialiser names a JSON value that it did not expect.
std::string unexpected(dom::element json, std::string_view wanted) {
    switch (json.type()) {
        case dom::element_type::ARRAY:
            return "Unrecognized collection type class java.util.ArrayList";
        case dom::element_type::OBJECT:
            return "Start of structure or map found where not expected.";
        case dom::element_type::STRING:
            return "STRING_VALUE cannot be converted to " + std::string(wanted);
        case dom::element_type::DOUBLE:
            return "DECIMAL_VALUE cannot be converted to " + std::string(wanted);
        case dom::element_type::BOOL:
            return std::string(bool(json) ? "TRUE_VALUE" : "FALSE_VALUE") +
                   " cannot be converted to " + std::string(wanted);
        default:
            return "NUMBER_VALUE cannot be converted to " + std::string(wanted);
    }
}

std::string lower_first(std::string_view name) {
    std::string lowered(name);
    if (!lowered.empty()) {
        lowered[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(lowered[0])));
    }
    return lowered;
}

bool has_duplicates(const dom::object& object) {
    constexpr std::size_t kFew = 24;
    if (object.size() <= kFew) {
        std::string_view seen[kFew];
        std::size_t count = 0;
        for (const auto& member : object) {
            for (std::size_t i = 0; i < count; ++i) {
                if (seen[i] == member.key) {
                    return true;
                }
            }
            seen[count++] = member.key;
        }
        return false;
    }
    std::set<std::string_view> seen;
    for (const auto& member : object) {
        if (!seen.insert(member.key).second) {
            return true;
        }
    }
    return false;
}

}  // namespace

void Problems::serialization(std::string message) {
    if (!serialization_) {
        serialization_ = serialization_error(std::move(message));
    }
}

void Problems::constraint(std::string_view value, std::string_view path, std::string_view rule) {
    constraints_.push_back(
        "Value '" + std::string(value) + "' at '" + std::string(path) +
        "' failed to satisfy constraint: " + std::string(rule)
    );
}

void Problems::constraint_on_null(std::string_view path) {
    constraints_.push_back(
        "Value null at '" + std::string(path) +
        "' failed to satisfy constraint: Member must not be null"
    );
}

void Problems::later(Error error) {
    if (error.code == ErrorCode::kSerialization) {
        serialization(std::move(error.message));
    } else if (!later_) {
        later_ = std::move(error);
    }
}

Result<void> Problems::check() const {
    if (serialization_) {
        return *serialization_;
    }
    if (!constraints_.empty()) {
        const auto count = constraints_.size();
        std::string message =
            std::to_string(count) + " validation error" + (count == 1 ? "" : "s") + " detected: ";
        for (std::size_t i = 0; i < count; ++i) {
            message.append(i == 0 ? "" : "; ").append(constraints_[i]);
        }
        return validation_error(std::move(message));
    }
    if (later_) {
        return *later_;
    }
    return {};
}

Fields::Fields(Problems& problems, dom::element json, std::string path)
    : problems_(&problems), path_(std::move(path)) {
    dom::object object;
    if (json.get_object().get(object) != simdjson::SUCCESS) {
        problems_->serialization(
            json.is_array() ? "Start of list found where not expected"
                            : unexpected(json, "Structure")
        );
        return;
    }
    if (has_duplicates(object)) {
        problems_->serialization("Duplicate member in a JSON object");
        return;
    }
    members_ = object;
}

std::string Fields::path_of(std::string_view name) const {
    return path_ + lower_first(name);
}

std::optional<dom::element> Fields::find(std::string_view name) const {
    dom::element found;
    if (!members_ || members_->at_key(name).get(found) != simdjson::SUCCESS || found.is_null()) {
        return std::nullopt;
    }
    return found;
}

std::optional<std::string> Fields::text(std::string_view name) const {
    const auto found = find(name);
    if (!found) {
        return std::nullopt;
    }
    std::string_view value;
    if (found->get_string().get(value) != simdjson::SUCCESS) {
        problems_->serialization(unexpected(*found, "String"));
        return std::nullopt;
    }
    return std::string(value);
}

std::optional<std::int64_t> Fields::integer(std::string_view name) const {
    const auto found = find(name);
    if (!found) {
        return std::nullopt;
    }
    std::int64_t value = 0;
    double fraction = 0;
    if (found->get_int64().get(value) == simdjson::SUCCESS) {
        return value;
    }
    if (found->get_double().get(fraction) == simdjson::SUCCESS && fraction > -9e15 &&
        fraction < 9e15) {
        return static_cast<std::int64_t>(fraction);
    }
    problems_->serialization(unexpected(*found, "Integer"));
    return std::nullopt;
}

std::optional<bool> Fields::boolean(std::string_view name) const {
    const auto found = find(name);
    if (!found) {
        return std::nullopt;
    }
    bool value = false;
    if (found->get_bool().get(value) != simdjson::SUCCESS) {
        problems_->serialization(unexpected(*found, "Boolean"));
        return std::nullopt;
    }
    return value;
}

std::optional<dom::array> Fields::list(std::string_view name) const {
    const auto found = find(name);
    if (!found) {
        return std::nullopt;
    }
    dom::array array;
    if (found->get_array().get(array) != simdjson::SUCCESS) {
        problems_->serialization(
            found->is_object() ? "Start of structure or map found where not expected."
                               : "Unexpected field type"
        );
        return std::nullopt;
    }
    return array;
}

std::optional<dom::object> Fields::map(std::string_view name) const {
    const auto found = find(name);
    if (!found) {
        return std::nullopt;
    }
    dom::object object;
    if (found->get_object().get(object) != simdjson::SUCCESS) {
        problems_->serialization(
            found->is_array() ? "Start of list found where not expected" : "Unexpected field type"
        );
        return std::nullopt;
    }
    if (has_duplicates(object)) {
        problems_->serialization("Duplicate member in a JSON object");
        return std::nullopt;
    }
    return object;
}

std::optional<Fields> Fields::object(std::string_view name) const {
    const auto found = find(name);
    if (!found) {
        return std::nullopt;
    }
    return Fields(*problems_, *found, path_of(name) + ".");
}

std::vector<Fields> Fields::objects(std::string_view name) const {
    std::vector<Fields> all;
    if (const auto array = list(name)) {
        for (const auto element : *array) {
            all.emplace_back(
                *problems_,
                element,
                path_of(name) + "." + std::to_string(all.size() + 1) + ".member."
            );
        }
    }
    return all;
}

std::optional<value::EncodedItem> Fields::values(std::string_view name, value::MapOf what) const {
    const auto found = find(name);
    if (!found) {
        return std::nullopt;
    }
    // Grown once and used again: what is kept is allocated in its size.
    constexpr std::size_t kKeptBytes = std::size_t{64} << 10;
    thread_local std::string bytes;
    bytes.clear();
    if (auto read = value::append_map_of_values(bytes, *found, what); !read) {
        problems_->later(std::move(read).error());
        return std::nullopt;
    }
    return value::EncodedItem(
        bytes.capacity() > kKeptBytes ? std::exchange(bytes, {}) : std::string(bytes)
    );
}

std::string Fields::required_text(std::string_view name, std::size_t min, std::size_t max) const {
    auto found = text(name);
    if (!found) {
        problems_->constraint_on_null(path_of(name));
        return {};
    }
    if (found->size() < min) {
        problems_->constraint(
            *found,
            path_of(name),
            "Member must have length greater than or equal to " + std::to_string(min)
        );
    } else if (found->size() > max) {
        problems_->constraint(
            *found,
            path_of(name),
            "Member must have length less than or equal to " + std::to_string(max)
        );
    }
    return *std::move(found);
}

void Fields::require(std::string_view name) const {
    if (!has(name)) {
        problems_->constraint_on_null(path_of(name));
    }
}

void Fields::check_range(std::string_view name, std::int64_t min, std::optional<std::int64_t> max)
    const {
    const auto number = integer(name);
    if (!number) {
        return;
    }
    if (*number < min) {
        problems_->constraint(
            std::to_string(*number),
            path_of(name),
            "Member must have value greater than or equal to " + std::to_string(min)
        );
    } else if (max && *number > *max) {
        problems_->constraint(
            std::to_string(*number),
            path_of(name),
            "Member must have value less than or equal to " + std::to_string(*max)
        );
    }
}

}  // namespace gateleg::api::dynamodb
