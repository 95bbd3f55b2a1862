// The S3 API over HTTP: what an AWS SDK, the AWS CLI and a browser with a signed URL talk to.
//
// A request passes one gate (host, signature, scope) before it is looked at further, and a page's
// origin before anything happens. Operations run on workers, for each may wait for the disk.

#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "api/s3/receive.h"
#include "auth/key_ring.h"
#include "base/clock.h"
#include "base/worker_pool.h"
#include "http/handler.h"
#include "http/host_policy.h"
#include "objects/store.h"

namespace gateleg::api::s3 {

struct FaceOptions {
    // Without keys, and while the ring has no gate, any key is taken, but for the store's own: that
    // is always verified.
    const auth::KeyRing* keys = nullptr;
    // Requests without any signature are answered too; only while any key is taken.
    bool anonymous = false;
    std::string region = "us-east-1";
    http::HostPolicy hosts;
    std::size_t workers = 16;
};

// Thread-safe. What it is given outlives it. Destroyed after the server stopped: it waits for
// what its workers still do.
class Face final : public http::Handler, private Desk {
public:
    // Signed headers are judged by the real clock, presigned URLs by the one in force.
    Face(
        objects::ObjectStore& store,
        const Clock& real_clock,
        const Clock& clock_in_force,
        FaceOptions options
    );

    void handle(http::Exchange exchange) override;
    std::size_t max_body_bytes(const http::RequestHead& head) const override;
    bool streams_body(const http::RequestHead& head) const override;
    std::optional<http::Response> refuse_early(const http::RequestHead& head) const override;
    http::Response refusal(int status, std::string_view reason) const override;

private:
    Result<const Operation*> admit(Call& call) const;
    void preflight(const std::shared_ptr<Call>& call);
    void run(std::shared_ptr<Call> call, const Operation& operation);

    void submit(std::shared_ptr<Call> call, UniqueFunction<void()> job) override;
    Result<void> admit_page(Call& call) override;
    const Context& context() const override { return context_; }
    void answer(Call& call, Answer answer) override;
    void upload_began() override { bodies_.fetch_add(1, std::memory_order_relaxed); }
    void upload_ended() override { bodies_.fetch_sub(1, std::memory_order_relaxed); }

    Context context_;
    const Clock& real_clock_;
    const Clock& clock_in_force_;
    FaceOptions options_;
    std::atomic<int> bodies_{0};
    WorkerPool pool_;
};

}  // namespace gateleg::api::s3
