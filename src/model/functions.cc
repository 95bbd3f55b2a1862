#include "model/functions.h"

#include <array>
#include <charconv>
#include <chrono>

#include <openssl/evp.h>

#include "base/ids.h"
#include "model/fold.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Number;

constexpr std::size_t kHashBytes = 16;

bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

const std::string* text_of(const Value& value) {
    const auto* plain = std::get_if<AttributeValue>(&value);
    return plain != nullptr ? std::get_if<std::string>(&plain->data) : nullptr;
}

// The first half of SHA-256 over the texts, each with its length, in hex.
Result<Value> hash(const std::vector<Value>& arguments) {
    std::string input;
    for (const auto& argument : arguments) {
        GATELEG_TRY_ASSIGN(const auto text, render_value(argument, {}));
        input += text ? std::to_string(text->size()) + ":" + *text : "-";
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (EVP_Digest(input.data(), input.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
        return internal_error("SHA-256 is not available");
    }
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string out;
    for (std::size_t at = 0; at < kHashBytes; ++at) {
        out += kHex[digest[at] >> 4U];
        out += kHex[digest[at] & 15U];
    }
    return text_value(std::move(out));
}

Value extreme(const std::vector<Value>& arguments, bool greatest) {
    Value best = null_value();
    for (const auto& argument : arguments) {
        if (is_null(argument)) {
            continue;
        }
        const auto order = compare_values(argument, best);
        if (is_null(best) || (order && (greatest ? *order > 0 : *order < 0))) {
            best = argument;
        }
    }
    return best;
}

Result<Value> later_by_months(const Value& start, const Value& count) {
    const auto* time = std::get_if<Time>(&start);
    const auto* plain = std::get_if<AttributeValue>(&count);
    const auto* number = plain != nullptr ? std::get_if<Number>(&plain->data) : nullptr;
    if (time == nullptr || number == nullptr) {
        return null_value();
    }
    const auto text = number->to_text();
    std::int64_t months = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), months);
    if (failure != std::errc() || end != text.data() + text.size() || months < -12'000 ||
        months > 12'000) {
        return validation_error("add_months() takes a whole number up to 12000");
    }
    return Value(Time{add_months(time->millis, months)});
}

// A version 7 UUID with the time and the random bits of a ULID, so that it sorts as that does. Ids
// of another form, as tests make them, stay as they are.
std::string to_uuid7(const std::string& ulid) {
    constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    constexpr std::string_view kHex = "0123456789abcdef";
    constexpr std::size_t kUlidSize = 26;
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    for (const char c : ulid) {
        const auto digit = kAlphabet.find(c);
        if (digit == std::string_view::npos || ulid.size() != kUlidSize) {
            return ulid;
        }
        high = high << 5U | low >> 59U;
        low = low << 5U | digit;
    }
    // 48 bits of time, then the lowest 74 of the 80 others around version and variant.
    const auto time = high >> 16U;
    const auto upper = (high & 0x3FFU) << 2U | low >> 62U;
    const auto lower_bits = low & 0x3FFFFFFFFFFFFFFFU;
    const std::uint64_t halves[2] = {
        time << 16U | 0x7000U | upper, 0x8000000000000000U | lower_bits};
    std::string out;
    for (std::size_t at = 0; at < 32; ++at) {
        if (at == 8 || at == 12 || at == 16 || at == 20) {
            out += '-';
        }
        out += kHex[halves[at / 16] >> (60U - 4U * (at % 16)) & 15U];
    }
    return out;
}

// The list less every element that equals the value.
Value list_without(const Value& list, const Value& value) {
    const auto* plain = std::get_if<AttributeValue>(&list);
    const auto* elements = plain != nullptr ? std::get_if<value::List>(&plain->data) : nullptr;
    const auto* unwanted = std::get_if<AttributeValue>(&value);
    if (elements == nullptr) {
        return null_value();
    }
    value::List rest;
    for (const auto& element : *elements) {
        if (unwanted == nullptr || !(element == *unwanted)) {
            rest.push_back(element);
        }
    }
    return Value(AttributeValue{std::move(rest)});
}

}  // namespace

std::string lower(std::string_view text) {
    std::string out(text);
    for (auto& c : out) {
        if (c >= 'A' && c <= 'Z') {
            c = static_cast<char>(c - 'A' + 'a');
        }
    }
    return out;
}

std::string trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return std::string(text);
}

std::string squeeze(std::string_view text) {
    std::string out;
    for (const char c : trim(text)) {
        if (!is_blank(c)) {
            out += c;
        } else if (out.back() != ' ') {
            out += ' ';
        }
    }
    return out;
}

std::int64_t add_months(std::int64_t millis, std::int64_t months) {
    using namespace std::chrono;  // NOLINT: calendar arithmetic reads badly with prefixes
    const sys_time<milliseconds> moment{milliseconds{millis}};
    const auto day = floor<days>(moment);
    const auto time_of_day = moment - day;
    auto date = year_month_day{day} + std::chrono::months{months};
    if (!date.ok()) {
        date = date.year() / date.month() / last;
    }
    return (sys_days{date} + time_of_day).time_since_epoch() / milliseconds{1};
}

Result<Value> call_function(
    std::string_view name, const std::vector<Value>& arguments, const Environment& environment
) {
    if (name == "ulid" || name == "uuid") {
        const auto& make = name == "ulid" ? environment.make_ulid : environment.make_uuid;
        return text_value(make ? make() : random_uuid());
    }
    if (name == "uuid7") {
        return text_value(
            environment.make_ulid ? to_uuid7(environment.make_ulid()) : random_uuid()
        );
    }
    if (name == "without") {
        return list_without(arguments[0], arguments[1]);
    }
    if (name == "hash") {
        return hash(arguments);
    }
    if (name == "min" || name == "max") {
        return extreme(arguments, name == "max");
    }
    if (name == "add_months") {
        return later_by_months(arguments[0], arguments[1]);
    }
    if (name == "epoch_s") {
        const auto* time = std::get_if<Time>(&arguments[0]);
        if (time == nullptr) {
            return null_value();
        }
        const auto seconds = (time->millis - (time->millis % 1000 + 1000) % 1000) / 1000;
        return number_value(Number::from_int(seconds));
    }
    const auto* text = text_of(arguments[0]);
    if (name == "starts_with") {
        const auto* start = text_of(arguments[1]);
        return boolean_value(text != nullptr && start != nullptr && text->starts_with(*start));
    }
    if (text == nullptr) {
        return null_value();
    }
    if (name == "fold") {
        return text_value(fold(*text));
    }
    return text_value(name == "lower" ? lower(*text) : squeeze(*text));
}

}  // namespace gateleg::model
