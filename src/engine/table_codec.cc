// A table's definition on disk is an item in the binary value form, so that a later version can add
// members and an older one can be read. Member names are written to disk: never rename one.

#include <cstring>

#include "engine/definition_codec.h"
#include "engine/table.h"

namespace gateleg::engine {
namespace {

using definition::decode_schema;
using definition::encode_schema;
using definition::flag;
using definition::Members;
using definition::number;
using definition::text;
using value::Item;
using value::List;

Item encode_throughput(const dynamo::Throughput& throughput) {
    return {{"read", number(throughput.read_units)}, {"write", number(throughput.write_units)}};
}

dynamo::Throughput decode_throughput(const Item& item) {
    const Members members(item);
    return {members.number("read"), members.number("write")};
}

Item encode_on_demand(const dynamo::OnDemandThroughput& limits) {
    Item item;
    if (limits.max_read_units) {
        item["read"] = number(*limits.max_read_units);
    }
    if (limits.max_write_units) {
        item["write"] = number(*limits.max_write_units);
    }
    return item;
}

// An older release kept -1 for a limit that had been taken away.
std::optional<dynamo::OnDemandThroughput> decode_on_demand(const Item& item) {
    const Members members(item);
    const auto limit = [&](std::string_view name) {
        return members.has(name) && members.number(name) > 0 ? std::optional(members.number(name))
                                                             : std::nullopt;
    };
    const dynamo::OnDemandThroughput limits{limit("read"), limit("write")};
    return limits.max_read_units || limits.max_write_units ? std::optional(limits) : std::nullopt;
}

Item encode_index(const Index& index) {
    const auto& definition = index.definition;
    List projected;
    for (const auto& name : definition.projection.non_key_attributes) {
        projected.push_back(text(name));
    }
    Item item{
        {"id", number(static_cast<int>(index.id))},
        {"global", flag(index.global)},
        {"name", text(definition.name)},
        {"schema", {encode_schema(definition.key_schema)}},
        {"projection", number(static_cast<int>(definition.projection.type))},
        {"nonKeyAttributes", {std::move(projected)}},
        {"backfilling", flag(index.backfilling)},
    };
    if (definition.throughput) {
        item["throughput"] = {encode_throughput(*definition.throughput)};
    }
    if (definition.on_demand) {
        item["onDemand"] = {encode_on_demand(*definition.on_demand)};
    }
    if (definition.warm) {
        item["warm"] = {encode_throughput(
            {definition.warm->read_units.value_or(0), definition.warm->write_units.value_or(0)}
        )};
    }
    return item;
}

Index decode_index(const Item& item) {
    const Members members(item);
    Index index;
    index.id = static_cast<IndexId>(members.number("id"));
    index.global = members.flag("global");
    index.backfilling = members.flag("backfilling");
    auto& definition = index.definition;
    definition.name = members.text("name");
    definition.key_schema = decode_schema(members.list("schema"));
    definition.projection.type = static_cast<dynamo::ProjectionType>(members.number("projection"));
    for (const auto& name : members.list("nonKeyAttributes")) {
        definition.projection.non_key_attributes.push_back(std::get<std::string>(name.data));
    }
    if (members.has("throughput")) {
        definition.throughput = decode_throughput(members.map("throughput"));
    }
    if (members.has("onDemand")) {
        definition.on_demand = decode_on_demand(members.map("onDemand"));
    }
    if (members.has("warm")) {
        const auto warm = decode_throughput(members.map("warm"));
        definition.warm = {warm.read_units, warm.write_units};
    }
    return index;
}

// Members that a table may be without.
void encode_options(Item& item, const Table& table) {
    const auto& description = table.description;
    if (description.on_demand_since_millis) {
        item["onDemandSince"] = number(*description.on_demand_since_millis);
    }
    if (description.on_demand) {
        item["onDemand"] = {encode_on_demand(*description.on_demand)};
    }
    if (description.warm) {
        item["warm"] = {encode_throughput(*description.warm)};
    }
    if (description.table_class) {
        item["class"] = number(static_cast<int>(*description.table_class));
    }
    if (description.encryption) {
        item["encryption"] = {Item{
            {"enabled", flag(description.encryption->enabled)},
            {"key", text(description.encryption->key_id)},
        }};
    }
    if (table.ttl_attribute) {
        item["ttl"] = text(*table.ttl_attribute);
    }
    if (table.stream) {
        item["stream"] = {Item{
            {"arn", text(table.stream->arn)},
            {"label", text(table.stream->label)},
            {"view", number(static_cast<int>(table.stream->view))},
            {"enabled", flag(table.stream->enabled)},
        }};
    }
    if (!table.settings.empty()) {
        Item settings;
        for (const auto& [name, setting] : table.settings) {
            settings[name] = text(setting);
        }
        item["settings"] = {std::move(settings)};
    }
}

void decode_options(Table& table, const Members& members) {
    auto& description = table.description;
    if (members.has("onDemandSince")) {
        description.on_demand_since_millis = members.number("onDemandSince");
    }
    if (members.has("onDemand")) {
        description.on_demand = decode_on_demand(members.map("onDemand"));
    }
    if (members.has("warm")) {
        description.warm = decode_throughput(members.map("warm"));
    }
    if (members.has("class")) {
        description.table_class = static_cast<dynamo::TableClass>(members.number("class"));
    }
    if (members.has("encryption")) {
        const Members encryption(members.map("encryption"));
        description.encryption = {encryption.flag("enabled"), encryption.text("key")};
    }
    if (members.has("ttl")) {
        table.ttl_attribute = members.text("ttl");
    }
    if (members.has("stream")) {
        const Members stream(members.map("stream"));
        table.stream = {
            .arn = stream.text("arn"),
            .label = stream.text("label"),
            .view = static_cast<dynamo::StreamView>(stream.number("view")),
            .enabled = stream.flag("enabled"),
        };
    }
    for (const auto& [name, setting] : members.map("settings")) {
        table.settings[name] = std::get<std::string>(setting.data);
    }
}

}  // namespace

std::string encode_table(const Table& table) {
    const auto& description = table.description;
    List attributes;
    for (const auto& attribute : description.attributes) {
        attributes.push_back({Item{
            {"name", text(attribute.name)},
            {"type", number(static_cast<int>(attribute.type))},
        }});
    }
    List indexes;
    for (const auto& index : table.indexes) {
        indexes.push_back({encode_index(index)});
    }
    Item tags;
    for (const auto& [key, tag] : table.tags) {
        tags[key] = text(tag);
    }
    Item item{
        {"id", number(static_cast<std::int64_t>(table.id))},
        {"name", text(description.name)},
        {"arn", text(description.arn)},
        {"uuid", text(description.id)},
        {"created", number(description.created_millis)},
        {"attributes", {std::move(attributes)}},
        {"schema", {encode_schema(description.key_schema)}},
        {"billing", number(static_cast<int>(description.billing_mode))},
        {"throughput", {encode_throughput(description.throughput)}},
        {"deletionProtection", flag(description.deletion_protection)},
        {"indexes", {std::move(indexes)}},
        {"nextIndex", number(table.next_index_id)},
        {"tags", {std::move(tags)}},
        {"ttlBackfilling", flag(table.ttl_backfilling)},
    };
    encode_options(item, table);
    return value::encode_item(item).bytes();
}

Result<Table> decode_table(std::string_view bytes) {
    if (bytes.empty()) {
        return internal_error("empty table definition");
    }
    const Item item = value::decode_item(value::ValueView(bytes.data()));
    const Members members(item);
    Table table;
    auto& description = table.description;
    table.id = static_cast<TableId>(members.number("id"));
    description.name = members.text("name");
    description.arn = members.text("arn");
    description.id = members.text("uuid");
    description.created_millis = members.number("created");
    for (const auto& each : members.list("attributes")) {
        const Members attribute(std::get<Item>(each.data));
        description.attributes.push_back(
            {attribute.text("name"), static_cast<value::Type>(attribute.number("type"))}
        );
    }
    description.key_schema = decode_schema(members.list("schema"));
    description.billing_mode = static_cast<dynamo::BillingMode>(members.number("billing"));
    description.throughput = decode_throughput(members.map("throughput"));
    description.deletion_protection = members.flag("deletionProtection");
    for (const auto& each : members.list("indexes")) {
        table.indexes.push_back(decode_index(std::get<Item>(each.data)));
    }
    table.next_index_id = static_cast<std::uint16_t>(members.number("nextIndex", 1));
    for (const auto& [key, tag] : members.map("tags")) {
        table.tags[key] = std::get<std::string>(tag.data);
    }
    table.ttl_backfilling = members.flag("ttlBackfilling");
    decode_options(table, members);
    compile_table(table);
    return table;
}

std::string encode_counts(const TableCounts& counts) {
    std::string bytes;
    for (const auto& [id, count] : counts) {
        const auto number_of_index = static_cast<std::uint16_t>(id);
        bytes.append(reinterpret_cast<const char*>(&number_of_index), sizeof number_of_index);
        bytes.append(reinterpret_cast<const char*>(&count.items), sizeof count.items);
        bytes.append(reinterpret_cast<const char*>(&count.bytes), sizeof count.bytes);
    }
    return bytes;
}

TableCounts decode_counts(std::string_view bytes) {
    constexpr std::size_t kEntryBytes = 18;
    TableCounts counts;
    for (; bytes.size() >= kEntryBytes; bytes.remove_prefix(kEntryBytes)) {
        std::uint16_t id = 0;
        Counts count;
        std::memcpy(&id, bytes.data(), sizeof id);
        std::memcpy(&count.items, bytes.data() + 2, sizeof count.items);
        std::memcpy(&count.bytes, bytes.data() + 10, sizeof count.bytes);
        counts[static_cast<IndexId>(id)] = count;
    }
    return counts;
}

}  // namespace gateleg::engine
