#include "model/arithmetic.h"

namespace gateleg::model {
namespace {

using value::Number;
using Coefficient = Number::Coefficient;

constexpr int kQuotientDecimals = 20;

std::string digits_of(Coefficient coefficient) {
    std::string text;
    do {
        text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(coefficient % 10)));
        coefficient /= 10;
    } while (coefficient != 0);
    return text;
}

Result<Number> make(bool negative, const std::string& digits, int exponent) {
    return Number::parse((negative ? "-" : "") + digits + "E" + std::to_string(exponent));
}

}  // namespace

Number negate(const Number& number) {
    return *Number::subtract(Number(), number);
}

Result<Number> multiply(const Number& left, const Number& right) {
    Coefficient product = 0;
    if (__builtin_mul_overflow(left.coefficient(), right.coefficient(), &product)) {
        return validation_error("a product has more than 38 digits");
    }
    return make(
        left.is_negative() != right.is_negative(),
        digits_of(product),
        left.exponent() + right.exponent()
    );
}

Result<Number> divide(const Number& left, const Number& right) {
    if (right.is_zero()) {
        return validation_error("division by zero");
    }
    auto remainder = left.coefficient() % right.coefficient();
    auto digits = digits_of(left.coefficient() / right.coefficient());
    int exponent = left.exponent() - right.exponent();
    for (int i = 0; i < kQuotientDecimals && remainder != 0; ++i) {
        Coefficient scaled = 0;
        if (__builtin_mul_overflow(remainder, Coefficient(10), &scaled) || digits.size() >= 38) {
            break;
        }
        digits += static_cast<char>('0' + static_cast<int>(scaled / right.coefficient()));
        remainder = scaled % right.coefficient();
        --exponent;
    }
    return make(left.is_negative() != right.is_negative(), digits, exponent);
}

}  // namespace gateleg::model
