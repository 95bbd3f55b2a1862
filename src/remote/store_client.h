// One call to the store: signed, sent, checked, and made again where that is safe.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "remote/credentials_chain.h"
#include "remote/http_client.h"
#include "remote/retry.h"
#include "remote/store_address.h"

namespace gateleg::remote {

struct StoreCall {
    std::string_view operation;  // "GetItem"; a literal
    std::string body;
    Repeat repeat = Repeat::kHarmless;
    // Decides what an error says about the state of the store.
    bool writes = false;
    SteadyTime deadline;
    // The whole X-Amz-Target of a call that is handed on; its errors keep the store's names.
    std::string target = {};
    // Takes the body of a good answer. It is called again if the answer was none after all.
    std::function<Result<void>(std::string_view)> decode;
};

struct StoreClientOptions {
    StoreAddress address;
    std::chrono::milliseconds deadline{10'000};
    // Calls under way at once, those that wait before trying again included.
    std::size_t max_calls = 1024;
};

// Thread-safe. What it is given outlives it; the HTTP client has stopped before it is destroyed.
class StoreClient {
public:
    using Done = UniqueFunction<void(Result<void>)>;

    StoreClient(
        HttpClient& http,
        CredentialsChain& credentials,
        const Clock& clock,
        StoreClientOptions options
    );

    // The deadline of a call that starts now.
    SteadyTime deadline_from_now() const;

    // Calls `done` once, no later than shortly after the deadline, mostly on the HTTP client's
    // thread.
    void run(StoreCall call, Done done);

    // Calls `function` later on the HTTP client's thread.
    void run_after(std::chrono::milliseconds delay, UniqueFunction<void()> function);

    // "the store at HOST"
    const std::string& name() const { return name_; }

private:
    struct Running;
    using RunningPointer = std::shared_ptr<Running>;

    void attempt(RunningPointer running);
    void send(const RunningPointer& running, const AwsCredentials& credentials);
    HttpRequest signed_request(const StoreCall& call, const AwsCredentials& credentials) const;
    void take_reply(RunningPointer running, const HttpReply& reply);
    void take_failure(RunningPointer running, const HttpFailure& failure);
    void take_error(RunningPointer running, int status, StoreError error);
    void try_again(RunningPointer running, Outcome outcome, Error error);
    void finish(const RunningPointer& running, Result<void> result);

    Error in_doubt(std::string_view why) const;
    // An error of the store as our caller should see it.
    Error explained(Error error) const;

    HttpClient& http_;
    CredentialsChain& credentials_;
    const Clock& clock_;
    const StoreClientOptions options_;
    const std::string name_;
    std::atomic<std::size_t> calls_{0};
    Circuit circuit_;
};

}  // namespace gateleg::remote
