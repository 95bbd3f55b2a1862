#include "engine/page_reader.h"

#include <algorithm>
#include <optional>

#include "engine/capacity.h"
#include "engine/index_writer.h"
#include "engine/key_check.h"
#include "engine/limits.h"
#include "value/item_size.h"
#include "value/value_writer.h"

namespace gateleg::engine {

using dynamo::Select;
using value::ValueView;

namespace {

// Room is made for so many items at once, and for so many bytes at most.
constexpr std::int64_t kExpectedRows = 32;
constexpr std::size_t kMostReserved = std::size_t{64} << 10;

Error parameter_error(const std::string& text) {
    return validation_error("One or more parameter values were invalid: " + text);
}

}  // namespace

struct PageReader::Progress {
    dynamo::PageReply reply;
    // Index entries and the items behind them are read at one moment.
    std::shared_ptr<const storage::Snapshot> snapshot;
    std::size_t bytes = 0;  // as DynamoDB counts them
    // Bytes of items that lie in the reply and are not counted, since so few cannot fill a page;
    // nothing once all are.
    std::optional<std::size_t> uncounted;
    double fetch_units = 0;
    std::string last_item;  // the last one looked at, once the page may end behind it
    bool full = false;      // the item at hand no longer fits the page

    // Whether an item of so many bytes is left uncounted. If not, those before it are counted now.
    bool leave_uncounted(std::size_t stored) {
        if (!uncounted) {
            return false;
        }
        *uncounted += stored;
        if (value::kMostSizeOfByte * *uncounted + kMaxItemBytes <= kMaxPageBytes) {
            return true;
        }
        for (const auto item : reply.items.items()) {
            bytes += value::item_size(item);
        }
        uncounted.reset();
        return false;
    }
};

expr::Scope& PageReader::open_scope() {
    const auto& placeholders = request_.placeholders;
    return scope_.emplace(
        placeholders.names ? &*placeholders.names : nullptr,
        placeholders.values ? std::optional(placeholders.values->view()) : std::nullopt
    );
}

Result<void> PageReader::compile() {
    if (request_.filter) {
        GATELEG_TRY_ASSIGN(
            filter_,
            expr::compile_condition(
                core_.expressions, expr::Kind::kFilter, *request_.filter, *scope_
            )
        );
    }
    if (request_.projection) {
        GATELEG_TRY_ASSIGN(
            projection_, expr::compile_projection(core_.expressions, *request_.projection, *scope_)
        );
    }
    GATELEG_TRY(check_select());
    return scope_->check_all_used();
}

Result<void> PageReader::check_select() const {
    const auto select = request_.select;
    if (projection_ && select != Select::kUnset && select != Select::kSpecificAttributes) {
        const auto name = select == Select::kCount           ? "only the Count"
                          : select == Select::kAllAttributes ? "ALL_ATTRIBUTES"
                                                             : "ALL_PROJECTED_ATTRIBUTES";
        return validation_error(
            std::string("Cannot specify the ProjectionExpression when choosing to get ") + name
        );
    }
    if (!projection_ && select == Select::kSpecificAttributes) {
        return validation_error(
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
            "SPECIFIC_ATTRIBUTES"
        );
    }
    if (!request_.index && select == Select::kAllProjectedAttributes) {
        return parameter_error(
            "Select type ALL_PROJECTED_ATTRIBUTES is only valid for querying/"
            "scanning index"
        );
    }
    return {};
}

Result<void> PageReader::bind() {
    GATELEG_TRY_ASSIGN(table_, core_.get_table(request_.table));
    if (request_.index) {
        index_ = table_->find_index(*request_.index);
        if (index_ == nullptr) {
            return validation_error(
                "The table does not have the specified index: " + *request_.index
            );
        }
        if (index_->global && request_.consistent_read) {
            return validation_error("Consistent reads are not supported on global secondary indexes"
            );
        }
        if (index_->backfilling) {
            return validation_error(
                "Cannot read from backfilling global secondary index: " + *request_.index
            );
        }
    }
    GATELEG_TRY(check_projection());
    if (request_.exclusive_start_key) {
        GATELEG_TRY(check_start_key(*table_, index_, request_.exclusive_start_key->view()));
    }
    fetch_ = index_ != nullptr && !index_->global && reads_whole_items();
    return {};
}

Result<void> PageReader::check_projection() const {
    if (index_ == nullptr || !index_->global || index_->projects_all()) {
        return {};
    }
    if (request_.select == Select::kAllAttributes) {
        return parameter_error(
            "Select type ALL_ATTRIBUTES is not supported for global secondary index " +
            index_->definition.name + " because its projection type is not ALL"
        );
    }
    if (!projection_) {
        return {};
    }
    std::string missing;
    for (const auto name : expr::root_names(*projection_)) {
        if (!index_->projects(name)) {
            missing.append(missing.empty() ? "" : ", ").append(name);
        }
    }
    if (!missing.empty()) {
        return parameter_error(
            "Global secondary index " + index_->definition.name + " does not project [" + missing +
            "]"
        );
    }
    return {};
}

// Local indexes only: does the reply need attributes that the index does not hold?
bool PageReader::reads_whole_items() const {
    if (index_->projects_all()) {
        return false;
    }
    if (request_.select == Select::kAllAttributes) {
        return true;
    }
    const auto lacks = [&](std::string_view name) { return !index_->projects(name); };
    const auto any_lacking = [&](const std::vector<std::string_view>& names) {
        return std::any_of(names.begin(), names.end(), lacks);
    };
    return (projection_ && any_lacking(expr::root_names(*projection_))) ||
           (filter_ && any_lacking(expr::root_names(*filter_)));
}

std::optional<std::string> PageReader::start_position() const {
    const auto start = request_.exclusive_start_key->view();
    auto own_key = item_key(*table_, start);
    if (index_ == nullptr) {
        return own_key;
    }
    return index_entry_key(*table_, *index_, start, own_key);
}

Result<void> PageReader::check_start_inside(const KeyRange& range, std::string_view refusal) const {
    if (!request_.exclusive_start_key) {
        return {};
    }
    const auto start = start_position();
    if (start && (*start < range.begin || *start >= range.end)) {
        return validation_error(std::string(refusal));
    }
    return {};
}

void PageReader::append_key_of(std::string& out, ValueView item) const {
    std::vector<ValueView::Entry> kept;
    for (const auto& entry : item.entries()) {
        if (table_->key.has(entry.name) || (index_ != nullptr && index_->key.has(entry.name))) {
            kept.push_back(entry);
        }
    }
    value::ValueWriter writer(out);
    const auto mark = writer.begin_map(kept.size());
    for (const auto& entry : kept) {
        writer.name(entry.name);
        writer.copy(entry.value);
    }
    writer.end(mark);
}

// Looks at one stored item: counts it, filters it, and puts it into the reply.
Result<void> PageReader::take(std::string_view stored, Progress& progress) const {
    ValueView item(stored.data());
    if (!progress.leave_uncounted(stored.size())) {
        const auto size = value::item_size(item);
        if (progress.reply.scanned_count > 0 && progress.bytes + size > kMaxPageBytes) {
            progress.full = true;
            return {};
        }
        progress.bytes += size;
    }
    ++progress.reply.scanned_count;
    if (progress.reply.scanned_count == request_.limit ||
        progress.bytes + kMaxItemBytes > kMaxPageBytes) {
        progress.last_item.assign(stored);
    }
    std::string whole;
    if (fetch_) {
        GATELEG_TRY_ASSIGN(
            const bool there,
            core_.store.get(item_key(*table_, item), whole, progress.snapshot.get())
        );
        if (there) {
            item = ValueView(whole.data());
            progress.fetch_units += read_units(value::item_size(item), request_.consistent_read);
        }
    }
    if (filter_ && !expr::holds(*filter_, item)) {
        return {};
    }
    ++progress.reply.count;
    if (progress.reply.count_only) {
        return {};
    }
    if (progress.reply.items.empty()) {
        const auto rows = std::clamp<std::int64_t>(request_.limit.value_or(1), 1, kExpectedRows);
        const auto bytes = stored.size() * static_cast<std::size_t>(rows);
        progress.reply.items.reserve(std::min(bytes, kMostReserved));
    }
    append_result(progress.reply.items.bytes_for_next(), item);
    return {};
}

// What the reply shows of an item.
void PageReader::append_result(std::string& out, ValueView item) const {
    if (projection_) {
        expr::append_projected(out, *projection_, item);
    } else if (fetch_ && request_.select != Select::kAllAttributes) {
        // Fetched for the filter alone: the reply is still what the index projects.
        append_projection(out, *index_, item);
    } else {
        out.append(item.bytes());
    }
}

Result<dynamo::PageReply> PageReader::read(const KeyRange& range, bool forward) const {
    Progress progress;
    progress.reply.count_only = request_.select == Select::kCount;
    // Only then are the items of the reply all that were looked at, and as they were.
    if (!filter_ && !projection_ && !fetch_ && !progress.reply.count_only &&
        request_.return_capacity == dynamo::ReturnCapacity::kNone) {
        progress.uncounted = 0;
    }
    if (fetch_) {
        progress.snapshot = core_.store.snapshot();
    } else if (core_.index_view != nullptr && index_ != nullptr && index_->global) {
        progress.snapshot = core_.index_view->snapshot();
    }
    const auto cursor = core_.store.cursor(
        {.snapshot = progress.snapshot.get(), .lower_bound = range.begin, .upper_bound = range.end}
    );
    if (request_.exclusive_start_key) {
        const auto start = start_position();
        if (!start) {
            return validation_error("The provided starting key is invalid");
        }
        if (forward) {
            // The smallest key behind the start key.
            cursor->seek(*start + '\0');
        } else {
            cursor->seek_to_last_before(*start);
        }
    } else if (forward) {
        cursor->seek_to_first();
    } else {
        cursor->seek_to_last();
    }
    const auto limit = request_.limit.value_or(INT64_MAX);
    while (cursor->valid() && !progress.full && progress.reply.scanned_count < limit) {
        GATELEG_TRY(take(cursor->value(), progress));
        if (!progress.full) {
            forward ? cursor->next() : cursor->prev();
        }
    }
    GATELEG_TRY(cursor->status());

    auto& reply = progress.reply;
    if (progress.full || (request_.limit && reply.scanned_count == limit)) {
        std::string key;
        append_key_of(key, ValueView(progress.last_item.data()));
        reply.last_evaluated_key = value::EncodedItem(std::move(key));
    }
    if (request_.return_capacity != dynamo::ReturnCapacity::kNone) {
        reply.capacity = capacity(progress.bytes, progress.fetch_units);
    }
    return std::move(reply);
}

dynamo::ConsumedCapacity PageReader::capacity(std::size_t bytes, double fetch_units) const {
    const auto units = read_units(bytes, request_.consistent_read);
    WriteCost cost;
    if (index_ == nullptr) {
        cost.table = units;
    } else if (index_->global) {
        cost.global_indexes[index_->definition.name] = units;
    } else {
        cost.local_indexes[index_->definition.name] = units;
        cost.table = fetch_units;
    }
    return consumed(request_.table, cost, request_.return_capacity);
}

}  // namespace gateleg::engine
