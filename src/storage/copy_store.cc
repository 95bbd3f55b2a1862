#include "storage/copy_store.h"

#include <string>

namespace gateleg::storage {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

Error ended() {
    return service_unavailable("The copy was ended before it was complete");
}

Result<CopyTotals> copy_rows(
    const Store& from, const Snapshot& moment, Store& to, const CopyProgress& progress
) {
    CopyTotals totals;
    WriteBatch batch;
    const auto cursor = from.cursor({.snapshot = &moment, .fill_cache = false});
    const auto write_piece = [&]() -> Result<void> {
        GATELEG_TRY(to.write(batch));
        batch.clear();
        return progress(totals) ? Result<void>() : Result<void>(ended());
    };
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
        batch.put(cursor->key(), cursor->value());
        ++totals.rows;
        totals.bytes += cursor->key().size() + cursor->value().size();
        if (batch.bytes() >= kPieceBytes) {
            GATELEG_TRY(write_piece());
        }
    }
    GATELEG_TRY(cursor->status());
    if (!batch.empty()) {
        GATELEG_TRY(write_piece());
    }
    return totals;
}

// Row by row, from the files that were written.
Result<void> compare_rows(
    const Store& from, const Snapshot& moment, const Store& to, const CopyProgress& progress
) {
    const auto original = from.cursor({.snapshot = &moment, .fill_cache = false});
    const auto copy = to.cursor({.fill_cache = false});
    original->seek_to_first();
    copy->seek_to_first();
    CopyTotals compared;
    for (; original->valid() && copy->valid(); original->next(), copy->next()) {
        if (original->key() != copy->key() || original->value() != copy->value()) {
            return internal_error("a row of the copy is not that of the original");
        }
        ++compared.rows;
        constexpr std::uint64_t kRowsBetweenLooks = 4096;
        if (compared.rows % kRowsBetweenLooks == 0 && !progress(compared)) {
            return ended();
        }
    }
    GATELEG_TRY(original->status());
    GATELEG_TRY(copy->status());
    if (original->valid() || copy->valid()) {
        return internal_error("the copy has not as many rows as the original");
    }
    return {};
}

}  // namespace

Result<CopyTotals> copy_store(const Store& from, Store& to, const CopyProgress& progress) {
    const auto moment = from.snapshot();
    GATELEG_TRY_ASSIGN(const auto totals, copy_rows(from, *moment, to, progress));
    GATELEG_TRY(to.flush());
    GATELEG_TRY(to.verify_checksums());
    GATELEG_TRY(compare_rows(from, *moment, to, progress));
    return totals;
}

}  // namespace gateleg::storage
