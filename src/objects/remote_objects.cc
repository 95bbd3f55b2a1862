#include "objects/remote_objects.h"

#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

#include "base/log.h"
#include "objects/internal/names.h"
#include "objects/internal/objects_base.h"

namespace gateleg::objects {

namespace {

using internal::ObjectsBase;

constexpr int kAttempts = 4;
constexpr std::chrono::milliseconds kFirstPause{100};
constexpr std::int64_t kCallExpirySeconds = 300;

std::string_view find_header(const S3Answer& answer, std::string_view name) {
    for (const auto& [header, value] : answer.headers) {
        if (header == name) {
            return value;
        }
    }
    return {};
}

std::uint64_t to_number(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::string without_quotes(std::string_view etag) {
    if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') {
        etag = etag.substr(1, etag.size() - 2);
    }
    return std::string(etag);
}

// "Sat, 01 Mar 2025 00:00:00 GMT"; 0 if it is not.
std::int64_t to_millis(const std::string& http_date) {
    std::tm time{};
    if (::strptime(http_date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &time) == nullptr) {
        return 0;
    }
    return std::int64_t{::timegm(&time)} * 1000;
}

class RemoteObjects final : public ObjectsBase {
public:
    RemoteObjects(
        RemoteObjectsOptions options, const ThumbnailMaker& thumbnails, const Clock& clock
    )
        : ObjectsBase(options.bucket, options.fetch, thumbnails, clock),
          options_(std::move(options)) {
        const auto aws = "s3." + options_.region + ".amazonaws.com";
        if (!options_.endpoint.empty()) {
            base_url_ = options_.endpoint;
            while (base_url_.ends_with('/')) {
                base_url_.pop_back();
            }
            path_ = "/" + bucket() + "/";
        } else if (bucket().find('.') != std::string::npos) {
            // No certificate is for a name with further dots.
            base_url_ = "https://" + aws;
            path_ = "/" + bucket() + "/";
        } else {
            base_url_ = "https://" + bucket() + "." + aws;
            path_ = "/";
        }
    }

    Result<std::optional<ObjectHead>> head(std::string_view key) const override {
        GATELEG_TRY_ASSIGN(const auto answer, call("HEAD", key, {}, {}));
        if (answer.status == 404) {
            return std::optional<ObjectHead>();
        }
        GATELEG_TRY(expect(answer, 200));
        return std::optional(head_in(answer));
    }

    Result<Sniffed> inspect(std::string_view key) const override {
        GATELEG_TRY_ASSIGN(const auto body, get(key, thumbnails().limits().max_bytes));
        return sniff(body);
    }

    Result<ObjectHead> put(
        std::string_view key, std::string_view bytes, std::string_view content_type
    ) override {
        GATELEG_TRY_ASSIGN(
            const auto answer,
            call("PUT", key, {{"content-type", std::string(content_type)}}, bytes)
        );
        GATELEG_TRY(expect(answer, 200));
        return ObjectHead{
            bytes.size(),
            std::string(content_type),
            without_quotes(find_header(answer, "etag")),
            real_clock_.now_millis()};
    }

    Result<std::string> get(std::string_view key, std::uint64_t max_bytes) const override {
        GATELEG_TRY_ASSIGN(const auto found, head(key));
        if (!found) {
            return object_error(Reason::kNoSuchKey);
        }
        if (found->size > max_bytes) {
            return object_error(Reason::kEntityTooLarge);
        }
        GATELEG_TRY_ASSIGN(auto answer, call("GET", key, {}, {}));
        if (answer.status == 404) {
            return object_error(Reason::kNoSuchKey);
        }
        GATELEG_TRY(expect(answer, 200));
        return std::move(answer.body);
    }

    Result<void> remove(std::string_view key) override {
        GATELEG_TRY_ASSIGN(const auto answer, call("DELETE", key, {}, {}));
        return answer.status == 404 ? Result<void>() : expect(answer, 204);
    }

protected:
    Result<void> address(PresignUrl& url, std::string_view key) const override {
        GATELEG_TRY_ASSIGN(auto credentials, options_.credentials());
        url.base_url = base_url_;
        url.path = path_ + encode_key_path(key);
        url.region = options_.region;
        url.access_key_id = std::move(credentials.access_key_id);
        url.secret_access_key = std::move(credentials.secret_access_key);
        url.session_token = std::move(credentials.session_token);
        return {};
    }

private:
    static ObjectHead head_in(const S3Answer& answer) {
        return {
            to_number(find_header(answer, "content-length")),
            std::string(find_header(answer, "content-type")),
            without_quotes(find_header(answer, "etag")),
            to_millis(std::string(find_header(answer, "last-modified")))};
    }

    // A refusal of the remote store is our fault or its own, never the client's.
    static Result<void> expect(const S3Answer& answer, int status) {
        if (answer.status == status || (status == 204 && answer.status == 200)) {
            return {};
        }
        log_warn("remote S3 refused a request", {{"status", answer.status}});
        return service_unavailable("The object store does not answer as it should.");
    }

    // Every call may be sent twice: the same bytes to the same key, or nothing changed.
    Result<S3Answer> call(
        std::string_view method,
        std::string_view key,
        std::vector<NamedText> headers,
        std::string_view body
    ) const {
        GATELEG_TRY(internal::check_key(key));
        for (int attempt = 1;; ++attempt) {
            PresignUrl url;
            url.method = method;
            url.headers = headers;
            url.now_seconds = real_clock_.now_seconds();
            url.expires_seconds = kCallExpirySeconds;
            GATELEG_TRY(address(url, key));
            S3Call request;
            request.method = method;
            request.url = presign_url(url);
            for (const auto& [name, value] : headers) {
                request.headers.push_back(name + ": " + value);
            }
            request.body = body;
            auto answer = options_.call(std::move(request));
            const bool try_again =
                !answer || answer->status >= 500 || answer->status == 429 || answer->status == 408;
            if (!try_again || attempt == kAttempts) {
                return answer;
            }
            std::this_thread::sleep_for(kFirstPause * (1 << (attempt - 1)));
        }
    }

    const RemoteObjectsOptions options_;
    const SystemClock real_clock_;
    std::string base_url_;
    std::string path_;
};

}  // namespace

std::unique_ptr<Objects> make_remote_objects(
    RemoteObjectsOptions options, const ThumbnailMaker& thumbnails, const Clock& clock
) {
    return std::make_unique<RemoteObjects>(std::move(options), thumbnails, clock);
}

}  // namespace gateleg::objects
