#include "http/server.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/check.h"
#include "base/log.h"
#include "http/internal/connection.h"
#include "http/internal/io_loop.h"

namespace gateleg::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kAcceptPause = std::chrono::milliseconds(50);

using IoLoops = std::vector<std::shared_ptr<IoLoop>>;  // each holds all of them

std::size_t connection_cap(const Limits& limits) {
    rlimit descriptors{};
    if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0 || descriptors.rlim_cur == RLIM_INFINITY) {
        return limits.max_connections == 0 ? 65536 : limits.max_connections;
    }
    const auto most = static_cast<std::size_t>(descriptors.rlim_cur) / 4 * 3;
    return limits.max_connections == 0 ? most : std::min(limits.max_connections, most);
}

Result<std::unique_ptr<asio::ssl::context>> load_tls(const TlsFiles& files) {
    auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
    const auto failed = [](std::string_view what, const std::string& file, const error_code& why) {
        return validation_error(
            "Cannot use the " + std::string(what) + " in " + file + ": " + why.message()
        );
    };
    error_code error;
    context->set_options(
        asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
            asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
            asio::ssl::context::no_tlsv1_1 | asio::ssl::context::no_compression,
        error
    );
    // Off: a client must not make the server spend handshakes on one connection again and again.
    SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
    if (context->use_certificate_chain_file(files.certificate, error)) {
        return failed("certificate", files.certificate, error);
    }
    if (context->use_private_key_file(files.private_key, asio::ssl::context::pem, error)) {
        return failed("private key", files.private_key, error);
    }
    return context;
}

// A listening socket at that path, or -1 with errno set. Its mode is set before it has a name, so
// that it is never open to others.
int open_unix(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    path.copy(static_cast<char*>(address.sun_path), path.size());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) {
        return -1;
    }
    ::unlink(path.c_str());
    if (::fchmod(socket, S_IRUSR | S_IWUSR) != 0 ||
        ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket, SOMAXCONN) != 0) {
        const int reason = errno;
        ::close(socket);
        errno = reason;
        return -1;
    }
    return socket;
}

// One listening port. Runs on the first loop's thread; its connections belong to the loop that has
// fewest, which is round robin while they come and stay.
class Listener : public std::enable_shared_from_this<Listener> {
public:
    Listener(
        const IoLoops& loops,
        tcp::acceptor acceptor,
        Handler& handler,
        std::unique_ptr<asio::ssl::context> tls
    )
        : loops_(loops),
          acceptor_(std::move(acceptor)),
          pause_(acceptor_.get_executor()),
          handler_(handler),
          tls_(std::move(tls)) {}

    void accept() {
        const auto loop = next_loop();
        acceptor_.async_accept(
            loop->io(),
            [self = shared_from_this(), loop](const error_code& error, tcp::socket socket) {
                self->on_accept(error, loop, std::move(socket));
            }
        );
    }

    void close() {
        error_code ignored;
        acceptor_.close(ignored);
        pause_.cancel();
    }

private:
    std::shared_ptr<IoLoop> next_loop() {
        next_ = (next_ + 1) % loops_.size();
        std::size_t best = next_;
        for (std::size_t i = 1; i < loops_.size(); ++i) {
            const auto other = (next_ + i) % loops_.size();
            if (loops_[other]->homed() < loops_[best]->homed()) {
                best = other;
            }
        }
        return loops_[best];
    }

    void on_accept(
        const error_code& error, const std::shared_ptr<IoLoop>& loop, tcp::socket socket
    ) {
        if (!acceptor_.is_open()) {
            return;
        }
        if (error == asio::error::no_descriptors || error == error_code(ENFILE, error.category())) {
            log_warn("out of file descriptors");
            for (const auto& each : loops_) {
                asio::post(each->io(), [each] { each->evict_one(); });
            }
            pause_.expires_after(kAcceptPause);
            pause_.async_wait([self = shared_from_this()](const error_code& cancelled) {
                if (!cancelled && self->acceptor_.is_open()) {
                    self->accept();
                }
            });
            return;
        }
        if (!error) {
            loop->give(std::make_shared<Connection>(loop, std::move(socket), handler_, tls_.get()));
        }
        accept();
    }

    const IoLoops& loops_;
    tcp::acceptor acceptor_;
    asio::steady_timer pause_;
    Handler& handler_;
    std::unique_ptr<asio::ssl::context> tls_;
    std::size_t next_ = 0;
};

}  // namespace

class Server::Impl {
public:
    Impl(std::size_t threads, const Limits& limits) {
        const auto count = std::max<std::size_t>(threads, 1);
        const auto share = std::max<std::size_t>((connection_cap(limits) + count - 1) / count, 1);
        state_ = std::make_shared<ServerState>(limits, count, share);
        for (const auto& loop : state_->loops) {
            loops_.emplace_back(state_, loop.get());
        }
    }

