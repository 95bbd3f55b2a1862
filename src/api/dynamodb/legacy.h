// The parameters from before there were expressions (AttributesToGet, AttributeUpdates, Expected,
// KeyConditions, QueryFilter, ScanFilter and ConditionalOperator) become expressions here, so that
// nobody else has to know of them.

#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/dynamodb/legacy_condition.h"
#include "api/dynamodb/wire_reader.h"
#include "base/error.h"
#include "dynamo/requests.h"

namespace gateleg::api::dynamodb {

// Of one request, or of one table of a BatchGetItem. Problems go to those of its fields, in the
// order in which DynamoDB looks for them if the members are called in that order. A member gives
// nothing when its parameter is absent or empty, or when there has been a problem.
// One thread at a time.
class LegacyTranslator {
public:
    using Names = std::initializer_list<std::string_view>;

    // `legacy` and `expressions` are the operation's parameters of either kind, in the order in
    // which messages list them. A request may have only one kind.
    LegacyTranslator(const Fields& in, Names legacy, Names expressions);

    // Whether the request has any legacy parameter.
    bool in_use() const { return in_use_; }

    std::optional<std::string> attributes_to_get();
    std::optional<std::string> attribute_updates();
    std::optional<std::string> expected();
    // QueryFilter or ScanFilter.
    std::optional<std::string> filter(std::string_view parameter);
    std::optional<std::string> key_conditions();

    // What the texts given so far refer to.
    dynamo::Placeholders placeholders() const;

    // KeyConditions may stand beside expressions: before any text is asked for, the client's
    // placeholders, which go with them. They outlive this.
    void stand_beside(const dynamo::Placeholders& client) { client_ = &client; }

private:
    void check_mixing(Names legacy, Names expressions);
    void check_placeholders(Names expressions);
    void read_conditional_operator(Names legacy);

    std::optional<std::string> join(
        std::string_view parameter,
        const std::vector<LegacyCondition>& conditions,
        std::string_view joiner
    );
    std::string write(const LegacyCondition& condition);
    std::string write_in(const LegacyCondition& condition);
    std::string write_name(std::string_view attribute);
    std::string write_value(std::string bytes);
    std::string next_placeholder(char sigil, std::size_t& count) const;

    bool has_problem() const { return !in_.problems().check(); }
    std::optional<std::string> limited(std::string_view parameter, std::string text);

    const Fields& in_;
    bool in_use_ = false;
    std::string_view joiner_ = " AND ";
    std::vector<std::pair<std::string, std::string>> names_;
    std::vector<std::pair<std::string, std::string>> values_;  // ":0" and its binary form
    std::size_t name_count_ = 0;
    std::size_t value_count_ = 0;
    const dynamo::Placeholders* client_ = nullptr;
    std::size_t operators_ = 0;  // of the text being written
};

// Whether the projection is written as if AttributesToGet had become it. A client that has written
// the very same means the same.
bool is_translated(const dynamo::KeysAndAttributes& wanted);

// What DynamoDB says to a client that has used no expression, when `error` speaks of one.
Error in_legacy_words(Error error);

}  // namespace gateleg::api::dynamodb
