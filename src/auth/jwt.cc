#include "auth/jwt.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <simdjson.h>

#include "base/base64.h"
#include "base/json_writer.h"
#include "base/sha256.h"

namespace gateleg::auth {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMaxTokenBytes = 8192;
constexpr std::size_t kMaxKeySetBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxKeys = 64;
constexpr std::size_t kMaxRoles = 32;
constexpr std::size_t kMaxRoleBytes = 64;
constexpr std::size_t kMaxSubjectBytes = 128;
constexpr int kMinRsaBits = 2048;
constexpr int kMaxRsaBits = 8192;
constexpr std::size_t kCoordinateBytes = 32;
// How far the clocks of issuer and server may be apart.
constexpr std::int64_t kLeewaySeconds = 60;

Error refused(std::string message) {
    return {ErrorCode::kUnrecognizedClient, std::move(message)};
}
Error not_valid() {
    return refused("The token is not valid");
}

template <auto Free>
struct Freed {
    template <class T>
    void operator()(T* pointer) const {
        Free(pointer);
    }
};
using PublicKey = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using BigNumber = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

BigNumber to_big_number(std::string_view bytes) {
    return BigNumber(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

enum class Algorithm : std::uint8_t { kHs256, kRs256, kEs256 };

std::optional<Algorithm> find_algorithm(std::string_view name) {
    if (name == "HS256") {
        return Algorithm::kHs256;
    }
    if (name == "RS256") {
        return Algorithm::kRs256;
    }
    if (name == "ES256") {
        return Algorithm::kEs256;
    }
    return std::nullopt;
}

// --- JSON
// -----------------------------------------------------------------------------------------

// An object without a name twice: two readers of such a one may see different claims.
std::optional<dom::object> parse_object(dom::parser& parser, std::string_view json) {
    dom::object object;
    if (parser.parse(json.data(), json.size()).get_object().get(object) != simdjson::SUCCESS) {
        return std::nullopt;
    }
    std::set<std::string_view> names;
    for (const auto field : object) {
        if (!names.insert(field.key).second) {
            return std::nullopt;
        }
    }
    return object;
}

std::optional<std::string_view> find_text(const dom::object& object, std::string_view name) {
    std::string_view text;
    if (object.at_key(name).get_string().get(text) != simdjson::SUCCESS) {
        return std::nullopt;
    }
    return text;
}

bool has(const dom::object& object, std::string_view name) {
    return object.at_key(name).error() == simdjson::SUCCESS;
}

// Seconds since the epoch; a fraction is cut off.
std::optional<std::int64_t> find_seconds(const dom::object& object, std::string_view name) {
    std::int64_t whole = 0;
    if (object.at_key(name).get_int64().get(whole) == simdjson::SUCCESS) {
        return whole;
    }
    double number = 0;
    constexpr double kFarAway = 1e15;
    if (object.at_key(name).get_double().get(number) != simdjson::SUCCESS ||
        !(std::abs(number) < kFarAway)) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(std::floor(number));
}

// --- public keys
// -----------------------------------------------------------------------------------------

PublicKey make_key(const char* type, OSSL_PARAM* params) {
    const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
    EVP_PKEY* key = nullptr;
    if (!context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
        EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params) != 1) {
        return nullptr;
    }
    PublicKey made(key);
    const KeyContext check(EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
    return check && EVP_PKEY_public_check(check.get()) == 1 ? std::move(made) : nullptr;
}

Result<PublicKey> make_rsa_key(const dom::object& jwk) {
    const auto modulus = decode_base64url(find_text(jwk, "n").value_or(""));
    const auto exponent = decode_base64url(find_text(jwk, "e").value_or(""));
    if (!modulus || modulus->empty() || modulus->size() > kMaxRsaBits / 8 || !exponent ||
        exponent->empty() || exponent->size() > 8) {
        return validation_error("an RSA key needs n (at most 8192 bits) and e, in base64url");
    }
    const auto n = to_big_number(*modulus);
    const auto e = to_big_number(*exponent);
    if (BN_num_bits(n.get()) < kMinRsaBits) {
        return validation_error("the RSA key is shorter than 2048 bits");
    }
    const ParamBuilder builder(OSSL_PARAM_BLD_new());
    OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get());
    OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get());
    const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
    auto key = make_key("RSA", params.get());
    if (!key) {
        return validation_error("n and e are no RSA key");
    }
    return key;
}

Result<PublicKey> make_ec_key(const dom::object& jwk) {
    const auto x = decode_base64url(find_text(jwk, "x").value_or(""));
    const auto y = decode_base64url(find_text(jwk, "y").value_or(""));
    if (find_text(jwk, "crv") != "P-256" || !x || x->size() != kCoordinateBytes || !y ||
        y->size() != kCoordinateBytes) {
        return validation_error("an EC key needs crv P-256 and x, y of 32 bytes, in base64url");
    }
    constexpr char kUncompressed = 4;
    const auto point = std::string(1, kUncompressed) + *x + *y;
    const ParamBuilder builder(OSSL_PARAM_BLD_new());
    OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0);
    OSSL_PARAM_BLD_push_octet_string(
        builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()
    );
    const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
    auto key = make_key("EC", params.get());
    if (!key) {
        return validation_error("x and y are no point on P-256");
    }
    return key;
}

