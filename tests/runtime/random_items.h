// Items as somebody may have stored them: mostly as the model writes them, some of them not.

#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "model/schema.h"
#include "value/attribute_value.h"

namespace gateleg::model {

// Draws the same items each time. One thread at a time.
class RandomItems {
public:
    RandomItems(const Model& model, unsigned seed) : model_(model), random_(seed) {}

    // A raw item of the entity; empty if what was drawn cannot be one.
    value::Item raw(const Entity& entity);
    // A value that the attribute may have, in stored form, from a few: partitions are to be shared.
    value::AttributeValue stored(const Attribute& attribute, int depth = 0);
    // Any value at all.
    value::AttributeValue any(int depth = 0);

    bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
    std::size_t below(std::size_t count) { return random_() % count; }
    template <class T>
    const T& one_of(const std::vector<T>& many) {
        return many[below(many.size())];
    }

    static const std::vector<std::string>& ids();

private:
    void damage(const Entity& entity, value::Item& raw);

    const Model& model_;
    std::mt19937 random_;
};

}  // namespace gateleg::model
