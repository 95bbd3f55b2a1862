#include "model/list_reader.h"

#include <algorithm>
#include <utility>

namespace gateleg::model {

using value::ValueView;

namespace {

constexpr std::size_t kMaxKeptBytes = std::size_t{1} << 20;

std::size_t bytes_of(const dynamo::PageReply& page) {
    std::size_t bytes = 0;
    for (const auto item : page.items.items()) {
        bytes += item.bytes().size();
    }
    return bytes;
}

}  // namespace

class ListReader::Stream {
public:
    Stream(ListReader& reader, RangeQuery query) : reader_(reader), query_(std::move(query)) {
        query_.limit = reader.options_.page_size;
    }

    void start_after(const value::EncodedItem& key) { query_.start = key; }

    // The next item, or null at the end.
    Result<const StoredItem*> peek(std::int64_t& budget) {
        while (left_ == 0 && !ended_) {
            GATELEG_TRY_ASSIGN(auto page, reader_.database_.query_page(query_));
            budget -= static_cast<std::int64_t>(page.items.size());
            ended_ = !page.last_evaluated_key;
            query_.start = std::move(page.last_evaluated_key);
            page_ = std::make_shared<const dynamo::PageReply>(std::move(page));
            is_kept_ = reader_.keep(page_);
            left_ = page_->items.size();
            at_ = left_ != 0 ? (*page_->items.items().begin()).bytes().data() : nullptr;
            if (budget <= 0) {
                break;
            }
        }
        if (!front_ && left_ != 0) {
            const ValueView item(at_);
            auto& [layout, places, recognised, forms] = reader_.memory_;
            layout.read(item);
            front_ = reader_.marks_.find(item, layout, places);
        }
        return front_ ? &*front_ : nullptr;
    }
    RawItem take() {
        RawItem taken{*front_, page_};
        // Another query may have looked at its own since.
        if (!reader_.memory_.layout.has_read(front_->bytes())) {
            reader_.memory_.layout.read(front_->bytes());
        }
        at_ = front_->bytes().end();
        --left_;
        front_.reset();
        return taken;
    }
    bool at_end() const { return ended_ && left_ == 0; }
    // The page that was taken from last stays as long as the reader does.
    bool is_kept() const { return is_kept_; }

private:
    ListReader& reader_;
    RangeQuery query_;
    std::shared_ptr<const dynamo::PageReply> page_;
    const char* at_ = nullptr;  // the front in the bytes of the page
    std::size_t left_ = 0;      // with the front
    std::optional<StoredItem> front_;
    bool ended_ = false;
    bool is_kept_ = false;
};

ListReader::ListReader(
    Database& database,
    const ItemMarks& marks,
    ListMemory& memory,
    std::string partition,
    QueryPlan plan,
    Options options
)
    : database_(database),
      marks_(marks),
      memory_(memory),
      partition_(std::move(partition)),
      plan_(std::move(plan)),
      options_(options),
      budget_(options.budget) {
    done_ = plan_.groups.empty();
}

ListReader::~ListReader() = default;

// There may be more shards than when the cursor was made; the queries of those that were known are
// found by their partitions.
bool ListReader::resume(const CursorPosition& position) {
    if (position.group >= plan_.groups.size()) {
        return false;
    }
    const auto& group = plan_.groups[position.group];
    start_ = encode_position(position);
    if (position.after.size() != group.size()) {
        start_.after.assign(group.size(), std::nullopt);
        for (const auto& after : position.after) {
            if (!after) {
                continue;
            }
            const auto found =
                std::find_if(group.begin(), group.end(), [&](const RangeQuery& query) {
                    return query.values.at(std::string(kPartitionValue)) == after->at(partition_);
                });
            if (found == group.end()) {
                return false;
            }
            start_.after[static_cast<std::size_t>(found - group.begin())] =
                value::encode_item(*after);
        }
    }
    for (const auto& after : start_.after) {
        if (!after) {
            continue;
        }
        const auto is_later = [&] {
            const auto order =
                marks_.compare(marks_.find(last_->view()), marks_.find(after->view()));
            return options_.forward ? order < 0 : order > 0;
        };
        if (!last_ || is_later()) {
            last_ = after;
        }
    }
    return true;
}

// Came into a partition that had shown nothing yet, at a place the list has passed. By the sort
// key only: items that share one lie in any order.
bool ListReader::is_late(std::size_t stream, const StoredItem& item) const {
    if (group_ != start_.group || !last_ || stream >= start_.after.size() || start_.after[stream]) {
        return false;
    }
    const auto order = marks_.compare_sort(item, marks_.find(last_->view()));
    return options_.forward ? order < 0 : order > 0;
}

void ListReader::open(std::size_t group) {
    opened_ = true;
    group_ = group;
    streams_.clear();
    done_ = group >= plan_.groups.size();
    if (done_) {
        return;
    }
    streams_.reserve(plan_.groups[group].size());
    for (std::size_t at = 0; at < plan_.groups[group].size(); ++at) {
        // A group is opened once, and only their number is asked for afterwards.
        auto& query = plan_.groups[group][at];
        streams_.emplace_back(*this, std::move(query));
        if (group == start_.group && at < start_.after.size() && start_.after[at]) {
            streams_.back().start_after(*start_.after[at]);
        }
    }
}

// The stream whose next item comes first; the number of streams if there is none.
Result<std::size_t> ListReader::find_next() {
    std::size_t best = streams_.size();
    const StoredItem* first = nullptr;
    for (std::size_t at = 0; at < streams_.size(); ++at) {
        GATELEG_TRY_ASSIGN(const StoredItem* item, streams_[at].peek(budget_));
        if (item == nullptr && !streams_[at].at_end()) {
            return streams_.size();  // out of budget: its place in the order is not known
        }
        if (item == nullptr) {
            continue;
        }
        const auto order =
            first != nullptr ? marks_.compare(*item, *first) : std::strong_ordering::equal;
        if (first == nullptr || (options_.forward ? order < 0 : order > 0)) {
            first = item;
            best = at;
        }
    }
    return best;
}

Result<std::optional<RawItem>> ListReader::next() {
    if (!opened_) {
        open(start_.group);
    }
    while (!done_) {
        GATELEG_TRY_ASSIGN(const auto next, find_next());
        if (next == streams_.size()) {
            if (budget_ <= 0) {
                break;
            }
            open(group_ + 1);
            continue;
        }
        auto raw = streams_[next].take();
        raw.place = taken_.size();
        remember(raw, next);
        if (!is_late(next, raw.item)) {
            return std::optional(std::move(raw));
        }
    }
    return std::optional<RawItem>();
}

bool ListReader::keep(const std::shared_ptr<const dynamo::PageReply>& page) {
    const auto bytes = bytes_of(*page);
    if (kept_bytes_ + bytes > kMaxKeptBytes) {
        return false;
    }
    kept_bytes_ += bytes;
    kept_.push_back(page);
    return true;
}

void ListReader::remember(const RawItem& raw, std::size_t stream) {
    const bool kept = streams_[stream].is_kept();
    taken_.push_back(
        {group_, stream, kept ? raw.item.bytes().bytes().data() : nullptr, keys_.size()}
    );
    if (!kept) {
        marks_.append_position(keys_, raw.item);
    }
}

EncodedPosition ListReader::position_after(std::size_t count) const {
    auto position = start_;
    // The last item of each query decides.
    std::vector<const Taken*> last;
    for (std::size_t at = 0; at < count; ++at) {
        const auto& taken = taken_[at];
        if (taken.group != position.group) {
            position = {taken.group, {}};
            last.clear();
        }
        last.resize(plan_.groups[position.group].size());
        last[taken.stream] = &taken;
    }
    position.after.resize(plan_.groups[position.group].size());
    for (std::size_t stream = 0; stream < last.size(); ++stream) {
        if (last[stream] == nullptr) {
            continue;
        }
        const auto& [group, number, item, key] = *last[stream];
        std::string bytes;
        if (item != nullptr) {
            marks_.append_position(bytes, marks_.find(ValueView(item)));
        } else {
            bytes = ValueView(keys_.data() + key).bytes();
        }
        position.after[stream] = value::EncodedItem(std::move(bytes));
    }
    return position;
}

}  // namespace gateleg::model
