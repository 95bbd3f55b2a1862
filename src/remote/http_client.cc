#include "remote/http_client.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <unordered_map>

#include "base/check.h"
#include "base/curl_library.h"
#include "remote/internal/transfer.h"

namespace gateleg::remote {
namespace {

using internal::EasyHandle;
using internal::Transfer;
using Kind = HttpFailure::Kind;
using Clock = std::chrono::steady_clock;

struct MultiDeleter {
    void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};

std::unique_ptr<CURLM, MultiDeleter> make_multi(const HttpClientOptions& options) {
    if (const auto loaded = load_curl(); !loaded) {
        throw std::runtime_error(loaded.error().message);
    }
    static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
    GATELEG_CHECK(initialised == CURLE_OK);
    std::unique_ptr<CURLM, MultiDeleter> multi(curl_multi_init());
    GATELEG_CHECK(multi != nullptr);
    curl_multi_setopt(multi.get(), CURLMOPT_PIPELINING, long{CURLPIPE_NOTHING});
    curl_multi_setopt(
        multi.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(options.max_connections)
    );
    return multi;
}

}  // namespace

std::string_view HttpReply::header(std::string_view lower_name) const {
    for (const auto& [name, value] : headers) {
        if (name == lower_name) {
            return value;
        }
    }
    return {};
}

class HttpClient::Impl {
public:
    explicit Impl(HttpClientOptions options)
        : options_(std::move(options)), multi_(make_multi(options_)), thread_([this] { loop(); }) {}

    void send(HttpRequest request, HttpDone done) {
        auto transfer = std::make_unique<Transfer>(std::move(request), std::move(done));
        const auto refusal = queue_or_refuse(transfer);
        if (!refusal) {
            curl_multi_wakeup(multi_.get());
        } else if (*refusal == Kind::kBusy) {
            transfer->fail(*refusal, "too many requests are waiting");
        } else {
            transfer->fail(*refusal, "shutting down");
        }
    }

    void run_at(SteadyTime time, UniqueFunction<void()> function) {
        if (keep_for(time, function)) {
            curl_multi_wakeup(multi_.get());
        } else {
            function();
        }
    }

    void stop() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        curl_multi_wakeup(multi_.get());
        if (thread_.joinable()) {
            thread_.join();
        }
    }

private:
    using TransferPointer = std::unique_ptr<Transfer>;

    // Takes the transfer, or says why not.
    std::optional<Kind> queue_or_refuse(TransferPointer& transfer) {
        const std::lock_guard lock(mutex_);
        if (stopping_) {
            return Kind::kStopped;
        }
        if (queue_.size() >= options_.max_queued) {
            return Kind::kBusy;
        }
        queue_.push_back(std::move(transfer));
        return std::nullopt;
    }

    // Takes the function, unless there will be no later.
    bool keep_for(SteadyTime time, UniqueFunction<void()>& function) {
        const std::lock_guard lock(mutex_);
        if (!stopping_) {
            timers_.emplace(time, std::move(function));
        }
        return !stopping_;
    }

    void loop() {
        while (!is_stopping()) {
            run_due_timers();
            expire_queued();
            start_queued();
            int running = 0;
            curl_multi_perform(multi_.get(), &running);
            if (!finish_transfers()) {
                curl_multi_poll(multi_.get(), nullptr, 0, poll_millis(), nullptr);
            }
        }
        end_everything();
    }

    bool is_stopping() {
        const std::lock_guard lock(mutex_);
        return stopping_;
    }

    void run_due_timers() {
        const auto now = Clock::now();
        std::vector<UniqueFunction<void()>> due;
        {
            const std::lock_guard lock(mutex_);
            while (!timers_.empty() && timers_.begin()->first <= now) {
                due.push_back(std::move(timers_.begin()->second));
                timers_.erase(timers_.begin());
            }
        }
        for (auto& function : due) {
            function();
        }
    }

