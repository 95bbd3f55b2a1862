#include "remote/store_client.h"

#include <charconv>
#include <optional>

#include "auth/sigv4.h"
#include "base/crc32.h"
#include "base/log.h"
#include "dynamo/named_error.h"

namespace gateleg::remote {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::string_view kService = "dynamodb";
constexpr std::string_view kTargetPrefix = "DynamoDB_20120810.";
constexpr std::string_view kStreamsPrefix = "DynamoDBStreams_";

// True if the service sent no checksum, or one that fits.
bool is_intact(const HttpReply& reply) {
    const auto text = reply.header("x-amz-crc32");
    if (text.empty()) {
        return true;
    }
    std::uint32_t claimed = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), claimed);
    return failure == std::errc() && end == text.data() + text.size() &&
           claimed == crc32(reply.body);
}

bool is_about_credentials(ErrorCode code) {
    return code == ErrorCode::kUnrecognizedClient || code == ErrorCode::kInvalidSignature ||
           code == ErrorCode::kIncompleteSignature ||
           code == ErrorCode::kMissingAuthenticationToken;
}

// AWS answers for streams under another name; others under the same.
std::string host_of(const StoreAddress& address, std::string_view target) {
    const bool apart = target.starts_with(kStreamsPrefix) &&
                       address.host.starts_with("dynamodb.") &&
                       address.host.find(".amazonaws.com") != std::string::npos;
    return apart ? "streams." + address.host : address.host;
}

// The error as the store named and worded it.
Error as_named(StoreError error) {
    const auto prefix = error.type + ": ";
    if (error.error.message.starts_with(prefix)) {
        error.error.message.erase(0, prefix.size());
    }
    return error.type.empty() || error.error.detail != nullptr
               ? std::move(error.error)
               : dynamo::named_error(error.error.code, error.type, std::move(error.error.message));
}

std::string seconds_text(std::chrono::milliseconds time) {
    return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " s"
                                    : std::to_string(time.count()) + " ms";
}

}  // namespace

struct StoreClient::Running {
    StoreCall call;
    Done done;
    int attempts = 0;
    // Some attempt may have been carried out.
    bool in_doubt = false;
    bool has_renewed_credentials = false;
    AwsCredentials credentials;
    std::string last_failure;
};

StoreClient::StoreClient(
    HttpClient& http, CredentialsChain& credentials, const Clock& clock, StoreClientOptions options
)
    : http_(http),
      credentials_(credentials),
      clock_(clock),
      options_(std::move(options)),
      name_(
          "the store at " + (options_.address.unix_socket.empty() ? options_.address.host
                                                                  : options_.address.unix_socket)
      ),
      circuit_(options_.deadline / 2) {}

SteadyTime StoreClient::deadline_from_now() const {
    return Steady::now() + options_.deadline;
}

void StoreClient::run_after(std::chrono::milliseconds delay, UniqueFunction<void()> function) {
    http_.run_at(Steady::now() + delay, std::move(function));
}

void StoreClient::run(StoreCall call, Done done) {
    if (calls_.fetch_add(1) >= options_.max_calls) {
        calls_.fetch_sub(1);
        done(service_unavailable("too many calls to " + name_ + " are under way"));
        return;
    }
    auto running = std::make_shared<Running>();
    running->call = std::move(call);
    running->done = std::move(done);
    attempt(std::move(running));
}

void StoreClient::attempt(RunningPointer running) {
    if (!circuit_.allows(Steady::now())) {
        auto message = !running->last_failure.empty()
                           ? running->last_failure
                           : name_ + " has not answered for a while; it is not asked just now";
        try_again(std::move(running), Outcome::kStopped, service_unavailable(std::move(message)));
        return;
    }
    credentials_.get([this, running = std::move(running)](Result<AwsCredentials> found) {
        if (found) {
            send(running, *found);
            return;
        }
        const auto outcome =
            found.error().code == ErrorCode::kAccessDenied ? Outcome::kAnswered : Outcome::kNotDone;
        auto error = std::move(found).error();
        error.message = name_ + " cannot be asked: " + error.message;
        try_again(running, outcome, std::move(error));
    });
}

void StoreClient::send(const RunningPointer& running, const AwsCredentials& credentials) {
    running->credentials = credentials;
    auto request = signed_request(running->call, credentials);
    http_.send(std::move(request), [this, running](HttpResult result) {
        if (const auto* reply = std::get_if<HttpReply>(&result)) {
            take_reply(running, *reply);
        } else {
            take_failure(running, std::get<HttpFailure>(result));
        }
    });
}

HttpRequest StoreClient::signed_request(const StoreCall& call, const AwsCredentials& credentials)
    const {
    constexpr std::string_view kJson = "application/x-amz-json-1.0";
    const auto target = call.target.empty()
                            ? std::string(kTargetPrefix) + std::string(call.operation)
                            : call.target;
    const auto host = host_of(options_.address, target);
    auth::SignedRequest plain{.method = "POST", .target = "/", .headers = {}, .body = call.body};
    plain.headers = {{"Host", host}, {"Content-Type", kJson}, {"X-Amz-Target", target}};
    if (!credentials.session_token.empty()) {
        plain.headers.push_back({"X-Amz-Security-Token", credentials.session_token});
    }
    const auto signature = auth::sign_sigv4(
        plain,
        credentials.access_key_id,
        credentials.secret_access_key,
        options_.address.region,
        kService,
        clock_.now_seconds()
    );
    HttpRequest request;
    request.url = options_.address.url;
    if (host != options_.address.host) {
        request.url.replace(
            request.url.find(options_.address.host), options_.address.host.size(), host
        );
    }
    for (const auto& [name, value] : plain.headers) {
        request.headers.push_back(std::string(name) + ": " + std::string(value));
    }
    request.headers.push_back("X-Amz-Date: " + signature.amz_date);
    request.headers.push_back("Authorization: " + signature.authorization);
    request.headers.emplace_back("User-Agent: gateleg");
    request.body = call.body;
    request.deadline = call.deadline;
    request.direct = options_.address.loopback;
    request.unix_socket = options_.address.unix_socket;
    return request;
}

