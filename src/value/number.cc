#include "value/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <utility>

#include "value/internal/decimal_text.h"

namespace gateleg::value {
namespace {

using Coefficient = Number::Coefficient;

constexpr int kMaxDigits = 38;
// The power of ten of the first significant digit.
constexpr int kMaxMagnitude = 125;
constexpr int kMinMagnitude = -130;
// Digits that fit a 64-bit word.
constexpr int kWordDigits = 19;
// What a message repeats of a text that is no number.
constexpr std::size_t kMaxEcho = 256;

constexpr auto kPowers = [] {
    std::array<Coefficient, kMaxDigits + 1> powers{};
    powers[0] = 1;
    for (std::size_t i = 1; i < powers.size(); ++i) {
        powers[i] = powers[i - 1] * 10;
    }
    return powers;
}();

constexpr Coefficient power_of_ten(int exponent) {
    return kPowers[static_cast<std::size_t>(exponent)];
}

constexpr std::uint64_t word_power_of_ten(int exponent) {
    return static_cast<std::uint64_t>(power_of_ten(exponent));
}

int digit_count(Coefficient number) {
    const auto high = static_cast<std::uint64_t>(number >> 64);
    const auto low = static_cast<std::uint64_t>(number);
    const int bits = high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(low);
    // bits * log10(2): the digit count or one less.
    const int guess = (bits * 1233) >> 12;
    return number < power_of_ten(guess) ? guess : guess + 1;
}

template <class Word>
int strip_zeros(Word& number, int first_step) {
    int stripped = 0;
    for (int step = first_step; step > 0; step /= 2) {
        const auto power = static_cast<Word>(power_of_ten(step));
        if (number % power == 0) {
            number /= power;
            stripped += step;
        }
    }
    return stripped;
}

// Takes the trailing zeros off a number other than 0 and says how many there were.
int strip_trailing_zeros(Coefficient& number) {
    if (number >> 64 != 0) {
        return strip_zeros(number, 32);
    }
    auto word = static_cast<std::uint64_t>(number);
    const int stripped = strip_zeros(word, 16);
    number = word;
    return stripped;
}

Error not_a_number(std::string_view text) {
    std::string message = "The parameter cannot be converted to a numeric value";
    if (!text.empty()) {
        message.append(": ").append(text.substr(0, kMaxEcho));
    }
    return validation_error(std::move(message));
}

Error overflow() {
    return validation_error(
        "Number overflow. Attempting to store a number with magnitude larger than supported range"
    );
}

Error underflow() {
    return validation_error(
        "Number underflow. Attempting to store a number with magnitude smaller than supported "
        "range"
    );
}

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The digits of a number from its first significant one on, however many there are.
class DigitRun {
public:
    void push(char digit, bool after_point) {
        const auto number = static_cast<std::uint64_t>(digit - '0');
        if (length_ == 0 && number == 0) {
            point_ -= after_point ? 1 : 0;
            return;
        }
        if (length_ < kWordDigits) {
            head_ = head_ * 10 + number;
        } else if (length_ < kMaxDigits) {
            tail_ = tail_ * 10 + number;
        }
        ++length_;
        point_ += after_point ? 0 : 1;
        if (number != 0) {
            significant_ = length_;
        }
    }

    bool is_zero() const { return length_ == 0; }
    // How many digits are left when the trailing zeros are dropped.
    std::int64_t significant() const { return significant_; }
    // The power of ten of the first digit.
    std::int64_t magnitude() const { return point_ - 1; }

    // Only if significant() <= kMaxDigits.
    Coefficient coefficient() const {
        const int digits = static_cast<int>(significant_);
        const int kept = static_cast<int>(std::min<std::int64_t>(length_, kMaxDigits));
        if (digits <= kWordDigits) {
            return head_ / word_power_of_ten(std::min(kept, kWordDigits) - digits);
        }
        return head_ * power_of_ten(digits - kWordDigits) +
               tail_ / word_power_of_ten(kept - digits);
    }

private:
    std::uint64_t head_ = 0;
    std::uint64_t tail_ = 0;
    std::int64_t length_ = 0;
    std::int64_t significant_ = 0;
    std::int64_t point_ = 0;
};

// Reads what follows the 'e'. False if it is no exponent. A huge one stops at a bound that no
// count of digits can bring back into range.
bool read_exponent(const char* at, const char* end, std::int64_t& exponent) {
    constexpr std::int64_t kBound = std::int64_t{1} << 50;
    const bool negative = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) {
        ++at;
    }
    if (at == end) {
        return false;
    }
    for (; at != end; ++at) {
        if (!is_digit(*at)) {
            return false;
        }
        exponent = std::min(exponent * 10 + (*at - '0'), kBound);
    }
    exponent = negative ? -exponent : exponent;
    return true;
}

}  // namespace

