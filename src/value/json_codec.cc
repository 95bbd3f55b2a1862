#include "value/json_codec.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <forward_list>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/json_writer.h"
#include "value/number.h"
#include "value/value_writer.h"

namespace gateleg::value {
namespace {

namespace dom = simdjson::dom;

// Limits recursion: everything that walks a value relies on it.
constexpr int kMaxDepth = 31;

constexpr std::string_view kInvalidParameter = "One or more parameter values were invalid: ";

Error invalid_parameter(std::string_view reason) {
    return validation_error(std::string(kInvalidParameter).append(reason));
}

Error empty_value() {
    return validation_error(
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
    );
}

Error too_deep() {
    return validation_error(
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
        "beyond supported limit"
    );
}

// The texts for JSON of the wrong shape name Java types: clients have seen them from DynamoDB.
Error map_in_wrong_place() {
    return serialization_error("Start of structure or map found where not expected");
}

Error wrong_collection(std::string_view java_type) {
    return serialization_error("Unrecognized collection type " + std::string(java_type));
}

std::string_view token_name(dom::element json) {
    switch (json.type()) {
        case dom::element_type::BOOL:
            return bool(json) ? "TRUE_VALUE" : "FALSE_VALUE";
        case dom::element_type::DOUBLE:
            return "DECIMAL_VALUE";
        case dom::element_type::STRING:
            return "STRING_VALUE";
        default:
            return "NUMBER_VALUE";
    }
}

Error not_a(std::string_view wanted, dom::element json) {
    if (json.is_object()) {
        return map_in_wrong_place();
    }
    if (json.is_array()) {
        return wrong_collection("class java.lang." + std::string(wanted));
    }
    return serialization_error(
        std::string(token_name(json)) + " cannot be converted to " + std::string(wanted)
    );
}

Error not_a_list(dom::element json) {
    return json.is_object() ? map_in_wrong_place() : serialization_error("Unexpected field type");
}

Error not_a_map(dom::element json) {
    return json.is_array() ? wrong_collection(
                                 "java.util.Map<java.lang.String, "
                                 "com.amazonaws.dynamodb.v20120810.AttributeValue>"
                             )
                           : serialization_error("Unexpected field type");
}

Error not_a_value(dom::element json) {
    return json.is_array()
               ? wrong_collection("class com.amazonaws.dynamodb.v20120810.AttributeValue")
               : serialization_error("Unexpected value type in payload");
}

Error not_binary(dom::element json) {
    if (json.is_object()) {
        return map_in_wrong_place();
    }
    if (json.is_array()) {
        return wrong_collection("class java.nio.ByteBuffer");
    }
    return serialization_error("only base-64-encoded strings are convertible to bytes");
}

Error bad_base64(std::string_view text) {
    if (text.size() % 4 != 0) {
        return serialization_error(
            "Base64 encoded length is expected a multiple of 4 bytes but found: " +
            std::to_string(text.size())
        );
    }
    const auto is_foreign = [](char c) {
        return !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
               c != '+' && c != '/' && c != '=';
    };
    const auto foreign = std::find_if(text.begin(), text.end(), is_foreign);
    if (foreign != text.end() && static_cast<unsigned char>(*foreign) < 0x80) {
        return serialization_error(std::string("Invalid Base64 character: '") + *foreign + "'");
    }
    return serialization_error("Invalid last non-pad Base64 character dectected");
}

// Space for the names of a usual map or the members of a usual set, so that they cost no heap
// allocation.
class Scratch {
public:
    std::pmr::memory_resource* resource() { return &resource_; }

private:
    alignas(std::max_align_t) std::array<std::byte, 1024> space_;
    std::pmr::monotonic_buffer_resource resource_{space_.data(), space_.size()};
};

struct Field {
    std::string_view name;
    dom::element value;
};
using Fields = std::pmr::vector<Field>;

// The fields of `object` by name. A name that comes twice has no right value to take.
Result<void> read_fields(Fields& fields, dom::object object) {
    fields.reserve(object.size());
    for (const auto field : object) {
        fields.push_back({field.key, field.value});
    }
    const auto by_name = [](const Field& left, const Field& right) {
        return left.name < right.name;
    };
    const auto out_of_order = [&](const Field& left, const Field& right) {
        return !by_name(left, right);
    };
    if (std::adjacent_find(fields.begin(), fields.end(), out_of_order) == fields.end()) {
        return {};
    }
    std::sort(fields.begin(), fields.end(), by_name);
    const auto twice = std::adjacent_find(fields.begin(), fields.end(), out_of_order);
    if (twice != fields.end()) {
        return serialization_error("Duplicate field '" + std::string(twice->name) + "'");
    }
    return {};
}

// Reads the JSON of one request part into the binary form.
class Encoder {
public:
    explicit Encoder(std::string& out) : out_(out), writer_(out) {}

