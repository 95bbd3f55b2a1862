// What answers on --http: health and the clock of tests on their paths, the systems API on all
// others.

#pragma once

#include "api/admin/face.h"
#include "api/rest/face.h"
#include "http/handler.h"

namespace gateleg::api {

// Thread-safe. Both faces outlive it.
class HttpFace final : public http::Handler {
public:
    HttpFace(admin::Face& admin, rest::Face& rest) : admin_(admin), rest_(rest) {}

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
        if (path == "/healthz" || path == "/readyz" || path.starts_with("/_test/")) {
            return admin_;
        }
        return rest_;
    }

    admin::Face& admin_;
    rest::Face& rest_;
};

}  // namespace gateleg::api
