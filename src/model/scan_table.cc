#include "model/scan_table.h"

#include <optional>
#include <vector>

#include "model/database.h"
#include "model/table_apply.h"
#include "value/json_codec.h"

namespace gateleg::model {
namespace {

Result<TableState> find_table(dynamo::Dynamo& dynamo, const Table& table) {
    GATELEG_TRY_ASSIGN(auto state, read_table_state(table, dynamo));
    if (!state.table) {
        return validation_error("there is no table " + table.name);
    }
    return state;
}

Result<std::size_t> scan(
    dynamo::Dynamo& dynamo,
    const Table& table,
    std::int64_t total,
    const ScanTableOptions& options,
    const std::function<void(value::Item)>& each
) {
    Database database(table, dynamo, nullptr);
    std::size_t count = 0;
    std::optional<value::Item> start;
    do {
        GATELEG_TRY_ASSIGN(auto page, database.scan(start));
        for (auto& item : page.items) {
            if (options.most != 0 && count == options.most) {
                return count;
            }
            ++count;
            each(std::move(item));
        }
        if (options.progress) {
            options.progress(count, static_cast<std::size_t>(total));
        }
        start = std::move(page.next);
    } while (start);
    return count;
}

}  // namespace

Result<std::size_t> list_items(
    dynamo::Dynamo& dynamo,
    const std::string& table,
    const ScanTableOptions& options,
    const std::function<void(const std::string& json)>& each
) {
    Table wanted;
    wanted.name = table;
    GATELEG_TRY_ASSIGN(const auto state, find_table(dynamo, wanted));
    return scan(dynamo, wanted, state.table->item_count, options, [&](const value::Item& item) {
        std::string json;
        value::append_json_map(json, value::encode_item(item).view());
        each(json);
    });
}

Result<InferredTable> infer_table(
    dynamo::Dynamo& dynamo, const std::string& table, const ScanTableOptions& options
) {
    Table wanted;
    wanted.name = table;
    GATELEG_TRY_ASSIGN(const auto state, find_table(dynamo, wanted));
    std::vector<value::Item> items;
    const auto keep = [&](value::Item item) { items.push_back(std::move(item)); };
    GATELEG_TRY_ASSIGN(
        const auto count, scan(dynamo, wanted, state.table->item_count, options, keep)
    );
    return InferredTable{infer_model(*state.table, state.ttl, items), count};
}

}  // namespace gateleg::model
