// Requests from bytes: method, target and headers a line each, an empty line, the body.
//
// Three properties: nobody gets in without the secret, what the client side signs the server side
// accepts, and the text that is signed is the one that a second, slow implementation makes.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/sigv4.h"

namespace {

using gateleg::auth::Credentials;
using gateleg::auth::HeaderField;
using gateleg::auth::SignedRequest;

constexpr std::int64_t kNow = 1440938160;  // 20150830T123600Z

const Credentials& credentials() {
    static const auto loaded = Credentials::parse(
        "[fuzz]\naws_access_key_id=AKIDEXAMPLE\naws_secret_access_key=not-in-the-corpus", "fuzz"
    );
    return *loaded;
}

std::string_view take_line(std::string_view& rest) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : rest.size());
    return line;
}

SignedRequest request_from(std::string_view bytes) {
    SignedRequest request;
    request.method = take_line(bytes);
    request.target = take_line(bytes);
    for (auto line = take_line(bytes); !line.empty(); line = take_line(bytes)) {
        const auto colon = line.find(':');
        if (colon != std::string_view::npos) {
            request.headers.push_back({line.substr(0, colon), line.substr(colon + 1)});
        }
    }
    request.body = bytes;
    return request;
}

// True if HTTP lets the name through and it is not one that verifying treats on its own.
bool is_plain_name(std::string_view name) {
    constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-";
    std::string lower(name);
    for (auto& c : lower) {
        c = static_cast<char>(c | 0x20);
    }
    return !name.empty() && name.find_first_not_of(kAllowed) == name.npos &&
           lower != "authorization" && lower != "x-amz-date" && lower != "x-amz-security-token";
}

void expect_signed_request_is_accepted(SignedRequest request) {
    std::erase_if(request.headers, [](const HeaderField& header) {
        return !is_plain_name(header.name);
    });
    request.target = request.target.substr(0, request.target.find('?'));
    if (!request.target.starts_with('/')) {
        request.target = "/";
    }
    request.headers.push_back({"host", "localhost"});
    const auto made = gateleg::auth::sign_sigv4(
        request, "AKIDEXAMPLE", "not-in-the-corpus", "us-east-1", "dynamodb", kNow
    );
    request.headers.push_back({"x-amz-date", made.amz_date});
    request.headers.push_back({"authorization", made.authorization});
    if (!verify_sigv4(request, credentials(), {.now_seconds = kNow})) {
        std::abort();
    }
}

std::string slow_encoded(unsigned char byte) {
    if (std::isalnum(byte) != 0 || byte == '-' || byte == '.' || byte == '_' || byte == '~') {
        return std::string(1, static_cast<char>(byte));
    }
    char escape[4];
    std::snprintf(escape, sizeof escape, "%%%02X", byte);
    return escape;
}

// Each character, or each whole escape, becomes one piece of the result.
std::string slow_recoded(std::string_view text, bool keeps_slash) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digits = text.substr(i).size() > 2 ? text.substr(i + 1, 2) : "";
        if (text[i] == '/' && keeps_slash) {
            out += '/';
        } else if (text[i] == '%' && digits.size() == 2 && std::isxdigit(static_cast<unsigned char>(digits[0])) != 0 && std::isxdigit(static_cast<unsigned char>(digits[1])) != 0) {
            out +=
                slow_encoded(static_cast<unsigned char>(std::stoi(std::string(digits), nullptr, 16))
                );
            i += 2;
        } else {
            out += slow_encoded(static_cast<unsigned char>(text[i]));
        }
    }
    return out;
}

std::string slow_path(std::string_view path, bool literal) {
    if (path.empty()) {
        return "/";
    }
    if (literal) {
        return (path.starts_with('/') ? "" : "/") + slow_recoded(path, true);
    }
    std::list<std::string> kept;
    std::string segment;
    for (const char c : std::string(path) + "/") {
        if (c != '/') {
            segment += c;
            continue;
        }
        if (segment == ".." && !kept.empty()) {
            kept.pop_back();
        } else if (!segment.empty() && segment != "." && segment != "..") {
            kept.push_back(segment);
        }
        segment.clear();
    }
    std::string out;
    for (const auto& each : kept) {
        out += "/";
        for (const char c : each) {
            out += slow_encoded(static_cast<unsigned char>(c));
        }
    }
    return kept.empty() || path.back() == '/' ? out + "/" : out;
}

std::string slow_query(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> all;
    std::istringstream pieces{std::string(query)};
    for (std::string piece; std::getline(pieces, piece, '&');) {
        if (!piece.empty()) {
            const auto equals = piece.find('=');
            all.emplace_back(
                slow_recoded(piece.substr(0, equals), false),
                equals == piece.npos ? "" : slow_recoded(piece.substr(equals + 1), false)
            );
        }
    }
    std::stable_sort(all.begin(), all.end());
    std::string out;
    for (const auto& [name, value] : all) {
        out += (out.empty() ? "" : "&") + name + "=" + value;
    }
    return out;
}

std::string lower_case(std::string_view name) {
    std::string lower;
    for (const char c : name) {
        lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    return lower;
}

std::string slow_header(const SignedRequest& request, const std::string& name) {
    std::string out;
    bool first = true;
    for (const auto& header : request.headers) {
        if (lower_case(header.name) != name) {
            continue;
        }
        std::string folded;
        bool blank = false;
        for (const char c : header.value) {
            if (c == ' ' || c == '\t') {
                blank = !folded.empty();
                continue;
            }
            folded += (blank ? " " : "") + std::string(1, c);
            blank = false;
        }
        out += (first ? "" : ",") + folded;
        first = false;
    }
    return name + ":" + out + "\n";
}

void expect_same_canonical_request(const SignedRequest& request) {
    std::set<std::string> names = {"host", "x-amz-date"};
    for (const auto& header : request.headers) {
        if (is_plain_name(header.name)) {
            names.insert(lower_case(header.name));
        }
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto question = request.target.find('?');
    const auto path = request.target.substr(0, question);
    const auto query =
        question == request.target.npos ? std::string_view() : request.target.substr(question + 1);
    for (const bool literal : {false, true}) {
        std::string slow = std::string(request.method) + "\n" + slow_path(path, literal) + "\n" +
                           slow_query(query) + "\n";
        std::string list;
        for (const auto& name : names) {
            slow += slow_header(request, name);
            list += (list.empty() ? "" : ";") + name;
        }
        slow += "\n" + list + "\nhash";
        const auto form =
            literal ? gateleg::auth::PathForm::kLiteral : gateleg::auth::PathForm::kNormalized;
        if (gateleg::auth::canonical_request(request, views, "hash", form) != slow) {
            std::abort();
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto request = request_from(bytes);
    for (const auto* service : {"dynamodb", "s3"}) {
        if (verify_sigv4(request, credentials(), {.service = service, .now_seconds = kNow})) {
            std::abort();
        }
    }
    expect_same_canonical_request(request);
    expect_signed_request_is_accepted(request);
    static_cast<void>(Credentials::parse(bytes, "fuzz"));
    return 0;
}