bool verify_digest(EVP_PKEY* key, std::string_view message, std::string_view signature) {
    const DigestContext context(EVP_MD_CTX_new());
    return context &&
           EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
           EVP_DigestVerify(
               context.get(),
               bytes_of(signature),
               signature.size(),
               bytes_of(message),
               message.size()
           ) == 1;
}

// The two numbers of an ES256 signature, as OpenSSL wants them: in DER.
std::string to_der(std::string_view signature) {
    if (signature.size() != 2 * kCoordinateBytes) {
        return {};
    }
    const EcdsaSignature numbers(ECDSA_SIG_new());
    auto r = to_big_number(signature.substr(0, kCoordinateBytes));
    auto s = to_big_number(signature.substr(kCoordinateBytes));
    if (!numbers || !r || !s || ECDSA_SIG_set0(numbers.get(), r.get(), s.get()) != 1) {
        return {};
    }
    // They belong to the signature now.
    static_cast<void>(r.release());
    static_cast<void>(s.release());
    const int size = i2d_ECDSA_SIG(numbers.get(), nullptr);
    std::string der(static_cast<std::size_t>(std::max(size, 0)), '\0');
    auto* out = reinterpret_cast<unsigned char*>(der.data());
    i2d_ECDSA_SIG(numbers.get(), &out);
    return der;
}

// --- claims
// -----------------------------------------------------------------------------------------

// User ids become parts of keys, so a '#' in one would forge another key.
bool is_subject(std::string_view text) {
    return !text.empty() && text.size() <= kMaxSubjectBytes &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '.' || c == ':' || c == '-';
           });
}

// Claims, and when they may be believed.
struct Judged {
    TokenClaims claims;
    std::int64_t from = std::numeric_limits<std::int64_t>::min();
    std::int64_t until = 0;

    bool holds_at(std::int64_t now_seconds) const {
        return now_seconds >= from && now_seconds < until;
    }
};

// Genuine tokens that were judged before: whoever calls often sends the same one, and a signature
// costs more than most requests. What is longer than tokens usually are is judged each time.
// Thread-safe.
class KnownTokens {
public:
    std::optional<TokenClaims> find(std::string_view token, std::int64_t now_seconds) {
        if (token.size() > kMaxBytes) {
            return std::nullopt;
        }
        const std::lock_guard lock(mutex_);
        auto found = young_.find(token);
        if (found == young_.end()) {
            const auto before = old_.find(token);
            if (before == old_.end()) {
                return std::nullopt;
            }
            auto node = old_.extract(before);
            make_room();
            found = young_.insert(std::move(node)).position;
        }
        // Outside of its time the token is judged anew, for the words of the refusal.
        return found->second.holds_at(now_seconds) ? std::optional(found->second.claims)
                                                   : std::nullopt;
    }

    void add(std::string_view token, const Judged& judged) {
        if (token.size() > kMaxBytes) {
            return;
        }
        const std::lock_guard lock(mutex_);
        make_room();
        young_.insert_or_assign(std::string(token), judged);
    }

private:
    static constexpr std::size_t kMaxBytes = 1024;
    // Two generations of tokens of the usual size take some 8 MB, and of the longest 20.
    static constexpr std::size_t kGeneration = 8192;

    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>{}(text);
        }
    };
    using Tokens = std::unordered_map<std::string, Judged, Hash, std::equal_to<>>;

    // What was not asked for since the last change of generations is forgotten at the next.
    void make_room() {
        if (young_.size() >= kGeneration) {
            old_ = std::exchange(young_, {});
        }
    }

    std::mutex mutex_;
    Tokens young_;
    Tokens old_;
};

