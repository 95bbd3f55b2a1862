#include "auth/jwt.h"

#include <memory>

#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "base/sha256.h"

namespace gateleg::auth {
namespace {

constexpr std::int64_t kNow = 1'750'000'000;
constexpr std::string_view kSecret = "a secret of at least thirty-two bytes";
constexpr std::string_view kNotValid = "The token is not valid";

std::string sign_hs256(
    std::string_view header, std::string_view payload, std::string_view key = kSecret
) {
    const auto signed_part = encode_base64url(header) + "." + encode_base64url(payload);
    const auto digest = HmacKey(key).sign(signed_part);
    return signed_part + "." + encode_base64url(std::string(digest.begin(), digest.end()));
}

std::string with_claims(std::string_view payload) {
    return sign_hs256(R"({"alg":"HS256","typ":"JWT"})", payload);
}

JwtVerifier with_secret() {
    JwtVerifier verifier;
    EXPECT_TRUE(verifier.use_secret(kSecret));
    return verifier;
}

std::string refusal(const JwtVerifier& verifier, std::string_view token) {
    const auto result = verifier.verify(token, kNow);
    if (result) {
        return "accepted";
    }
    EXPECT_EQ(result.error().code, ErrorCode::kUnrecognizedClient);
    return result.error().message;
}

// A key pair made for the test, its public half as a JWK, and signatures with its private half.
class KeyPair {
public:
    static KeyPair rsa() { return KeyPair(EVP_RSA_gen(2048), true); }
    static KeyPair ec() { return KeyPair(EVP_EC_gen("P-256"), false); }

    std::string jwk(std::string_view id) const {
        if (rsa_) {
            return R"({"kty":"RSA","kid":")" + std::string(id) + R"(","n":")" +
                   number(OSSL_PKEY_PARAM_RSA_N, 0) + R"(","e":")" +
                   number(OSSL_PKEY_PARAM_RSA_E, 0) + R"("})";
        }
        return R"({"kty":"EC","crv":"P-256","use":"sig","kid":")" + std::string(id) + R"(","x":")" +
               number(OSSL_PKEY_PARAM_EC_PUB_X, 32) + R"(","y":")" +
               number(OSSL_PKEY_PARAM_EC_PUB_Y, 32) + R"("})";
    }

    std::string sign(std::string_view header, std::string_view payload) const {
        const auto message = encode_base64url(header) + "." + encode_base64url(payload);
        auto* context = EVP_MD_CTX_new();
        EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key_.get());
        const auto* data = reinterpret_cast<const unsigned char*>(message.data());
        std::size_t size = 0;
        EVP_DigestSign(context, nullptr, &size, data, message.size());
        std::string signature(size, '\0');
        EVP_DigestSign(
            context, reinterpret_cast<unsigned char*>(signature.data()), &size, data, message.size()
        );
        signature.resize(size);
        EVP_MD_CTX_free(context);
        return message + "." + encode_base64url(rsa_ ? signature : to_raw(signature));
    }

private:
    KeyPair(EVP_PKEY* key, bool rsa) : key_(key, EVP_PKEY_free), rsa_(rsa) {}

    std::string number(const char* name, int bytes) const {
        BIGNUM* value = nullptr;
        EVP_PKEY_get_bn_param(key_.get(), name, &value);
        std::string text(static_cast<std::size_t>(bytes != 0 ? bytes : BN_num_bytes(value)), '\0');
        BN_bn2binpad(
            value, reinterpret_cast<unsigned char*>(text.data()), static_cast<int>(text.size())
        );
        BN_free(value);
        return encode_base64url(text);
    }

    static std::string to_raw(const std::string& der) {
        const auto* in = reinterpret_cast<const unsigned char*>(der.data());
        auto* signature = d2i_ECDSA_SIG(nullptr, &in, static_cast<long>(der.size()));
        std::string raw(64, '\0');
        auto* out = reinterpret_cast<unsigned char*>(raw.data());
        BN_bn2binpad(ECDSA_SIG_get0_r(signature), out, 32);
        BN_bn2binpad(ECDSA_SIG_get0_s(signature), out + 32, 32);
        ECDSA_SIG_free(signature);
        return raw;
    }

    std::shared_ptr<EVP_PKEY> key_;
    bool rsa_;
};

