// Random requests: what was signed is accepted, and no byte of it can be changed unnoticed.

#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "auth/sigv4.h"

namespace gateleg::auth {
namespace {

constexpr std::int64_t kNow = 1767225600;

// Owns the text that a SignedRequest looks at.
struct Message {
    std::string method;
    std::string target;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;

    SignedRequest view() const {
        SignedRequest request{method, target, {}, body};
        for (const auto& [name, value] : headers) {
            request.headers.push_back({name, value});
        }
        return request;
    }
};

class SigV4PropertyTest : public testing::Test {
protected:
    std::size_t below(std::size_t limit) { return random_() % limit; }

    std::string text(std::string_view alphabet, std::size_t longest) {
        std::string made(below(longest + 1), '\0');
        for (auto& c : made) {
            c = alphabet[below(alphabet.size())];
        }
        return made;
    }

    Message signed_message() {
        Message message{text("AGPST", 5) + "X", "/", {{"Host", "h" + text("ab.:1", 12)}}, ""};
        message.target += text("ab/.%2F~ \xe1", 12);
        if (below(2) == 0) {
            message.target += "?" + text("abAB=&%2F+-", 20);
        }
        for (auto count = below(6); count > 0; --count) {
            message.headers.emplace_back(
                (below(2) == 0 ? "X-Amz-" : "My-") + text("abcABC", 3), text("ab \t,;=\"", 12)
            );
        }
        for (auto left = below(200); left > 0; --left) {
            message.body.push_back(static_cast<char>(random_()));
        }
        const auto made =
            sign_sigv4(message.view(), "AKID", "secret", "us-east-1", "dynamodb", kNow);
        message.headers.emplace_back("X-Amz-Date", made.amz_date);
        message.headers.emplace_back("Authorization", made.authorization);
        return message;
    }

    bool accepted(const Message& message) const {
        return verify_sigv4(message.view(), *credentials_, {.now_seconds = kNow}).has_value();
    }

    std::mt19937_64 random_{20260101};
    Result<Credentials> credentials_ =
        Credentials::parse("[a]\naws_access_key_id=AKID\naws_secret_access_key=secret", "test");
};

TEST_F(SigV4PropertyTest, WhatWasSignedIsAccepted) {
    for (int i = 0; i < 2000; ++i) {
        const auto message = signed_message();
        const auto result = verify_sigv4(message.view(), *credentials_, {.now_seconds = kNow});
        ASSERT_TRUE(result) << result.error().message << '\n' << message.target;
    }
}

TEST_F(SigV4PropertyTest, NoByteOfASignedRequestCanBeChanged) {
    Message message{
        "POST",
        "/path/to?list-type=2&prefix=abc",
        {{"Host", "localhost"}, {"X-Amz-Target", "DynamoDB_20120810.GetItem"}},
        R"({"TableName":"Music"})"};
    const auto made = sign_sigv4(message.view(), "AKID", "secret", "us-east-1", "dynamodb", kNow);
    message.headers.emplace_back("X-Amz-Date", made.amz_date);
    message.headers.emplace_back("Authorization", made.authorization);
    ASSERT_TRUE(accepted(message));

    const auto refuses_any_change = [&](std::string& part, std::size_t from) {
        for (std::size_t i = from; i < part.size(); ++i) {
            const char before = part[i];
            for (int byte = 0; byte < 256; ++byte) {
                part[i] = static_cast<char>(byte);
                ASSERT_EQ(accepted(message), part[i] == before) << part << " at " << i;
            }
            part[i] = before;
        }
    };
    refuses_any_change(message.method, 0);
    refuses_any_change(message.target, 0);
    refuses_any_change(message.body, 0);
    for (std::size_t i = 0; i < 3; ++i) {
        refuses_any_change(message.headers[i].second, 0);
    }
    // The separators between parameters may change, their values may not.
    auto& authorization = message.headers[3].second;
    const auto signature = authorization.find("Signature=");
    refuses_any_change(authorization, signature);
}

TEST_F(SigV4PropertyTest, ARandomChangeThatIsAcceptedChangesNothing) {
    for (int i = 0; i < 3000; ++i) {
        const auto message = signed_message();
        auto changed = message;
        auto& part = below(3) == 0   ? changed.target
                     : below(2) == 0 ? changed.body
                                     : changed.headers[below(changed.headers.size())].second;
        if (part.empty()) {
            continue;
        }
        part[below(part.size())] = static_cast<char>(random_());
        if (!accepted(changed)) {
            continue;
        }
        std::vector<std::string_view> names = {"host"};
        EXPECT_EQ(
            canonical_request(message.view(), names, "", PathForm::kNormalized),
            canonical_request(changed.view(), names, "", PathForm::kNormalized)
        );
        EXPECT_EQ(message.body, changed.body);
    }
}

}  // namespace
}  // namespace gateleg::auth
