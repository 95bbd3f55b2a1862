// Mails of the systems: a plain text for each kind, sent by SMTP or left in a spool directory.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "jobs/config.h"
#include "jobs/deliveries.h"
#include "outbound/client.h"

namespace gateleg::jobs {

// Kinds of rows that are mails: verify-mail, reset-mail, ...
const std::vector<std::string>& mail_kinds();

struct MailText {
    std::string to;
    std::string subject;
    std::string body;
};

// Of a row of one of those kinds. The recipient is `email` or `to` of the payload, else the e-mail
// of the user that it names, read from the system. Fails if there is none.
Result<MailText> write_mail(const Parcel& parcel, const Config& config);

// RFC 5322, UTF-8, with the row's id as its Message-ID: who gets it twice can see that.
std::string render_mail(
    const MailText& mail, const std::string& from, std::string_view id, std::int64_t now_millis
);

// Thread-safe. Client and clock outlive it.
class Mailer {
public:
    Mailer(const Config& config, const outbound::Client& client, const Clock& clock)
        : config_(config), client_(client), clock_(clock) {}

    Result<value::AttributeValue> operator()(const Parcel& parcel) const;

private:
    Result<void> spool(const std::string& id, const std::string& text) const;

    const Config& config_;
    const outbound::Client& client_;
    const Clock& clock_;
};

}  // namespace gateleg::jobs
