#include "engine/keyspace.h"

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "engine/limits.h"
#include "value/key_codec.h"

namespace gateleg::engine {
namespace {

// Written to disk: append only, never renumber.
constexpr char kTableDefinition = 0x01;
constexpr char kCounts = 0x02;
constexpr char kToken = 0x03;
constexpr char kTokenExpiry = 0x04;
constexpr char kLastTableId = 0x05;
constexpr char kStreamDefinition = 0x06;
constexpr char kLastSequence = 0x07;
constexpr char kBackup = 0x08;
constexpr char kRestore = 0x09;
constexpr char kClockAnchor = 0x0a;
constexpr char kItems = 0x10;
constexpr char kTtl = 0x11;
constexpr char kStreamRecords = 0x12;
constexpr char kBackupItems = 0x13;

constexpr std::size_t kIndexPrefixBytes = 1 + 4 + 2;
constexpr std::size_t kHashBytes = 8;
constexpr std::size_t kTtlPrefixBytes = 1 + 4 + 8;

// Most keys are shorter: so they are allocated once.
constexpr std::size_t kUsualKeyBytes = 128;

template <class Integer>
std::array<char, sizeof(Integer)> big_endian(Integer number) {
    std::array<char, sizeof(Integer)> bytes;
    for (std::size_t i = 0; i < sizeof number; ++i) {
        bytes[i] = static_cast<char>(number >> 8 * (sizeof number - 1 - i) & 0xff);
    }
    return bytes;
}

template <class Integer>
void append_big_endian(std::string& out, Integer number) {
    const auto bytes = big_endian(number);
    out.append(bytes.data(), bytes.size());
}

template <class Integer>
Integer read_big_endian(std::string_view bytes) {
    Integer number = 0;
    for (std::size_t i = 0; i < sizeof number; ++i) {
        number = static_cast<Integer>(number << 8 | static_cast<unsigned char>(bytes[i]));
    }
    return number;
}

std::string prefix_with(char space) {
    return std::string(1, space);
}

std::string prefix_with(char space, TableId table) {
    auto prefix = prefix_with(space);
    append_big_endian(prefix, static_cast<std::uint32_t>(table));
    return prefix;
}

std::string prefix_with(StreamId stream) {
    auto prefix = prefix_with(kStreamRecords);
    append_big_endian(prefix, static_cast<std::uint64_t>(stream));
    return prefix;
}

KeyRange range_of_prefix(std::string prefix) {
    auto end = after_prefix(prefix);
    return {std::move(prefix), std::move(end)};
}

// Empty keys do not exist, and longer ones than this cannot be in a request: an item that has one
// in an attribute of a new index stays out of it.
bool fits_key(value::ValueView value, std::size_t max_bytes) {
    return value.type() == value::Type::kNumber ||
           (!value.text().empty() && value.text().size() <= max_bytes);
}

// Appends each key attribute of `item`. False if one is absent, of another type, or no key.
bool append_attributes(
    std::string& out,
    const std::vector<KeyAttribute>& attributes,
    value::ValueView item,
    std::size_t max_bytes
) {
    for (const auto& attribute : attributes) {
        const auto found = item.find(attribute.name);
        if (!found || found->type() != attribute.type || !fits_key(*found, max_bytes)) {
            return false;
        }
        value::append_key(out, *found);
    }
    return true;
}

}  // namespace

std::string backup_key(std::string_view arn) {
    return prefix_with(kBackup).append(arn);
}

KeyRange all_backups() {
    return range_of_prefix(prefix_with(kBackup));
}

std::string restore_key(std::string_view table_name) {
    return prefix_with(kRestore).append(table_name);
}

KeyRange all_restores() {
    return range_of_prefix(prefix_with(kRestore));
}

std::string backup_item_key(TableId data, std::string_view item_key_suffix) {
    return prefix_with(kBackupItems, data).append(item_key_suffix);
}

KeyRange backup_items_range(TableId data) {
    return range_of_prefix(prefix_with(kBackupItems, data));
}

std::string after_prefix(std::string prefix) {
    while (!prefix.empty()) {
        auto& last = reinterpret_cast<unsigned char&>(prefix.back());
        if (last != 0xff) {
            ++last;
            return prefix;
        }
        prefix.pop_back();
    }
    return prefix;
}

std::string table_definition_key(std::string_view table_name) {
    return prefix_with(kTableDefinition).append(table_name);
}

KeyRange all_table_definitions() {
    return range_of_prefix(prefix_with(kTableDefinition));
}

std::string counts_key(TableId table) {
    return prefix_with(kCounts, table);
}

std::string last_table_id_key() {
    return prefix_with(kLastTableId);
}

std::string clock_anchor_key() {
    return prefix_with(kClockAnchor);
}

std::string token_key(std::string_view token) {
    return prefix_with(kToken).append(token);
}

std::string token_expiry_key(std::int64_t expires_seconds, std::string_view token) {
    auto key = prefix_with(kTokenExpiry);
    append_big_endian(key, static_cast<std::uint64_t>(expires_seconds));
    return key.append(token);
}

KeyRange tokens_expired_before(std::int64_t seconds) {
    return {prefix_with(kTokenExpiry), token_expiry_key(seconds, "")};
}

std::string_view token_of_expiry_key(std::string_view key) {
    return key.substr(1 + 8);
}

std::string index_prefix(TableId table, IndexId index) {
    auto prefix = prefix_with(kItems, table);
    append_big_endian(prefix, static_cast<std::uint16_t>(index));
    return prefix;
}

KeyRange index_range(TableId table, IndexId index) {
    return range_of_prefix(index_prefix(table, index));
}

KeyRange segment_range(TableId table, IndexId index, std::uint32_t segment, std::uint32_t total) {
    auto range = index_range(table, index);
    const auto boundary = [&](std::uint32_t number) {
        __extension__ using Wide = unsigned __int128;
        const auto scaled = (static_cast<Wide>(number) << 64) / total;
        auto key = index_prefix(table, index);
        append_big_endian(key, static_cast<std::uint64_t>(scaled));
        return key;
    };
    if (segment > 0) {
        range.begin = boundary(segment);
    }
    if (segment + 1 < total) {
        range.end = boundary(segment + 1);
    }
    return range;
}

KeyRange table_items_range(TableId table) {
    return range_of_prefix(prefix_with(kItems, table));
}

KeyRange table_ttl_range(TableId table) {
    return range_of_prefix(prefix_with(kTtl, table));
}

std::string partition_prefix(TableId table, IndexId index, std::string_view hash_attributes) {
    auto key = index_prefix(table, index);
    append_big_endian(key, hash64(hash_attributes));
    return key.append(hash_attributes);
}

namespace {

// The partition's part of a key: what partition_prefix() makes of the item's attributes, without a
// string of their own. False as append_attributes().
bool append_partition(
    std::string& key,
    TableId table,
    IndexId index,
    const KeyDefinition& schema,
    value::ValueView item
) {
    key.reserve(kUsualKeyBytes);
    key.push_back(kItems);
    append_big_endian(key, static_cast<std::uint32_t>(table));
    append_big_endian(key, static_cast<std::uint16_t>(index));
    const auto hash_at = key.size();
    key.append(sizeof(std::uint64_t), '\0');
    const auto attributes_at = key.size();
    if (!append_attributes(key, schema.hash, item, kMaxHashKeyBytes)) {
        return false;
    }
    const auto hash = big_endian(hash64(std::string_view(key).substr(attributes_at)));
    std::copy(hash.begin(), hash.end(), key.begin() + static_cast<std::ptrdiff_t>(hash_at));
    return true;
}

}  // namespace

PartitionParts split_key(std::string_view key) {
    return {
        .table = TableId{read_big_endian<std::uint32_t>(key.substr(1))},
        .index = IndexId{read_big_endian<std::uint16_t>(key.substr(1 + 4))},
        .rest = key.substr(kIndexPrefixBytes + kHashBytes)};
}

std::uint64_t partition_number(std::string_view key) {
    // The hash is even already; table and index are small numbers that must not meet each other.
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;
    const auto hash = read_big_endian<std::uint64_t>(key.substr(kIndexPrefixBytes));
    const auto place = std::uint64_t{read_big_endian<std::uint32_t>(key.substr(1))} << 16 |
                       read_big_endian<std::uint16_t>(key.substr(1 + 4));
    const auto number = hash ^ place * kSpread;
    return number == 0 ? 1 : number;
}

std::string item_key(const Table& table, value::ValueView item) {
    std::string key;
    append_partition(key, table.id, kPrimary, table.key, item);
    append_attributes(key, table.key.range, item, kMaxRangeKeyBytes);
    return key;
}

std::string_view item_key_suffix(std::string_view item_key) {
    return item_key.substr(kIndexPrefixBytes);
}

std::optional<std::string> index_entry_key(
    const Table& table, const Index& index, value::ValueView item, std::string_view item_key
) {
    std::string key;
    if (!append_partition(key, table.id, index.id, index.key, item) ||
        !append_attributes(key, index.key.range, item, kMaxRangeKeyBytes)) {
        return std::nullopt;
    }
    key.append(item_key_suffix(item_key));
    return key;
}

std::string ttl_entry_key(TableId table, std::int64_t expires_seconds, std::string_view item_key) {
    auto key = prefix_with(kTtl, table);
    append_big_endian(key, static_cast<std::uint64_t>(expires_seconds));
    return key.append(item_key_suffix(item_key));
}

KeyRange ttl_expired_before(TableId table, std::int64_t seconds) {
    auto end = prefix_with(kTtl, table);
    append_big_endian(end, static_cast<std::uint64_t>(seconds));
    return {prefix_with(kTtl, table), std::move(end)};
}

std::string item_key_of_ttl_entry(TableId table, std::string_view entry_key) {
    return index_prefix(table, kPrimary).append(entry_key.substr(kTtlPrefixBytes));
}

std::string stream_definition_key(std::string_view arn) {
    return prefix_with(kStreamDefinition).append(arn);
}

KeyRange all_stream_definitions() {
    return range_of_prefix(prefix_with(kStreamDefinition));
}

std::string last_sequence_key() {
    return prefix_with(kLastSequence);
}

std::string stream_record_key(StreamId stream, ShardNumber shard, Sequence sequence) {
    auto key = prefix_with(stream);
    append_big_endian(key, shard);
    append_big_endian(key, sequence);
    return key;
}

KeyRange shard_range(StreamId stream, ShardNumber shard) {
    auto prefix = prefix_with(stream);
    append_big_endian(prefix, shard);
    return range_of_prefix(std::move(prefix));
}

KeyRange stream_records_range(StreamId stream) {
    return range_of_prefix(prefix_with(stream));
}

Sequence sequence_of_record_key(std::string_view key) {
    Sequence sequence = 0;
    for (const char byte : key.substr(key.size() - sizeof sequence)) {
        sequence = sequence << 8 | static_cast<unsigned char>(byte);
    }
    return sequence;
}

}  // namespace gateleg::engine
