// For tests: what the program that is killed while it writes puts where.

#pragma once

#include <string>

namespace gateleg::objects {

inline constexpr int kWriterKeys = 7;

inline std::string writer_key(int number) {
    return "key" + std::to_string(number % kWriterKeys);
}

// The number again and again: a few bytes, or more than one write.
inline std::string writer_body(int number) {
    const auto text = std::to_string(number) + ";";
    const int repeats = number % 5 == 0 ? 60'000 : number % 50 + 1;
    std::string body;
    for (int i = 0; i < repeats; ++i) {
        body += text;
    }
    return body;
}

}  // namespace gateleg::objects
