// Asks the server that runs on a data directory, through its socket file, for what is no part of
// the DynamoDB API. Requests and answers are small JSON objects.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/admin_socket.h"
#include "base/result.h"
#include "remote/http_client.h"
#include "value/attribute_value.h"

namespace gateleg::app {

// Waits for the answer. An error that the server gave comes with its message.
Result<value::Map> ask_server(
    remote::HttpClient& client, const AdminSocket& socket, std::string_view path, std::string body
);

// The members of a small JSON object; nothing if it is none.
value::Map members_of(std::string_view json);
std::string text_of(const value::Map& members, std::string_view name);      // "" without it
std::uint64_t number_of(const value::Map& members, std::string_view name);  // 0 without it
bool flag_of(const value::Map& members, std::string_view name);             // false without it

}  // namespace gateleg::app
