#include "model/list_reader.h"

#include <algorithm>
#include <utility>

namespace gateleg::model {

using value::ValueView;

class ListReader::Stream {
public:
    Stream(Database& database, const ItemMarks& marks, RangeQuery query, std::int64_t page)
        : database_(database), marks_(marks), query_(std::move(query)) {
        query_.limit = page;
    }

    void start_after(const value::Item& key) { query_.start = value::encode_item(key); }

    // The next item, or null at the end.
    Result<const StoredItem*> peek(std::int64_t& budget) {
        while (!front_ && !ended_) {
            GATELEG_TRY_ASSIGN(auto page, database_.query_page(query_));
            budget -= static_cast<std::int64_t>(page.items.size());
            ended_ = !page.last_evaluated_key;
            query_.start = std::move(page.last_evaluated_key);
            page_ = std::make_shared<const dynamo::PageReply>(std::move(page));
            left_ = page_->items.size();
            at_ = left_ != 0 ? (*page_->items.items().begin()).bytes().data() : nullptr;
            look();
            if (budget <= 0) {
                break;
            }
        }
        return front_ ? &*front_ : nullptr;
    }
    RawItem take() {
        RawItem taken{*front_, page_};
        at_ = front_->bytes().end();
        --left_;
        look();
        return taken;
    }
    bool at_end() const { return ended_ && !front_; }

private:
    void look() {
        front_.reset();
        if (left_ != 0) {
            front_ = marks_.find(ValueView(at_));
        }
    }

    Database& database_;
    const ItemMarks& marks_;
    RangeQuery query_;
    std::shared_ptr<const dynamo::PageReply> page_;
    const char* at_ = nullptr;  // the front in the bytes of the page
    std::size_t left_ = 0;
    std::optional<StoredItem> front_;
    bool ended_ = false;
};

ListReader::ListReader(
    Database& database,
    const ItemMarks& marks,
    std::string partition,
    QueryPlan plan,
    Options options
)
    : database_(database),
      marks_(marks),
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
    start_ = position;
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
            start_.after[static_cast<std::size_t>(found - group.begin())] = *after;
        }
    }
    for (const auto& after : start_.after) {
        if (!after) {
            continue;
        }
        auto encoded = value::encode_item(*after);
        const auto is_later = [&] {
            const auto order =
                marks_.compare(marks_.find(last_->view()), marks_.find(encoded.view()));
            return options_.forward ? order < 0 : order > 0;
        };
        if (!last_ || is_later()) {
            last_ = std::move(encoded);
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
        streams_.emplace_back(database_, marks_, std::move(query), options_.page_size);
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
        taken_.push_back({group_, next, keys_.size()});
        marks_.append_position(keys_, raw.item);
        if (!is_late(next, raw.item)) {
            return std::optional(std::move(raw));
        }
    }
    return std::optional<RawItem>();
}

CursorPosition ListReader::position_after(std::size_t count) const {
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
        if (last[stream] != nullptr) {
            position.after[stream] =
                value::decode_item(ValueView(keys_.data() + last[stream]->key));
        }
    }
    return position;
}

}  // namespace gateleg::model
