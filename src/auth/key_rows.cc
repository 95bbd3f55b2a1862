#include "auth/key_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "auth/scope.h"
#include "base/base64.h"

namespace gateleg::auth {
namespace {

constexpr std::string_view kHeading = "gateleg keys 1 ";
constexpr std::size_t kFingerprintDigits = 16;
constexpr std::size_t kFields = 6;

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_id(std::string_view text) {
    return !text.empty() && text.size() <= 128 &&
           std::all_of(text.begin(), text.end(), is_letter_or_digit);
}

std::optional<std::int64_t> parse_seconds(std::string_view text) {
    std::int64_t seconds = 0;
    const auto* end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data(), end, seconds);
    // One spelling only.
    const bool whole =
        failure == std::errc() && rest == end && seconds >= 0 && text == std::to_string(seconds);
    return whole ? std::optional(seconds) : std::nullopt;
}

// The line up to the sealed secret.
std::string bound_part(const KeyRow& row) {
    std::string text = row.id;
    text.append("\t").append(row.name).append("\t").append(row.scope).append("\t");
    text.append(std::to_string(row.created_seconds)).append("\t");
    text.append(std::to_string(row.expires_seconds)).append("\t");
    return text;
}

std::optional<KeyRow> parse_row(std::string_view line) {
    std::array<std::string_view, kFields> fields;
    for (std::size_t i = 0; i < kFields; ++i) {
        const auto end = line.find('\t');
        if ((end == std::string_view::npos) != (i + 1 == kFields)) {
            return std::nullopt;
        }
        fields[i] = line.substr(0, end);
        line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    }
    const auto scope = Scope::parse(fields[2]);
    const auto created = parse_seconds(fields[3]);
    const auto expires = parse_seconds(fields[4]);
    if (!is_id(fields[0]) || !is_key_name(fields[1]) || !scope || scope->text() != fields[2] ||
        !created || !expires) {
        return std::nullopt;
    }
    KeyRow row{
        std::string(fields[0]), std::string(fields[1]), scope->text(), *created, *expires, {}};
    return append_decoded_base64(row.sealed, fields[5]) ? std::optional(std::move(row))
                                                        : std::nullopt;
}

std::string_view take_line(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

bool is_fingerprint(std::string_view text) {
    return text.size() == kFingerprintDigits &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

bool is_key_name(std::string_view text) {
    constexpr std::size_t kMaxName = 64;
    return !text.empty() && text.size() <= kMaxName &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return is_letter_or_digit(c) ||
                      std::string_view("_-.@+").find(c) != std::string_view::npos;
           });
}

Result<KeyRows> parse_key_rows(std::string_view text, std::string_view source) {
    const auto damaged = [&](int line, std::string_view why) {
        return validation_error(
            std::string(source) + ":" + std::to_string(line) + ": " + std::string(why)
        );
    };
    KeyRows keys;
    const auto heading = take_line(text);
    if (!heading.starts_with(kHeading) || !is_fingerprint(heading.substr(kHeading.size()))) {
        return damaged(1, "is no file of keys that this release reads");
    }
    keys.fingerprint = heading.substr(kHeading.size());
    for (int line = 2; !text.empty(); ++line) {
        auto row = parse_row(take_line(text));
        if (!row) {
            return damaged(line, "is no key; restore the file from a backup");
        }
        const bool twice = std::any_of(keys.rows.begin(), keys.rows.end(), [&](const auto& other) {
            return other.id == row->id;
        });
        if (twice) {
            return damaged(line, "names a key that an earlier line has");
        }
        keys.rows.push_back(*std::move(row));
    }
    return keys;
}

std::string render_key_rows(const KeyRows& keys) {
    auto text = std::string(kHeading) + keys.fingerprint + "\n";
    for (const auto& row : keys.rows) {
        text.append(bound_part(row));
        append_base64(text, row.sealed);
        text.append("\n");
    }
    return text;
}

void seal_secret(const MasterKey& key, KeyRow& row, std::string_view secret) {
    row.sealed = key.seal(secret, bound_part(row));
}

Result<std::string> open_secret(const MasterKey& key, const KeyRow& row) {
    auto secret = key.open(row.sealed, bound_part(row));
    if (!secret) {
        return validation_error(
            "key " + row.id +
            " was changed outside of Gateleg; restore the file from a backup, "
            "or delete its line"
        );
    }
    return *std::move(secret);
}

}  // namespace gateleg::auth