    Result<void> value(dom::element json, int depth) {
        if (depth > kMaxDepth) {
            return too_deep();
        }
        if (json.is_null()) {
            return empty_value();
        }
        dom::object object;
        if (json.get(object) != simdjson::SUCCESS) {
            return not_a_value(json);
        }
        std::optional<Type> type;
        dom::element content;
        for (const auto field : object) {
            const auto field_type = find_type(field.key);
            if (!field_type || field.value.is_null()) {
                continue;
            }
            if (type) {
                return several_types(object, depth);
            }
            type = field_type;
            content = field.value;
        }
        return type ? typed(*type, content, depth) : empty_value();
    }

    Result<void> map(dom::element json, int depth) {
        Scratch scratch;
        Fields fields(scratch.resource());
        GATELEG_TRY(read_map(fields, json));
        const auto mark = writer_.begin_map(fields.size());
        for (const auto& field : fields) {
            writer_.name(field.name);
            GATELEG_TRY(value(field.value, depth));
        }
        writer_.end(mark);
        return {};
    }

    // As map(), but an error names the value it is about.
    Result<void> expression_values(dom::element json) {
        Scratch scratch;
        Fields fields(scratch.resource());
        GATELEG_TRY(read_map(fields, json));
        const auto mark = writer_.begin_map(fields.size());
        for (const auto& field : fields) {
            writer_.name(field.name);
            auto result = value(field.value, 0);
            if (!result) {
                return named(std::move(result).error(), field.name);
            }
        }
        writer_.end(mark);
        return {};
    }

private:
    static Result<void> read_map(Fields& fields, dom::element json) {
        dom::object object;
        if (json.get(object) != simdjson::SUCCESS) {
            return not_a_map(json);
        }
        return read_fields(fields, object);
    }

    static Error named(Error error, std::string_view name) {
        // Real DynamoDB gives the nesting error without the name (dynoxide issue 110).
        if (error.code == ErrorCode::kValidation && !error.message.starts_with("Nesting Levels")) {
            error.message = "ExpressionAttributeValues contains invalid value: " + error.message +
                            " for key " + std::string(name);
        }
        return error;
    }

    // DynamoDB looks at each value before it complains that there are several.
    Result<void> several_types(dom::object object, int depth) {
        Scratch scratch;
        Fields fields(scratch.resource());
        GATELEG_TRY(read_fields(fields, object));
        for (const auto field : object) {
            const auto type = find_type(field.key);
            if (type && !field.value.is_null()) {
                GATELEG_TRY(typed(*type, field.value, depth));
            }
        }
        return validation_error(
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of "
            "the supported datatypes"
        );
    }

    Result<void> typed(Type type, dom::element json, int depth) {
        switch (type) {
            case Type::kString:
                return string(json);
            case Type::kNumber:
                return number(json);
            case Type::kBinary:
                return binary(json);
            case Type::kBool:
                return boolean(json);
            case Type::kNull:
                return null(json);
            case Type::kList:
                return list(json, depth);
            case Type::kMap:
                return map(json, depth + 1);
            case Type::kStringSet:
                return string_set(json);
            case Type::kNumberSet:
                return number_set(json);
            case Type::kBinarySet:
                return binary_set(json);
        }
        return empty_value();
    }

    Result<void> string(dom::element json) {
        std::string_view text;
        if (json.get(text) != simdjson::SUCCESS) {
            return not_a("String", json);
        }
        writer_.string(text);
        return {};
    }

    Result<void> number(dom::element json) {
        std::string_view text;
        if (json.get(text) != simdjson::SUCCESS) {
            return not_a("String", json);
        }
        if (is_short_canonical_number(text)) {
            writer_.number(text);
            return {};
        }
        GATELEG_TRY_ASSIGN(const auto number, Number::parse(text));
        writer_.number(number.to_text());
        return {};
    }

    Result<void> binary(dom::element json) {
        std::string_view text;
        if (json.get(text) != simdjson::SUCCESS) {
            return not_binary(json);
        }
        std::string bytes;
        if (!append_decoded_base64(bytes, text)) {
            return bad_base64(text);
        }
        writer_.binary(bytes);
        return {};
    }

    // DynamoDB takes some words for a boolean.
    static Result<bool> read_boolean(dom::element json) {
        bool value = false;
        if (json.get(value) == simdjson::SUCCESS) {
            return value;
        }
        std::string_view text;
        if (json.get(text) != simdjson::SUCCESS) {
            return not_a("Boolean", json);
        }
        if (text == "true" || text == "yes") {
            return true;
        }
        if (text == "false" || text == "no") {
            return false;
        }
        return serialization_error("Unexpected token received from parser");
    }

    Result<void> boolean(dom::element json) {
        GATELEG_TRY_ASSIGN(const bool value, read_boolean(json));
        writer_.boolean(value);
        return {};
    }

    Result<void> null(dom::element json) {
        GATELEG_TRY_ASSIGN(const bool value, read_boolean(json));
        if (!value) {
            return invalid_parameter("Null attribute value types must have the value of true");
        }
        writer_.null();
        return {};
    }

