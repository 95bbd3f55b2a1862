#include "jobs/mail.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include "base/base64.h"

namespace gateleg::jobs {
namespace {

using value::AttributeValue;

constexpr std::size_t kLineBytes = 76;
constexpr std::size_t kMaxAddress = 254;

// {name} stands for a member of the payload, {link:PATH} for PATH with the token, as a link if the
// server knows its public address.
struct Template {
    std::string_view kind;
    std::string_view subject;
    std::string_view body;
};

constexpr std::string_view kVerify =
    "Welcome!\n\nPlease confirm that this is your e-mail address:\n\n  {link:verify-email}\n\n"
    "If you have not signed up, ignore this mail.\n";
constexpr std::string_view kReset =
    "Somebody, probably you, asked for a new password.\n\n  {link:reset-password}\n\n"
    "If it was not you, ignore this mail: your password stays as it is.\n";
constexpr std::string_view kChange =
    "Please confirm your new e-mail address:\n\n  {link:verify-email}\n\n"
    "Until then the old one stays in use.\n";
constexpr std::string_view kChanged =
    "The e-mail address of your account was changed. If it was not you, ask for a new password "
    "at once.\n";
constexpr std::string_view kPassword =
    "The password of your account was changed, and every other session was ended. If it was not "
    "you, ask for a new password at once.\n";
constexpr std::string_view kDigest =
    "This is what happened since you were last here.\n\n  Unread notifications: {unread}\n"
    "  Coins: {coins}\n\nYou can turn these mails off in your settings.\n";

constexpr std::array<Template, 15> kTemplates = {{
    {"mail", "{subject}", "{text}\n"},
    {"verify-mail", "Confirm your e-mail address", kVerify},
    {"verify-email", "Confirm your e-mail address", kVerify},
    {"reset", "Set a new password", kReset},
    {"reset-mail", "Set a new password", kReset},
    {"reset-password", "Set a new password", kReset},
    {"password-reset", "Set a new password", kReset},
    {"change-email", "Confirm your new e-mail address", kChange},
    {"email-change", "Confirm your new e-mail address", kChange},
    {"change-mail", "Confirm your new e-mail address", kChange},
    {"email-changed", "Your e-mail address was changed", kChanged},
    {"password-changed", "Your password was changed", kPassword},
    {"digest", "Your digest", kDigest},
    {"digest-mail", "Your digest", kDigest},
    {"coin-digest", "Your coins", kDigest},
}};

const Template* find_template(std::string_view kind) {
    const auto* found = std::find_if(
        kTemplates.begin(), kTemplates.end(), [&](const Template& one) { return one.kind == kind; }
    );
    return found != kTemplates.end() ? found : nullptr;
}

bool is_mail_address(std::string_view text) {
    const auto at = text.find('@');
    return at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
           text.size() <= kMaxAddress &&
           std::none_of(text.begin(), text.end(), [](unsigned char c) {
               return c <= ' ' || c == '<' || c == '>' || c == ',' || c == ';' || c == 127;
           });
}

std::string fill(std::string_view text, const Parcel& parcel, const Config& config) {
    std::string filled;
    while (!text.empty()) {
        const auto open = text.find('{');
        const auto close = text.find('}', open);
        filled.append(text.substr(0, open));
        if (open == std::string_view::npos || close == std::string_view::npos) {
            break;
        }
        const auto name = text.substr(open + 1, close - open - 1);
        text.remove_prefix(close + 1);
        constexpr std::string_view kLink = "link:";
        if (!name.starts_with(kLink)) {
            const auto value = parcel.text(name);
            filled += value.empty() ? "0" : value;
            continue;
        }
        if (const auto link = parcel.text("link"); !link.empty()) {
            filled += link;
        } else if (config.public_url.empty()) {
            filled += "Your code: " + parcel.text("token");
        } else {
            filled += config.public_url + "/" + parcel.system() + "/";
            filled.append(name.substr(kLink.size())).append("?token=" + parcel.text("token"));
        }
    }
    return filled;
}

// The e-mail of the user a payload names, by a `get` of users that needs nothing but an id.
std::string find_user_mail(const Parcel& parcel) {
    const auto& model = parcel.runtime.model();
    for (const auto& pattern : model.patterns) {
        if (!pattern.get || pattern.load || pattern.entities.size() != 1 ||
            pattern.entities.front()->find_attribute("email") == nullptr) {
            continue;
        }
        const auto variables = model::key_variables(*pattern.entities.front(), model.table.key);
        if (variables.size() != 1 || parcel.find(variables.front()) == nullptr ||
            !pattern.fixed.empty()) {
            continue;
        }
        model::PatternCall call;
        call.arguments[variables.front()] = *parcel.find(variables.front());
        model::Caller internal;
        internal.internal = true;
        if (const auto found = parcel.runtime.get(pattern, call, internal)) {
            return model::text_of(found->item, "email");
        }
    }
    return {};
}

// "Sun, 01 Mar 2025 10:20:30 +0000", whatever the locale.
std::string mail_date(std::int64_t millis) {
    constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<const char*, 12> kMonths = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto seconds = static_cast<std::time_t>(millis / 1000);
    std::tm time{};
    gmtime_r(&seconds, &time);
    std::array<char, 64> text{};
    const auto day = static_cast<std::size_t>(time.tm_wday);
    const auto month = static_cast<std::size_t>(time.tm_mon);
    std::snprintf(
        text.data(),
        text.size(),
        "%s, %02d %s %04d %02d:%02d:%02d +0000",
        kDays[day],
        time.tm_mday,
        kMonths[month],
        time.tm_year + 1900,
        time.tm_hour,
        time.tm_min,
        time.tm_sec
    );
    return text.data();
}

std::string header_text(const std::string& text) {
    const bool plain =
        std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= ' ' && c < 127; });
    return plain ? text : "=?UTF-8?B?" + encode_base64(text) + "?=";
}

}  // namespace

