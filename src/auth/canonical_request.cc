#include "auth/canonical_request.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gateleg::auth {
namespace {

// A lambda rather than a function, so that the searches inline it.
constexpr auto kIsBlank = [](char c) { return c == ' ' || c == '\t'; };

constexpr char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (to_lower(a[i]) != to_lower(b[i])) {
            return false;
        }
    }
    return true;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && kIsBlank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && kIsBlank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

constexpr auto kUnreserved = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                         "0123456789-._~")) {
        table[static_cast<unsigned char>(c)] = true;
    }
    return table;
}();

void append_encoded(std::string& out, std::string_view bytes) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (kUnreserved[byte]) {
            out.push_back(c);
        } else {
            out.push_back('%');
            out.push_back(kHex[byte >> 4]);
            out.push_back(kHex[byte & 15]);
        }
    }
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = to_lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// A percent sign that starts no escape stands for itself, and so does a plus.
std::string decoded(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size()) {
            const int high = hex_value(text[i + 1]);
            const int low = hex_value(text[i + 2]);
            if (high >= 0 && low >= 0) {
                bytes.push_back(static_cast<char>(high << 4 | low));
                i += 2;
                continue;
            }
        }
        bytes.push_back(text[i]);
    }
    return bytes;
}

std::string_view path_of(std::string_view target) {
    return target.substr(0, target.find('?'));
}

std::string_view query_of(std::string_view target) {
    const auto mark = target.find('?');
    return mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
}

template <class Visit>
void for_each_piece(std::string_view text, char separator, Visit visit) {
    while (!text.empty()) {
        const auto piece = text.substr(0, text.find(separator));
        visit(piece);
        text.remove_prefix(std::min(piece.size() + 1, text.size()));
    }
}

void append_normalized_path(std::string& out, std::string_view path) {
    std::vector<std::string_view> segments;
    for_each_piece(path, '/', [&](std::string_view segment) {
        if (segment == "..") {
            if (!segments.empty()) {
                segments.pop_back();
            }
        } else if (!segment.empty() && segment != ".") {
            segments.push_back(segment);
        }
    });
    for (const auto segment : segments) {
        out.push_back('/');
        append_encoded(out, segment);
    }
    if (segments.empty() || path.ends_with('/')) {
        out.push_back('/');
    }
}

void append_literal_path(std::string& out, std::string_view path) {
    for_each_piece(path.substr(path.starts_with('/') ? 1 : 0), '/', [&](std::string_view segment) {
        out.push_back('/');
        append_encoded(out, decoded(segment));
    });
    if (path.ends_with('/')) {
        out.push_back('/');
    }
}

void append_path(std::string& out, std::string_view path, PathForm form) {
    if (path.empty() || path == "/") {
        out.push_back('/');
    } else if (form == PathForm::kNormalized) {
        append_normalized_path(out, path);
    } else {
        append_literal_path(out, path);
    }
}

void append_query(std::string& out, std::string_view query) {
    if (query.empty()) {
        return;
    }
    std::vector<std::pair<std::string, std::string>> parameters;
    for_each_piece(query, '&', [&](std::string_view piece) {
        if (piece.empty()) {
            return;
        }
        const auto equals = std::min(piece.find('='), piece.size());
        auto& [name, value] = parameters.emplace_back();
        append_encoded(name, decoded(piece.substr(0, equals)));
        append_encoded(value, decoded(piece.substr(std::min(equals + 1, piece.size()))));
    });
    std::sort(parameters.begin(), parameters.end());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        out.append(i == 0 ? "" : "&");
        out.append(parameters[i].first).append("=").append(parameters[i].second);
    }
}

// The value with blanks around it removed and those within folded into one space.
void append_folded(std::string& out, std::string_view value) {
    value = trimmed(value);
    while (!value.empty()) {
        const auto end = std::find_if(value.begin(), value.end(), kIsBlank);
        out.append(value.begin(), end);
        const auto next = std::find_if_not(end, value.end(), kIsBlank);
        if (next != end) {
            out.push_back(' ');
        }
        value = std::string_view(next, value.end());
    }
}

void append_header(
    std::string& out, std::span<const HeaderField> headers, std::string_view lower_name
) {
    out.append(lower_name).push_back(':');
    bool first = true;
    for (const auto& header : headers) {
        if (equal_ignoring_case(header.name, lower_name)) {
            out.append(first ? "" : ",");
            append_folded(out, header.value);
            first = false;
        }
    }
    out.push_back('\n');
}

}  // namespace

PathForm path_form_of(std::string_view service) {
    return service == "s3" ? PathForm::kLiteral : PathForm::kNormalized;
}

std::size_t count_headers(std::span<const HeaderField> headers, std::string_view lower_name) {
    return static_cast<std::size_t>(std::count_if(
        headers.begin(),
        headers.end(),
        [&](const HeaderField& header) { return equal_ignoring_case(header.name, lower_name); }
    ));
}

std::optional<std::string_view> find_header(
    std::span<const HeaderField> headers, std::string_view lower_name
) {
    for (const auto& header : headers) {
        if (equal_ignoring_case(header.name, lower_name)) {
            return trimmed(header.value);
        }
    }
    return std::nullopt;
}

bool has_query_parameter(std::string_view target, std::string_view name) {
    bool found = false;
    for_each_piece(query_of(target), '&', [&](std::string_view piece) {
        found = found || equal_ignoring_case(decoded(piece.substr(0, piece.find('='))), name);
    });
    return found;
}

std::string canonical_request(
    const SignedRequest& request,
    std::span<const std::string_view> signed_names,
    std::string_view payload_hash,
    PathForm path_form
) {
    std::string text;
    text.reserve(1024);
    text.append(request.method).push_back('\n');
    append_path(text, path_of(request.target), path_form);
    text.push_back('\n');
    append_query(text, query_of(request.target));
    text.push_back('\n');
    for (const auto name : signed_names) {
        append_header(text, request.headers, name);
    }
    text.push_back('\n');
    for (std::size_t i = 0; i < signed_names.size(); ++i) {
        text.append(i == 0 ? "" : ";").append(signed_names[i]);
    }
    text.append("\n").append(payload_hash);
    return text;
}

}  // namespace gateleg::auth
