#include "auth/scope.h"

#include <algorithm>
#include <optional>

namespace gateleg::auth {
namespace {

constexpr std::size_t kMaxScopeBytes = 2048;
constexpr std::size_t kMaxNameBytes = 255;
constexpr std::string_view kBucketMark = "s3:";

Error bad_scope(std::string why) {
    return validation_error("scope: " + std::move(why));
}

std::optional<Action> find_action(std::string_view word) {
    if (word == "read") {
        return Action::kRead;
    }
    if (word == "write") {
        return Action::kWrite;
    }
    return word == "admin" || word == "full" ? std::optional(Action::kAdmin) : std::nullopt;
}

bool is_pattern(std::string_view text) {
    return !text.empty() && text.size() <= kMaxNameBytes &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == '.' || c == '*';
           });
}

// The pieces of a text between separators, at least one.
std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    for (;;) {
        const auto end = text.find(separator);
        pieces.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return pieces;
        }
        text.remove_prefix(end + 1);
    }
}

// Goes back to the last star alone, so the time is at most the product of the lengths.
bool matches(std::string_view pattern, std::string_view name) {
    std::size_t at = 0;
    std::size_t star = std::string_view::npos;
    std::size_t tried = 0;
    std::size_t read = 0;
    while (read < name.size()) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = at++;
            tried = read;
        } else if (at < pattern.size() && pattern[at] == name[read]) {
            ++at;
            ++read;
        } else if (star != std::string_view::npos) {
            at = star + 1;
            read = ++tried;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace

Result<Scope::Grant> Scope::parse_grant(std::string_view text) {
    const auto colon = text.find(':');
    const auto word = text.substr(0, colon);
    const auto action = find_action(word);
    if (!action) {
        return bad_scope("'" + std::string(word) + "' is not read, write or admin");
    }
    Grant grant{.action = *action};
    if (colon == std::string_view::npos) {
        return grant;
    }
    grant.limited = true;
    for (auto name : split(text.substr(colon + 1), ',')) {
        const bool bucket = name.starts_with(kBucketMark);
        if (bucket) {
            name.remove_prefix(kBucketMark.size());
        }
        if (!is_pattern(name)) {
            return bad_scope(
                "'" + std::string(name) + "' in '" + std::string(text) +
                "' names no table or bucket: letters, digits, '_', '-', '.' and '*' do, buckets "
                "after 's3:'"
            );
        }
        (bucket ? grant.buckets : grant.tables).emplace_back(name);
    }
    return grant;
}

Result<Scope> Scope::parse(std::string_view text) {
    if (text.size() > kMaxScopeBytes) {
        return bad_scope("longer than 2048 characters");
    }
    Scope scope;
    for (const char c : text) {
        if (c != ' ') {
            scope.text_.push_back(c);
        }
    }
    if (scope.text_.empty()) {
        return bad_scope("is empty; write read, write or admin, such as 'read:Orders;write:Orders'"
        );
    }
    for (const auto piece : split(scope.text_, ';')) {
        GATELEG_TRY_ASSIGN(auto grant, parse_grant(piece));
        scope.everything_ |= grant.action == Action::kAdmin && !grant.limited;
        scope.grants_.push_back(std::move(grant));
    }
    return scope;
}

std::shared_ptr<const Scope> Scope::full() {
    static const auto kFull = std::make_shared<const Scope>(*Scope::parse("full"));
    return kFull;
}

bool Scope::allows(Action action, ResourceKind kind, std::string_view name) const {
    return std::any_of(grants_.begin(), grants_.end(), [&](const Grant& grant) {
        if (grant.action != action && grant.action != Action::kAdmin) {
            return false;
        }
        const auto& names = kind == ResourceKind::kTable ? grant.tables : grant.buckets;
        return !grant.limited || std::any_of(names.begin(), names.end(), [&](const auto& pattern) {
            return matches(pattern, name);
        });
    });
}

}  // namespace gateleg::auth