void StoreClient::take_reply(RunningPointer running, const HttpReply& reply) {
    circuit_.answered();
    if (!is_intact(reply)) {
        try_again(
            std::move(running),
            Outcome::kInDoubt,
            service_unavailable(name_ + " gave an answer that its checksum does not fit")
        );
        return;
    }
    if (reply.status != 200) {
        take_error(
            std::move(running),
            reply.status,
            decode_error(reply.status, reply.header("x-amzn-errortype"), reply.body)
        );
        return;
    }
    if (auto decoded = running->call.decode(reply.body); !decoded) {
        try_again(
            std::move(running),
            Outcome::kInDoubt,
            service_unavailable(
                name_ + " gave an answer that cannot be read: " + decoded.error().message
            )
        );
        return;
    }
    finish(running, {});
}

void StoreClient::take_failure(RunningPointer running, const HttpFailure& failure) {
    using Kind = HttpFailure::Kind;
    std::string message;
    switch (failure.kind) {
        case Kind::kBusy:
            message = "too many calls to " + name_ + " are waiting";
            break;
        case Kind::kStopped:
            message = name_ + " is not asked any more: this server is shutting down";
            break;
        case Kind::kUnreachable:
            message = name_ + " cannot be reached: " + failure.reason;
            break;
        case Kind::kUntrusted:
            message = name_ + " cannot be trusted: " + failure.reason;
            break;
        case Kind::kTimedOut:
            message = name_ + " did not answer within " + seconds_text(options_.deadline);
            break;
        case Kind::kLost:
            message = "the connection to " + name_ +
                      " was lost before it had answered: " + failure.reason;
            break;
        case Kind::kTooLarge:
            message = name_ + " gave an answer that is too large";
            break;
    }
    if (failure.kind == Kind::kUnreachable || failure.kind == Kind::kTimedOut) {
        circuit_.unanswered(Steady::now());
    }
    auto outcome = outcome_of(failure);
    if (failure.kind == Kind::kBusy) {
        // Waiting would only lengthen the queue.
        outcome = Outcome::kStopped;
    }
    if (failure.kind == Kind::kTooLarge || failure.kind == Kind::kStopped) {
        // The same would come again.
        running->in_doubt = running->in_doubt || outcome == Outcome::kInDoubt;
        outcome = Outcome::kStopped;
    }
    try_again(std::move(running), outcome, service_unavailable(std::move(message)));
}

void StoreClient::take_error(RunningPointer running, int status, StoreError error) {
    const bool expired = error.type.starts_with("ExpiredToken");
    if (is_about_credentials(error.error.code)) {
        credentials_.forget(running->credentials);
    }
    if (expired && !running->has_renewed_credentials) {
        running->has_renewed_credentials = true;
        try_again(std::move(running), Outcome::kNotDone, explained(std::move(error.error)));
        return;
    }
    const auto outcome = outcome_of(error, status);
    auto shown = running->call.target.empty() || is_about_credentials(error.error.code)
                     ? std::move(error.error)
                     : as_named(std::move(error));
    try_again(std::move(running), outcome, explained(std::move(shown)));
}

Error StoreClient::explained(Error error) const {
    if (is_about_credentials(error.code)) {
        // Not the caller's credentials: ours.
        return {
            ErrorCode::kAccessDenied,
            name_ + " did not accept this server's credentials: " + error.message};
    }
    if (error.code == ErrorCode::kInternal || error.code == ErrorCode::kServiceUnavailable) {
        error.message = name_ + " has failed: " + error.message;
    }
    return error;
}

void StoreClient::try_again(RunningPointer running, Outcome outcome, Error error) {
    const auto& call = running->call;
    const auto now = Steady::now();
    const bool doubtful = running->in_doubt || outcome == Outcome::kInDoubt;
    const auto delay = backoff(running->attempts, random_fraction());
    if (may_try_again(outcome, call.repeat) && now + delay < call.deadline) {
        running->in_doubt = doubtful;
        running->last_failure = error.message;
        ++running->attempts;
        http_.run_at(now + delay, [this, running = std::move(running)] { attempt(running); });
        return;
    }
    // Under a token the store's own word holds for all attempts; otherwise only for the last.
    const bool settled = outcome == Outcome::kAnswered && call.repeat == Repeat::kHarmless;
    if (call.writes && doubtful && !settled) {
        error = in_doubt(error.message);
    }
    finish(running, std::move(error));
}

Error StoreClient::in_doubt(std::string_view why) const {
    // An error of the store itself does not name it.
    std::string message = why.find(name_) == std::string_view::npos ? name_ + ": " : "";
    message.append(why).append("; the write may or may not have been made");
    return {ErrorCode::kInternal, std::move(message)};
}

void StoreClient::finish(const RunningPointer& running, Result<void> result) {
    calls_.fetch_sub(1);
    if (!result) {
        log_debug(
            "a call to the store failed",
            {{"operation", running->call.operation},
             {"attempts", running->attempts + 1},
             {"reason", result.error().message}}
        );
    }
    auto done = std::move(running->done);
    done(std::move(result));
}

}  // namespace gateleg::remote
