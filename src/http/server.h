// An HTTP/1.1 server: a few I/O threads, shared by several listening ports.
//
// One request at a time per connection, replies in order. Bodies are whole in memory, unless the
// handler asks for them in pieces.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "http/handler.h"
#include "http/limits.h"

namespace gateleg::http {

struct ListeningAddress {
    std::string host;  // numeric
    std::uint16_t port = 0;
};

// PEM files; the certificate file may hold its chain.
struct TlsFiles {
    std::string certificate;
    std::string private_key;
};

// listen(), start(), drain() and stop() belong to one thread.
class Server {
public:
    explicit Server(std::size_t threads, Limits limits = {});
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Before start(). Binds at once, so a taken port fails here; port 0 takes a free one.
    Result<ListeningAddress> listen(
        const std::string& host,
        std::uint16_t port,
        Handler& handler,
        const std::optional<TlsFiles>& tls = std::nullopt
    );

    // The same on a socket file that only its owner may open (0600). A file that is there already
    // is taken for one that a killed server left, and replaced: be sure that nobody listens on it.
    Result<void> listen_unix(const std::filesystem::path& path, Handler& handler);

    void start();

    // Accepts nothing more, closes idle connections, and lets requests in flight end with
    // "Connection: close". True if all were gone before `patience` ran out.
    bool drain(std::chrono::milliseconds patience);

    // Cuts off what is left and joins the threads. Exchanges still held may be answered later:
    // their replies go nowhere.
    void stop();

    std::size_t connection_count() const;

    // Has requests handled by so many of the I/O threads, from each connection's next one on. The
    // server decides that by itself while it runs (internal/folding.h); tests decide it here.
    void fold(std::size_t threads);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gateleg::http