TEST(JwtTest, AcceptsWhatMakeHs256Makes) {
    const auto token = make_hs256(kSecret, "u1", {"user", "moderator"}, kNow + 1);
    const auto identity = with_secret().verify(token, kNow);
    ASSERT_TRUE(identity) << identity.error().message;
    EXPECT_EQ(identity->subject, "u1");
    EXPECT_EQ(identity->roles, (std::vector<std::string>{"user", "moderator"}));
}

TEST(JwtTest, WithoutAKeyNothingIsAccepted) {
    const JwtVerifier verifier;
    EXPECT_FALSE(verifier.accepts_any());
    EXPECT_EQ(refusal(verifier, make_hs256(kSecret, "u1", {}, kNow + 60)), kNotValid);
    EXPECT_EQ(refusal(verifier, make_hs256("", "u1", {}, kNow + 60)), kNotValid);
    EXPECT_FALSE(JwtVerifier().use_secret(""));
}

TEST(JwtTest, EveryChangedCharacterIsNoticed) {
    const auto verifier = with_secret();
    const auto token = make_hs256(kSecret, "u1", {"user"}, kNow + 60);
    for (std::size_t at = 0; at < token.size(); ++at) {
        auto changed = token;
        changed[at] = changed[at] == 'A' ? 'B' : 'A';
        EXPECT_EQ(refusal(verifier, changed), kNotValid) << at;
    }
    EXPECT_EQ(refusal(verifier, make_hs256("another secret", "u1", {}, kNow + 60)), kNotValid);
}

TEST(JwtTest, RefusesWhatHasNotTheFormOfAToken) {
    const auto verifier = with_secret();
    const auto token = make_hs256(kSecret, "u1", {}, kNow + 60);
    for (const auto& text :
         {std::string(),
          std::string("."),
          std::string(".."),
          std::string("a.b.c"),
          token + ".",
          token + "=",
          " " + token,
          token.substr(0, token.rfind('.')),
          token.substr(0, token.rfind('.') + 1),
          std::string(9000, 'a'),
          sign_hs256("[]", "{}"),
          sign_hs256("{", "{}"),
          sign_hs256(R"({"alg":"HS256","alg":"HS256"})", R"({"sub":"u","exp":9999999999})"),
          sign_hs256(R"({"alg":"HS256","crit":["x"]})", R"({"sub":"u","exp":9999999999})"),
          with_claims(R"({"sub":"u","exp":1,"exp":9999999999})"),
          with_claims("7")}) {
        EXPECT_EQ(refusal(verifier, text), kNotValid) << text;
    }
}

TEST(JwtTest, OnlyListedAlgorithmsCount) {
    const auto verifier = with_secret();
    constexpr std::string_view kClaims = R"({"sub":"u","exp":9999999999})";
    for (const std::string_view name : {"none", "None", "NONE", "", "hs256", "HS384", "RS256"}) {
        const auto header = R"({"alg":")" + std::string(name) + R"("})";
        EXPECT_EQ(refusal(verifier, sign_hs256(header, kClaims)), kNotValid) << name;
        EXPECT_EQ(
            refusal(verifier, encode_base64url(header) + "." + encode_base64url(kClaims) + "."),
            kNotValid
        ) << name;
    }
    EXPECT_EQ(refusal(verifier, sign_hs256(R"({"typ":"JWT"})", kClaims)), kNotValid);
}