    Result<ListeningAddress> listen(
        const std::string& host,
        std::uint16_t port,
        Handler& handler,
        const std::optional<TlsFiles>& tls
    ) {
        GATELEG_CHECK(!started_);
        std::unique_ptr<asio::ssl::context> context;
        if (tls) {
            GATELEG_TRY_ASSIGN(context, load_tls(*tls));
        }
        error_code error;
        tcp::acceptor acceptor(loops_.front()->io());
        tcp::resolver resolver(loops_.front()->io());
        const auto found =
            resolver.resolve(host, std::to_string(port), tcp::resolver::passive, error);
        for (const auto& entry : found) {
            if (open(acceptor, entry.endpoint(), error)) {
                break;
            }
        }
        if (error || !acceptor.is_open()) {
            return validation_error(
                "Cannot listen on " + host + ":" + std::to_string(port) + ": " + error.message()
            );
        }
        const auto bound = acceptor.local_endpoint();
        listeners_.push_back(
            std::make_shared<Listener>(loops_, std::move(acceptor), handler, std::move(context))
        );
        return ListeningAddress{bound.address().to_string(), bound.port()};
    }

    Result<void> listen_unix(const std::filesystem::path& path, Handler& handler) {
        GATELEG_CHECK(!started_);
        const int socket = open_unix(path.string());
        if (socket < 0) {
            const error_code error(errno, boost::system::system_category());
            return validation_error("Cannot listen on " + path.string() + ": " + error.message());
        }
        // Connections read, write and close a stream socket; of TCP they use only options, whose
        // failure they ignore.
        tcp::acceptor acceptor(loops_.front()->io());
        acceptor.assign(tcp::v4(), socket);
        listeners_.push_back(
            std::make_shared<Listener>(loops_, std::move(acceptor), handler, nullptr)
        );
        return {};
    }

    void start() {
        GATELEG_CHECK(!started_);
        started_ = true;
        for (const auto& listener : listeners_) {
            listener->accept();
        }
        for (const auto& loop : loops_) {
            loop->start();
        }
    }

    bool drain(std::chrono::milliseconds patience) {
        close_listeners();
        state_->draining.store(true, std::memory_order_relaxed);
        const auto give_up = std::chrono::steady_clock::now() + patience;
        for (;;) {
            for (const auto& loop : loops_) {
                loop->drain();
            }
            if (connection_count() == 0) {
                return true;
            }
            if (std::chrono::steady_clock::now() >= give_up) {
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }

    void stop() {
        close_listeners();
        for (const auto& loop : loops_) {
            loop->stop_and_join();
        }
    }

    std::size_t connection_count() const {
        std::size_t count = 0;
        for (const auto& loop : loops_) {
            count += loop->load();
        }
        return count;
    }

    void fold(std::size_t threads) {
        GATELEG_CHECK(threads >= 1 && threads <= loops_.size());
        state_->open_loops.store(threads, std::memory_order_relaxed);
    }

private:
    static bool open(tcp::acceptor& acceptor, const tcp::endpoint& endpoint, error_code& error) {
        error_code ignored;
        acceptor.close(ignored);
        return !acceptor.open(endpoint.protocol(), error) &&
               !acceptor.set_option(tcp::acceptor::reuse_address(true), error) &&
               !acceptor.bind(endpoint, error) &&
               !acceptor.listen(asio::socket_base::max_listen_connections, error);
    }

    void close_listeners() {
        for (auto& listener : listeners_) {
            asio::post(loops_.front()->io(), [listener] { listener->close(); });
        }
        listeners_.clear();
    }

    std::shared_ptr<ServerState> state_;
    IoLoops loops_;
    std::vector<std::shared_ptr<Listener>> listeners_;
    bool started_ = false;
};

Server::Server(std::size_t threads, Limits limits)
    : impl_(std::make_unique<Impl>(threads, limits)) {}

Server::~Server() {
    stop();
}

Result<ListeningAddress> Server::listen(
    const std::string& host,
    std::uint16_t port,
    Handler& handler,
    const std::optional<TlsFiles>& tls
) {
    return impl_->listen(host, port, handler, tls);
}

Result<void> Server::listen_unix(const std::filesystem::path& path, Handler& handler) {
    return impl_->listen_unix(path, handler);
}

void Server::start() {
    impl_->start();
}

bool Server::drain(std::chrono::milliseconds patience) {
    return impl_->drain(patience);
}

void Server::stop() {
    impl_->stop();
}

std::size_t Server::connection_count() const {
    return impl_->connection_count();
}

void Server::fold(std::size_t threads) {
    impl_->fold(threads);
}

}  // namespace gateleg::http
