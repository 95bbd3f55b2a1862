#include "engine/capacity.h"

#include <algorithm>

namespace gateleg::engine {
namespace {

double steps(std::size_t bytes, std::size_t step) {
    return static_cast<double>(std::max<std::size_t>(1, (bytes + step - 1) / step));
}

double sum(const std::map<std::string, double>& units) {
    double total = 0;
    for (const auto& [name, each] : units) {
        total += each;
    }
    return total;
}

void add_units(std::map<std::string, double>& to, const std::map<std::string, double>& from) {
    for (const auto& [name, units] : from) {
        to[name] += units;
    }
}

}  // namespace

double read_units(std::size_t bytes, bool consistent) {
    return steps(bytes, kReadUnitBytes) * (consistent ? 1.0 : 0.5);
}

double write_units(std::size_t bytes) {
    return steps(bytes, kWriteUnitBytes);
}

void WriteCost::add(const WriteCost& other) {
    table += other.table;
    add_units(global_indexes, other.global_indexes);
    add_units(local_indexes, other.local_indexes);
}

WriteCost WriteCost::times(double factor) const {
    WriteCost scaled = *this;
    scaled.table *= factor;
    for (auto* indexes : {&scaled.global_indexes, &scaled.local_indexes}) {
        for (auto& [name, units] : *indexes) {
            units *= factor;
        }
    }
    return scaled;
}

dynamo::ConsumedCapacity consumed(
    std::string_view table,
    const WriteCost& cost,
    dynamo::ReturnCapacity wanted,
    dynamo::ConsumedCapacity::Kind kind
) {
    return {
        .table = std::string(table),
        .units = cost.table + sum(cost.global_indexes) + sum(cost.local_indexes),
        .table_units = cost.table,
        .global_indexes = cost.global_indexes,
        .local_indexes = cost.local_indexes,
        .show_indexes = wanted == dynamo::ReturnCapacity::kIndexes,
        .kind = kind,
    };
}

}  // namespace gateleg::engine
