#include "engine/catalog_loader.h"

#include "engine/keyspace.h"

namespace gateleg::engine {
namespace {

Result<void> load_streams(const storage::Store& store, Catalog& catalog) {
    const auto range = all_stream_definitions();
    const auto cursor = store.cursor({.lower_bound = range.begin, .upper_bound = range.end});
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
        GATELEG_TRY_ASSIGN(auto stream, decode_stream(cursor->value()));
        const auto arn = stream.arn;
        catalog.streams[arn] = std::make_shared<const Stream>(std::move(stream));
    }
    return cursor->status();
}

}  // namespace

Result<LoadedCatalog> load_catalog(const storage::Store& store) {
    auto catalog = std::make_shared<Catalog>();
    CountsByTable counts;
    const auto range = all_table_definitions();
    const auto cursor = store.cursor({.lower_bound = range.begin, .upper_bound = range.end});
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
        GATELEG_TRY_ASSIGN(auto table, decode_table(cursor->value()));
        std::string bytes;
        GATELEG_TRY_ASSIGN(const bool counted, store.get(counts_key(table.id), bytes));
        if (counted) {
            counts[table.id] = decode_counts(bytes);
        }
        const auto name = table.name();
        catalog->tables[name] = std::make_shared<const Table>(std::move(table));
    }
    GATELEG_TRY(cursor->status());
    GATELEG_TRY(load_streams(store, *catalog));
    std::string bytes;
    GATELEG_TRY_ASSIGN(const bool numbered, store.get(last_sequence_key(), bytes));
    return LoadedCatalog{
        std::move(catalog), std::move(counts), numbered ? decode_sequence(bytes) : 0};
}

}  // namespace gateleg::engine
