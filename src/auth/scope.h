// What an access key may do, and to which tables and buckets.
//
//     read                          everything that changes nothing
//     write                         items and objects, to put, update and delete
//     admin                         everything; `full` is another word for it
//     read:Orders,Users*;write:Orders       only on these tables
//     read:s3:photos;admin:Dev*,s3:dev-*    names after `s3:` are buckets
//
// Grants stand between semicolons and add up; `write` does not include `read`, `admin` includes
// both. `*` in a name stands for any characters.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gateleg::auth {

enum class Action : std::uint8_t { kRead, kWrite, kAdmin };
enum class ResourceKind : std::uint8_t { kTable, kBucket };

// The name that asks for all tables, or all buckets: only a grant of all of them allows it.
inline constexpr std::string_view kEveryName = "*";

// Immutable. One that was made by itself allows nothing.
class Scope {
public:
    // Errors name the part that is wrong.
    static Result<Scope> parse(std::string_view text);
    // Allows everything; what a key without a scope has.
    static std::shared_ptr<const Scope> full();

    bool allows(Action action, ResourceKind kind, std::string_view name) const;
    bool allows_everything() const { return everything_; }
    // As it was given, without blanks.
    const std::string& text() const { return text_; }

private:
    struct Grant {
        Action action = Action::kRead;
        bool limited = false;
        std::vector<std::string> tables = {};
        std::vector<std::string> buckets = {};
    };

    static Result<Grant> parse_grant(std::string_view text);

    std::string text_;
    std::vector<Grant> grants_;
    bool everything_ = false;
};

}  // namespace gateleg::auth