TEST(JwtTest, TimesAreChecked) {
    const auto verifier = with_secret();
    const auto at = [](std::int64_t offset) { return std::to_string(kNow + offset); };
    const auto claims = [&](const std::string& more) {
        return refusal(verifier, with_claims(R"({"sub":"u")" + more + "}"));
    };
    EXPECT_EQ(claims(""), "The token has no claim exp");
    EXPECT_EQ(claims(R"(,"exp":"later")"), "The token has no claim exp");
    EXPECT_EQ(claims(R"(,"exp":1e300)"), "The token has no claim exp");
    EXPECT_EQ(claims(R"(,"exp":)" + at(0)), "The token has expired");
    EXPECT_EQ(claims(R"(,"exp":)" + at(1)), "accepted");
    EXPECT_EQ(claims(R"(,"exp":)" + at(1) + ".5"), "accepted");
    const auto until = R"(,"exp":)" + at(600);
    EXPECT_EQ(claims(until + R"(,"nbf":)" + at(60)), "accepted");
    EXPECT_EQ(claims(until + R"(,"nbf":)" + at(61)), "The token is not valid yet");
    EXPECT_EQ(claims(until + R"(,"iat":)" + at(60)), "accepted");
    EXPECT_EQ(claims(until + R"(,"iat":)" + at(61)), "The token is not valid yet");
    EXPECT_EQ(claims(until + R"(,"iat":"x")"), "The token is not valid yet");
}

TEST(JwtTest, ATokenThatIsKnownIsStillJudgedByTheClock) {
    const auto verifier = with_secret();
    const auto token = with_claims(
        R"({"sub":"ada","roles":["user"],"nbf":)" + std::to_string(kNow - 10) + R"(,"exp":)" +
        std::to_string(kNow + 100) + "}"
    );
    const auto at = [&](std::int64_t now) {
        const auto result = verifier.verify(token, now);
        return result ? result->subject + " " + result->roles.at(0) : result.error().message;
    };
    EXPECT_EQ(at(kNow - 71), "The token is not valid yet");
    for (int times = 0; times < 2; ++times) {
        EXPECT_EQ(at(kNow), "ada user");
        EXPECT_EQ(at(kNow - 70), "ada user");
        EXPECT_EQ(at(kNow - 71), "The token is not valid yet");
        EXPECT_EQ(at(kNow + 99), "ada user");
        EXPECT_EQ(at(kNow + 100), "The token has expired");
    }
    auto changed = token;
    changed.back() = changed.back() == 'A' ? 'B' : 'A';
    EXPECT_EQ(refusal(verifier, changed), "The token is not valid");
    EXPECT_EQ(refusal(with_secret(), token), "accepted");
}

TEST(JwtTest, ManyTokensAreTheirOwnEach) {
    const auto verifier = with_secret();
    for (int times = 0; times < 2; ++times) {
        for (int i = 0; i < 5'000; ++i) {
            const auto name = "user-" + std::to_string(i);
            const auto claims =
                verifier.verify(make_hs256(kSecret, name, {"user"}, kNow + 60), kNow);
            ASSERT_TRUE(claims);
            ASSERT_EQ(claims->subject, name);
        }
    }
}

TEST(JwtTest, SubjectAndRolesAreChecked) {
    const auto verifier = with_secret();
    for (const std::string more :
         {R"("sub":7)",
          R"("sub":"")",
          R"("sub":"a#STORY#b")",
          R"("sub":"a\u0000b")",
          R"("x":1)",
          R"("sub":"u","roles":"admin")",
          R"("sub":"u","roles":[1])",
          R"("sub":"u","roles":[""])"}) {
        const auto said = refusal(verifier, with_claims(R"({"exp":9999999999,)" + more + "}"));
        EXPECT_TRUE(said.starts_with("The token's claim")) << more << ": " << said;
    }
}

