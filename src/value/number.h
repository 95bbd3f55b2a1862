// DynamoDB's number: an exact decimal of up to 38 significant digits, from 1E-130 to 9.99..E+125.
//
// Never a double: what a client writes is what it reads back.

#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gateleg::value {

// coefficient * 10^exponent, kept without trailing zeros, so that equal numbers have equal members.
// Zero is {0, 0, false}. Immutable.
class Number {
public:
    __extension__ typedef unsigned __int128 Coefficient;  // NOLINT: `using` warns

    Number() = default;
    static Number from_int(std::int64_t value);

    // Decimal text as a client may write it ("1", "-0.50", "1E+3"). Fails with DynamoDB's own
    // ValidationException texts: not a number, more than 38 digits, overflow, underflow.
    static Result<Number> parse(std::string_view text);

    // The one spelling that is stored and sent: plain digits, no exponent, no trailing zeros.
    std::string to_text() const;
    void append_text(std::string& out) const;

    // Exact, or DynamoDB's ValidationException when the result needs more than 38 digits or leaves
    // the range. Real DynamoDB calls both "Number overflow".
    static Result<Number> add(const Number& left, const Number& right);
    static Result<Number> subtract(const Number& left, const Number& right);

    bool is_zero() const { return coefficient_ == 0; }
    bool is_negative() const { return negative_; }
    Coefficient coefficient() const { return coefficient_; }
    int exponent() const { return exponent_; }

    bool operator==(const Number&) const = default;
    std::strong_ordering operator<=>(const Number& other) const;

private:
    Coefficient coefficient_ = 0;
    int exponent_ = 0;
    bool negative_ = false;
};

// True if `text` is canonical, so that it can be stored without parsing. May say no to canonical
// texts of more than 38 characters.
bool is_short_canonical_number(std::string_view text);

// Compares two canonical texts by value, without parsing them to Numbers.
std::strong_ordering compare_number_texts(std::string_view left, std::string_view right);

}  // namespace gateleg::value
