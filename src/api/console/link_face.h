// What answers on the socket of commands: a fresh link into the console, and the DynamoDB API.

#pragma once

#include <functional>
#include <string>

#include "base/json_writer.h"
#include "http/handler.h"

namespace gateleg::api::console {

// Thread-safe. The permissions of the socket's file decide who may call; what it is given outlives
// it.
class LinkFace final : public http::Handler {
public:
    // `make_link` gives a whole URL; empty: this server has no console.
    LinkFace(http::Handler& others, std::function<std::string()> make_link)
        : others_(others), make_link_(std::move(make_link)) {}

    void handle(http::Exchange exchange) override {
        const auto& head = exchange.request().head;
        if (head.path() != "/_/link" || head.method() != "POST") {
            others_.handle(std::move(exchange));
            return;
        }
        http::Response response{.content_type = "application/json"};
        JsonWriter json(response.body);
        json.begin_object();
        json.member("url", make_link_());
        json.end_object();
        exchange.reply(std::move(response));
    }
    std::size_t max_body_bytes(const http::RequestHead& head) const override {
        return others_.max_body_bytes(head);
    }
    std::optional<http::Response> refuse_early(const http::RequestHead& head) const override {
        return others_.refuse_early(head);
    }
    http::Response refusal(int status, std::string_view reason) const override {
        return others_.refusal(status, reason);
    }

private:
    http::Handler& others_;
    std::function<std::string()> make_link_;
};

}  // namespace gateleg::api::console