namespace internal {

void append_decimal(std::string& out, bool negative, std::string_view digits, int exponent) {
    if (negative) {
        out.push_back('-');
    }
    const int point = static_cast<int>(digits.size()) + exponent;
    if (exponent >= 0) {
        out.append(digits).append(static_cast<std::size_t>(exponent), '0');
    } else if (point > 0) {
        const auto whole = static_cast<std::size_t>(point);
        out.append(digits.substr(0, whole)).push_back('.');
        out.append(digits.substr(whole));
    } else {
        out.append("0.").append(static_cast<std::size_t>(-point), '0').append(digits);
    }
}

}  // namespace internal

Number Number::from_int(std::int64_t value) {
    if (value == 0) {
        return {};
    }
    const auto bits = static_cast<std::uint64_t>(value);
    Number number;
    number.negative_ = value < 0;
    number.coefficient_ = value < 0 ? 0 - bits : bits;
    number.exponent_ = strip_trailing_zeros(number.coefficient_);
    return number;
}

Result<Number> Number::parse(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    const bool negative = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) {
        ++at;
    }

    DigitRun run;
    const char* const first = at;
    for (; at != end && is_digit(*at); ++at) {
        run.push(*at, false);
    }
    auto digits_read = at - first;
    if (at != end && *at == '.') {
        const char* const fraction = ++at;
        for (; at != end && is_digit(*at); ++at) {
            run.push(*at, true);
        }
        digits_read += at - fraction;
    }
    std::int64_t exponent = 0;
    if (at != end && (*at == 'e' || *at == 'E')) {
        if (!read_exponent(at + 1, end, exponent)) {
            return not_a_number(text);
        }
        at = end;
    }
    if (at != end || digits_read == 0) {
        return not_a_number(text);
    }

    if (run.is_zero()) {
        return Number();
    }
    const auto magnitude = run.magnitude() + exponent;
    if (magnitude > kMaxMagnitude) {
        return overflow();
    }
    if (magnitude < kMinMagnitude) {
        return underflow();
    }
    if (run.significant() > kMaxDigits) {
        return validation_error("Attempting to store more than 38 significant digits in a Number");
    }
    Number number;
    number.coefficient_ = run.coefficient();
    number.exponent_ = static_cast<int>(magnitude - run.significant() + 1);
    number.negative_ = negative;
    return number;
}

std::string Number::to_text() const {
    std::string text;
    append_text(text);
    return text;
}

void Number::append_text(std::string& out) const {
    if (coefficient_ == 0) {
        out.push_back('0');
        return;
    }
    constexpr auto kWord = word_power_of_ten(kWordDigits);
    std::array<char, kMaxDigits + 2> digits{};
    char* const limit = digits.data() + digits.size();
    char* end = digits.data();
    if (coefficient_ < kWord) {
        end = std::to_chars(end, limit, static_cast<std::uint64_t>(coefficient_)).ptr;
    } else {
        const auto head = static_cast<std::uint64_t>(coefficient_ / kWord);
        auto tail = static_cast<std::uint64_t>(coefficient_ - Coefficient{head} * kWord);
        end = std::to_chars(end, limit, head).ptr + kWordDigits;
        for (char* digit = end; digit != end - kWordDigits; tail /= 10) {
            *--digit = static_cast<char>('0' + tail % 10);
        }
    }
    const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
    internal::append_decimal(out, negative_, text, exponent_);
}

