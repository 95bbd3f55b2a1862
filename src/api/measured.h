// A face with counters around it: every reply is counted, listed, and logged if it was slow.

#pragma once

#include <cstdint>

#include "http/handler.h"
#include "metrics/recorder.h"
#include "metrics/request_log.h"

namespace gateleg::api {

// Where replies are noted; both outlive whoever uses it.
struct Meters {
    metrics::Recorder& recorder;
    metrics::RequestLog& requests;
    // Requests that take at least so long are logged; 0: none is.
    std::int64_t slow_micros = 0;
};

// Thread-safe. The face and the meters outlive it.
class Measured final : public http::Handler {
public:
    Measured(metrics::Face name, http::Handler& face, const Meters& meters)
        : name_(name), face_(face), meters_(meters) {}

    void handle(http::Exchange exchange) override;
    std::size_t max_body_bytes(const http::RequestHead& head) const override {
        return face_.max_body_bytes(head);
    }
    bool streams_body(const http::RequestHead& head) const override {
        return face_.streams_body(head);
    }
    std::optional<http::Response> refuse_early(const http::RequestHead& head) const override;
    http::Response refusal(int status, std::string_view reason) const override;
    void on_reply(
        const http::Request& request, const http::Trace& trace, const http::Response& response
    ) override;

private:
    void count_refusal(int status) const;

    const metrics::Face name_;
    http::Handler& face_;
    const Meters& meters_;
};

}  // namespace gateleg::api
