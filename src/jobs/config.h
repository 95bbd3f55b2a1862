// Where effects go and how hard they are tried, from the environment.
//
//   GATELEG_<NAME>_URL, GATELEG_<NAME>_KEY  FAL, RUNPOD, STRIPE, PAYMENT; any other kind of row by
//   its
//                                           own name: GATELEG_GROUP_SYNC_URL for group-sync
//   GATELEG_SMTP_URL        smtp://HOST:PORT, smtps://.., or spool:DIR for one .eml file a mail
//   GATELEG_MAIL_FROM       the sender
//   GATELEG_PUBLIC_URL      what this server is reached by from outside: for callbacks and links
//   GATELEG_OUTBOUND_ALLOW  HOST:PORT,.. that may have private addresses
//   GATELEG_OUTBOX_ATTEMPTS, GATELEG_OUTBOX_BACKOFF, GATELEG_OUTBOX_POLL
//                           10, PT10S (doubled each time, up to an hour), PT1S

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "outbound/address.h"

namespace gateleg::jobs {

struct Target {
    std::string url;
    std::string key;  // may be empty
};

// Immutable once made.
class Config {
public:
    using Variables = std::map<std::string, std::string, std::less<>>;

    // Fails naming the variable that cannot be used.
    static Result<Config> parse(Variables variables);
    // The variables of the process that begin with GATELEG_.
    static Variables environment();

    // "FAL", "GROUP_SYNC".
    std::optional<Target> find_target(std::string_view name) const;
    // "GROUP_SYNC" of "group-sync".
    static std::string target_name(std::string_view kind);

    std::string smtp_url;
    std::string mail_from = "gateleg@localhost";
    std::string public_url;  // without a slash at its end
    outbound::AllowList allow;
    std::int64_t max_attempts = 10;
    std::int64_t first_backoff_millis = 10'000;
    std::int64_t max_backoff_millis = 3'600'000;
    std::int64_t poll_millis = 1'000;

private:
    std::string text(std::string_view name) const;

    Variables variables_;
};

}  // namespace gateleg::jobs