TEST(JwtTest, PublicKeysAreFoundByIdAndAlgorithm) {
    const auto rsa = KeyPair::rsa();
    const auto ec = KeyPair::ec();
    JwtVerifier verifier;
    const auto used =
        verifier.use_key_set(R"({"keys":[)" + rsa.jwk("r1") + "," + ec.jwk("e1") + "]}");
    ASSERT_TRUE(used) << used.error().message;
    constexpr std::string_view kClaims = R"({"sub":"u","exp":9999999999})";
    EXPECT_EQ(refusal(verifier, rsa.sign(R"({"alg":"RS256","kid":"r1"})", kClaims)), "accepted");
    EXPECT_EQ(refusal(verifier, rsa.sign(R"({"alg":"RS256"})", kClaims)), "accepted");
    EXPECT_EQ(refusal(verifier, ec.sign(R"({"alg":"ES256","kid":"e1"})", kClaims)), "accepted");
    EXPECT_EQ(refusal(verifier, rsa.sign(R"({"alg":"RS256","kid":"x"})", kClaims)), kNotValid);
    EXPECT_EQ(refusal(verifier, rsa.sign(R"({"alg":"ES256","kid":"r1"})", kClaims)), kNotValid);
    EXPECT_EQ(refusal(verifier, ec.sign(R"({"alg":"RS256","kid":"e1"})", kClaims)), kNotValid);
    const auto other = KeyPair::ec();
    EXPECT_EQ(refusal(verifier, other.sign(R"({"alg":"ES256","kid":"e1"})", kClaims)), kNotValid);
    const auto token = ec.sign(R"({"alg":"ES256"})", kClaims);
    const auto zeros = token.substr(0, token.rfind('.') + 1) + encode_base64url(std::string(64, 0));
    EXPECT_EQ(refusal(verifier, zeros), kNotValid);
}

TEST(JwtTest, APublicKeyIsNoSecret) {
    const auto rsa = KeyPair::rsa();
    const auto jwk = rsa.jwk("r1");
    JwtVerifier verifier;
    ASSERT_TRUE(verifier.use_key_set(R"({"keys":[)" + jwk + "]}"));
    constexpr std::string_view kClaims = R"({"sub":"u","exp":9999999999})";
    const auto modulus = jwk.substr(jwk.find(R"("n":")") + 5, jwk.find(R"(","e")"));
    for (const auto& key : {jwk, modulus, decode_base64url(modulus).value_or("")}) {
        EXPECT_EQ(
            refusal(verifier, sign_hs256(R"({"alg":"HS256","kid":"r1"})", kClaims, key)), kNotValid
        );
    }
    // Nor with a secret beside it.
    ASSERT_TRUE(verifier.use_secret(kSecret));
    EXPECT_EQ(refusal(verifier, sign_hs256(R"({"alg":"RS256"})", kClaims)), kNotValid);
    EXPECT_EQ(refusal(verifier, sign_hs256(R"({"alg":"HS256"})", kClaims, jwk)), kNotValid);
}

TEST(JwtTest, KeySetsThatCannotBeUsedAreRefused) {
    for (const std::string_view text :
         {"",
          "[]",
          R"({"keys":[]})",
          R"({"keys":[7]})",
          R"({"keys":[{"kty":"oct","k":"c2VjcmV0"}]})",
          R"({"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]})",
          R"({"keys":[{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}]})",
          R"({"keys":[{"kty":"RSA","alg":"HS256","n":"AQAB","e":"AQAB"}]})"}) {
        EXPECT_FALSE(JwtVerifier().use_key_set(text)) << text;
    }
    const auto off_curve = encode_base64url(std::string(32, 7));
    EXPECT_FALSE(JwtVerifier().use_key_set(
        R"({"keys":[{"kty":"EC","crv":"P-256","x":")" + off_curve + R"(","y":")" + off_curve +
        R"("}]})"
    ));
    EXPECT_FALSE(JwtVerifier().use_key_set_file("/nowhere/keys.json"));
}

}  // namespace
}  // namespace gateleg::auth
