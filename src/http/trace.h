// What a request tells of itself on its way: for counters, the list of last requests and the log of
// slow ones.
//
// Faces note what they learn; whoever measures (Handler::on_reply) reads it. No body, key or secret
// goes in here.

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gateleg::http {

// In this order; a request that ends early has not passed all of them.
enum class Stage : std::uint8_t { kAuth, kParse, kRun };
inline constexpr std::size_t kStages = 3;

// Belongs to whoever holds the exchange.
struct Trace {
    // Nanoseconds of a clock that only runs forward; 0: nobody measures.
    std::int64_t began = 0;
    std::array<std::int64_t, kStages> ended = {};
    // A name out of a list that lives as long as the server; empty for what never got that far.
    std::string_view operation = {};
    std::string table = {};
    std::string code = {};    // of an error
    std::string id = {};      // as the reply's headers say it
    std::string parent = {};  // the caller's traceparent, if it is one
    // Lines that the reply gets beside its own, each "Name: value\r\n".
    std::string headers = {};

    static std::int64_t now() {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch()
        )
            .count();
    }
    // Keeps the memory of the texts for the next request.
    void begin() {
        began = now();
        ended = {};
        operation = {};
        table.clear();
        code.clear();
        id.clear();
        parent.clear();
        headers.clear();
    }
    void end(Stage stage) {
        if (began != 0) {
            ended[static_cast<std::size_t>(stage)] = now();
        }
    }
};

}  // namespace gateleg::http
