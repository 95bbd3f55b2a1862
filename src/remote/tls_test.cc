#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include "http/server.h"
#include "remote/remote_dynamo.h"
#include "remote/test_calls.h"

namespace gateleg::remote {
namespace {

using namespace std::chrono_literals;

void write_pem(const std::string& path, const std::function<int(BIO*)>& write) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> file(BIO_new_file(path.c_str(), "w"), BIO_free);
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(write(file.get()), 1);
}

// A self-signed certificate for the name localhost, and its key.
http::TlsFiles make_certificate() {
    const auto base = ::testing::TempDir() + "gateleg_remote_" + std::to_string(::getpid());
    http::TlsFiles files{base + ".crt", base + ".key"};
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        EVP_EC_gen("P-256"), EVP_PKEY_free
    );
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(
        name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0
    );
    X509_set_issuer_name(certificate.get(), name);
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> names(
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost"),
        X509_EXTENSION_free
    );
    X509_add_ext(certificate.get(), names.get(), -1);
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    write_pem(files.certificate, [&](BIO* file) {
        return PEM_write_bio_X509(file, certificate.get());
    });
    write_pem(files.private_key, [&](BIO* file) {
        return PEM_write_bio_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
    return files;
}

class EmptyReplies : public http::Handler {
public:
    void handle(http::Exchange exchange) override { exchange.reply({.body = "{}"}); }
};

class TlsTest : public ::testing::Test {
protected:
    void SetUp() override {
        files = make_certificate();
        const auto address = server.listen("127.0.0.1", 0, handler, files);
        ASSERT_TRUE(address) << address.error().message;
        port = address->port;
        server.start();
    }
    void TearDown() override {
        server.stop();
        std::remove(files.certificate.c_str());
        std::remove(files.private_key.c_str());
    }

    // "" if the call went well.
    std::string problem(const std::string& host, const std::string& ca_file) const {
        RemoteOptions options;
        options.store = *parse_store("https://" + host + ":" + std::to_string(port));
        options.credentials.access_key_id = "A";
        options.credentials.secret_access_key = "B";
        options.deadline = 8000ms;  // a busy machine takes a second for a handshake
        options.ca_file = ca_file;
        RemoteDynamo remote(std::move(options), clock);
        const auto reply = call_and_wait(
            remote, &dynamo::Dynamo::put_item, dynamo::PutItemRequest{.write = {.table = "T"}}
        );
        return reply ? "" : reply.error().message;
    }

    SystemClock clock;
    EmptyReplies handler;
    http::Server server{1};
    http::TlsFiles files;
    std::uint16_t port = 0;
};

TEST_F(TlsTest, TrustedCertificateIsAccepted) {
    EXPECT_EQ(problem("localhost", files.certificate), "");
}

TEST_F(TlsTest, UnknownCertificateIsRefused) {
    const auto message = problem("localhost", "");
    EXPECT_NE(message.find("the store at localhost:"), std::string::npos) << message;
    EXPECT_NE(message.find("certificate"), std::string::npos) << message;
}

TEST_F(TlsTest, CertificateOfAnotherNameIsRefused) {
    const auto message = problem("127.0.0.1", files.certificate);
    EXPECT_NE(message.find("the store at 127.0.0.1:"), std::string::npos) << message;
    EXPECT_NE(message.find("127.0.0.1'"), std::string::npos) << message;
}

}  // namespace
}  // namespace gateleg::remote
