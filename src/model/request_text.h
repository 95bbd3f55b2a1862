// Builds the condition and update texts of one write, all names and values as placeholders.

#pragma once

#include <string>
#include <vector>

#include "model/condition.h"
#include "model/database.h"
#include "model/schema.h"
#include "model/step_values.h"

namespace gateleg::model {

class RequestText {
public:
    RequestText(const Table& table, std::int64_t now_millis)
        : table_(table), now_millis_(now_millis) {}

    // Each must hold. The text has its own parentheses where it needs them: DynamoDB refuses
    // doubled ones.
    void require(std::string text) { conditions_.push_back(std::move(text)); }
    void require(const BoundCondition& condition);
    // Placeholders from here on are free for Condition::bind().
    int next_placeholder() const { return next_bound_; }

    // An item whose time is over does not exist.
    std::string existence(bool exists);
    // The attribute is as it was read: equal, or still without a value.
    std::string unchanged(const std::string& name, const value::AttributeValue* seen);
    std::string equals(const std::string& name, const value::AttributeValue& value);

    void set(const std::string& name, const value::AttributeValue& value);
    void set_if_absent(const std::string& name, const value::AttributeValue& value);
    void remove(const std::string& name);
    void add(const std::string& name, const value::Number& number);
    void append(const std::string& name, const value::List& list);

    // Condition, update and placeholders into the write.
    void finish(Write& write) &&;

private:
    std::string name(const std::string& attribute);
    std::string value(const value::AttributeValue& value);

    const Table& table_;
    std::int64_t now_millis_;
    std::vector<std::string> conditions_;
    std::string sets_;
    std::string removes_;
    std::string adds_;
    std::map<std::string, std::string> names_;
    value::Item values_;
    int next_ = 0;
    int next_bound_ = 0;
};

}  // namespace gateleg::model
