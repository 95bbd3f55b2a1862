// The files of the console as they were when the binary was built; none if it was built without.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/request.h"
#include "http/response.h"

namespace gateleg::api::console {

struct Asset {
    std::string_view path;  // "/index.html", "/assets/index-3f2a.js"
    std::string_view type;
    std::string_view tag;   // of the content, without quotes
    bool lasting = false;   // its name changes with its content
    std::string_view gzip;  // compressed
    std::string_view plain;
};

// Sorted by path. The build makes it (cmake/EmbedConsole.cmake).
std::span<const Asset> embedded_assets();

// A GET or HEAD of "/", "/favicon.svg" or "/assets/..". `policy` is the content security policy of
// pages.
http::Response serve_asset(const http::RequestHead& head, std::string_view policy);

// A page of a heading and a few lines, all of them plain text.
http::Response plain_page(
    int status, std::string_view heading, std::string_view text, std::string_view policy
);

// What every page and file carries beside its own.
std::string page_headers(std::string_view policy);

}  // namespace gateleg::api::console
