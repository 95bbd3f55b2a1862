#include <algorithm>
#include <chrono>

#include "engine/keyspace.h"
#include "engine/ops/operations.h"
#include "value/key_codec.h"
#include "value/value_writer.h"

namespace gateleg::engine::ops {
namespace {

// The hash attributes in front of `rest`, as a map.
value::EncodedItem decode_partition(const KeyDefinition& key, std::string_view rest) {
    std::string bytes;
    value::ValueWriter writer(bytes);
    const auto mark = writer.begin_map(key.hash.size());
    // The binary form has its names in order; the key has them in that of the schema.
    std::vector<std::pair<std::string_view, std::string>> values;
    for (const auto& attribute : key.hash) {
        value::decode_key(
            values.emplace_back(attribute.name, std::string()).second, attribute.type, rest
        );
    }
    std::sort(values.begin(), values.end());
    for (const auto& [name, encoded] : values) {
        writer.name(name);
        writer.copy(value::ValueView(encoded.data()));
    }
    writer.end(mark);
    return value::EncodedItem(std::move(bytes));
}

std::optional<dynamo::HotKey> name_of(
    const std::map<TableId, const Table*>& tables, const HotKeys::Seen& seen
) {
    const auto parts = split_key(seen.key);
    const auto found = tables.find(parts.table);
    if (found == tables.end()) {
        return std::nullopt;  // deleted since
    }
    const auto& table = *found->second;
    const auto* key = &table.key;
    std::optional<std::string> index_name;
    if (parts.index != kPrimary) {
        const auto index =
            std::find_if(table.indexes.begin(), table.indexes.end(), [&](const Index& each) {
                return each.id == parts.index;
            });
        if (index == table.indexes.end()) {
            return std::nullopt;
        }
        key = &index->key;
        index_name = index->definition.name;
    }
    return dynamo::HotKey{
        .table = table.name(),
        .index = std::move(index_name),
        .key = decode_partition(*key, parts.rest),
        .reads = seen.reads,
        .writes = seen.writes,
        .spare = seen.spare};
}

}  // namespace

dynamo::HotKeysReply read_hot_keys(const Core& core, const dynamo::HotKeysRequest& request) {
    const auto catalog = core.committer.catalog();
    std::map<TableId, const Table*> tables;
    for (const auto& [name, table] : catalog->tables) {
        if (!request.table || *request.table == name) {
            tables.emplace(table->id, table.get());
        }
    }
    const auto report = core.hot_keys.report(std::chrono::steady_clock::now());
    dynamo::HotKeysReply reply{.keys = {}, .calls = report.calls, .millis = report.covered.count()};
    for (const auto& seen : report.seen) {
        if (reply.keys.size() >= request.limit) {
            break;
        }
        if (auto named = name_of(tables, seen)) {
            reply.keys.push_back(*std::move(named));
        }
    }
    return reply;
}

}  // namespace gateleg::engine::ops
