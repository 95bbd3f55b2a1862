// Which entity an item is of: the one with such a key, told apart by the marker where several have.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

// What of an item decides, whatever form the item is in.
struct KeyLook {
    struct Part {
        bool there = false;  // Null is not there
        std::optional<std::string_view> text = {};
    };
    std::optional<std::string_view> marker = {};
    Part partition = {};
    Part sort = {};
};

// The shape of an entity's primary key.
class KeyShape {
public:
    // Nothing if the entity has no rule for a part of the key.
    static std::optional<KeyShape> find(const Table& table, const Entity& entity);

    const Entity* entity() const { return entity_; }
    bool fits(const KeyLook& look) const;
    // What was said of the partition that was looked at last: items of a list often share one.
    struct Memory {
        std::string text = {};
        const KeyTemplate* made_by = nullptr;
        bool fits = false;
    };
    bool fits(const KeyLook& look, Memory& memory) const;

private:
    struct Part {
        bool wanted = false;
        const KeyTemplate* text = nullptr;  // null: any value will do
        bool repeats = false;               // a variable stands in it twice
        bool fits(const KeyLook::Part& look) const;
        bool fits(const KeyLook::Part& look, Memory& memory) const;
    };
    const Entity* entity_ = nullptr;
    Part partition_;
    Part sort_;
};

// Recognises items of one model, which outlives it. Immutable.
class Recogniser {
    using Shapes = std::vector<KeyShape>;  // in the order of the model

public:
    explicit Recogniser(const Model& model);

    // What was found out about the last item, for the next ones of a list. Of one recogniser.
    class Memory {
        friend class Recogniser;
        std::string marker_;
        const Shapes* marked_ = nullptr;  // with that marker
        KeyShape::Memory partition_;
    };
    // Null if it is none of them.
    const Entity* find(const KeyLook& look, Memory& memory) const;

private:
    Shapes all_;
    Shapes unmarked_;
    std::map<std::string, Shapes, std::less<>> marked_;
};

// For those who see an item now and then.
const Entity* recognise(const Model& model, const value::Item& raw);

}  // namespace gateleg::model
