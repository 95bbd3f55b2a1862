#include "http/handler.h"

#include <utility>

#include "base/check.h"

namespace gateleg::http {

void ExchangeTarget::read_body(std::span<char> /*into*/, BodyCallback done) {
    done({0, BodyRead::State::kEnd});
}

std::unique_ptr<LiveReply> ExchangeTarget::reply_live(
    Response&& head, UniqueFunction<void()> /*on_change*/
) {
    reply(std::move(head));
    return nullptr;
}

Exchange& Exchange::operator=(Exchange&& other) noexcept {
    if (this != &other) {
        Exchange ended(std::move(*this));
        target_ = std::move(other.target_);
    }
    return *this;
}

Exchange::~Exchange() {
    if (target_) {
        try {
            target_->reply_missing();
        } catch (...) {  // NOLINT: no memory even for that, and a throw from here ends the process
        }
    }
}

const Request& Exchange::request() const {
    GATELEG_CHECK(target_ != nullptr);
    return target_->request();
}

Trace& Exchange::trace() const {
    GATELEG_CHECK(target_ != nullptr);
    return target_->trace;
}

std::string Exchange::take_buffer() {
    GATELEG_CHECK(target_ != nullptr);
    return target_->take_body_buffer();
}

std::string Exchange::take_header_buffer() {
    GATELEG_CHECK(target_ != nullptr);
    return target_->take_header_buffer();
}

void Exchange::read_body(std::span<char> into, UniqueFunction<void(Exchange, BodyRead)> done) && {
    GATELEG_CHECK(target_ != nullptr && !into.empty());
    auto* const target = target_.get();
    target->read_body(
        into,
        [held = std::exchange(target_, nullptr), done = std::move(done)](BodyRead read) mutable {
            done(Exchange(std::move(held)), read);
        }
    );
}

void Exchange::reply(Response&& response) {
    GATELEG_CHECK(target_ != nullptr);
    const auto target = std::exchange(target_, nullptr);
    target->reply(std::move(response));
}

std::unique_ptr<LiveReply> Exchange::reply_live(Response&& head, UniqueFunction<void()> on_change) {
    GATELEG_CHECK(target_ != nullptr);
    const auto target = std::exchange(target_, nullptr);
    return target->reply_live(std::move(head), std::move(on_change));
}

Response Handler::refusal(int status, std::string_view reason) const {
    Response response;
    response.status = status;
    response.content_type = "text/plain";
    response.body.append(reason).append("\n");
    return response;
}

}  // namespace gateleg::http
