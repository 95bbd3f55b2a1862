#include "metrics/recorder.h"

#include <bit>

namespace gateleg::metrics {
namespace {

// Written by one thread, read by any: no read-modify-write is needed.
using Counter = std::atomic<std::uint64_t>;

void add(Counter& counter, std::uint64_t amount) {
    counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

// Slots of a shard's table, a power of two. What does not fit is counted in the last cell.
constexpr std::size_t kSlots = 2048;
constexpr std::size_t kMostCells = kSlots / 2;
constexpr std::size_t kStatuses = 12;

std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

std::string_view face_name(Face face) {
    switch (face) {
        case Face::kDynamoDb:
            return "dynamodb";
        case Face::kHttp:
            return "http";
        case Face::kS3:
            return "s3";
    }
    return "http";
}

std::uint64_t Totals::count() const {
    std::uint64_t all = 0;
    for (const auto& [status, count] : by_status) {
        all += count;
    }
    return all;
}

std::uint64_t Totals::errors() const {
    std::uint64_t all = 0;
    for (const auto& [status, count] : by_status) {
        all += status >= 400 ? count : 0;
    }
    return all;
}

std::uint64_t Totals::faults() const {
    std::uint64_t all = 0;
    for (const auto& [status, count] : by_status) {
        all += status >= 500 ? count : 0;
    }
    return all;
}

// One operation on one thread.
struct Recorder::Cell {
    explicit Cell(OperationName of) : name(of) {}

    OperationName name;
    // The first of equal status or of none; the last takes what finds no place.
    std::array<std::atomic<int>, kStatuses> statuses{};
    std::array<Counter, kStatuses> counts{};
    std::array<Counter, kBuckets> buckets{};
    Counter micros{0};
    Counter bytes_in{0};
    Counter bytes_out{0};
};

// What one thread counted.
struct Recorder::Shard {
    // By the address of the name, which is cheaper to compare than its text.
    Cell& cell(Face face, std::string_view operation) {
        const auto address = std::bit_cast<std::uintptr_t>(operation.data());
        auto slot = (address >> 3 ^ address >> 14) + static_cast<std::size_t>(face);
        for (;; ++slot) {
            auto& place = slots[slot & (kSlots - 1)];
            auto* found = place.load(std::memory_order_relaxed);
            if (found == nullptr) {
                if (cells.size() >= kMostCells) {
                    return *cells.back();
                }
                cells.push_back(std::make_unique<Cell>(OperationName{face, operation}));
                found = cells.back().get();
                place.store(found, std::memory_order_release);
                return *found;
            }
            if (found->name.operation.data() == operation.data() &&
                found->name.operation.size() == operation.size() && found->name.face == face) {
                return *found;
            }
        }
    }

    std::array<std::atomic<Cell*>, kSlots> slots{};
    std::vector<std::unique_ptr<Cell>> cells;  // its thread's only
};

Recorder::Recorder() : id_(next_id()) {}
Recorder::~Recorder() = default;

Recorder::Shard& Recorder::own_shard() {
    struct Own {
        std::uint64_t recorder = 0;
        Shard* shard = nullptr;
    };
    thread_local Own own;
    if (own.recorder != id_) {
        auto fresh = std::make_unique<Shard>();
        own = {id_, fresh.get()};
        const std::lock_guard lock(mutex_);
        shards_.push_back(std::move(fresh));
    }
    return *own.shard;
}

void Recorder::count(const Measured& measured) {
    auto& cell = own_shard().cell(measured.face, measured.operation);
    std::size_t at = 0;
    while (at + 1 < kStatuses) {
        const int status = cell.statuses[at].load(std::memory_order_relaxed);
        if (status == measured.status) {
            break;
        }
        if (status == 0) {
            cell.statuses[at].store(measured.status, std::memory_order_relaxed);
            break;
        }
        ++at;
    }
    add(cell.counts[at], 1);
    add(cell.buckets[bucket_of(measured.micros)], 1);
    add(cell.micros, measured.micros);
    add(cell.bytes_in, measured.bytes_in);
    add(cell.bytes_out, measured.bytes_out);
}

TotalsByOperation Recorder::totals() const {
    constexpr int kOtherStatus = 599;
    TotalsByOperation all;
    const std::lock_guard lock(mutex_);
    for (const auto& shard : shards_) {
        for (const auto& slot : shard->slots) {
            const auto* cell = slot.load(std::memory_order_acquire);
            if (cell == nullptr) {
                continue;
            }
            auto& totals = all[cell->name];
            for (std::size_t i = 0; i < kStatuses; ++i) {
                const auto count = cell->counts[i].load(std::memory_order_relaxed);
                const int status = cell->statuses[i].load(std::memory_order_relaxed);
                if (count != 0) {
                    totals.by_status[status != 0 ? status : kOtherStatus] += count;
                }
            }
            for (std::size_t i = 0; i < kBuckets; ++i) {
                totals.buckets[i] += cell->buckets[i].load(std::memory_order_relaxed);
            }
            totals.micros += cell->micros.load(std::memory_order_relaxed);
            totals.bytes_in += cell->bytes_in.load(std::memory_order_relaxed);
            totals.bytes_out += cell->bytes_out.load(std::memory_order_relaxed);
        }
    }
    return all;
}

}  // namespace gateleg::metrics