Result<Judged> read_claims(const dom::object& claims, std::int64_t now_seconds) {
    Judged judged;
    const auto expires = find_seconds(claims, "exp");
    if (!expires) {
        return refused("The token has no claim exp");
    }
    if (*expires <= now_seconds) {
        return refused("The token has expired");
    }
    judged.until = *expires;
    for (const std::string_view name : {"nbf", "iat"}) {
        if (!has(claims, name)) {
            continue;
        }
        const auto since = find_seconds(claims, name);
        if (!since || *since > now_seconds + kLeewaySeconds) {
            return refused("The token is not valid yet");
        }
        judged.from = std::max(judged.from, *since - kLeewaySeconds);
    }
    auto& identity = judged.claims;
    const auto subject = find_text(claims, "sub");
    if (!subject || !is_subject(*subject)) {
        return refused("The token's claim sub must be a text of 1 to 128 of A-Z a-z 0-9 _ . : -");
    }
    identity.subject = *subject;
    if (!has(claims, "roles")) {
        return judged;
    }
    dom::array roles;
    if (claims.at_key("roles").get_array().get(roles) != simdjson::SUCCESS ||
        roles.size() > kMaxRoles) {
        return refused("The token's claim roles must be a list of up to 32 texts");
    }
    for (const auto element : roles) {
        std::string_view role;
        if (element.get_string().get(role) != simdjson::SUCCESS || role.empty() ||
            role.size() > kMaxRoleBytes) {
            return refused("The token's claim roles must be a list of up to 32 texts");
        }
        identity.roles.emplace_back(role);
    }
    return judged;
}

struct Parts {
    std::string_view signed_part, header, payload, signature;
};

// Exactly three parts.
std::optional<Parts> split(std::string_view token) {
    const auto first = token.find('.');
    if (first == std::string_view::npos) {
        return std::nullopt;
    }
    const auto second = token.find('.', first + 1);
    if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) {
        return std::nullopt;
    }
    return Parts{
        .signed_part = token.substr(0, second),
        .header = token.substr(0, first),
        .payload = token.substr(first + 1, second - first - 1),
        .signature = token.substr(second + 1),
    };
}

}  // namespace

struct JwtVerifier::Keys {
    struct Named {
        std::string id;
        Algorithm algorithm;
        PublicKey key;
    };

    // Without an id in the token only a single key of that algorithm is meant.
    const Named* find(Algorithm algorithm, std::optional<std::string_view> id) const {
        const Named* found = nullptr;
        for (const auto& candidate : public_keys) {
            if (candidate.algorithm != algorithm || (id && candidate.id != *id)) {
                continue;
            }
            if (found != nullptr) {
                return nullptr;
            }
            found = &candidate;
        }
        return found;
    }

    bool is_genuine(Algorithm algorithm, std::optional<std::string_view> id, const Parts& parts)
        const {
        const auto signature = decode_base64url(parts.signature);
        if (!signature) {
            return false;
        }
        if (algorithm == Algorithm::kHs256) {
            Sha256Digest given{};
            if (!secret || signature->size() != given.size()) {
                return false;
            }
            std::copy(signature->begin(), signature->end(), given.begin());
            return equal_in_constant_time(secret->sign(parts.signed_part), given);
        }
        const auto* named = find(algorithm, id);
        if (named == nullptr) {
            return false;
        }
        const auto form = algorithm == Algorithm::kEs256 ? to_der(*signature) : *signature;
        return !form.empty() && verify_digest(named->key.get(), parts.signed_part, form);
    }

    std::optional<HmacKey> secret;
    std::vector<Named> public_keys;
    KnownTokens known;
};

JwtVerifier::JwtVerifier() : keys_(std::make_unique<Keys>()) {}
JwtVerifier::~JwtVerifier() = default;
JwtVerifier::JwtVerifier(JwtVerifier&&) noexcept = default;
JwtVerifier& JwtVerifier::operator=(JwtVerifier&&) noexcept = default;

Result<void> JwtVerifier::use_secret(std::string_view secret) {
    if (secret.empty()) {
        return validation_error("the secret for tokens is empty");
    }
    keys_->secret.emplace(secret);
    return {};
}

