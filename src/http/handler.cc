#include "http/handler.h"

#include <utility>

#include "base/check.h"

namespace gateleg::http {

Exchange& Exchange::operator=(Exchange&& other) noexcept {
    if (this != &other) {
        Exchange ended(std::move(*this));
        target_ = std::move(other.target_);
    }
    return *this;
}

Exchange::~Exchange() {
    if (target_) {
        target_->reply_missing();
    }
}

const Request& Exchange::request() const {
    GATELEG_CHECK(target_ != nullptr);
    return target_->request();
}

std::string Exchange::take_buffer() {
    GATELEG_CHECK(target_ != nullptr);
    return target_->take_body_buffer();
}

std::string Exchange::take_header_buffer() {
    GATELEG_CHECK(target_ != nullptr);
    return target_->take_header_buffer();
}

void Exchange::reply(Response&& response) {
    GATELEG_CHECK(target_ != nullptr);
    const auto target = std::exchange(target_, nullptr);
    target->reply(std::move(response));
}

Response Handler::refusal(int status, std::string_view reason) const {
    Response response;
    response.status = status;
    response.content_type = "text/plain";
    response.body.append(reason).append("\n");
    return response;
}

}  // namespace gateleg::http
