// Any text is a number or an error; a number has one spelling, one key and an exact order.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "value/key_codec.h"
#include "value/number.h"
#include "value/value_view.h"

using gateleg::value::Number;

namespace {

std::string key_of(const Number& number) {
    std::string key;
    gateleg::value::append_key_number(key, number);
    return key;
}

void check_spelling(const Number& number) {
    const auto text = number.to_text();
    const auto again = Number::parse(text);
    GATELEG_CHECK(again && *again == number && again->to_text() == text);
    GATELEG_CHECK(text.size() > 38 || gateleg::value::is_short_canonical_number(text));

    const auto key = key_of(number);
    std::string_view in = key;
    std::string decoded;
    gateleg::value::decode_key(decoded, gateleg::value::Type::kNumber, in);
    GATELEG_CHECK(in.empty() && gateleg::value::ValueView(decoded.data()).text() == text);
}

}  // namespace

// The input is two texts with a space between them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto space = input.find(' ');
    const auto left = Number::parse(input.substr(0, space));
    const auto right =
        Number::parse(space == std::string_view::npos ? "1" : input.substr(space + 1));
    if (!left || !right) {
        return 0;
    }
    check_spelling(*left);
    check_spelling(*right);
    const auto order = *left <=> *right;
    GATELEG_CHECK(gateleg::value::compare_number_texts(left->to_text(), right->to_text()) == order);
    GATELEG_CHECK((key_of(*left).compare(key_of(*right)) <=> 0) == order);
    if (const auto sum = Number::add(*left, *right)) {
        check_spelling(*sum);
        const auto back = Number::subtract(*sum, *right);
        GATELEG_CHECK(!back || *back == *left);
    }
    return 0;
}
