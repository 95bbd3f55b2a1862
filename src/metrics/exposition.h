// What was counted, in the text format of Prometheus (version 0.0.4).

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/history.h"
#include "metrics/recorder.h"

namespace gateleg::metrics {

inline constexpr std::string_view kExpositionType = "text/plain; version=0.0.4; charset=utf-8";

// One family: its comment lines, then its samples.
class Exposition {
public:
    using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

    // `type` is counter, gauge or histogram.
    void family(std::string_view name, std::string_view type, std::string_view help);
    void sample(std::string_view name, const Labels& labels, double value);
    std::string take() && { return std::move(out_); }

private:
    std::string out_;
};

// gateleg_requests_total{face,operation,status}, gateleg_request_duration_seconds{face,operation},
// and the bytes.
void expose_requests(Exposition& out, const TotalsByOperation& totals);
void expose_gauges(Exposition& out, const std::vector<Gauge>& gauges);

}  // namespace gateleg::metrics
