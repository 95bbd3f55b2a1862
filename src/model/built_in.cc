#include "model/built_in.h"

#include "base/time_text.h"
#include "model/access.h"
#include "model/entity_keys.h"
#include "model/recognise.h"

namespace gateleg::model {

using value::AttributeValue;
using value::Item;

std::int64_t millis_of(const Item& item, std::string_view name, std::int64_t otherwise) {
    return parse_rfc3339_millis(text_of(item, name)).value_or(otherwise);
}

void set_text(Item& item, std::string_view name, std::string_view text) {
    if (text.empty()) {
        item.erase(std::string(name));
    } else {
        item.insert_or_assign(std::string(name), AttributeValue{std::string(text)});
    }
}

void set_integer(Item& item, std::string_view name, std::int64_t number) {
    item.insert_or_assign(std::string(name), AttributeValue{value::Number::from_int(number)});
}

void set_millis(Item& item, std::string_view name, std::int64_t millis) {
    item.insert_or_assign(std::string(name), AttributeValue{render_rfc3339(millis)});
}

BuiltIn::BuiltIn(Shared& shared, std::string_view entity) : shared_(shared), entity_(nullptr) {
    const auto* found = shared.model.find_entity(entity);
    if (found != nullptr && found->built_in) {
        entity_ = found;
    }
}

Environment BuiltIn::environment() const {
    return make_environment(shared_.model, {}, shared_.clock.now_millis());
}

Result<Item> BuiltIn::key_of(const Item& identity) const {
    GATELEG_TRY_ASSIGN(auto key, primary_key(shared_.model, *entity_, identity, environment()));
    if (!key) {
        return validation_error("The key of " + entity_->name + " lacks a value");
    }
    return *std::move(key);
}

Result<std::optional<Item>> BuiltIn::find(const Item& identity) const {
    GATELEG_TRY_ASSIGN(const auto key, key_of(identity));
    Database database(shared_.model.table, shared_.dynamo, nullptr);
    GATELEG_TRY_ASSIGN(const auto raw, database.get(key, true));
    if (!raw) {
        return std::optional<Item>();
    }
    return std::optional(to_attributes(shared_.model, *entity_, *raw));
}

Result<std::vector<Item>> BuiltIn::list(
    const Item& identity, const std::optional<Item>& after, std::int64_t limit
) const {
    const auto& model = shared_.model;
    const auto& partition = model.table.key.partition.name;
    GATELEG_TRY_ASSIGN(const auto key, key_of(identity));
    RangeQuery query;
    query.key_condition = "#p = :p";
    query.names["#p"] = partition;
    query.values[":p"] = key.at(partition);
    query.consistent = true;
    if (after) {
        GATELEG_TRY_ASSIGN(const auto start, key_of(*after));
        query.start = value::encode_item(start);
    }
    Database database(model.table, shared_.dynamo, nullptr);
    std::vector<Item> items;
    // A page ends early when it is large, or holds what others have put there.
    do {
        query.limit = limit - static_cast<std::int64_t>(items.size());
        GATELEG_TRY_ASSIGN(auto page, database.query(query));
        for (const auto& raw : page.items) {
            if (recognise(model, raw) == entity_) {
                items.push_back(to_attributes(model, *entity_, raw));
            }
        }
        query.start.reset();
        if (page.next) {
            query.start = value::encode_item(*page.next);
        }
    } while (query.start && static_cast<std::int64_t>(items.size()) < limit);
    return items;
}

Result<Write> BuiltIn::put(const Item& attributes, const Text& condition) const {
    Write write;
    GATELEG_TRY_ASSIGN(write.item, to_raw(shared_.model, *entity_, attributes, environment()));
    write.condition = condition.text;
    write.names = condition.names;
    write.values = condition.values;
    return write;
}

Result<Write> BuiltIn::remove(const Item& identity, const Text& condition) const {
    Write write;
    write.kind = dynamo::TransactAction::kDelete;
    GATELEG_TRY_ASSIGN(write.item, key_of(identity));
    write.condition = condition.text;
    write.names = condition.names;
    write.values = condition.values;
    return write;
}

Result<bool> BuiltIn::write(const std::vector<Write>& writes) const {
    Database database(shared_.model.table, shared_.dynamo, nullptr);
    GATELEG_TRY_ASSIGN(const auto refusals, database.write(writes));
    return refusals.empty();
}

Text BuiltIn::condition(std::string text) const {
    Text condition;
    if (text.find("#p") != std::string::npos) {
        condition.names["#p"] = shared_.model.table.key.partition.name;
    }
    condition.text = std::move(text);
    return condition;
}

}  // namespace gateleg::model
