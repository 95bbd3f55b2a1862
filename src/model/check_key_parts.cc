// What a key is put together from: it can be taken apart again, and sorts as its values do.

#include <algorithm>

#include "model/key_checks.h"
#include "model/resolve.h"

namespace gateleg::model {
namespace {

std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

value::Number power_of_ten(int exponent) {
    return *value::Number::parse("1E" + std::to_string(exponent));
}

}  // namespace

void KeyChecks::check_shape(const Entity& entity, const KeyRule& rule) {
    const auto& segments = rule.key_template.segments();
    for (std::size_t at = 0; at < segments.size(); ++at) {
        const auto* variable = std::get_if<KeyVariable>(&segments[at]);
        if (variable == nullptr) {
            continue;
        }
        if (variable->name == "shard" && (!entity.shard || at + 1 < segments.size())) {
            diagnostics_.error(
                "K01",
                rule.position,
                in_entity(entity) + (entity.shard ? "{shard} must end its template"
                                                  : "{shard} needs a shard property")
            );
        }
        if (at + 1 == segments.size()) {
            continue;
        }
        if (const auto* next = std::get_if<KeyVariable>(&segments[at + 1])) {
            const bool fixed = !std::holds_alternative<std::monostate>(variable->format);
            if (!fixed) {
                diagnostics_.error(
                    "K01",
                    rule.position,
                    in_entity(entity) + "nothing parts '" + variable->name + "' and '" +
                        next->name + "' in " + quoted(rule.key_template.text()),
                    "put a literal such as # between them"
                );
            }
            continue;
        }
        check_separator(entity, rule, *variable, std::get<std::string>(segments[at + 1])[0]);
    }
}

void KeyChecks::check_separator(
    const Entity& entity, const KeyRule& rule, const KeyVariable& variable, char separator
) {
    const auto* attribute = entity.find_attribute(variable.name);
    if (attribute == nullptr) {
        return;
    }
    const std::string sign(1, separator);
    const auto text = "'" + sign + "' ends '" + variable.name + "' in " +
                      quoted(rule.key_template.text()) + " and ";
    const bool formatted = !std::holds_alternative<std::monostate>(variable.format);
    std::string holder;
    for (const auto& value : attribute->values) {
        if (value.find(separator) != std::string::npos) {
            holder = quoted(value);
        }
    }
    const bool time = attribute->type == AttributeType::kTimestamp && !formatted &&
                      std::string_view("0123456789-:.TZ").find(separator) != std::string_view::npos;
    const bool number = is_numeric(attribute->type) && !formatted &&
                        std::string_view("0123456789.-").find(separator) != std::string_view::npos;
    if (!holder.empty() || time || number) {
        diagnostics_.error(
            "K02",
            rule.position,
            in_entity(entity) + text + "occurs in " +
                (holder.empty() ? "every value of that type" : holder)
        );
        return;
    }
    if (attribute->type != AttributeType::kString || attribute->is) {
        return;
    }
    if (attribute->regex && separator == '#' && key_value_type(*attribute).may_hold_hash) {
        diagnostics_.error(
            "K02",
            rule.position,
            in_entity(entity) + text + "its pattern allows it",
            "exclude it, as in ^[^" + sign + "]+$"
        );
    } else if (!attribute->regex) {
        diagnostics_.info(
            "K02",
            rule.position,
            in_entity(entity) + text + "a value that holds it is refused when it is written"
        );
    }
}

void KeyChecks::check_formats(const Entity& entity, const KeyRule& rule) {
    const bool is_sort = sort_key(rule.attribute);
    for (const auto* variable : rule.key_template.variables()) {
        const auto* attribute = entity.find_attribute(variable->name);
        if (attribute == nullptr) {
            continue;
        }
        if (const auto* format = std::get_if<NumberFormat>(&variable->format)) {
            check_padding(entity, rule, *attribute, *format);
        } else if (std::holds_alternative<DateFormat>(variable->format)) {
            if (!is_time(attribute->type)) {
                diagnostics_.error(
                    "K01",
                    rule.position,
                    in_entity(entity) + "a date format needs a time, '" + attribute->name +
                        "' is " + std::string(attribute_type_name(attribute->type))
                );
            }
        } else if (is_sort && !rule.plain && key_type(rule.attribute) == value::Type::kString) {
            check_unpadded(entity, rule, *attribute);
        }
        check_in_key(entity, rule, *attribute);
    }
}

void KeyChecks::check_in_key(
    const Entity& entity, const KeyRule& rule, const Attribute& attribute
) {
    switch (attribute.type) {
        case AttributeType::kList:
        case AttributeType::kMap:
        case AttributeType::kSet:
        case AttributeType::kBinary:
        case AttributeType::kAny:
            if (!(rule.plain && attribute.type == AttributeType::kBinary)) {
                diagnostics_.error(
                    "K01",
                    rule.position,
                    in_entity(entity) + "'" + attribute.name + "' of type " +
                        std::string(attribute_type_name(attribute.type)) +
                        " cannot be part of a key"
                );
            }
            break;
        default:
            break;
    }
    if (attribute.keep_null && rule.plain) {
        diagnostics_.error(
            "I01",
            rule.position,
            in_entity(entity) + "'" + attribute.name +
                "' is an index key; DynamoDB refuses NULL there",
            "drop keep_null"
        );
    }
}

void KeyChecks::check_padding(
    const Entity& entity,
    const KeyRule& rule,
    const Attribute& attribute,
    const NumberFormat& format
) {
    const auto text =
        in_entity(entity) + "'" + attribute.name + "' in " + quoted(rule.key_template.text()) + " ";
    if (is_time(attribute.type)) {
        const int digits = attribute.type == AttributeType::kEpochMillis ? 13 : 10;
        if (attribute.type == AttributeType::kTimestamp || format.width < digits) {
            diagnostics_.error(
                "K04",
                rule.position,
                text + "does not fit " + std::to_string(format.width) + " characters"
            );
        }
        return;
    }
    if (!is_numeric(attribute.type)) {
        diagnostics_.error("K04", rule.position, text + "is padded and no number");
        return;
    }
    if (format.decimals > 0) {
        const int whole = format.width - format.decimals - 1;
        const int decimals =
            attribute.type == AttributeType::kInteger ? 0 : attribute.decimals.value_or(99);
        if (decimals > format.decimals) {
            diagnostics_.error(
                "K15",
                rule.position,
                text + "needs decimals: " + std::to_string(format.decimals) + " or fewer"
            );
        }
        if (!attribute.max || *attribute.max >= power_of_ten(whole)) {
            diagnostics_.error(
                "K15",
                rule.position,
                text + "needs a max of at most " + std::to_string(whole) + " digits",
                "0W.D counts the point and the decimals in W"
            );
        }
    } else {
        if (attribute.type == AttributeType::kNumber && attribute.decimals.value_or(1) != 0) {
            diagnostics_.error("K15", rule.position, text + "may have decimals", "use 0W.D");
        }
        if (!attribute.max || *attribute.max >= power_of_ten(format.width)) {
            diagnostics_.error(
                "K04",
                rule.position,
                text + "needs a max of at most " + std::to_string(format.width) + " digits"
            );
        }
    }
    const bool positive = (attribute.min && !attribute.min->is_negative()) ||
                          (attribute.above && !attribute.above->is_negative());
    if (!positive) {
        diagnostics_.error("K04", rule.position, text + "may be negative", "say min: 0");
    }
}

void KeyChecks::check_unpadded(
    const Entity& entity, const KeyRule& rule, const Attribute& attribute
) {
    const bool number = is_numeric(attribute.type) ||
                        attribute.type == AttributeType::kEpochMillis ||
                        attribute.type == AttributeType::kEpochSeconds;
    if (!number) {
        return;
    }
    if (attribute.min && attribute.max && !attribute.min->is_negative() &&
        attribute.min->to_text().size() == attribute.max->to_text().size()) {
        return;
    }
    diagnostics_.warning(
        "K14",
        rule.position,
        in_entity(entity) + "the number '" + attribute.name + "' is not padded in the sort key " +
            quoted(rule.key_template.text()) + ": 10 sorts before 9",
        "write {" + attribute.name + ":013}, or give min and max of equal length"
    );
}

bool KeyChecks::sort_key(std::string_view attribute) const {
    bool found = false;
    each_key(model_.table, [&](const KeySchema& schema, const Index*) {
        found |= schema.sort && schema.sort->name == attribute;
    });
    return found;
}

}  // namespace gateleg::model
