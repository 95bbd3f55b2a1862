#include "engine/ops/read_item.h"

#include "engine/item_writer.h"
#include "value/item_size.h"

namespace gateleg::engine::ops {

using value::EncodedItem;
using value::ValueView;

Result<void> ItemReader::compile(expr::Cache& cache) {
    GATELEG_TRY(
        check_placeholders(placeholders_, {{"ProjectionExpression", projection_text_.has_value()}})
    );
    if (!projection_text_) {
        return {};
    }
    scope_.emplace(placeholders_.names ? &*placeholders_.names : nullptr, std::nullopt);
    GATELEG_TRY_ASSIGN(projection_, expr::compile_projection(cache, *projection_text_, *scope_));
    return scope_->check_all_used();
}

Result<ItemReader::Found> ItemReader::read(
    const storage::Store& store,
    std::string_view key,
    const storage::Snapshot* snapshot,
    bool measure
) const {
    std::string bytes;
    GATELEG_TRY_ASSIGN(
        const bool there,
        snapshot == nullptr ? store.get_and_keep(key, bytes) : store.get(key, bytes, snapshot)
    );
    if (!there) {
        return Found{};
    }
    const auto size = measure ? value::item_size(ValueView(bytes.data())) : 0;
    if (!projection_) {
        return Found{EncodedItem(std::move(bytes)), size};
    }
    std::string projected;
    expr::append_projected(projected, *projection_, ValueView(bytes.data()));
    return Found{EncodedItem(std::move(projected)), size};
}

}  // namespace gateleg::engine::ops
