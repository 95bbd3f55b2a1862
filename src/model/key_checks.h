// The rules about keys of one entity. Used by check_keys.cc and check_key_parts.cc only.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/check_rules.h"

namespace gateleg::model {

// "entity Loan: "
std::string in_entity(const Entity& entity);

// The key of the table, then those of its indexes.
void each_key(const Table& table, const std::function<void(const KeySchema&, const Index*)>& use);

// One thread at a time; the model outlives it.
class KeyChecks {
public:
    KeyChecks(const Model& model, Diagnostics& diagnostics)
        : model_(model), diagnostics_(diagnostics) {}

    void run();

private:
    // --- check_key_parts.cc

    // K01, K02: the key can be taken apart again.
    void check_shape(const Entity& entity, const KeyRule& rule);
    void check_separator(
        const Entity& entity, const KeyRule& rule, const KeyVariable& variable, char separator
    );
    // K04, K14, K15: order and width of numbers.
    void check_formats(const Entity& entity, const KeyRule& rule);
    void check_in_key(const Entity& entity, const KeyRule& rule, const Attribute& attribute);
    void check_padding(
        const Entity& entity,
        const KeyRule& rule,
        const Attribute& attribute,
        const NumberFormat& format
    );
    void check_unpadded(const Entity& entity, const KeyRule& rule, const Attribute& attribute);
    bool sort_key(std::string_view attribute) const;

    // --- check_keys.cc

    // K07, K08: partitions that everything falls into.
    void check_constant_partition(const Entity& entity, const KeyRule& rule);
    // K06, K09: attributes that change often, inside keys.
    void check_rewrites(const Entity& entity, const KeyRule& rule);
    // K05, K17: the primary key of an item cannot change.
    void check_primary(const Entity& entity);
    void report_key_change(
        const Entity& entity,
        const Operation& operation,
        const Names& direct,
        const Names& sources,
        const Reference& attribute
    );
    // K11, I01 and types of index keys.
    void check_whole_index(const Entity& entity);
    void check_key_type(const Entity& entity, const KeyRule& rule, const KeyAttribute& key);
    bool in_some_index(const Entity& entity, const KeyRule& rule) const;
    static bool is_now(const std::optional<Expression>& value);
    static bool targets(const Step& step, const Entity& entity);
    std::string sort_name() const;
    value::Type key_type(std::string_view attribute) const;

    const Model& model_;
    Diagnostics& diagnostics_;
};

}  // namespace gateleg::model
