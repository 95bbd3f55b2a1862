#include "outbound/client.h"

#include <thread>

#include <gtest/gtest.h>

#include "remote/test_server.h"

namespace gateleg::outbound {
namespace {

using remote::http_reply;
using remote::SeenRequest;
using remote::TestServer;

Client client_for(const std::vector<const TestServer*>& servers, const std::string& host = {}) {
    std::string list;
    for (const auto* server : servers) {
        list += (host.empty() ? "127.0.0.1" : host) + ":" + std::to_string(server->port()) + ",";
    }
    Options options;
    options.allow = *AllowList::parse(list);
    return Client(options);
}

Request get(const std::string& url) {
    Request request;
    request.method = "GET";
    request.url = url;
    return request;
}

remote::Answer redirect(const std::string& to, int status = 302) {
    return {http_reply(status, "", "Location: " + to + "\r\n")};
}

TEST(OutboundClientTest, SendsWhatItIsGiven) {
    const TestServer server([](const SeenRequest&, int) {
        return remote::Answer{http_reply(201, R"({"id":"x1"})", "X-Kind:  a b \r\n")};
    });
    const auto client = client_for({&server});
    Request request;
    request.url = server.url() + "/queue/model?a=b";
    request.headers = {"Authorization: Key secret", "Content-Type: application/json"};
    request.body = R"({"prompt":"cat"})";
    const auto reply = client.send(request);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->status, 201);
    EXPECT_EQ(reply->body, R"({"id":"x1"})");
    EXPECT_EQ(reply->header("x-kind"), "a b");
    ASSERT_EQ(server.count(), 1U);
    EXPECT_EQ(server.seen()[0].body, request.body);
    EXPECT_TRUE(server.seen()[0].has("POST /queue/model?a=b HTTP/1.1"));
    EXPECT_TRUE(server.seen()[0].has("Authorization: Key secret\r\n"));

    // A change is not sent on to where a redirect leads.
    const TestServer moved([&](const SeenRequest&, int) { return redirect(server.url()); });
    const auto both = client_for({&server, &moved});
    request.url = moved.url();
    EXPECT_EQ(both.send(request)->status, 302);
    EXPECT_EQ(server.count(), 1U);
}

TEST(OutboundClientTest, RefusesPrivateAddresses) {
    const TestServer server([](const SeenRequest&, int) { return remote::ok(); });
    const Client client{Options{}};
    const auto port = std::to_string(server.port());
    for (const auto& host :
         {"127.0.0.1",
          "localhost",
          "127.1",
          "0x7f000001",
          "2130706433",
          "0.0.0.0",
          "[::1]",
          "[::ffff:127.0.0.1]",
          "169.254.169.254",
          "10.0.0.1",
          "[fe80::1]",
          "[fd00:ec2::254]"}) {
        const auto reply = client.send(get("http://" + std::string(host) + ":" + port + "/"));
        ASSERT_FALSE(reply) << host;
        EXPECT_EQ(reply.error().code, ErrorCode::kAccessDenied)
            << host << ": " << reply.error().message;
    }
    EXPECT_EQ(server.count(), 0U);
}

TEST(OutboundClientTest, AllowsANameOnlyWithItsPort) {
    const TestServer server([](const SeenRequest&, int) { return remote::ok(); });
    const auto client = client_for({&server}, "localhost");
    const auto port = std::to_string(server.port());
    EXPECT_TRUE(client.send(get("http://localhost:" + port)));
    EXPECT_FALSE(client.send(get("http://127.0.0.1:" + port)));
}

TEST(OutboundClientTest, ChecksEveryRedirect) {
    const TestServer inner([](const SeenRequest&, int) { return remote::ok("secret"); });
    const TestServer outer([&](const SeenRequest& request, int) {
        return request.has("GET /end")        ? remote::ok("here")
               : request.has("GET /relative") ? redirect("end", 307)
                                              : redirect(inner.url());
    });
    const auto careful = client_for({&outer});
    const auto refused = careful.send(get(outer.url()));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kAccessDenied);
    EXPECT_EQ(inner.count(), 0U);
    EXPECT_EQ(careful.send(get(outer.url() + "/relative"))->body, "here");

