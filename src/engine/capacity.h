// DynamoDB's arithmetic of capacity units.

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "dynamo/replies.h"
#include "dynamo/requests.h"

namespace gateleg::engine {

inline constexpr std::size_t kReadUnitBytes = 4096;
inline constexpr std::size_t kWriteUnitBytes = 1024;

// Units for reading `bytes` at once: at least one step, half price when not consistent.
double read_units(std::size_t bytes, bool consistent);
double write_units(std::size_t bytes);

// What one write cost the table and its indexes.
struct WriteCost {
    double table = 0;
    std::map<std::string, double> global_indexes;
    std::map<std::string, double> local_indexes;

    void add(const WriteCost& other);
    WriteCost times(double factor) const;
};

dynamo::ConsumedCapacity consumed(
    std::string_view table,
    const WriteCost& cost,
    dynamo::ReturnCapacity wanted,
    dynamo::ConsumedCapacity::Kind kind = dynamo::ConsumedCapacity::Kind::kPlain
);

}  // namespace gateleg::engine
