// Reads the members of a request's JSON and gathers what is wrong with them, in DynamoDB's words.
//
// DynamoDB first deserialises (a wrong JSON type is a SerializationException), then reports every
// constraint that a member breaks in one ValidationException, and only then looks at values.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "base/result.h"
#include "value/json_codec.h"
#include "value/value_view.h"

namespace gateleg::api::dynamodb {

namespace dom = simdjson::dom;

// What has gone wrong so far. The first error of a kind wins, but constraints are gathered.
class Problems {
public:
    void serialization(std::string message);
    // "Value 'x' at 'tableName' failed to satisfy constraint: Member must ..."
    void constraint(std::string_view value, std::string_view path, std::string_view rule);
    void constraint_on_null(std::string_view path);
    // A whole sentence instead.
    void constraint_text(std::string text) { constraints_.push_back(std::move(text)); }
    // Something that DynamoDB finds only after all constraints hold.
    void later(Error error);

    bool has_constraints() const { return !constraints_.empty(); }
    Result<void> check() const;

private:
    std::optional<Error> serialization_;
    std::vector<std::string> constraints_;
    std::optional<Error> later_;
};

// The members of one JSON object. Absent and null are the same. Refers to its Problems.
class Fields {
public:
    // `path` is where constraints say the object is, such as "keySchema.1.member."; "" at the root.
    Fields(Problems& problems, dom::element json, std::string path = "");

    Problems& problems() const { return *problems_; }
    // "KeySchema" as a constraint names it: the path and "keySchema".
    std::string path_of(std::string_view name) const;

    std::optional<dom::element> find(std::string_view name) const;
    bool has(std::string_view name) const { return find(name).has_value(); }

    std::optional<std::string> text(std::string_view name) const;
    std::optional<std::int64_t> integer(std::string_view name) const;
    std::optional<bool> boolean(std::string_view name) const;
    std::optional<dom::array> list(std::string_view name) const;
    std::optional<dom::object> map(std::string_view name) const;
    std::optional<Fields> object(std::string_view name) const;
    // The elements of a list of objects, each with its own path.
    std::vector<Fields> objects(std::string_view name) const;

    // An Item, a Key or ExpressionAttributeValues.
    std::optional<value::EncodedItem> values(
        std::string_view name, value::MapOf what = value::MapOf::kAttributes
    ) const;

    // A member that must be there and long enough.
    std::string required_text(std::string_view name, std::size_t min = 1, std::size_t max = 255)
        const;
    void require(std::string_view name) const;
    void check_range(std::string_view name, std::int64_t min, std::optional<std::int64_t> max = {})
        const;

    // One of an enumeration; `all` is how DynamoDB lists its members.
    template <class Enum>
    std::optional<Enum> choice(
        std::string_view name,
        std::initializer_list<std::pair<std::string_view, Enum>> choices,
        std::string_view all
    ) const {
        const auto chosen = text(name);
        if (!chosen) {
            return std::nullopt;
        }
        for (const auto& [word, meaning] : choices) {
            if (word == *chosen) {
                return meaning;
            }
        }
        problems_->constraint(
            *chosen, path_of(name), "Member must satisfy enum value set: " + std::string(all)
        );
        return std::nullopt;
    }

private:
    Problems* problems_;
    std::optional<dom::object> members_;
    std::string path_;
};

}  // namespace gateleg::api::dynamodb