    auto request = get(outer.url());
    request.headers = {"Authorization: Bearer t", "X-Other: 1"};
    EXPECT_EQ(client_for({&outer, &inner}).send(request)->body, "secret");
    ASSERT_EQ(inner.count(), 1U);
    EXPECT_FALSE(inner.seen()[0].has("Authorization"));
    EXPECT_TRUE(inner.seen()[0].has("X-Other: 1"));
}

TEST(OutboundClientTest, RedirectsEnd) {
    const TestServer server([](const SeenRequest&, int) { return redirect("/again"); });
    EXPECT_FALSE(client_for({&server}).send(get(server.url())));
    EXPECT_EQ(server.count(), 6U);
    const TestServer odd([](const SeenRequest& request, int) {
        return redirect(request.has("/file") ? "file:///etc/passwd" : "gopher://127.0.0.1:25/");
    });
    const auto client = client_for({&odd});
    EXPECT_EQ(client.send(get(odd.url() + "/file")).error().code, ErrorCode::kValidation);
    EXPECT_EQ(client.send(get(odd.url())).error().code, ErrorCode::kValidation);
}

TEST(OutboundClientTest, RefusesUrlsItDoesNotUnderstand) {
    const Client client{Options{}};
    for (const auto* url :
         {"",
          "nonsense",
          "file:///etc/passwd",
          "ftp://example.com/",
          "http://",

          "http://a@example.com/",
          "smtp://example.com",
          "http://[fe80::1%25eth0]/",
          "http://example.com:99999/"}) {
        const auto reply = client.send(get(url));
        ASSERT_FALSE(reply) << url;
        EXPECT_EQ(reply.error().code, ErrorCode::kValidation) << url << reply.error().message;
    }
    auto request = get("http://example.com/");
    request.headers = {"A: b\r\nHost: evil"};
    EXPECT_EQ(client.send(request).error().code, ErrorCode::kValidation);
}

TEST(OutboundClientTest, BoundsSizeAndTime) {
    const TestServer server([](const SeenRequest& request, int) {
        if (request.has("GET /slow")) {
            return remote::Answer{http_reply(200, "late"), std::chrono::milliseconds(30'000)};
        }
        return remote::Answer{http_reply(200, std::string(100'000, 'x'))};
    });
    const auto client = client_for({&server});
    auto large = get(server.url());
    large.max_reply_bytes = 99'999;
    EXPECT_EQ(client.send(large).error().code, ErrorCode::kRequestTooLarge);
    large.max_reply_bytes = 100'000;
    EXPECT_EQ(client.send(large)->body.size(), 100'000U);
    auto slow = get(server.url() + "/slow");
    slow.timeout = std::chrono::milliseconds(200);
    EXPECT_EQ(client.send(slow).error().code, ErrorCode::kServiceUnavailable);
}

TEST(OutboundClientTest, DownloadsToASink) {
    const TestServer server([](const SeenRequest& request, int) {
        return remote::Answer{
            request.has("GET /gone") ? http_reply(404, "no such thing")
                                     : http_reply(200, std::string(300'000, 'y'))};
    });
    const auto client = client_for({&server});
    auto request = get(server.url());
    std::string content;
    const Client::Sink sink = [&](std::string_view piece) {
        content += piece;
        return true;
    };
    auto reply = client.download(request, sink);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(content.size(), 300'000U);
    EXPECT_TRUE(reply->body.empty());
    request.max_reply_bytes = 1000;
    EXPECT_EQ(client.download(request, sink).error().code, ErrorCode::kRequestTooLarge);

    content.clear();
    request.url += "/gone";
    reply = client.download(request, sink);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 404);
    EXPECT_EQ(reply->body, "no such thing");
    EXPECT_TRUE(content.empty());
    EXPECT_FALSE(client.download(get(server.url()), [](std::string_view) { return false; }));
}

TEST(OutboundClientTest, StopEndsWhatIsUnderWay) {
    const TestServer server([](const SeenRequest&, int) {
        return remote::Answer{http_reply(200, "late"), std::chrono::milliseconds(60'000)};
    });
    Options options;
    options.allow = *AllowList::parse("127.0.0.1:" + std::to_string(server.port()));
    Client client(options);
    std::jthread stopper([&] {
        while (server.count() == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        client.stop();
    });
    EXPECT_FALSE(client.send(get(server.url())));
    EXPECT_FALSE(client.send(get(server.url()))) << "and nothing begins";
}

}  // namespace
}  // namespace gateleg::outbound
