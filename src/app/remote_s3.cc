#include "app/remote_s3.h"

#include <chrono>
#include <future>
#include <utility>
#include <variant>

#include "app/config.h"
#include "remote/credentials_chain.h"
#include "remote/http_client.h"
#include "remote/store_address.h"

namespace gateleg::app {

namespace {

// Images and thumbnails pass through memory; nothing larger is fetched here.
constexpr std::size_t kMaxReplyBytes = std::size_t{64} << 20;

remote::CredentialsOptions credentials_for(bool loopback) {
    auto options = remote::CredentialsOptions::from_environment();
    if (loopback && options.access_key_id.empty()) {
        options.access_key_id = "local";
        options.secret_access_key = "local";
    }
    return options;
}

bool is_loopback_endpoint(const std::string& endpoint) {
    if (endpoint.empty()) {
        return false;
    }
    const auto address = remote::parse_store(endpoint);
    if (!address) {
        throw ConfigError("GATELEG_S3_ENDPOINT: " + address.error().message);
    }
    return address->loopback;
}

}  // namespace

class RemoteS3::Impl {
public:
    Impl(const std::string& given_endpoint, const std::string& given_region)
        : endpoint(given_endpoint),
          region(given_region),
          client_({.max_reply_bytes = kMaxReplyBytes}),
          credentials_(client_, clock_, credentials_for(is_loopback_endpoint(given_endpoint))) {}
    ~Impl() { client_.stop(); }

    Result<objects::S3Credentials> credentials() {
        std::promise<Result<remote::AwsCredentials>> promise;
        auto future = promise.get_future();
        credentials_.get([&promise](Result<remote::AwsCredentials> found) {
            promise.set_value(std::move(found));
        });
        GATELEG_TRY_ASSIGN(auto found, future.get());
        return objects::S3Credentials{
            std::move(found.access_key_id),
            std::move(found.secret_access_key),
            std::move(found.session_token)};
    }

    Result<objects::S3Answer> call(objects::S3Call call) {
        remote::HttpRequest request;
        request.method = std::move(call.method);
        request.url = std::move(call.url);
        request.headers = std::move(call.headers);
        request.body = std::move(call.body);
        request.deadline =
            std::chrono::steady_clock::now() + std::chrono::seconds(call.timeout_seconds);
        std::promise<remote::HttpResult> promise;
        auto future = promise.get_future();
        client_.send(std::move(request), [&promise](remote::HttpResult result) {
            promise.set_value(std::move(result));
        });
        auto result = future.get();
        if (const auto* failure = std::get_if<remote::HttpFailure>(&result)) {
            return service_unavailable("The object store cannot be reached: " + failure->reason);
        }
        auto& reply = std::get<remote::HttpReply>(result);
        return objects::S3Answer{reply.status, std::move(reply.headers), std::move(reply.body)};
    }

    const std::string endpoint;
    const std::string region;

private:
    const SystemClock clock_;
    remote::HttpClient client_;
    remote::CredentialsChain credentials_;
};

RemoteS3::RemoteS3(const std::string& endpoint, const std::string& region)
    : impl_(std::make_shared<Impl>(endpoint, region)) {}
RemoteS3::~RemoteS3() = default;

objects::RemoteObjectsOptions RemoteS3::options(const std::string& bucket, objects::Fetch fetch)
    const {
    objects::RemoteObjectsOptions options;
    options.bucket = bucket;
    options.region = impl_->region;
    options.endpoint = impl_->endpoint;
    options.credentials = [impl = impl_] { return impl->credentials(); };
    options.call = [impl = impl_](objects::S3Call call) { return impl->call(std::move(call)); };
    options.fetch = std::move(fetch);
    return options;
}

}  // namespace gateleg::app
