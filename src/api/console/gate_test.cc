#include "api/console/gate.h"

#include <gtest/gtest.h>

#include "http/request_parser.h"

namespace gateleg::api::console {
namespace {

class GateTest : public testing::Test {
protected:
    GateTest() : opened(sessions.open("me")) {}

    // A request with the session's cookie and these further lines.
    const http::RequestHead& request(const std::string& method, const std::string& lines = "") {
        text = method + " /v1/x HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nCookie: a=b; gateleg_console=" +
               opened.cookie + "\r\n" + lines + "\r\n";
        http::RequestParser parser(65536, 100);
        EXPECT_EQ(parser.feed(text, head), http::RequestParser::State::kComplete);
        return head;
    }
    std::string csrf() const { return "X-Gateleg-Csrf: " + opened.session->csrf + "\r\n"; }

    SystemClock clock;
    Sessions sessions{clock, false};
    Sessions::Opened opened;
    Gate gate{sessions, {.hosts = {}, .origins = {"https://console.example"}}};
    std::string text;
    http::RequestHead head;
};

TEST_F(GateTest, TheCookieNamesTheSession) {
    EXPECT_EQ(gate.find(request("GET")), opened.session);
    EXPECT_EQ(cookie_of(head, "a"), "b");
    EXPECT_EQ(cookie_of(head, "gateleg"), "");
    sessions.close(opened.cookie);
    EXPECT_EQ(gate.find(head), nullptr);
}

TEST_F(GateTest, OnlyTheConsolesOwnPagesMayCall) {
    EXPECT_FALSE(gate.refuse_origin(request("POST")));
    EXPECT_FALSE(gate.refuse_origin(request("POST", "Origin: http://127.0.0.1:8080\r\n")));
    EXPECT_FALSE(gate.refuse_origin(request("POST", "Origin: https://console.example\r\n")));
    EXPECT_FALSE(gate.refuse_origin(request("GET", "Sec-Fetch-Site: same-origin\r\n")));
    EXPECT_TRUE(gate.refuse_origin(request("POST", "Origin: http://127.0.0.1:3000\r\n")));
    EXPECT_TRUE(gate.refuse_origin(request("POST", "Origin: null\r\n")));
    EXPECT_TRUE(gate.refuse_origin(request("GET", "Sec-Fetch-Site: same-site\r\n")));
    EXPECT_TRUE(gate.refuse_origin(request("GET", "Sec-Fetch-Site: cross-site\r\n")));
}

TEST_F(GateTest, ChangesCarryTheToken) {
    EXPECT_FALSE(gate.refuse_csrf(request("GET"), *opened.session));
    EXPECT_TRUE(gate.refuse_csrf(request("POST"), *opened.session));
    EXPECT_TRUE(gate.refuse_csrf(request("DELETE", "X-Gateleg-Csrf: x\r\n"), *opened.session));
    EXPECT_FALSE(gate.refuse_csrf(request("POST", csrf()), *opened.session));
}

TEST_F(GateTest, TheSystemsApiTakesTheSession) {
    EXPECT_TRUE(gate.judge(request("GET"), false).session);
    EXPECT_FALSE(gate.judge(request("GET"), true).session);
    EXPECT_TRUE(gate.judge(request("GET", csrf()), true).session);
    EXPECT_EQ(gate.judge(request("POST"), false).refused->code, "CsrfRejected");
    EXPECT_TRUE(gate.judge(request("POST", csrf()), false).session);
    opened.session->read_only = true;
    EXPECT_EQ(gate.judge(request("POST", csrf()), false).refused->code, "ReadOnly");
    EXPECT_TRUE(gate.judge(request("GET"), false).session);
}

TEST_F(GateTest, TheCookieIsForThisServersPagesAlone) {
    EXPECT_EQ(
        cookie_line("x", true),
        "gateleg_console=x; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure"
    );
    EXPECT_EQ(
        cookie_line("", false), "gateleg_console=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"
    );
}

}  // namespace
}  // namespace gateleg::api::console
