#include "auth/authorization_header.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gateleg::auth {
namespace {

Error incomplete(std::string message) {
    return {ErrorCode::kIncompleteSignature, std::move(message)};
}

// A lambda rather than a function, so that the searches inline it.
constexpr auto kIsSeparator = [](char c) { return c == ',' || c == ' ' || c == '\t'; };

// The next run of characters that are not separators; `rest` moves past it.
std::string_view take_word(std::string_view& rest) {
    const auto start = std::find_if_not(rest.begin(), rest.end(), kIsSeparator);
    const auto end = std::find_if(start, rest.end(), kIsSeparator);
    const std::string_view word(start, end);
    rest = std::string_view(end, rest.end());
    return word;
}

std::string_view* find_parameter(AuthorizationHeader& header, std::string_view name) {
    if (name == "Credential") {
        return &header.credential;
    }
    if (name == "SignedHeaders") {
        return &header.signed_headers;
    }
    return name == "Signature" ? &header.signature : nullptr;
}

bool is_signable_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return c > ' ' && c < 0x7f && c != ':' && !(c >= 'A' && c <= 'Z');
    });
}

}  // namespace

Result<AuthorizationHeader> parse_authorization(std::string_view value) {
    auto rest = value;
    const auto algorithm = take_word(rest);
    // AWS answers a foreign scheme such as Bearer as if nothing had been sent.
    if (!algorithm.starts_with("AWS4-")) {
        return Error{
            ErrorCode::kMissingAuthenticationToken, "Request is missing Authentication Token"};
    }
    if (algorithm != kAlgorithm) {
        return incomplete("Unsupported AWS 'algorithm': '" + printable(algorithm) + "'.");
    }
    AuthorizationHeader header;
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
        const auto equals = word.find('=');
        if (equals == std::string_view::npos) {
            return incomplete(
                "'" + printable(word) +
                "' not a valid key=value pair (missing equal-sign) in Authorization header."
            );
        }
        auto* parameter = find_parameter(header, word.substr(0, equals));
        if (parameter == nullptr) {
            continue;
        }
        if (!parameter->empty()) {
            return incomplete(
                "Authorization header has more than one '" + printable(word.substr(0, equals)) +
                "' parameter."
            );
        }
        *parameter = word.substr(equals + 1);
    }
    return header;
}

Result<CredentialParts> parse_credential(std::string_view credential) {
    std::array<std::string_view, 5> parts;
    auto rest = credential;
    bool complete = std::count(credential.begin(), credential.end(), '/') == 4;
    for (auto& part : parts) {
        part = rest.substr(0, rest.find('/'));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        complete = complete && !part.empty();
    }
    if (!complete) {
        return incomplete(
            "Credential must have exactly 5 slash-delimited elements, e.g. "
            "keyid/date/region/service/term, got '" +
            printable(credential) + "'"
        );
    }
    return CredentialParts{parts[0], {parts[1], parts[2], parts[3]}, parts[4]};
}

Result<std::vector<std::string_view>> parse_signed_headers(std::string_view text) {
    std::vector<std::string_view> names;
    names.reserve(8);
    for (bool more = true; more;) {
        const auto end = text.find(';');
        const auto name = text.substr(0, end);
        if (!is_signable_name(name) || (!names.empty() && !(names.back() < name))) {
            return Error{
                ErrorCode::kInvalidSignature,
                "'SignedHeaders' must be header names in lower case, sorted, each named once, "
                "separated by semicolons."};
        }
        names.push_back(name);
        more = end != std::string_view::npos;
        text.remove_prefix(more ? end + 1 : text.size());
    }
    return names;
}

std::string printable(std::string_view bytes) {
    constexpr std::size_t kLongest = 128;
    std::string text(bytes.substr(0, kLongest));
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c >= 0x7f; }, '?'
    );
    if (bytes.size() > kLongest) {
        text.append("...");
    }
    return text;
}

}  // namespace gateleg::auth