Result<void> JwtVerifier::use_key_set(std::string_view json) {
    dom::parser parser;
    const auto set = parse_object(parser, json);
    dom::array keys;
    if (!set || set->at_key("keys").get_array().get(keys) != simdjson::SUCCESS) {
        return validation_error("not a JWK set: {\"keys\": [...]} is expected");
    }
    std::size_t number = 0;
    for (const auto element : keys) {
        const auto where = "key " + std::to_string(++number) + ": ";
        dom::object jwk;
        if (number > kMaxKeys || element.get_object().get(jwk) != simdjson::SUCCESS) {
            return validation_error(where + "at most 64 keys, each an object");
        }
        const auto type = find_text(jwk, "kty").value_or("");
        if (find_text(jwk, "use").value_or("sig") != "sig") {
            continue;
        }
        if (type != "RSA" && type != "EC") {
            return validation_error(where + "kty must be RSA or EC; secrets do not belong here");
        }
        const auto algorithm = type == "RSA" ? Algorithm::kRs256 : Algorithm::kEs256;
        const auto stated = find_text(jwk, "alg");
        if (stated && find_algorithm(*stated) != algorithm) {
            return validation_error(where + "alg must be RS256 for RSA and ES256 for EC");
        }
        auto key = type == "RSA" ? make_rsa_key(jwk) : make_ec_key(jwk);
        if (!key) {
            return validation_error(where + key.error().message);
        }
        keys_->public_keys.push_back(
            {.id = std::string(find_text(jwk, "kid").value_or("")),
             .algorithm = algorithm,
             .key = *std::move(key)}
        );
    }
    if (keys_->public_keys.empty()) {
        return validation_error("the JWK set has no key to verify signatures with");
    }
    return {};
}

Result<void> JwtVerifier::use_key_set_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text(kMaxKeySetBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (!file.is_open() || file.bad()) {
        return validation_error(path.string() + ": cannot be read");
    }
    if (text.size() > kMaxKeySetBytes) {
        return validation_error(path.string() + ": larger than 256 KB");
    }
    if (auto used = use_key_set(text); !used) {
        return validation_error(path.string() + ": " + used.error().message);
    }
    return {};
}

bool JwtVerifier::accepts_any() const {
    return keys_->secret || !keys_->public_keys.empty();
}

Result<std::string> JwtVerifier::genuine_claims(std::string_view token) const {
    const auto parts = token.size() <= kMaxTokenBytes ? split(token) : std::nullopt;
    if (!parts) {
        return not_valid();
    }
    const auto header_text = decode_base64url(parts->header);
    dom::parser header_parser;
    const auto header =
        header_text ? parse_object(header_parser, *header_text) : std::optional<dom::object>();
    // `crit` names extensions one must understand; none are understood here.
    if (!header || has(*header, "crit")) {
        return not_valid();
    }
    const auto algorithm = find_algorithm(find_text(*header, "alg").value_or(""));
    if (!algorithm || !keys_->is_genuine(*algorithm, find_text(*header, "kid"), *parts)) {
        return not_valid();
    }
    auto payload = decode_base64url(parts->payload);
    if (!payload) {
        return not_valid();
    }
    return *std::move(payload);
}

Result<TokenClaims> JwtVerifier::verify(std::string_view token, std::int64_t now_seconds) const {
    if (auto claims = keys_->known.find(token, now_seconds)) {
        return *std::move(claims);
    }
    GATELEG_TRY_ASSIGN(const auto text, genuine_claims(token));
    dom::parser parser;
    const auto payload = parse_object(parser, text);
    if (!payload) {
        return not_valid();
    }
    GATELEG_TRY_ASSIGN(auto judged, read_claims(*payload, now_seconds));
    keys_->known.add(token, judged);
    return std::move(judged.claims);
}

std::string make_hs256(
    std::string_view secret,
    std::string_view subject,
    const std::vector<std::string>& roles,
    std::int64_t expires_seconds
) {
    std::string claims;
    JsonWriter json(claims);
    json.begin_object();
    json.member("sub", subject);
    json.key("roles");
    json.begin_array();
    for (const auto& role : roles) {
        json.string(role);
    }
    json.end_array();
    json.member("exp", expires_seconds);
    json.end_object();
    const auto signed_part =
        encode_base64url(R"({"alg":"HS256","typ":"JWT"})") + "." + encode_base64url(claims);
    const auto digest = HmacKey(secret).sign(signed_part);
    return signed_part + "." + encode_base64url(std::string(digest.begin(), digest.end()));
}

std::string encode_base64url(std::string_view bytes) {
    auto text = encode_base64(bytes);
    text.resize(text.find_last_not_of('=') + 1);
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
    return text;
}

std::optional<std::string> decode_base64url(std::string_view text) {
    if (text.find_first_of("+/=") != std::string_view::npos) {
        return std::nullopt;
    }
    std::string standard(text);
    std::replace(standard.begin(), standard.end(), '-', '+');
    std::replace(standard.begin(), standard.end(), '_', '/');
    standard.append((4 - standard.size() % 4) % 4, '=');
    std::string bytes;
    if (!append_decoded_base64(bytes, standard) || encode_base64url(bytes) != text) {
        return std::nullopt;
    }
    return bytes;
}

}  // namespace gateleg::auth
