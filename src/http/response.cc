#include "http/response.h"

#include <charconv>
#include <cstddef>

namespace gateleg::http {
namespace {

void append_number(std::string& out, std::size_t number) {
    char text[24];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    out.append(text, static_cast<std::size_t>(end - text));
}

bool may_have_body(int status) {
    return status >= 200 && status != 204 && status != 304;
}

}  // namespace

std::string_view reason_phrase(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 201:
            return "Created";
        case 202:
            return "Accepted";
        case 204:
            return "No Content";
        case 206:
            return "Partial Content";
        case 301:
            return "Moved Permanently";
        case 302:
            return "Found";
        case 303:
            return "See Other";
        case 304:
            return "Not Modified";
        case 307:
            return "Temporary Redirect";
        case 308:
            return "Permanent Redirect";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 406:
            return "Not Acceptable";
        case 408:
            return "Request Timeout";
        case 409:
            return "Conflict";
        case 410:
            return "Gone";
        case 411:
            return "Length Required";
        case 412:
            return "Precondition Failed";
        case 413:
            return "Content Too Large";
        case 415:
            return "Unsupported Media Type";
        case 416:
            return "Range Not Satisfiable";
        case 417:
            return "Expectation Failed";
        case 421:
            return "Misdirected Request";
        case 422:
            return "Unprocessable Content";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 501:
            return "Not Implemented";
        case 502:
            return "Bad Gateway";
        case 503:
            return "Service Unavailable";
        case 504:
            return "Gateway Timeout";
        case 505:
            return "HTTP Version Not Supported";
        case 507:
            return "Insufficient Storage";
        default:
            return "Status";
    }
}

void append_response_head(std::string& out, const Response& response, ReplyForm form) {
    if (response.status == 200) {
        out.append("HTTP/1.1 200 OK\r\n");
    } else {
        out.append("HTTP/1.1 ");
        append_number(out, static_cast<std::size_t>(response.status));
        out.append(" ").append(reason_phrase(response.status)).append("\r\n");
    }
    if (!response.content_type.empty()) {
        out.append("Content-Type: ").append(response.content_type).append("\r\n");
    }
    if (may_have_body(response.status) && !form.live) {
        out.append("Content-Length: ");
        append_number(out, response.file ? response.file->bytes() : response.body.size());
        out.append("\r\n");
    }
    out.append(response.headers);
    if (form.close) {
        out.append("Connection: close\r\n");
    } else if (form.http_1_0) {
        out.append("Connection: keep-alive\r\n");
    }
    out.append("\r\n");
}

bool sends_body(const Response& response, ReplyForm form) {
    return !form.head_only && may_have_body(response.status);
}

}  // namespace gateleg::http