Result<Number> Number::add(const Number& left, const Number& right) {
    if (left.is_zero() || right.is_zero()) {
        return left.is_zero() ? right : left;
    }
    // `coarse` is brought to the exponent of `fine`. Unless they are equal already, the last digit
    // of `fine` is then the last digit of the result, and no zero.
    const bool left_is_coarse = left.exponent_ >= right.exponent_;
    const Number& coarse = left_is_coarse ? left : right;
    const Number& fine = left_is_coarse ? right : left;
    const int shift = coarse.exponent_ - fine.exponent_;
    const int coarse_digits = digit_count(coarse.coefficient_);

    // From 2E38 up, taking away less than 1E38 still leaves more than 38 digits. Real DynamoDB
    // calls a result with too many digits an overflow (Alternator's test_number.py records it).
    const int width = coarse_digits + shift;
    if (width > kMaxDigits + 1 ||
        (width == kMaxDigits + 1 && coarse.coefficient_ >= 2 * power_of_ten(coarse_digits - 1))) {
        return overflow();
    }
    const Coefficient aligned = coarse.coefficient_ * power_of_ten(shift);

    Number sum;
    if (coarse.negative_ == fine.negative_) {
        sum.coefficient_ = aligned + fine.coefficient_;
        sum.negative_ = coarse.negative_;
    } else if (aligned == fine.coefficient_) {
        return Number();
    } else if (aligned > fine.coefficient_) {
        sum.coefficient_ = aligned - fine.coefficient_;
        sum.negative_ = coarse.negative_;
    } else {
        sum.coefficient_ = fine.coefficient_ - aligned;
        sum.negative_ = fine.negative_;
    }
    sum.exponent_ = fine.exponent_ + strip_trailing_zeros(sum.coefficient_);
    const int digits = digit_count(sum.coefficient_);
    const int magnitude = digits - 1 + sum.exponent_;
    if (digits > kMaxDigits || magnitude > kMaxMagnitude) {
        return overflow();
    }
    if (magnitude < kMinMagnitude) {
        return underflow();
    }
    return sum;
}

Result<Number> Number::subtract(const Number& left, const Number& right) {
    Number negated = right;
    negated.negative_ = !right.negative_ && !right.is_zero();
    return add(left, negated);
}

std::strong_ordering Number::operator<=>(const Number& other) const {
    if (negative_ != other.negative_) {
        return negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    if (is_zero() || other.is_zero()) {
        return !is_zero() <=> !other.is_zero();
    }
    const Number& smaller_if_less = negative_ ? other : *this;
    const Number& larger_if_less = negative_ ? *this : other;
    const int left_digits = digit_count(smaller_if_less.coefficient_);
    const int right_digits = digit_count(larger_if_less.coefficient_);
    const auto by_magnitude =
        left_digits + smaller_if_less.exponent_ <=> right_digits + larger_if_less.exponent_;
    if (by_magnitude != 0) {
        return by_magnitude;
    }
    const int width = std::max(left_digits, right_digits);
    return smaller_if_less.coefficient_ * power_of_ten(width - left_digits) <=>
           larger_if_less.coefficient_ * power_of_ten(width - right_digits);
}

bool is_short_canonical_number(std::string_view text) {
    // 38 characters cannot hold more than 38 digits, nor leave the range.
    if (text.size() > kMaxDigits || text == "0") {
        return text == "0";
    }
    if (text.starts_with('-')) {
        text.remove_prefix(1);
    }
    const auto point = text.find('.');
    const auto whole = text.substr(0, point);
    const auto all_digits = [](std::string_view digits) {
        return !digits.empty() &&
               std::all_of(digits.begin(), digits.end(), [](char c) { return is_digit(c); });
    };
    if (!all_digits(whole)) {
        return false;
    }
    if (point == std::string_view::npos) {
        return whole.front() != '0';
    }
    const auto fraction = text.substr(point + 1);
    return all_digits(fraction) && fraction.back() != '0' && (whole.front() != '0' || whole == "0");
}

std::strong_ordering compare_number_texts(std::string_view left, std::string_view right) {
    const bool negative = left.front() == '-';
    if (negative != (right.front() == '-')) {
        return negative ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    if (negative) {
        left.swap(right);
        left.remove_prefix(1);
        right.remove_prefix(1);
    }
    // Whole parts of one length put the points in one place; a fraction that goes on is the larger,
    // since its last digit is not 0.
    const auto by_length =
        std::min(left.find('.'), left.size()) <=> std::min(right.find('.'), right.size());
    return by_length != 0 ? by_length : left.compare(right) <=> 0;
}

}  // namespace gateleg::value