const std::vector<std::string>& mail_kinds() {
    static const std::vector<std::string> kinds = [] {
        std::vector<std::string> all;
        for (const auto& one : kTemplates) {
            all.emplace_back(one.kind);
        }
        return all;
    }();
    return kinds;
}

Result<MailText> write_mail(const Parcel& parcel, const Config& config) {
    const auto* found = find_template(parcel.row.kind);
    if (found == nullptr) {
        return validation_error("there is no mail of this kind");
    }
    MailText mail;
    for (const auto* name : {"to", "email", "newEmail", "new_email"}) {
        mail.to = mail.to.empty() ? parcel.text(name) : mail.to;
    }
    if (mail.to.empty()) {
        mail.to = find_user_mail(parcel);
    }
    if (!is_mail_address(mail.to)) {
        return validation_error("the row names no mail address");
    }
    mail.subject = fill(found->subject, parcel, config);
    mail.body = fill(found->body, parcel, config);
    return mail;
}

std::string render_mail(
    const MailText& mail, const std::string& from, std::string_view id, std::int64_t now_millis
) {
    const auto at = from.rfind('@');
    const auto domain = at == std::string::npos ? std::string("localhost") : from.substr(at + 1);
    std::string text = "From: " + from + "\r\nTo: " + mail.to + "\r\n";
    text += "Subject: " + header_text(mail.subject) + "\r\n";
    text += "Date: " + mail_date(now_millis) + "\r\n";
    text.append("Message-ID: <").append(id).append("@" + domain + ">\r\n");
    text += "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n";
    text += "Content-Type: text/plain; charset=utf-8\r\n";
    const bool plain = std::all_of(mail.body.begin(), mail.body.end(), [](unsigned char c) {
        return (c >= ' ' && c < 127) || c == '\n';
    });
    if (plain) {
        text += "Content-Transfer-Encoding: 7bit\r\n\r\n";
        for (const char c : mail.body) {
            text += c == '\n' ? std::string("\r\n") : std::string(1, c);
        }
        return text;
    }
    text += "Content-Transfer-Encoding: base64\r\n\r\n";
    const auto coded = encode_base64(mail.body);
    for (std::size_t from_byte = 0; from_byte < coded.size(); from_byte += kLineBytes) {
        text += coded.substr(from_byte, kLineBytes) + "\r\n";
    }
    return text;
}

// All of it under its final name, or nothing: a reader of the directory sees whole mails only.
Result<void> Mailer::spool(const std::string& id, const std::string& text) const {
    namespace fs = std::filesystem;
    const fs::path directory(config_.smtp_url.substr(std::string_view("spool:").size()));
    std::error_code failed;
    fs::create_directories(directory, failed);
    const auto path = directory / (id + ".eml");
    const auto fresh = directory / ("." + id + ".new");
    const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool written =
        file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fsync(file) == 0 && ::rename(fresh.c_str(), path.c_str()) == 0;
    const auto reason = std::string(std::strerror(errno));
    if (file >= 0) {
        ::close(file);
    }
    if (!written) {
        return service_unavailable("the spool cannot be written: " + reason);
    }
    return {};
}

Result<AttributeValue> Mailer::operator()(const Parcel& parcel) const {
    GATELEG_TRY_ASSIGN(const auto mail, write_mail(parcel, config_));
    const auto text = render_mail(mail, config_.mail_from, parcel.row.id, clock_.now_millis());
    if (config_.smtp_url.starts_with("spool:")) {
        GATELEG_TRY(spool(parcel.row.id, text));
    } else {
        outbound::Mail outgoing;
        outgoing.url = config_.smtp_url;
        outgoing.from = config_.mail_from;
        outgoing.to = mail.to;
        outgoing.message = text;
        GATELEG_TRY(client_.send_mail(outgoing));
    }
    return AttributeValue{value::Map{}};
}

}  // namespace gateleg::jobs