    void expire_queued() {
        const auto now = Clock::now();
        std::vector<TransferPointer> expired;
        {
            const std::lock_guard lock(mutex_);
            for (auto& transfer : queue_) {
                if (transfer->deadline() <= now) {
                    expired.push_back(std::move(transfer));
                }
            }
            std::erase(queue_, nullptr);
        }
        for (auto& transfer : expired) {
            transfer->fail(Kind::kTimedOut, "no connection became free in time");
        }
    }

    void start_queued() {
        while (active_.size() < options_.max_connections) {
            TransferPointer transfer;
            {
                const std::lock_guard lock(mutex_);
                if (queue_.empty()) {
                    return;
                }
                transfer = std::move(queue_.front());
                queue_.pop_front();
            }
            transfer->prepare(take_handle(), options_);
            auto* handle = transfer->handle();
            GATELEG_CHECK(curl_multi_add_handle(multi_.get(), handle) == CURLM_OK);
            active_.emplace(handle, std::move(transfer));
        }
    }

    EasyHandle take_handle() {
        if (idle_handles_.empty()) {
            EasyHandle handle(curl_easy_init());
            GATELEG_CHECK(handle != nullptr);
            return handle;
        }
        auto handle = std::move(idle_handles_.back());
        idle_handles_.pop_back();
        return handle;
    }

    // True if any ended.
    bool finish_transfers() {
        bool any = false;
        int left = 0;
        while (const auto* message = curl_multi_info_read(multi_.get(), &left)) {
            if (message->msg != CURLMSG_DONE) {
                continue;
            }
            any = true;
            const auto code = message->data.result;
            auto transfer = take_active(message->easy_handle);
            transfer->finish(code);
            idle_handles_.push_back(transfer->take_handle());
        }
        return any;
    }

    TransferPointer take_active(CURL* handle) {
        curl_multi_remove_handle(multi_.get(), handle);
        const auto found = active_.find(handle);
        auto transfer = std::move(found->second);
        active_.erase(found);
        return transfer;
    }

    // Until a timer or a deadline in the queue; libcurl wakes up earlier for its own.
    int poll_millis() {
        constexpr std::chrono::milliseconds kLongest{1000};
        auto next = Clock::now() + kLongest;
        {
            const std::lock_guard lock(mutex_);
            if (!timers_.empty()) {
                next = std::min(next, timers_.begin()->first);
            }
            for (const auto& transfer : queue_) {
                next = std::min(next, transfer->deadline());
            }
        }
        const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
        return static_cast<int>(std::max<std::int64_t>(0, wait));
    }

    void end_everything() {
        while (!active_.empty()) {
            take_active(active_.begin()->first)->fail(Kind::kStopped, "shutting down");
        }
        std::deque<TransferPointer> queue;
        std::multimap<SteadyTime, UniqueFunction<void()>> timers;
        {
            const std::lock_guard lock(mutex_);
            queue.swap(queue_);
            timers.swap(timers_);
        }
        for (auto& transfer : queue) {
            transfer->fail(Kind::kStopped, "shutting down");
        }
        for (auto& [time, function] : timers) {
            function();
        }
    }

    const HttpClientOptions options_;
    std::unique_ptr<CURLM, MultiDeleter> multi_;

    std::mutex mutex_;
    bool stopping_ = false;
    std::deque<TransferPointer> queue_;  // at most options_.max_queued
    std::multimap<SteadyTime, UniqueFunction<void()>> timers_;

    // Of the thread alone.
    std::unordered_map<CURL*, TransferPointer> active_;  // at most options_.max_connections
    std::vector<EasyHandle> idle_handles_;

    std::thread thread_;  // last: it uses all of the above
};

HttpClient::HttpClient(HttpClientOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

HttpClient::~HttpClient() {
    stop();
}

void HttpClient::send(HttpRequest request, HttpDone done) {
    impl_->send(std::move(request), std::move(done));
}

void HttpClient::run_at(SteadyTime time, UniqueFunction<void()> function) {
    impl_->run_at(time, std::move(function));
}

void HttpClient::stop() {
    impl_->stop();
}

}  // namespace gateleg::remote
