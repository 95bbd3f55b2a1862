#include "api/console/assets.h"

#include <algorithm>

namespace gateleg::api::console {
namespace {

const Asset* find_asset(std::string_view path) {
    const auto all = embedded_assets();
    const auto found = std::lower_bound(
        all.begin(),
        all.end(),
        path,
        [](const Asset& asset, std::string_view wanted) { return asset.path < wanted; }
    );
    return found == all.end() || found->path != path ? nullptr : &*found;
}

bool takes_gzip(const http::RequestHead& head) {
    const auto accepted = head.find("Accept-Encoding").value_or("");
    const auto at = accepted.find("gzip");
    return at != std::string_view::npos && !accepted.substr(at).starts_with("gzip;q=0");
}

}  // namespace

std::string page_headers(std::string_view policy) {
    return "Content-Security-Policy: " + std::string(policy) +
           "\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
           "X-Frame-Options: DENY\r\nCross-Origin-Opener-Policy: same-origin\r\n"
           "Cross-Origin-Resource-Policy: same-origin\r\n";
}

http::Response plain_page(
    int status, std::string_view heading, std::string_view text, std::string_view policy
) {
    http::Response response{
        .status = status,
        .content_type = "text/html; charset=utf-8",
        .headers = page_headers(policy) + "Cache-Control: no-store\r\n"};
    response.body.append("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>")
        .append(heading)
        .append("</title>\n<h1>")
        .append(heading)
        .append("</h1>\n<p>")
        .append(text)
        .append("</p>\n</html>\n");
    return response;
}

http::Response serve_asset(const http::RequestHead& head, std::string_view policy) {
    const auto path = head.path();
    const auto* asset = find_asset(path == "/" ? std::string_view("/index.html") : path);
    if (asset == nullptr && path == "/") {
        return plain_page(
            200,
            "Gateleg",
            "This build has no console. Build it with <code>./dev build</code>, which needs Node. "
            "The API is described at <a href=\"/docs\">/docs</a>.",
            policy
        );
    }
    if (asset == nullptr) {
        return plain_page(404, "Not found", "There is no such file.", policy);
    }
    http::Response response{.content_type = asset->type, .headers = page_headers(policy)};
    response.headers.append(
        asset->lasting ? "Cache-Control: public, max-age=31536000, immutable\r\n"
                       : "Cache-Control: no-cache\r\n"
    );
    const auto tag = "\"" + std::string(asset->tag) + "\"";
    response.headers.append("ETag: ").append(tag).append("\r\nVary: Accept-Encoding\r\n");
    if (head.find("If-None-Match").value_or("").find(tag) != std::string_view::npos) {
        response.status = 304;
        return response;
    }
    const bool compressed = !asset->gzip.empty() && takes_gzip(head);
    if (compressed) {
        response.headers.append("Content-Encoding: gzip\r\n");
    }
    response.body = compressed ? asset->gzip : asset->plain;
    return response;
}

}  // namespace gateleg::api::console
