#include "engine/key_check.h"

#include <string>

#include "engine/limits.h"

namespace gateleg::engine {
namespace {

using value::Type;
using value::ValueView;

std::string type_text(Type type) {
    return std::string(value::type_name(type));
}

bool is_empty(ValueView value) {
    return value.type() != Type::kNumber && value.text().empty();
}

std::string_view empty_kind(ValueView value) {
    return value.type() == Type::kString ? "string" : "binary";
}

Error key_does_not_match() {
    return validation_error("The provided key element does not match the schema");
}

Result<void> check_attribute_of_item(const KeyAttribute& attribute, bool is_hash, ValueView item) {
    const auto found = item.find(attribute.name);
    if (!found) {
        return validation_error(
            "One or more parameter values were invalid: Missing the key " + attribute.name +
            " in the item"
        );
    }
    if (found->type() != attribute.type) {
        return validation_error(
            "One or more parameter values were invalid: Type mismatch for key " + attribute.name +
            " expected: " + type_text(attribute.type) + " actual: " + type_text(found->type())
        );
    }
    return check_key_size(attribute, is_hash, *found);
}

Result<void> check_index_attribute(
    const Index& index, const KeyAttribute& attribute, ValueView item
) {
    const auto found = item.find(attribute.name);
    if (!found) {
        return {};
    }
    if (found->type() != attribute.type) {
        return validation_error(
            "One or more parameter values were invalid: Type mismatch for Index Key " +
            attribute.name + " Expected: " + type_text(attribute.type) +
            " Actual: " + type_text(found->type()) + " IndexName: " + index.definition.name
        );
    }
    if (is_empty(*found)) {
        return validation_error(
            "One or more parameter values are not valid. A value specified for a secondary index "
            "key is not supported. The AttributeValue for a key attribute cannot contain an "
            "empty " +
            std::string(empty_kind(*found)) + " value. IndexName: " + index.definition.name +
            ", IndexKey: " + attribute.name
        );
    }
    return {};
}

// Calls `check(attribute, is_hash)` for each key attribute until one fails.
template <class Check>
Result<void> for_each_attribute(const KeyDefinition& key, Check check) {
    for (const auto& attribute : key.hash) {
        GATELEG_TRY(check(attribute, true));
    }
    for (const auto& attribute : key.range) {
        GATELEG_TRY(check(attribute, false));
    }
    return {};
}

Result<void> check_index_sizes(const Index& index, ValueView item) {
    return for_each_attribute(index.key, [&](const KeyAttribute& attribute, bool is_hash) {
        const auto found = item.find(attribute.name);
        return found ? check_key_size(attribute, is_hash, *found) : Result<void>();
    });
}

}  // namespace

Result<void> check_key_size(const KeyAttribute& attribute, bool is_hash, ValueView value) {
    if (is_empty(value)) {
        return validation_error(
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty " +
            std::string(empty_kind(value)) + " value. Key: " + attribute.name
        );
    }
    if (value.type() == Type::kNumber) {
        return {};
    }
    if (is_hash && value.text().size() > kMaxHashKeyBytes) {
        return validation_error(
            "One or more parameter values were invalid: Size of hashkey has exceeded the maximum "
            "size limit of2048 bytes"
        );
    }
    if (!is_hash && value.text().size() > kMaxRangeKeyBytes) {
        return validation_error(
            "One or more parameter values were invalid: Aggregated size of all range keys has "
            "exceeded the size limit of 1024 bytes"
        );
    }
    return {};
}

Result<void> check_item(const Table& table, ValueView item) {
    GATELEG_TRY(for_each_attribute(table.key, [&](const KeyAttribute& attribute, bool is_hash) {
        return check_attribute_of_item(attribute, is_hash, item);
    }));
    for (const auto& index : table.indexes) {
        GATELEG_TRY(for_each_attribute(index.key, [&](const KeyAttribute& attribute, bool) {
            return check_index_attribute(index, attribute, item);
        }));
        GATELEG_TRY(check_index_sizes(index, item));
    }
    return {};
}

Result<void> check_key(const Table& table, ValueView key) {
    if (key.count() != table.key.size()) {
        return key_does_not_match();
    }
    return for_each_attribute(table.key, [&](const KeyAttribute& attribute, bool is_hash) {
        const auto found = key.find(attribute.name);
        if (!found || found->type() != attribute.type) {
            return Result<void>(key_does_not_match());
        }
        return check_key_size(attribute, is_hash, *found);
    });
}

Result<void> check_updated_index_keys(const Table& table, ValueView item) {
    for (const auto& index : table.indexes) {
        GATELEG_TRY(for_each_attribute(index.key, [&](const KeyAttribute& attribute, bool) {
            const auto found = item.find(attribute.name);
            if (found && found->type() != attribute.type) {
                return Result<void>(validation_error(
                    "The update expression attempted to update the secondary index key to "
                    "unsupported type"
                ));
            }
            if (found && is_empty(*found)) {
                return Result<void>(validation_error(
                    "The update expression attempted to update the secondary index key to a value "
                    "that is not supported. The AttributeValue for a key attribute cannot contain "
                    "an empty " +
                    std::string(empty_kind(*found)) + " value."
                ));
            }
            return Result<void>();
        }));
        GATELEG_TRY(check_index_sizes(index, item));
    }
    return {};
}

Result<void> check_start_key(const Table& table, const Index* index, ValueView key) {
    std::size_t expected = table.key.size();
    const auto check = [&](const KeyAttribute& attribute, bool) {
        const auto found = key.find(attribute.name);
        if (!found || found->type() != attribute.type) {
            return Result<void>(
                validation_error("The provided starting key is invalid: "
                                 "The provided key element does not match the schema")
            );
        }
        return Result<void>();
    };
    if (index != nullptr) {
        GATELEG_TRY(for_each_attribute(
            index->key,
            [&](const KeyAttribute& attribute, bool is_hash) {
                expected += table.key.has(attribute.name) ? 0 : 1;
                return check(attribute, is_hash);
            }
        ));
    }
    GATELEG_TRY(for_each_attribute(table.key, check));
    if (key.count() != expected) {
        return validation_error("The provided starting key is invalid");
    }
    return {};
}

}  // namespace gateleg::engine
