#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <unistd.h>

#include "http/server.h"
#include "http/test_client.h"
#include "http/test_handler.h"

namespace gateleg::http {
namespace {

using namespace std::chrono_literals;

void write_pem(const std::string& path, const std::function<int(BIO*)>& write) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> file(BIO_new_file(path.c_str(), "w"), BIO_free);
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(write(file.get()), 1);
}

// A self-signed certificate and its key, in files of their own.
TlsFiles make_certificate() {
    const auto folder = ::testing::TempDir() + "gateleg_http_" + std::to_string(::getpid());
    TlsFiles files{folder + ".crt", folder + ".key"};
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        EVP_EC_gen("P-256"), EVP_PKEY_free
    );
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(
        name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0
    );
    X509_set_issuer_name(certificate.get(), name);
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    write_pem(files.certificate, [&](BIO* file) {
        return PEM_write_bio_X509(file, certificate.get());
    });
    write_pem(files.private_key, [&](BIO* file) {
        return PEM_write_bio_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
    return files;
}

class TlsTest : public ::testing::Test {
protected:
    void start(const Limits& limits = quick_limits()) {
        server = std::make_unique<Server>(2, limits);
        const auto address = server->listen("127.0.0.1", 0, handler, make_certificate());
        ASSERT_TRUE(address) << address.error().message;
        port = address->port;
        server->start();
    }

    EchoHandler handler;
    std::unique_ptr<Server> server;
    std::uint16_t port = 0;
};

class TlsClient {
public:
    explicit TlsClient(std::uint16_t port, int newest_version = 0)
        : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free),
          stream_(BIO_new_ssl_connect(context_.get()), BIO_free_all) {
        SSL_CTX_set_max_proto_version(context_.get(), newest_version);
        SSL* tls = nullptr;
        BIO_get_ssl(stream_.get(), &tls);
        SSL_set_max_proto_version(tls, newest_version);
        BIO_set_conn_hostname(stream_.get(), ("127.0.0.1:" + std::to_string(port)).c_str());
        connected_ = BIO_do_connect(stream_.get()) == 1;
    }

    bool connected() const { return connected_; }
    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            const int sent = BIO_write(stream_.get(), bytes.data(), static_cast<int>(bytes.size()));
            if (sent <= 0) {
                return;
            }
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    // Reads until `text` has come, or the end.
    std::string read_until(std::string_view text) {
        std::array<char, 4096> part;
        while (received_.find(text) == std::string::npos) {
            const int count = BIO_read(stream_.get(), part.data(), part.size());
            if (count <= 0) {
                break;
            }
            received_.append(part.data(), static_cast<std::size_t>(count));
        }
        return std::exchange(received_, std::string());
    }

private:
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
    std::unique_ptr<BIO, decltype(&BIO_free_all)> stream_;
    std::string received_;
    bool connected_ = false;
};

TEST_F(TlsTest, ServesRequests) {
    start();
    TlsClient client(port);
    ASSERT_TRUE(client.connected());
    for (const std::size_t bytes : {0, 5000, 200'000}) {
        client.send(post("/s", std::string(bytes, 's')) + get("/end"));
        const auto replies = client.read_until("GET /end 0 ");
        EXPECT_NE(replies.find("POST /s " + std::to_string(bytes) + " "), std::string::npos);
    }
    client.send("POST /e HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n");
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("e" + get("/large?500000"));
    EXPECT_GT(client.read_until(std::string(500'000, 'L')).size(), 500'000u);
    client.send(get("/close"));
    EXPECT_NE(client.read_until("never").find("Connection: close"), std::string::npos);
}

TEST_F(TlsTest, RepliesComeFromAnotherThread) {
    handler.deferred = true;
    start();
    std::thread answering([&] {
        for (int i = 0; i < 100; ++i) {
            EchoHandler::answer(handler.take_waiting());
        }
    });
    TlsClient client(port);
    for (int i = 0; i < 100; ++i) {
        const auto wanted = "GET /" + std::to_string(i) + " 0 ";
        client.send(get("/" + std::to_string(i)));
        EXPECT_NE(client.read_until(wanted).find(wanted), std::string::npos);
    }
    answering.join();
}

TEST_F(TlsTest, LiveRepliesGoOn) {
    handler.deferred = true;
    start();
    TlsClient client(port);
    client.send(get("/a"));
    std::atomic<int> changes{0};
    auto reply = handler.take_waiting().reply_live({.content_type = "text/event-stream"}, [&] {
        changes.fetch_add(1);
    });
    EXPECT_EQ(client.read_until("\r\n\r\n").substr(0, 15), "HTTP/1.1 200 OK");
    const std::string piece(300'000, 'x');
    for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(reply->send(piece + "."));
        EXPECT_TRUE(reply->send("!\n"));
        EXPECT_EQ(client.read_until("!\n"), piece + ".!\n");
    }
    while (changes.load() == 0 || !reply->is_ready()) {
        std::this_thread::sleep_for(5ms);
    }
    reply->send("end");
    reply.reset();
    EXPECT_EQ(client.read_until("nothing more"), "end");
    server->stop();
}

TEST_F(TlsTest, TooLargeIsDelivered) {
    start();
    TlsClient client(port);
    client.send(post("/", std::string(4 << 20, 'x')));
    EXPECT_TRUE(client.read_until("too large").starts_with("HTTP/1.1 413 "));
}

TEST_F(TlsTest, OldProtocolsAndSilentClientsAreCutOff) {
    auto limits = quick_limits();
    limits.handshake_deadline = 100ms;
    start(limits);
    EXPECT_TRUE(TlsClient(port, TLS1_2_VERSION).connected());
    EXPECT_FALSE(TlsClient(port, TLS1_1_VERSION).connected());
    TestClient silent(port);
    EXPECT_TRUE(silent.is_closed_soon());
    TestClient plain(port);
    plain.send(get("/"));
    EXPECT_EQ(plain.read_to_end().find("HTTP"), std::string::npos);
}

}  // namespace
}  // namespace gateleg::http
