// What the server counts about itself, put together: requests, storage, engine, process.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "api/measured.h"
#include "app/backend.h"
#include "app/config.h"
#include "base/clock.h"
#include "metrics/history.h"
#include "metrics/recorder.h"
#include "metrics/request_log.h"

namespace gateleg::app {

// Thread-safe. What it is given outlives it, or at least its start() and stop().
class Observation {
public:
    Observation(
        const Config& config,
        Backend& backend,
        const Clock& real_clock,
        std::function<std::size_t()> connections,
        std::function<std::size_t()> event_streams
    );

    const api::Meters& meters() const { return meters_; }
    metrics::History& history() { return history_; }

    // The text that Prometheus reads.
    std::string render() const;

private:
    std::vector<metrics::Gauge> gauges() const;

    Backend& backend_;
    std::string version_;
    std::function<std::size_t()> connections_;
    std::function<std::size_t()> event_streams_;
    metrics::Recorder recorder_;
    metrics::RequestLog requests_;
    api::Meters meters_;
    metrics::History history_;
};

}  // namespace gateleg::app
