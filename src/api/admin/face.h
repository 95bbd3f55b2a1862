// What the HTTP face answers beside the systems API: health, readiness, metrics, and the clock of
// tests.

#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "http/handler.h"
#include "http/host_policy.h"

namespace gateleg::api::admin {

struct Health {
    bool ok = true;
    bool accepts_writes = true;
    std::string reason;      // why it is not ok
    std::string durability;  // "fsync" or "process"
};

// What Prometheus reads, and who may read it.
struct MetricsOptions {
    std::function<std::string()> render;
    // Open to everybody where only this machine reaches it. Elsewhere to callers from this machine
    // and to those with the token, if there is one.
    bool open = true;
    std::string token = {};
};

// Thread-safe. What it is given outlives it.
class Face final : public http::Handler {
public:
    // `test_clock` is null unless --test-clock was given.
    Face(
        std::function<Health()> health,
        MetricsOptions metrics,
        SettableClock* test_clock,
        http::HostPolicy hosts
    );

    void handle(http::Exchange exchange) override;
    std::optional<http::Response> refuse_early(const http::RequestHead& head) const override;
    http::Response refusal(int status, std::string_view reason) const override;

private:
    http::Response report_health() const;
    http::Response report_metrics(const http::Request& request) const;
    http::Response set_clock(std::string_view body) const;

    std::function<Health()> health_;
    MetricsOptions metrics_;
    SettableClock* test_clock_;
    http::HostPolicy hosts_;
};

}  // namespace gateleg::api::admin
