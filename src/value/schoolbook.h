// Decimal arithmetic as it is taught at school: the oracle that number_test.cc holds Number
// against. Shares nothing with number.cc, and does not try to be fast.

#pragma once

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace gateleg::value {

// A sign and a fixed row of digits, wide enough for every sum of two DynamoDB numbers.
class Schoolbook {
public:
    // `text` is [-]digits[e[-]digits].
    explicit Schoolbook(std::string_view text) : digits_(kWhole + kFraction, 0) {
        negative_ = text.starts_with('-');
        text.remove_prefix(negative_ ? 1 : 0);
        const auto e = text.find('e');
        const auto mantissa = text.substr(0, e);
        const int exponent =
            e == std::string_view::npos ? 0 : std::atoi(std::string(text.substr(e + 1)).c_str());
        int at = kWhole - static_cast<int>(mantissa.size()) - exponent;
        for (const char c : mantissa) {
            digits_.at(static_cast<std::size_t>(at++)) = c - '0';
        }
        negative_ = negative_ && !is_zero();
    }

    Schoolbook operator-() const {
        Schoolbook negated = *this;
        negated.negative_ = !negative_ && !is_zero();
        return negated;
    }

    Schoolbook operator+(const Schoolbook& other) const {
        Schoolbook result = *this;
        if (negative_ == other.negative_) {
            result.add(other, 1);
        } else if (digits_ >= other.digits_) {
            result.add(other, -1);
        } else {
            result = other;
            result.add(*this, -1);
        }
        result.negative_ = result.negative_ && !result.is_zero();
        return result;
    }

    std::strong_ordering operator<=>(const Schoolbook& other) const {
        const auto difference = *this + -other;
        return difference.negative_   ? std::strong_ordering::less
               : difference.is_zero() ? std::strong_ordering::equal
                                      : std::strong_ordering::greater;
    }
    bool operator==(const Schoolbook& other) const { return (*this <=> other) == 0; }

    bool is_zero() const { return first() == last(); }
    int significant_digits() const { return last() - first(); }
    // The power of ten of the first digit.
    int magnitude() const { return kWhole - 1 - first(); }

    std::string to_text() const {
        std::string text = negative_ ? "-" : "";
        const int from = std::min(first(), kWhole - 1);
        for (int i = from; i < std::max(last(), kWhole); ++i) {
            if (i == kWhole) {
                text += '.';
            }
            text += static_cast<char>('0' + digits_[static_cast<std::size_t>(i)]);
        }
        return text;
    }

private:
    static constexpr int kWhole = 130;
    static constexpr int kFraction = 175;

    void add(const Schoolbook& other, int sign) {
        int carry = 0;
        for (std::size_t i = digits_.size(); i-- > 0;) {
            const int sum = digits_[i] + sign * other.digits_[i] + carry + 10;
            digits_[i] = sum % 10;
            carry = sum / 10 - 1;
        }
    }

    int first() const {
        for (int i = 0; i < kWhole + kFraction; ++i) {
            if (digits_[static_cast<std::size_t>(i)] != 0) {
                return i;
            }
        }
        return kWhole;
    }
    int last() const {
        for (int i = kWhole + kFraction; i > 0; --i) {
            if (digits_[static_cast<std::size_t>(i - 1)] != 0) {
                return i;
            }
        }
        return kWhole;
    }

    bool negative_ = false;
    std::vector<int> digits_;
};

}  // namespace gateleg::value
