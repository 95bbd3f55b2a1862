// Rules that make attributes unrecognisable while a table is cloned.
//
//     name=mask     letters become x, digits 9; the length and the punctuation stay
//     name=hash     a keyed hash: equal values stay equal, within one clone
//     name=redact   the attribute goes
//     name=fake     a made-up name, or address at example.com, that follows from the hash
//
// `name` may be a path into maps, "address.street". Values inside lists are not looked at.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sha256.h"
#include "dynamo/schema.h"
#include "value/attribute_value.h"

namespace gateleg::transfer {

enum class Disguise : std::uint8_t { kMask, kHash, kRedact, kFake };

struct AnonymiseRule {
    std::vector<std::string> path;
    Disguise how = Disguise::kMask;
};

Result<AnonymiseRule> parse_rule(std::string_view text);
// The key of a table can only be hashed: anything else would make two items one.
Result<void> check_rules(
    const std::vector<AnonymiseRule>& rules, const dynamo::TableDescription& table
);

// Immutable.
class Anonymiser {
public:
    // With the same secret, equal values become equal ones.
    Anonymiser(std::vector<AnonymiseRule> rules, std::string_view secret)
        : rules_(std::move(rules)), key_(secret) {}

    bool idle() const { return rules_.empty(); }
    value::EncodedItem apply(value::ValueView item) const;

private:
    void disguise(value::AttributeValue& value, Disguise how) const;
    std::string digits_of(std::string_view text) const;

    std::vector<AnonymiseRule> rules_;
    HmacKey key_;
};

}  // namespace gateleg::transfer
