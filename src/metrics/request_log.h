// The last requests, kept in memory for the console: what they were and how long each part took.
//
// Names and numbers only: no body, no key, no secret.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/recorder.h"

namespace gateleg::metrics {

// A text cut off at N bytes, without memory of its own. Bytes behind its end are never set: this is
// filled for every request.
template <std::size_t N>
class ShortText {
public:
    ShortText() = default;  // NOLINT: bytes_ stays as it is
    ShortText& operator=(std::string_view text) {
        size_ = static_cast<std::uint8_t>(text.size() < N ? text.size() : N);
        text.copy(bytes_.data(), size_);
        return *this;
    }
    std::string_view view() const { return {bytes_.data(), size_}; }
    bool empty() const { return size_ == 0; }

private:
    static_assert(N < 256);
    std::uint8_t size_ = 0;
    std::array<char, N> bytes_;
};

struct RequestEntry {
    // When it was answered, by the clock of http::Trace: one that only runs forward.
    std::int64_t at_nanos = 0;
    Face face = Face::kHttp;
    int status = 0;
    std::string_view operation;  // see Measured
    std::uint32_t micros = 0;
    // Signature and session; reading the body; doing it; writing the reply.
    std::array<std::uint32_t, 4> stages{};
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    ShortText<56> id;
    ShortText<64> table;  // or bucket
    ShortText<48> code;   // of an error
    ShortText<55> trace;  // traceparent, when it was one
};

// Thread-safe. add() neither blocks nor allocates: an entry whose place another thread is using is
// left out.
class RequestLog {
public:
    explicit RequestLog(std::size_t capacity = 2000);

    void add(const RequestEntry& entry);
    // Newest first, those for which `wanted` holds, at most `limit`.
    std::vector<RequestEntry> list(
        std::size_t limit, const std::function<bool(const RequestEntry&)>& wanted
    ) const;

private:
    struct Place {
        std::atomic<bool> taken{false};
        std::uint64_t number = 0;  // 0: empty
        RequestEntry entry;
    };

    const std::size_t capacity_;
    std::unique_ptr<Place[]> places_;
    std::atomic<std::uint64_t> next_{1};
};

// "00-<32 hex>-<16 hex>-<2 hex>" of W3C Trace Context, not all zeroes; version ff is none.
bool is_traceparent(std::string_view text);

}  // namespace gateleg::metrics
