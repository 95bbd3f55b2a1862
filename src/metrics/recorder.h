// Counts requests by face, operation and status, each thread for itself; readers add up.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "metrics/histogram.h"

namespace gateleg::metrics {

enum class Face : std::uint8_t { kDynamoDb, kHttp, kS3 };
std::string_view face_name(Face face);  // "dynamodb"

// What one request adds.
struct Measured {
    Face face = Face::kHttp;
    // Lives as long as the recorder; equal names may come from different places.
    std::string_view operation;
    int status = 200;
    std::uint64_t micros = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
};

struct OperationName {
    Face face = Face::kHttp;
    std::string_view operation;
    auto operator<=>(const OperationName&) const = default;
};

// Since the start.
struct Totals {
    std::map<int, std::uint64_t> by_status;
    Buckets buckets{};
    std::uint64_t micros = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;

    std::uint64_t count() const;
    std::uint64_t errors() const;  // statuses from 400 on
    std::uint64_t faults() const;  // from 500 on
};
using TotalsByOperation = std::map<OperationName, Totals>;

// Thread-safe. Threads that counted may end before it.
class Recorder {
public:
    Recorder();
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    void count(const Measured& measured);
    TotalsByOperation totals() const;

private:
    struct Cell;
    struct Shard;

    Shard& own_shard();

    const std::uint64_t id_;
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace gateleg::metrics
