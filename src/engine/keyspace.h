// The one file that knows where things lie in the store. docs/formats/disk.md describes it.
//
//     01 name                                  a table's definition
//     02 table                                 its counts
//     03 token                                 an idempotency record
//     04 expiry token                          idempotency records by the second they end
//     05                                       the last table id given out
//     06 arn                                   a stream's definition
//     07                                       the last sequence number given out
//     10 table index hash64 key...             an item (index 0) or an index entry, whose key is
//     followed
//                                              by the key of its item
//     11 table expiry hash64 key...            items by the second their time to live ends
//     08 arn                                   a backup
//     09 name                                  a table that is being restored
//     0a                                       when the clock was last believed
//     13 backup hash64 key...                  an item of a backup
//     12 stream shard sequence                 a stream's record
//
// Numbers are big-endian; keys are encoded by value/key_codec.h. hash64 spreads partitions evenly,
// so that segments of a parallel scan are ranges of it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/stream.h"
#include "engine/table.h"

namespace gateleg::engine {

struct KeyRange {
    std::string begin;  // first key in it
    std::string end;    // first key behind it
};

std::string table_definition_key(std::string_view table_name);
KeyRange all_table_definitions();
std::string counts_key(TableId table);
std::string last_table_id_key();
std::string clock_anchor_key();
std::string token_key(std::string_view token);
std::string token_expiry_key(std::int64_t expires_seconds, std::string_view token);
KeyRange tokens_expired_before(std::int64_t seconds);
// The token inside a key of that range.
std::string_view token_of_expiry_key(std::string_view key);

// Items and entries of one index, and everything of a table.
std::string index_prefix(TableId table, IndexId index);
KeyRange index_range(TableId table, IndexId index);
KeyRange segment_range(TableId table, IndexId index, std::uint32_t segment, std::uint32_t total);
KeyRange table_items_range(TableId table);
KeyRange table_ttl_range(TableId table);

// Encoded partition: index prefix, hash and hash attributes. `hash_attributes` were appended by
// value::append_key, one behind the other.
std::string partition_prefix(TableId table, IndexId index, std::string_view hash_attributes);

// What a key of an item or an index entry begins with; `rest` has the hash attributes in front.
struct PartitionParts {
    TableId table{};
    IndexId index{};
    std::string_view rest;
};
PartitionParts split_key(std::string_view key);
// The same for all keys of a partition, and hardly ever for others; never 0.
std::uint64_t partition_number(std::string_view key);

// The key of `item` (or of a key map) under the table's own schema. Its attributes have been
// checked.
std::string item_key(const Table& table, value::ValueView item);
// The part behind the index prefix, which an index entry or a time-to-live entry carries at its
// end.
std::string_view item_key_suffix(std::string_view item_key);

// The entry for `item` in `index`; nothing if the item lacks one of its key attributes or has it in
// another type: then the item is not in the index.
std::optional<std::string> index_entry_key(
    const Table& table, const Index& index, value::ValueView item, std::string_view item_key
);

std::string ttl_entry_key(TableId table, std::int64_t expires_seconds, std::string_view item_key);
KeyRange ttl_expired_before(TableId table, std::int64_t seconds);
// The key of the item that a time-to-live entry stands for.
std::string item_key_of_ttl_entry(TableId table, std::string_view entry_key);

// Backups: their records, tables that are being restored, and the items of one backup.
std::string backup_key(std::string_view arn);
KeyRange all_backups();
std::string restore_key(std::string_view table_name);
KeyRange all_restores();
std::string backup_item_key(TableId data, std::string_view item_key_suffix);
KeyRange backup_items_range(TableId data);
std::string stream_definition_key(std::string_view arn);
KeyRange all_stream_definitions();
std::string last_sequence_key();
std::string stream_record_key(StreamId stream, ShardNumber shard, Sequence sequence);
// The records of one shard, and of a whole stream.
KeyRange shard_range(StreamId stream, ShardNumber shard);
KeyRange stream_records_range(StreamId stream);
Sequence sequence_of_record_key(std::string_view key);

// The smallest key behind every key that begins with `prefix`.
std::string after_prefix(std::string prefix);

}  // namespace gateleg::engine
