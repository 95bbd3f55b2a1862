#include "app/admin_client.h"

#include <chrono>
#include <cstdlib>
#include <future>
#include <variant>

#include "value/json_tree.h"

namespace gateleg::app {

Result<value::Map> ask_server(
    remote::HttpClient& client, const AdminSocket& socket, std::string_view path, std::string body
) {
    constexpr std::chrono::seconds kPatience{60};
    remote::HttpRequest request;
    request.url = "http://localhost" + std::string(path);
    request.headers = {"Content-Type: application/json"};
    request.body = std::move(body);
    request.deadline = std::chrono::steady_clock::now() + kPatience;
    request.direct = true;
    request.unix_socket = socket.path();
    std::promise<remote::HttpResult> promise;
    auto answer = promise.get_future();
    client.send(std::move(request), [&](remote::HttpResult result) {
        promise.set_value(std::move(result));
    });
    const auto result = answer.get();
    const auto* reply = std::get_if<remote::HttpReply>(&result);
    if (reply == nullptr) {
        return service_unavailable(std::get<remote::HttpFailure>(result).reason);
    }
    auto members = members_of(reply->body);
    if (reply->status != 200) {
        const auto message = text_of(members, "message");
        return service_unavailable(
            message.empty() ? "the server refused: " + reply->body : message
        );
    }
    return members;
}

value::Map members_of(std::string_view json) {
    auto parsed = value::parse_json(json);
    auto* map = parsed ? std::get_if<value::Map>(&(*parsed).data) : nullptr;
    return map == nullptr ? value::Map() : std::move(*map);
}

std::string text_of(const value::Map& members, std::string_view name) {
    const auto found = members.find(name);
    const auto* text =
        found == members.end() ? nullptr : std::get_if<std::string>(&found->second.data);
    return text == nullptr ? "" : *text;
}

std::uint64_t number_of(const value::Map& members, std::string_view name) {
    const auto found = members.find(name);
    const auto* number =
        found == members.end() ? nullptr : std::get_if<value::Number>(&found->second.data);
    return number == nullptr ? 0 : std::strtoull(number->to_text().c_str(), nullptr, 10);
}

bool flag_of(const value::Map& members, std::string_view name) {
    const auto found = members.find(name);
    const auto* flag = found == members.end() ? nullptr : std::get_if<bool>(&found->second.data);
    return flag != nullptr && *flag;
}

}  // namespace gateleg::app
