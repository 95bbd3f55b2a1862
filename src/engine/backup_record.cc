// Each record is an item in the binary value form, so that a later version can add members. Their
// names are written to disk: never rename one.

#include "engine/backup_record.h"

#include <cstdlib>
#include <utility>

#include "value/attribute_value.h"

namespace gateleg::engine {
namespace {

using value::Item;
using value::Number;

Error damaged() {
    return internal_error("the record of a backup cannot be read");
}

const std::string* find_text(const Item& item, std::string_view name) {
    const auto found = item.find(name);
    return found == item.end() ? nullptr : std::get_if<std::string>(&found->second.data);
}
const value::Binary* find_binary(const Item& item, std::string_view name) {
    const auto found = item.find(name);
    return found == item.end() ? nullptr : std::get_if<value::Binary>(&found->second.data);
}
std::int64_t number_or_zero(const Item& item, std::string_view name) {
    const auto found = item.find(name);
    const auto* number = found == item.end() ? nullptr : std::get_if<Number>(&found->second.data);
    return number == nullptr ? 0 : std::strtoll(number->to_text().c_str(), nullptr, 10);
}

}  // namespace

std::string encode_backup(const BackupRecord& record) {
    return value::encode_item({
                                  {"arn", {record.arn}},
                                  {"name", {record.name}},
                                  {"data",
                                   {Number::from_int(static_cast<std::int64_t>(record.data))}},
                                  {"available", {record.available}},
                                  {"created", {Number::from_int(record.created_millis)}},
                                  {"table", {value::Binary{encode_table(record.table)}}},
                                  {"counts", {value::Binary{encode_counts(record.counts)}}},
                              })
        .bytes();
}

Result<BackupRecord> decode_backup(std::string_view bytes) {
    const auto item = value::decode_item(value::ValueView(bytes.data()));
    const auto* arn = find_text(item, "arn");
    const auto* name = find_text(item, "name");
    const auto* table = find_binary(item, "table");
    const auto* counts = find_binary(item, "counts");
    if (arn == nullptr || name == nullptr || table == nullptr || counts == nullptr) {
        return damaged();
    }
    BackupRecord record;
    record.arn = *arn;
    record.name = *name;
    record.data = TableId{static_cast<std::uint32_t>(number_or_zero(item, "data"))};
    const auto available = item.find("available");
    record.available = available != item.end() && available->second == value::AttributeValue{true};
    record.created_millis = number_or_zero(item, "created");
    GATELEG_TRY_ASSIGN(record.table, decode_table(table->bytes));
    record.counts = decode_counts(counts->bytes);
    return record;
}

std::string encode_restore(const RestoreRecord& record) {
    return value::encode_item({
                                  {"backup", {record.backup_arn}},
                                  {"table", {value::Binary{encode_table(record.table)}}},
                              })
        .bytes();
}

Result<RestoreRecord> decode_restore(std::string_view bytes) {
    const auto item = value::decode_item(value::ValueView(bytes.data()));
    const auto* arn = find_text(item, "backup");
    const auto* table = find_binary(item, "table");
    if (arn == nullptr || table == nullptr) {
        return damaged();
    }
    RestoreRecord record;
    record.backup_arn = *arn;
    GATELEG_TRY_ASSIGN(record.table, decode_table(table->bytes));
    return record;
}

dynamo::BackupDescription describe(const BackupRecord& record) {
    return {
        .arn = record.arn,
        .name = record.name,
        .status =
            record.available ? dynamo::BackupStatus::kAvailable : dynamo::BackupStatus::kCreating,
        .created_millis = record.created_millis,
        .table = describe(record.table, record.counts),
        .ttl_attribute = record.table.ttl_attribute,
    };
}

}  // namespace gateleg::engine