    Result<void> list(dom::element json, int depth) {
        dom::array array;
        if (json.get(array) != simdjson::SUCCESS) {
            return not_a_list(json);
        }
        // array.size() stops at 0xffffff, so the elements are counted.
        std::size_t count = 0;
        for ([[maybe_unused]] const auto element : array) {
            ++count;
        }
        const auto mark = writer_.begin_list(count);
        for (const auto element : array) {
            GATELEG_TRY(value(element, depth + 1));
        }
        writer_.end(mark);
        return {};
    }

    using Members = std::pmr::vector<std::string_view>;

    Result<void> string_set(dom::element json) {
        Scratch scratch;
        Members members(scratch.resource());
        GATELEG_TRY(read_texts(members, json, Type::kStringSet));
        std::sort(members.begin(), members.end());
        if (std::adjacent_find(members.begin(), members.end()) != members.end()) {
            return invalid_parameter("Input collection " + listing(json) + " contains duplicates.");
        }
        writer_.set(Type::kStringSet, members);
        return {};
    }

    Result<void> number_set(dom::element json) {
        Scratch scratch;
        Members members(scratch.resource());
        GATELEG_TRY(read_texts(members, json, Type::kNumberSet));
        // Keeps the texts that are not in the JSON as they are stored.
        std::forward_list<std::string> rewritten;
        for (auto& member : members) {
            if (!is_short_canonical_number(member)) {
                GATELEG_TRY_ASSIGN(const auto number, Number::parse(member));
                member = rewritten.emplace_front(number.to_text());
            }
        }
        std::sort(members.begin(), members.end(), [](auto left, auto right) {
            return compare_number_texts(left, right) < 0;
        });
        if (std::adjacent_find(members.begin(), members.end()) != members.end()) {
            return validation_error("Input collection contains duplicates");
        }
        writer_.set(Type::kNumberSet, members);
        return {};
    }

    Result<void> binary_set(dom::element json) {
        Scratch scratch;
        Members members(scratch.resource());
        GATELEG_TRY(read_texts(members, json, Type::kBinarySet));
        std::forward_list<std::string> decoded;
        for (auto& member : members) {
            auto& bytes = decoded.emplace_front();
            if (!append_decoded_base64(bytes, member)) {
                return bad_base64(member);
            }
            member = bytes;
        }
        std::sort(members.begin(), members.end());
        if (std::adjacent_find(members.begin(), members.end()) != members.end()) {
            // The missing space is DynamoDB's.
            return invalid_parameter(
                "Input collection " + listing(json) + "of type BS contains duplicates."
            );
        }
        writer_.set(Type::kBinarySet, members);
        return {};
    }

    static Result<void> read_texts(Members& members, dom::element json, Type set) {
        dom::array array;
        if (json.get(array) != simdjson::SUCCESS) {
            return not_a_list(json);
        }
        members.reserve(array.size());
        for (const auto element : array) {
            std::string_view text;
            if (element.get(text) == simdjson::SUCCESS) {
                members.push_back(text);
            } else if (element.is_null()) {
                return null_member(set);
            } else {
                return set == Type::kBinarySet ? not_binary(element) : not_a("String", element);
            }
        }
        return members.empty() ? Result<void>(empty_set(set)) : Result<void>();
    }

    static Error empty_set(Type set) {
        // Grammar and double space are DynamoDB's.
        return set == Type::kStringSet   ? invalid_parameter("An string set  may not be empty")
               : set == Type::kNumberSet ? invalid_parameter("An number set  may not be empty")
                                         : invalid_parameter("Binary sets should not be empty");
    }

    static Error null_member(Type set) {
        return set == Type::kStringSet
                   ? invalid_parameter("An string set may not have a null string as a member")
               : set == Type::kNumberSet
                   ? invalid_parameter("An number set may not have a null string as a member")
                   : invalid_parameter("Binary sets may not contain null values");
    }

    // "[a, b]": the members as the client wrote them.
    static std::string listing(dom::element array_of_strings) {
        std::string text = "[";
        for (const auto element : dom::array(array_of_strings)) {
            text.append(text.size() > 1 ? ", " : "").append(std::string_view(element));
        }
        return text.append("]");
    }

    std::string& out_;
    ValueWriter writer_;
};

}  // namespace

Result<void> append_value(std::string& out, dom::element json, int depth) {
    const auto size = out.size();
    auto result = Encoder(out).value(json, depth);
    if (!result) {
        out.resize(size);
    }
    return result;
}

Result<void> append_map_of_values(std::string& out, dom::element object, MapOf what) {
    const auto size = out.size();
    Encoder encoder(out);
    auto result = what == MapOf::kExpressionValues ? encoder.expression_values(object)
                                                   : encoder.map(object, 0);
    if (!result) {
        out.resize(size);
    }
    return result;
}

}  // namespace gateleg::value
