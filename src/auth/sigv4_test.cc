#include "auth/sigv4.h"

#include <atomic>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "base/sha256.h"

namespace gateleg::auth {
namespace {

constexpr std::string_view kKeyId = "AKIDEXAMPLE";
constexpr std::string_view kSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
constexpr std::int64_t kNow = 1440938160;  // 20150830T123600Z
constexpr std::string_view kMismatch =
    "The request signature we calculated does not match the signature you provided. Check your "
    "AWS Secret Access Key and signing method. Consult the service documentation for details.";

const Credentials& credentials() {
    static const auto loaded = Credentials::parse(
        "[app]\naws_access_key_id=AKIDEXAMPLE\n"
        "aws_secret_access_key=wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\ngateleg_scope=read\n",
        "test"
    );
    return *loaded;
}

std::string signature_of(const SignedRequest& request, std::string_view service) {
    const auto signed_by =
        sign_sigv4(request, kKeyId, kSecret, "us-east-1", service, kNow).authorization;
    return signed_by.substr(signed_by.rfind('=') + 1);
}

// AWS's published test suite, 20150830T123600Z.
TEST(SignSigV4Test, AgreesWithThePublishedTestSuite) {
    const HeaderField host{"Host", "example.amazonaws.com"};
    const std::string unreserved =
        "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    struct Case {
        const char* name;
        SignedRequest request;
        const char* signature;
    };
    const Case cases[] = {
        {"get-vanilla",
         {"GET", "/", {host}, ""},
         "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
        {"get-relative",
         {"GET", "/example/..", {host}, ""},
         "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
        {"get-slashes",
         {"GET", "//example//", {host}, ""},
         "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"},
        {"get-utf8",
         {"GET", "/\xe1\x88\xb4", {host}, ""},
         "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
        {"get-unreserved",
         {"GET", unreserved, {host}, ""},
         "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
        {"get-vanilla-query-order-key-case",
         {"GET", "/?Param2=value2&Param1=value1", {host}, ""},
         "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
        {"get-vanilla-utf8-query",
         {"GET", "/?\xe1\x88\xb4=bar", {host}, ""},
         "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
        {"get-header-key-duplicate",
         {"GET",
          "/",
          {host, {"My-Header1", "value2"}, {"My-Header1", "value2"}, {"My-Header1", "value1"}},
          ""},
         "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
        {"get-header-value-trim",
         {"GET", "/", {host, {"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}}, ""},
         "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
        {"post-vanilla",
         {"POST", "/", {host}, ""},
         "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
        {"post-header-key-sort",
         {"POST", "/", {host, {"My-Header1", "value1"}}, ""},
         "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
        {"post-x-www-form-urlencoded",
         {"POST",
          "/",
          {{"Content-Type", "application/x-www-form-urlencoded"}, host},
          "Param1=value1"},
         "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
    };
    for (const auto& test : cases) {
        EXPECT_EQ(signature_of(test.request, "service"), test.signature) << test.name;
    }
}

// Signed by botocore 1.43.
TEST(SignSigV4Test, AgreesWithBotocore) {
    const HeaderField host{"Host", "localhost:8000"};
    EXPECT_EQ(
        signature_of({"GET", "/a%20b//./c?x=1%2B2&x=0", {host}, ""}, "execute-api"),
        "838c66a87f59cb66d8a7f69b59fb35a9974c6124eacb3db35f88a484abec07fc"
    );
    EXPECT_EQ(
        signature_of(
            {"GET",
             "/bucket/a%20b/../c%C3%A9?prefix=x%2Fy&list-type=2&acl",
             {host,
              {"X-Amz-Content-SHA256",
               "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}},
             ""},
            "s3"
        ),
        "2239c57b65b7f0846c03fe141f91bb0e5dd037d968469a494101c62b110b0714"
    );
}

TEST(SignSigV4Test, LeavesOutHeadersThatChangeOnTheWay) {
    const SignedRequest request{
        "POST",
        "/",
        {{"User-Agent", "u"},
         {"Host", "h"},
         {"Connection", "close"},
         {"X-Amz-Date", "old"},
         {"X-Amz-Target", "t"},
         {"Authorization", "old"},
         {"Expect", "100-continue"}},
        ""};
    const auto headers = sign_sigv4(request, kKeyId, kSecret, "us-east-1", "dynamodb", kNow);
    EXPECT_EQ(headers.amz_date, "20150830T123600Z");
    EXPECT_NE(
        headers.authorization.find(" SignedHeaders=host;x-amz-date;x-amz-target, "),
        std::string::npos
    ) << headers.authorization;
}

// A GetItem as botocore 1.43 sends it; each test changes one thing.
class VerifySigV4Test : public testing::Test {
protected:
    Result<Identity> verify() {
        std::vector<HeaderField> fields;
        for (const auto& [name, value] : headers) {
            fields.push_back({name, value});
        }
        return verify_sigv4({method, target, fields, body}, credentials(), policy);
    }

    // "Code: message", or "ok".
    std::string outcome() {
        const auto result = verify();
        if (result) {
            return "ok";
        }
        return std::string(wire_name(result.error().code)) + ": " + result.error().message;
    }

    std::string& header(std::string_view name) {
        for (auto& [key, value] : headers) {
            if (key == name) {
                return value;
            }
        }
        return headers.emplace_back(name, "").second;
    }

    void remove(std::string_view name) {
        std::erase_if(headers, [&](const auto& entry) { return entry.first == name; });
    }

    void replace_in_authorization(std::string_view from, std::string_view to) {
        auto& text = header("Authorization");
        const auto at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
    }

    // Signs what the request now is, with every header it has.
    void sign_again(std::int64_t time = kNow) {
        remove("Authorization");
        remove("X-Amz-Date");
        std::vector<HeaderField> fields;
        for (const auto& [name, value] : headers) {
            fields.push_back({name, value});
        }
        const auto made = sign_sigv4(
            {method, target, fields, body}, kKeyId, kSecret, "us-east-1", "dynamodb", time
        );
        header("X-Amz-Date") = made.amz_date;
        header("Authorization") = made.authorization;
    }

    std::string method = "POST";
    std::string target = "/";
    std::vector<std::pair<std::string, std::string>> headers = {
        {"Host", "localhost:8000"},
        {"X-Amz-Target", "DynamoDB_20120810.GetItem"},
        {"Content-Type", "application/x-amz-json-1.0"},
        {"User-Agent", "x"},
        {"X-Amz-Date", "20150830T123600Z"},
        {"Authorization",
         "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/dynamodb/aws4_request, "
         "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
         "Signature=dfdf1f87aab1a5db2821c2366191501fe7de352095a0bfaae3384c60e5826038"},
    };
    std::string body = R"({"TableName":"Music","Key":{"Artist":{"S":"No One You Know"}}})";
    SigV4Policy policy{.now_seconds = kNow};
    const std::string mismatch = "InvalidSignatureException: " + std::string(kMismatch);
};

TEST_F(VerifySigV4Test, AcceptsAndNamesTheSender) {
    const auto identity = verify();
    ASSERT_TRUE(identity) << identity.error().message;
    EXPECT_EQ(identity->access_key_id, kKeyId);
    EXPECT_EQ(identity->profile, "app");
    EXPECT_EQ(identity->scope->text(), "read");
}

TEST_F(VerifySigV4Test, WithoutAuthorizationATokenIsMissing) {
    const std::string expected =
        "MissingAuthenticationTokenException: Request is missing Authentication Token";
    remove("Authorization");
    EXPECT_EQ(outcome(), expected);
    header("Authorization") = "  ";
    EXPECT_EQ(outcome(), expected);
    header("Authorization") = "Bearer abc";
    EXPECT_EQ(outcome(), expected);
}

TEST_F(VerifySigV4Test, AQuerySignatureIsNoToken) {
    remove("Authorization");
    target = "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=00";
    EXPECT_EQ(verify().error().code, ErrorCode::kMissingAuthenticationToken);
}

TEST_F(VerifySigV4Test, AnUnknownKeyIsUnrecognized) {
    replace_in_authorization("AKIDEXAMPLE", "AKIDOTHER");
    EXPECT_EQ(
        outcome(),
        "UnrecognizedClientException: The security token included in the request is invalid."
    );
}

TEST_F(VerifySigV4Test, ASessionTokenIsUnrecognized) {
    header("X-Amz-Security-Token") = "token";
    sign_again();
    EXPECT_EQ(verify().error().code, ErrorCode::kUnrecognizedClient);
}

TEST_F(VerifySigV4Test, AWrongSignatureDoesNotMatch) {
    replace_in_authorization("Signature=d", "Signature=e");
    EXPECT_EQ(outcome(), mismatch);
}

TEST_F(VerifySigV4Test, TheClockMayDifferByFifteenMinutes) {
    for (const int skew : {-15 * 60, 15 * 60}) {
        policy.now_seconds = kNow + skew;
        EXPECT_EQ(outcome(), "ok") << skew;
    }
    policy.now_seconds = kNow + 15 * 60 + 1;
    EXPECT_EQ(
        outcome(),
        "InvalidSignatureException: Signature expired: 20150830T123600Z is now earlier than "
        "20150830T123601Z (20150830T125101Z - 15 min.)"
    );
    policy.now_seconds = kNow - 15 * 60 - 1;
    EXPECT_EQ(
        outcome(),
        "InvalidSignatureException: Signature not yet current: 20150830T123600Z is still later "
        "than 20150830T123559Z (20150830T122059Z + 15 min.)"
    );
}

TEST_F(VerifySigV4Test, TheClockIsCheckedBeforeEverythingBehindIt) {
    header("X-Amz-Date") = "20140101T000000Z";
    header("Authorization") =
        "AWS4-HMAC-SHA256 Credential=nobody/2/3/4/aws4_request SignedHeaders=x-amz-date;host "
        "Signature=123";
    EXPECT_NE(outcome().find("Signature expired"), std::string::npos) << outcome();
}

TEST_F(VerifySigV4Test, TheScopeMustBeOurs) {
    policy.region = "eu-west-1";
    EXPECT_EQ(
        outcome(), "InvalidSignatureException: Credential should be scoped to a valid region. "
    );
    policy.region = "us-east-1";
    policy.service = "s3";
    EXPECT_EQ(
        outcome(),
        "InvalidSignatureException: Credential should be scoped to correct service: 's3'. "
    );
    policy.service = "dynamodb";
    replace_in_authorization("aws4_request", "aws5_request");
    EXPECT_EQ(
        outcome(),
        "InvalidSignatureException: Credential should be scoped with a valid terminator: "
        "'aws4_request', not 'aws5_request'. "
    );
    replace_in_authorization("aws5_request", "aws4_request");
    replace_in_authorization("20150830/", "20150829/");
    EXPECT_EQ(
        outcome(),
        "InvalidSignatureException: Date in Credential scope does not match YYYYMMDD from "
        "ISO-8601 version of date from HTTP: '20150829' != '20150830', from '20150830T123600Z'. "
    );
}

TEST_F(VerifySigV4Test, MissingPartsAreAllNamed) {
    remove("X-Amz-Date");
    header("Authorization") = "AWS4-HMAC-SHA256";
    EXPECT_EQ(
        outcome(),
        "IncompleteSignatureException: Authorization header requires 'Credential' parameter. "
        "Authorization header requires 'Signature' parameter. Authorization header requires "
        "'SignedHeaders' parameter. Authorization header requires existence of either a "
        "'X-Amz-Date' or a 'Date' header. (Hashed with SHA-256 and encoded with Base64) "
        "Authorization=YI2YWea8FSxnksZL2ETHbs5elHm9HQufxTLK0W0ffV0="
    );
}

TEST_F(VerifySigV4Test, EveryTruncatedHeaderIsRefused) {
    const auto whole = header("Authorization");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        header("Authorization") = whole.substr(0, length);
        EXPECT_FALSE(verify()) << length;
    }
}

TEST_F(VerifySigV4Test, ASignatureThatIsNotHexDoesNotMatch) {
    for (const auto* signature :
         {"123",
          "zz",
          "DFDF1F87AAB1A5DB2821C2366191501FE7DE352095A0BFAAE33"
          "84C60E5826038"}) {
        auto& text = header("Authorization");
        text.replace(text.rfind('=') + 1, text.npos, signature);
        EXPECT_EQ(outcome(), mismatch) << signature;
    }
}

TEST_F(VerifySigV4Test, ADateInAnotherFormIsNamed) {
    header("X-Amz-Date") = "Sun, 30 Aug 2015 12:36:00 GMT";
    EXPECT_EQ(
        outcome(),
        "IncompleteSignatureException: Date must be in ISO-8601 'basic format'. Got 'Sun, 30 Aug "
        "2015 12:36:00 GMT'. See http://en.wikipedia.org/wiki/ISO_8601"
    );
}

TEST_F(VerifySigV4Test, TheHostMustBeSigned) {
    replace_in_authorization("host;", "");
    EXPECT_EQ(
        outcome(),
        "InvalidSignatureException: 'Host' or ':authority' must be a 'SignedHeader' in "
        "the AWS Authorization."
    );
}

TEST_F(VerifySigV4Test, ASignedHeaderMustBeThere) {
    remove("Content-Type");
    EXPECT_EQ(verify().error().code, ErrorCode::kInvalidSignature);
}

TEST_F(VerifySigV4Test, EveryAmzHeaderMustBeSigned) {
    header("x-aMz-Tagging") = "a=b";
    EXPECT_EQ(
        outcome(),
        "InvalidSignatureException: 'x-amz-tagging' must be a 'SignedHeader' in the AWS "
        "Authorization."
    );
    remove("x-aMz-Tagging");
    header("X-Amzn-Trace-Id") = "added by a proxy";
    EXPECT_EQ(outcome(), "ok");
}

TEST_F(VerifySigV4Test, AnUnsignedPayloadIsRefusedUnlessAllowed) {
    header("X-Amz-Content-Sha256") = "UNSIGNED-PAYLOAD";
    sign_again();
    EXPECT_EQ(
        outcome(),
        "InvalidSignatureException: The body must be signed: UNSIGNED-PAYLOAD is not "
        "accepted."
    );
    policy.allow_unsigned_payload = true;
    EXPECT_EQ(outcome(), "ok");
    body = "anything";
    EXPECT_EQ(outcome(), "ok");
    method = "PUT";
    EXPECT_EQ(outcome(), mismatch);
}

TEST_F(VerifySigV4Test, TheBodyIsHashedWhateverTheHeaderSays) {
    header("X-Amz-Content-Sha256") = to_hex(sha256(body));
    EXPECT_EQ(outcome(), "ok") << "checked, so it need not be signed";
    sign_again();
    EXPECT_EQ(outcome(), "ok");
    body.push_back(' ');
    EXPECT_EQ(
        outcome(),
        "InvalidSignatureException: The provided 'x-amz-content-sha256' header does not "
        "match what was computed."
    );
}

TEST_F(VerifySigV4Test, CredentialsInTheQueryTooAreRefused) {
    for (const auto* query :
         {"X-Amz-Algorithm=AWS4-HMAC-SHA256",
          "x-amz-credential=a",
          "X%2dAmz-Signature=b",
          "AWSAccessKeyId=c",
          "a=b&Signature"}) {
        target = std::string("/?") + query;
        sign_again();
        EXPECT_NE(outcome().find("InvalidSignatureException: Found both '"), std::string::npos)
            << query;
    }
}

TEST_F(VerifySigV4Test, HeadersThatDecideMayComeOnce) {
    for (const auto* name : {"authorization", "x-amz-date"}) {
        headers.emplace_back(name, headers[name[0] == 'a' ? 5 : 4].second);
        EXPECT_EQ(
            outcome(),
            "InvalidSignatureException: More than one '" + std::string(name) + "' header was sent."
        );
        headers.pop_back();
    }
    EXPECT_EQ(outcome(), "ok");
}

TEST_F(VerifySigV4Test, ARepeatedHeaderIsNotTheSignedOne) {
    headers.emplace_back("x-amz-target", "DynamoDB_20120810.DeleteTable");
    EXPECT_EQ(outcome(), mismatch);
}

TEST_F(VerifySigV4Test, TamperingIsNoticed) {
    const auto refused_after = [&](std::string& part, std::string_view changed) {
        const auto before = std::exchange(part, changed);
        EXPECT_EQ(outcome(), mismatch) << before << " -> " << changed;
        part = before;
    };
    refused_after(method, "PUT");
    refused_after(target, "/x");
    refused_after(target, "/?x");
    refused_after(target, "*");
    refused_after(body, "");
    refused_after(header("Host"), "localhost:8001");
    refused_after(header("Content-Type"), "application/x-amz-json-1.1");
    refused_after(header("X-Amz-Target"), "DynamoDB_20120810.PutItem");
    refused_after(header("X-Amz-Date"), "20150830T123601Z");
    EXPECT_EQ(outcome(), "ok");
}

TEST_F(VerifySigV4Test, ALineFeedCannotMoveBytesBetweenParts) {
    // The same canonical text as the true request, cut elsewhere.
    header("Content-Type") = "application/x-amz-json-1.0\nhost:localhost:8000";
    EXPECT_EQ(outcome(), mismatch);
}

TEST_F(VerifySigV4Test, OddWhiteSpaceIsForgiven) {
    auto& text = header("Authorization");
    text = "\t" + text + " ";
    header("Host") = "  localhost:8000\t";
    EXPECT_EQ(outcome(), "ok");
    replace_in_authorization(", SignedHeaders", ",\t\tSignedHeaders");
    replace_in_authorization(", Signature", " , Signature");
    EXPECT_EQ(outcome(), "ok");
}

TEST_F(VerifySigV4Test, TheDateHeaderStandsInForAmzDate) {
    // Signed by hand, for sign_sigv4() always sends X-Amz-Date.
    const SigningScope scope{"20150830", "us-east-1", "dynamodb"};
    const std::vector<std::string_view> names = {"date", "host"};
    const auto canonical = canonical_request(
        {"POST", "/", {{"Host", "h"}, {"Date", "20150830T123600Z"}}, ""},
        names,
        to_hex(sha256("{}")),
        PathForm::kNormalized
    );
    const auto signature = derive_signing_key(kSecret, scope)
                               .sign(string_to_sign("20150830T123600Z", scope, canonical));
    headers = {
        {"Host", "h"},
        {"Date", "20150830T123600Z"},
        {"Authorization",
         "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/" + render_scope(scope) +
             ", SignedHeaders=date;host, Signature=" + to_hex(signature)}};
    body = "{}";
    EXPECT_EQ(outcome(), "ok");
    header("Date") = "20150830T123601Z";
    EXPECT_EQ(outcome(), mismatch);
}

TEST_F(VerifySigV4Test, ManyThreadsVerifyAcrossMidnight) {
    const std::int64_t midnight = kNow - kNow % 86400;
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 200; ++i) {
                const auto now = midnight + (i + thread) % 7 - 3;
                const SignedRequest plain{"POST", "/", {{"Host", "h"}}, "{}"};
                const auto made = sign_sigv4(plain, kKeyId, kSecret, "us-east-1", "dynamodb", now);
                auto request = plain;
                request.headers.push_back({"X-Amz-Date", made.amz_date});
                request.headers.push_back({"Authorization", made.authorization});
                good += verify_sigv4(request, credentials(), {.now_seconds = now}) ? 1 : 0;
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(good, 800);
}

}  // namespace
}  // namespace gateleg::auth
