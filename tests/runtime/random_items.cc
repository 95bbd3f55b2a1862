#include "tests/runtime/random_items.h"

#include "model/build_item.h"
#include "model/evaluate.h"
#include "tests/runtime/fixture.h"

namespace gateleg::model {

using value::AttributeValue;
using value::Number;

const std::vector<std::string>& RandomItems::ids() {
    static const std::vector<std::string> kIds = {"u1", "u2", "a.b-c", "quo\"te\n", "\xC3\xBC"};
    return kIds;
}

AttributeValue RandomItems::any(int depth) {
    switch (below(depth > 2 ? 6 : 10)) {
        case 0:
            return {one_of(ids())};
        case 1:
            return {Number::from_int(static_cast<std::int64_t>(below(2'000)) - 1'000)};
        case 2:
            return {*Number::parse("0.000123")};
        case 3:
            return {value::Binary{std::string("\x00\xFF text", 7)}};
        case 4:
            return {chance(50)};
        case 5:
            return {value::Null{}};
        case 6: {
            value::List list;
            for (auto left = below(4); left != 0; --left) {
                list.push_back(any(depth + 1));
            }
            return {list};
        }
        case 7: {
            value::Map map;
            for (auto left = below(4); left != 0; --left) {
                map[one_of(ids())] = any(depth + 1);
            }
            return {map};
        }
        case 8:
            return {value::StringSet{"b", "a\"", "\xC3\xA4"}};
        default:
            return chance(50)
                       ? AttributeValue{value::NumberSet{
                             Number::from_int(10), Number::from_int(9), *Number::parse("-0.5")}}
                       : AttributeValue{value::BinarySet{{"z"}, {std::string("\x80", 1)}}};
    }
}

AttributeValue RandomItems::stored(const Attribute& attribute, int depth) {
    switch (attribute.type) {
        case AttributeType::kInteger:
        case AttributeType::kNumber:
            return {Number::from_int(static_cast<std::int64_t>(below(5)))};
        case AttributeType::kBoolean:
            return to_stored(boolean_value(chance(50)), &attribute);
        case AttributeType::kTimestamp:
        case AttributeType::kEpochSeconds:
        case AttributeType::kEpochMillis:
            return to_stored(
                Value(Time{kStart + (static_cast<std::int64_t>(below(6)) - 3) * 86'400'500}),
                &attribute
            );
        case AttributeType::kUuid:
            return {std::string("0b9ad3f6-58f8-4c4c-9c4d-00000000000") + std::to_string(below(4))};
        case AttributeType::kUlid:
            return {std::string("01JGF00000000000000000000") + std::to_string(below(4))};
        case AttributeType::kEnum:
            return {one_of(attribute.values)};
        case AttributeType::kList: {
            value::List list;
            for (auto left = below(3); left != 0; --left) {
                list.push_back(attribute.of ? stored(*attribute.of, depth + 1) : any(depth + 1));
            }
            return {list};
        }
        case AttributeType::kMap: {
            value::Map map;
            for (const auto& field : attribute.fields) {
                if (chance(70)) {
                    map[field.name] = stored(field, depth + 1);
                }
            }
            if (attribute.of || attribute.open || attribute.fields.empty()) {
                map["more"] = attribute.of ? stored(*attribute.of, depth + 1) : any(depth + 1);
            }
            return {map};
        }
        case AttributeType::kSet:
            return {value::StringSet{"one", one_of(ids())}};
        case AttributeType::kBinary:
            return {value::Binary{"\x01\x02"}};
        case AttributeType::kAny:
            return any(depth + 1);
        case AttributeType::kString:
            break;
    }
    return {one_of(ids())};
}

void RandomItems::damage(const Entity& entity, value::Item& raw) {
    const auto& table = model_.table;
    if (!table.marker.empty() && chance(10)) {
        raw.erase(table.marker);
    }
    if (!table.marker.empty() && chance(5)) {
        raw[table.marker] = chance(50) ? any() : AttributeValue{one_of(model_.entities).name};
    }
    if (chance(20)) {
        raw["zz extra"] = any();
        raw["Aa\"1"] = any();
    }
    if (!table.ttl.empty() && chance(20)) {
        raw[table.ttl] = chance(90) ? AttributeValue{Number::from_int(
                                          kStart / 1000 + static_cast<std::int64_t>(below(3)) - 1
                                      )}
                                    : any();
    }
    for (const auto& attribute : entity.attributes) {
        if (table.is_key_attribute(attribute.name)) {
            continue;
        }
        if (chance(4)) {
            raw[attribute.name] = any();  // also where it lives in the key only
        } else if (chance(4)) {
            raw.erase(attribute.name);
        }
    }
    for (const auto& index : table.indexes) {
        for (const auto* key :
             {&index.key.partition, index.key.sort ? &*index.key.sort : nullptr}) {
            if (key != nullptr && !table.is_primary_key(key->name) &&
                key->type == value::Type::kString && chance(5)) {
                raw[key->name] = {one_of(ids())};
            }
        }
    }
}

value::Item RandomItems::raw(const Entity& entity) {
    Environment environment;
    environment.now_millis = kStart;
    environment.caller = "u1";
    environment.make_ulid = [] { return std::string("01JGF000000000000000000009"); };
    environment.make_uuid = [] { return std::string("0b9ad3f6-58f8-4c4c-9c4d-000000000009"); };
    Attributes attributes;
    for (const auto& attribute : entity.attributes) {
        if (!attribute.is && chance(attribute.required ? 97 : 75)) {
            attributes[attribute.name] = stored(attribute);
        }
    }
    auto raw = build_item(model_, entity, std::move(attributes), environment);
    if (!raw) {
        return {};
    }
    if (chance(50)) {
        damage(entity, *raw);
    }
    return *raw;
}

}  // namespace gateleg::model
