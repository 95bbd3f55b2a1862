#include "transfer/table_reader.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "model/blocking_call.h"
#include "transfer/item_lines.h"

namespace gateleg::transfer {
namespace {

// How many items the next page may have, so that a page takes no more than a part of a second's
// budget. What an item costs is learnt from the pages before.
class PageSize {
public:
    explicit PageSize(const ReadTable& request) : request_(request) {}

    std::optional<std::int64_t> limit() const {
        std::optional<std::int64_t> most;
        const auto bound = [&](const Budget& budget, double each) {
            if (budget.bounded()) {
                constexpr double kPagesASecond = 4;
                const auto share = budget.per_second() / kPagesASecond / request_.segments;
                const auto items = std::max<std::int64_t>(
                    1, static_cast<std::int64_t>(std::min(share / each, 1e6))
                );
                most = std::min(most.value_or(items), items);
            }
        };
        bound(request_.units, units_each_);
        bound(request_.items, 1);
        return most;
    }
    double expected_units() const {
        const auto most = limit();
        return most ? static_cast<double>(*most) * units_each_ : last_units_;
    }
    void learn(std::int64_t items, double units) {
        last_units_ = units;
        if (items > 0) {
            units_each_ = std::max(units / static_cast<double>(items), 0.001);
        }
    }

private:
    const ReadTable& request_;
    double units_each_ = 1;
    double last_units_ = 0;
};

class SegmentReader {
public:
    SegmentReader(
        dynamo::Dynamo& dynamo,
        const ReadTable& request,
        std::uint32_t segment,
        const Control& control,
        bool count_only = false
    )
        : dynamo_(dynamo),
          request_(request),
          segment_(segment),
          control_(control),
          count_only_(count_only),
          size_(request) {}

    Result<dynamo::PageReply> next(const std::optional<value::EncodedItem>& start) {
        dynamo::ScanRequest scan;
        scan.segment = segment_;
        scan.total_segments = request_.segments;
        scan.page.table = request_.table;
        scan.page.consistent_read = request_.consistent;
        scan.page.exclusive_start_key = start;
        scan.page.limit = size_.limit();
        scan.page.return_capacity = dynamo::ReturnCapacity::kTotal;
        if (count_only_) {
            scan.page.select = dynamo::Select::kCount;
        }
        const auto expected = size_.expected_units();
        const auto expected_items = static_cast<double>(scan.page.limit.value_or(0));
        request_.items.take(expected_items, control_);
        request_.units.take(expected, control_);
        auto reply = model::blocking_call(dynamo_, &dynamo::Dynamo::scan, std::move(scan));
        const auto units = reply && reply->capacity ? reply->capacity->units : 0;
        request_.units.settle(expected, units);
        request_.items.settle(
            expected_items, reply ? static_cast<double>(reply->scanned_count) : 0
        );
        if (reply) {
            size_.learn(reply->scanned_count, units);
        }
        return reply;
    }

private:
    dynamo::Dynamo& dynamo_;
    const ReadTable& request_;
    std::uint32_t segment_;
    const Control& control_;
    bool count_only_;
    PageSize size_;
};

}  // namespace

void write_position(JsonWriter& json, const SegmentPosition& position) {
    if (position.next) {
        json.member("next", render_item(position.next->view()));
    }
    json.member("finished", position.finished);
    json.member("items", position.items);
}

Result<SegmentPosition> parse_position(const JsonMembers& members) {
    SegmentPosition position;
    GATELEG_TRY_ASSIGN(const auto next, members.text("next"));
    if (next) {
        GATELEG_TRY_ASSIGN(position.next, parse_item(*next));
    }
    GATELEG_TRY_ASSIGN(position.finished, members.required_flag("finished"));
    GATELEG_TRY_ASSIGN(position.items, members.required_count("items"));
    return position;
}

Result<void> read_segments(
    dynamo::Dynamo& dynamo,
    const ReadTable& request,
    std::vector<SegmentPosition> positions,
    const Control& control,
    const OnPage& on_page
) {
    std::atomic<bool> failed = false;
    std::mutex mutex;
    std::optional<Error> first;
    Control inner;
    inner.stopped = [&] { return failed || control.is_stopped(); };

    const auto read = [&](std::uint32_t segment) -> Result<void> {
        auto& position = positions[segment];
        SegmentReader reader(dynamo, request, segment, inner);
        while (!position.finished && !inner.is_stopped()) {
            GATELEG_TRY_ASSIGN(const auto page, reader.next(position.next));
            position.items += static_cast<std::int64_t>(page.items.size());
            position.next = page.last_evaluated_key;
            position.finished = !page.last_evaluated_key;
            GATELEG_TRY(on_page(segment, page, position));
        }
        return {};
    };
    std::vector<std::jthread> threads;
    for (std::uint32_t segment = 0; segment < request.segments; ++segment) {
        threads.emplace_back([&, segment] {
            if (auto done = read(segment); !done) {
                failed = true;
                const std::lock_guard lock(mutex);
                if (!first) {
                    first = std::move(done).error();
                }
            }
        });
    }
    threads.clear();
    if (first) {
        return *std::move(first);
    }
    return {};
}

Result<std::int64_t> count_items(
    dynamo::Dynamo& dynamo, const ReadTable& request, const Control& control
) {
    SegmentReader reader(dynamo, request, 0, control, true);
    std::optional<value::EncodedItem> start;
    std::int64_t count = 0;
    do {
        GATELEG_TRY_ASSIGN(auto page, reader.next(start));
        count += page.count;
        start = std::move(page.last_evaluated_key);
    } while (start && !control.is_stopped());
    return count;
}

}  // namespace gateleg::transfer
