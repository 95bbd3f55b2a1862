// The DynamoDB API over HTTP: what an AWS SDK talks to.
//
// A request passes one gate (host, origin, signature) before anything of its body is looked at,
// then becomes a typed call of dynamo::Dynamo.

#pragma once

#include <optional>
#include <string>

#include "auth/key_ring.h"
#include "auth/sigv4.h"
#include "base/clock.h"
#include "dynamo/backups.h"
#include "dynamo/dynamo.h"
#include "dynamo/store_calls.h"
#include "dynamo/streams.h"
#include "dynamo/table_settings.h"
#include "dynamo/transfers.h"
#include "http/handler.h"
#include "http/host_policy.h"

namespace gateleg::api::dynamodb {

struct FaceOptions {
    // Without keys any signature is taken, as users of local emulators expect; likewise while the
    // ring has no gate.
    const auth::KeyRing* keys = nullptr;
    std::string region = "us-east-1";
    http::HostPolicy hosts;
    // Who answers the DynamoDB Streams API; without it that API is unknown here.
    dynamo::Streams* streams = nullptr;
    // Who keeps backups of tables; likewise.
    dynamo::Backups* backups = nullptr;
    // Who keeps what tools set; likewise.
    dynamo::TableSettings* settings = nullptr;
    // Health checks made for DynamoDB Local take its 400 to a GET for a sign of life, and suites
    // made for it some of its words (local_words.h).
    bool like_dynamodb_local = false;
    // Who exports to S3 and imports from it; likewise.
    dynamo::Transfers* transfers = nullptr;
    // A store over the network, which answers what `dynamo` does not, in place of all the others.
    dynamo::StoreCalls* store = nullptr;
};

// Thread-safe. What it is given outlives it.
class Face final : public http::Handler {
public:
    Face(dynamo::Dynamo& dynamo, const Clock& real_clock, FaceOptions options);

    void handle(http::Exchange exchange) override;
    std::size_t max_body_bytes(const http::RequestHead& head) const override;
    std::optional<http::Response> refuse_early(const http::RequestHead& head) const override;
    http::Response refusal(int status, std::string_view reason) const override;

private:
    // Who calls; null if that is asked of nobody.
    Result<std::optional<auth::Identity>> authenticate(const http::Request& request) const;
    void dispatch(
        http::Exchange exchange, std::string_view body, const std::optional<auth::Identity>& caller
    );
    template <class Operation, class Target>
    void run(
        const Operation& operation,
        Target& target,
        http::Exchange exchange,
        std::string_view body,
        const std::optional<auth::Identity>& caller
    );

    dynamo::Dynamo& dynamo_;
    const Clock& real_clock_;
    FaceOptions options_;
};

}  // namespace gateleg::api::dynamodb
