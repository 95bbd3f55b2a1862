#include "model/expression_lexer.h"

#include <array>
#include <charconv>

namespace gateleg::model {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name(char c) {
    return is_name_start(c) || is_digit(c);
}
bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

constexpr std::array<std::string_view, 4> kLongSigns = {"??", "<>", "<=", ">="};
constexpr std::string_view kSigns = "-+*/=<>?:.,()[]{}$";

class Lexer {
public:
    Lexer(std::string_view text, Position at, std::optional<SyntaxError>& error)
        : text_(text), start_(at), error_(error) {}

    std::vector<Token> run() {
        while (at_ < text_.size() && !error_) {
            if (is_space(text_[at_])) {
                ++at_;
            } else {
                take();
            }
        }
        if (error_) {
            return {};
        }
        tokens_.push_back({Token::Kind::kEnd, {}, text_.size()});
        return std::move(tokens_);
    }

private:
    void take() {
        const char c = text_[at_];
        if (is_digit(c)) {
            take_number();
        } else if (is_name_start(c)) {
            auto end = at_;
            while (end < text_.size() && is_name(text_[end])) {
                ++end;
            }
            add(Token::Kind::kName, end);
        } else if (c == '\'') {
            take_text();
        } else {
            take_sign();
        }
    }

    void take_number() {
        auto end = at_;
        while (end < text_.size() && is_digit(text_[end])) {
            ++end;
        }
        if (end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1])) {
            ++end;
            while (end < text_.size() && is_digit(text_[end])) {
                ++end;
            }
        }
        const bool unit = end < text_.size() &&
                          std::string_view("smhd").find(text_[end]) != std::string_view::npos &&
                          (end + 1 == text_.size() || !is_name(text_[end + 1]));
        if (unit) {
            add(Token::Kind::kDuration, end + 1);
        } else if (end < text_.size() && is_name_start(text_[end])) {
            fail("a name cannot begin with a digit; a text is written in single quotes", false);
        } else {
            add(Token::Kind::kNumber, end);
        }
    }

    void take_text() {
        Token token{Token::Kind::kText, {}, at_};
        auto end = at_ + 1;
        for (;; ++end) {
            if (end >= text_.size()) {
                fail("a text has no closing quote", true);
                return;
            }
            if (text_[end] != '\'') {
                token.text += text_[end];
            } else if (end + 1 < text_.size() && text_[end + 1] == '\'') {
                token.text += '\'';
                ++end;
            } else {
                break;
            }
        }
        tokens_.push_back(std::move(token));
        at_ = end + 1;
    }

    void take_sign() {
        for (const auto sign : kLongSigns) {
            if (text_.substr(at_).starts_with(sign)) {
                add(Token::Kind::kSign, at_ + sign.size());
                return;
            }
        }
        if (kSigns.find(text_[at_]) == std::string_view::npos) {
            std::string message = "'" + std::string(1, text_[at_]) + "' has no meaning here";
            if (text_[at_] == '"') {
                message += "; a text is written in single quotes";
            } else if (text_[at_] == '!') {
                message += "; write not, or <>";
            }
            fail(message, false);
            return;
        }
        add(Token::Kind::kSign, at_ + 1);
    }

    void add(Token::Kind kind, std::size_t end) {
        tokens_.push_back({kind, std::string(text_.substr(at_, end - at_)), at_});
        at_ = end;
    }

    void fail(std::string message, bool unclosed) {
        error_ = SyntaxError{advance(start_, text_, at_), std::move(message), unclosed};
    }

    std::string_view text_;
    Position start_;
    std::optional<SyntaxError>& error_;
    std::size_t at_ = 0;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, Position at, std::optional<SyntaxError>& error) {
    return Lexer(text, at, error).run();
}

Position advance(Position at, std::string_view text, std::size_t offset) {
    for (const char c : text.substr(0, offset)) {
        if (c == '\n') {
            ++at.line;
            at.column = 1;
        } else {
            ++at.column;
        }
    }
    return at;
}

std::optional<std::int64_t> parse_duration(std::string_view text) {
    if (text.size() < 2) {
        return std::nullopt;
    }
    std::int64_t count = 0;
    const auto* last = text.data() + text.size() - 1;
    const auto [end, failure] = std::from_chars(text.data(), last, count);
    if (failure != std::errc() || end != last || count < 0 || count > 1'000'000'000) {
        return std::nullopt;
    }
    switch (text.back()) {
        case 's':
            return count * 1000;
        case 'm':
            return count * 60'000;
        case 'h':
            return count * 3'600'000;
        case 'd':
            return count * 86'400'000;
        default:
            return std::nullopt;
    }
}

}  // namespace gateleg::model
