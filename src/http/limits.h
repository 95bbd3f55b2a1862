// What one server grants its clients. Every figure here bounds memory, time or descriptors.

#pragma once

#include <chrono>
#include <cstddef>

namespace gateleg::http {

struct Limits {
    // Request line and headers together; more is 431.
    std::size_t max_head_bytes = std::size_t{16} * 1024;
    // At most kMaxHeaders.
    std::size_t max_headers = 100;

    // Past it the longest idle connection makes room. 0: three quarters of RLIMIT_NOFILE.
    std::size_t max_connections = 4096;
    // From one address of a client; more get 503. 0: as many as there may be.
    std::size_t max_connections_per_address = 0;
    // For bodies that do not fit beside their head, all connections together; more is 503. The
    // program sets it by the memory it may take.
    std::size_t body_pool_bytes = std::size_t{1} << 30;

    std::chrono::milliseconds handshake_deadline{10'000};
    // From the first byte of a request to the end of its head; later is 408.
    std::chrono::milliseconds head_deadline{10'000};
    // A body slower than this on average is 408, once the grace is over.
    std::size_t min_body_bytes_per_second = 1024;
    std::chrono::milliseconds body_grace{10'000};
    // A client that takes nothing of its reply for so long is cut off.
    std::chrono::milliseconds write_stall{30'000};
    std::chrono::milliseconds idle_timeout{75'000};

    // After a closing reply the rest of what the client sends is read and dropped, so that it
    // sees the reply and not a reset: for so long, and so many bytes.
    std::chrono::milliseconds linger{2'000};
    std::size_t linger_bytes = std::size_t{64} << 20;

    // How often an I/O thread looks at its connections' deadlines: their precision.
    std::chrono::milliseconds tick{1'000};
};

}  // namespace gateleg::http
