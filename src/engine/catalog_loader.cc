#include "engine/catalog_loader.h"

#include "engine/keyspace.h"

namespace gateleg::engine {

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
    return LoadedCatalog{std::move(catalog), std::move(counts)};
}

}  // namespace gateleg::engine
