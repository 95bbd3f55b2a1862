#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "expr/condition.h"
#include "expr/key_condition.h"
#include "expr/projection.h"
#include "expr/test_request.h"
#include "expr/update.h"
#include "value/attribute_value.h"

namespace gateleg::expr {
namespace {

using value::AttributeValue;
using value::Item;
using value::List;
using value::Map;
using value::Number;

constexpr std::array kNames = {"a", "b", "c", "d"};

std::string any_name() {
    return *rc::gen::elementOf(kNames);
}

AttributeValue any_value(int depth) {
    const auto form = *rc::gen::inRange(0, depth > 0 ? 4 : 2);
    if (form == 0) {
        return {Number::from_int(*rc::gen::inRange(-5, 5))};
    }
    if (form == 1) {
        return {any_name()};
    }
    const auto size = *rc::gen::inRange(0, 4);
    if (form == 2) {
        List list;
        for (int i = 0; i < size; ++i) {
            list.push_back(any_value(depth - 1));
        }
        return {std::move(list)};
    }
    Map map;
    for (int i = 0; i < size; ++i) {
        map[any_name()] = any_value(depth - 1);
    }
    return {std::move(map)};
}

Item any_item() {
    Item item;
    for (const auto* const name : kNames) {
        if (*rc::gen::arbitrary<bool>()) {
            item[name] = any_value(3);
        }
    }
    return item;
}

std::string any_path() {
    auto path = any_name();
    for (int steps = *rc::gen::inRange(0, 3); steps > 0; --steps) {
        path += *rc::gen::arbitrary<bool>() ? "." + any_name()
                                            : "[" + std::to_string(*rc::gen::inRange(0, 4)) + "]";
    }
    return path;
}

struct Put {
    const AttributeValue* value;  // Null: REMOVE.
};

// The same change made the plain way: on the tree, step by step. False if the path leads nowhere.
bool change(AttributeValue& container, std::span<const PathStep> steps, Put put) {
    const auto& step = steps[0];
    auto* const map = std::get_if<Map>(&container.data);
    auto* const list = std::get_if<List>(&container.data);
    if ((step.is_index ? static_cast<void*>(list) : static_cast<void*>(map)) == nullptr) {
        return false;
    }
    const bool exists = step.is_index ? step.index < list->size() : map->contains(step.name);
    if (steps.size() > 1) {
        return exists && change(
                             step.is_index ? (*list)[step.index] : map->find(step.name)->second,
                             steps.subspan(1),
                             put
                         );
    }
    if (!step.is_index && put.value != nullptr) {
        (*map)[std::string(step.name)] = *put.value;
    } else if (!step.is_index) {
        map->erase(std::string(step.name));
    } else if (exists && put.value != nullptr) {
        (*list)[step.index] = *put.value;
    } else if (exists) {
        list->erase(list->begin() + step.index);
    } else if (put.value != nullptr) {
        list->push_back(*put.value);
    }
    return true;
}

// From the last index down for what exists, so that earlier ones keep their meaning; then up for
// what is appended. One list per case keeps the model this simple: targets are sorted.
bool change_all(AttributeValue& item, const Update& update, const AttributeValue& value) {
    const auto members = update.targets().members();
    const auto& actions = update.binding().tree->actions;
    std::vector<PathSet::Member> puts;
    std::vector<PathSet::Member> drops;
    for (const auto& member : members) {
        const bool is_put = actions[member.position].section == Section::kSet;
        (is_put ? puts : drops).push_back(member);
    }
    std::reverse(drops.begin(), drops.end());
    bool possible = true;
    for (const auto& member : puts) {
        possible = change(item, member.steps, {&value}) && possible;
    }
    for (const auto& member : drops) {
        possible = change(item, member.steps, {nullptr}) && possible;
    }
    return possible;
}

RC_GTEST_PROP(UpdateProperties, MergingBytesDoesWhatChangingTheTreeDoes, ()) {
    const auto old = any_item();
    const auto written = any_value(1);
    std::string text = "SET " + any_path() + " = :v";
    if (*rc::gen::arbitrary<bool>()) {
        text += ", " + any_path() + " = :v";
    }
    if (*rc::gen::arbitrary<bool>()) {
        text += " REMOVE " + any_path() + ", " + any_path();
    }
    const auto values = value::encode_item({{":v", written}});
    Scope scope(nullptr, values.view());
    Cache cache;
    const auto update = compile_update(cache, text, scope);
    RC_PRE(update.has_value());

    // Appending and removing in one list needs the old indexes, which the model does not keep.
    AttributeValue model{old};
    const auto encoded = value::encode_item(old);
    const auto applied = apply_update(*update, encoded.view(), {true, true});
    RC_LOG() << text << '\n' << to_json(encoded.view());
    const bool possible = change_all(model, *update, written);
    RC_ASSERT(applied.has_value() == possible);
    if (possible) {
        const bool appends_and_drops =
            text.find("REMOVE") != std::string::npos && text.find('[') != std::string::npos;
        if (!appends_and_drops) {
            RC_ASSERT(applied->item.bytes() == value::encode(model));
        }
        // Canonical whatever was done.
        RC_ASSERT(applied->item.bytes() == value::encode(value::decode(applied->item.view())));
    }
}

RC_GTEST_PROP(ProjectionProperties, APickedPathHoldsWhatTheItemHolds, ()) {
    const auto encoded = value::encode_item(any_item());
    const auto path = any_path();
    Scope scope(nullptr, std::nullopt);
    Cache cache;
    const auto projection = compile_projection(cache, path, scope);
    RC_ASSERT(projection.has_value());
    std::string bytes;
    append_projected(bytes, *projection, encoded.view());
    RC_ASSERT(bytes == value::encode(value::decode(value::ValueView(bytes.data()))));
    const auto found = find_value(projection->binding(), 0, encoded.view());
    RC_ASSERT(found.has_value() == (value::ValueView(bytes.data()).count() == 1));
    if (found) {
        // Whatever the indexes were, the only element left of each list is the picked one.
        RC_ASSERT(bytes.find(found->bytes()) != std::string::npos);
    }
}

RC_GTEST_PROP(ConditionProperties, NotAndDeMorganHold, ()) {
    const auto encoded = value::encode_item(any_item());
    const auto values = value::encode_item({{":v", any_value(1)}});
    const std::array<std::string, 5> operators = {" = ", " <> ", " < ", " >= ", " > "};
    const auto term = [&] { return any_path() + *rc::gen::elementOf(operators) + ":v"; };
    const auto left = term();
    const auto right = term();
    Cache cache;
    Scope scope(nullptr, values.view());
    const auto answer = [&](const std::string& text) -> std::optional<bool> {
        const auto condition = compile_condition(cache, Kind::kCondition, text, scope);
        return condition ? std::optional(holds(*condition, encoded.view())) : std::nullopt;
    };
    const auto whole = answer(left + " AND " + right);
    RC_PRE(whole.has_value());
    RC_ASSERT(answer("NOT (" + left + " AND " + right + ")") == !*whole);
    RC_ASSERT(answer("NOT " + left + " OR NOT " + right) == !*whole);
    RC_ASSERT(*answer(left) + *answer(right) >= *whole * 2);
}

// Mostly nonsense, but made of what expressions are made of.
std::string any_words() {
    static const std::vector<std::string> kWords = {
        "a",
        "b",
        "#n",
        ":v",
        ":w",
        "(",
        ")",
        "[",
        "]",
        "0",
        "12",
        ".",
        ",",
        "=",
        "<>",
        "<",
        ">=",
        "+",
        "-",
        "AND",
        "OR",
        "NOT",
        "IN",
        "BETWEEN",
        "SET",
        "REMOVE",
        "ADD",
        "size",
        "name",
        "DELETE",
        "contains",
        "begins_with",
        "if_not_exists",
        "list_append",
        "attribute_exists",
        "attribute_type",
        "!",
        "\xc3\xa9",
    };
    std::string text;
    for (const auto& word :
         *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kWords))) {
        text += word + " ";
    }
    return text;
}

RC_GTEST_PROP(ParserProperties, AnyTextIsCompiledOrRefused, ()) {
    const auto text =
        *rc::gen::arbitrary<bool>() ? any_words() : *rc::gen::arbitrary<std::string>();
    const auto encoded = value::encode_item(any_item());
    const auto values = value::encode_item({{":v", any_value(1)}, {":w", any_value(0)}});
    const Scope::Names names = {{"#n", "a"}};
    Scope scope(&names, values.view());
    Cache cache;
    if (const auto condition = compile_condition(cache, Kind::kFilter, text, scope)) {
        holds(*condition, encoded.view());
    } else {
        RC_ASSERT(condition.error().message.starts_with("Invalid FilterExpression: "));
    }
    if (const auto update = compile_update(cache, text, scope)) {
        (void)apply_update(*update, encoded.view(), {});
    } else {
        RC_ASSERT(update.error().message.starts_with("Invalid UpdateExpression: "));
    }
    if (const auto key = compile_key_condition(cache, text, scope)) {
        (void)key_predicates(*key);
    }
    (void)compile_projection(cache, text, scope);
}

}  // namespace
}  // namespace gateleg::expr
