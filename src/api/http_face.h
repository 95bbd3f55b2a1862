// What answers on --http: health, metrics and the clock of tests on their paths, the console on
// its own, the systems API on all others.

#pragma once

#include "api/admin/face.h"
#include "api/console/face.h"
#include "api/rest/face.h"
#include "http/handler.h"

namespace gateleg::api {

// Thread-safe. The faces outlive it; the console may be null.
class HttpFace final : public http::Handler {
public:
    HttpFace(admin::Face& admin, rest::Face& rest, console::Face* console)
        : admin_(admin), rest_(rest), console_(console) {}

    void handle(http::Exchange exchange) override {
        face_for(exchange.request().head).handle(std::move(exchange));
    }
    std::size_t max_body_bytes(const http::RequestHead& head) const override {
        return face_for(head).max_body_bytes(head);
    }
    std::optional<http::Response> refuse_early(const http::RequestHead& head) const override {
        return face_for(head).refuse_early(head);
    }
    http::Response refusal(int status, std::string_view reason) const override {
        return rest_.refusal(status, reason);
    }

private:
    http::Handler& face_for(const http::RequestHead& head) const {
        const auto path = head.path();
        if (path == "/healthz" || path == "/readyz" || path == "/metrics" ||
            path.starts_with("/_test/")) {
            return admin_;
        }
        if (console_ != nullptr && console::Face::owns(path)) {
            return *console_;
        }
        return rest_;
    }

    admin::Face& admin_;
    rest::Face& rest_;
    console::Face* console_;
};

}  // namespace gateleg::api
