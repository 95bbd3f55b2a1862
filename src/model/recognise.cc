#include "model/recognise.h"

#include <algorithm>

#include "model/key_parse.h"

namespace gateleg::model {
namespace {

const Entity* find_shape(
    const std::vector<KeyShape>& shapes, const KeyLook& look, KeyShape::Memory& memory
) {
    const auto found = std::find_if(shapes.begin(), shapes.end(), [&](const KeyShape& shape) {
        return shape.fits(look, memory);
    });
    return found != shapes.end() ? found->entity() : nullptr;
}

bool repeats_variable(const KeyTemplate& made_by) {
    const auto variables = made_by.variables();
    for (std::size_t at = 1; at < variables.size(); ++at) {
        if (made_by.find_variable(variables[at]->name) != variables[at]) {
            return true;
        }
    }
    return false;
}

KeyLook::Part look_at(const value::Item& raw, std::string_view name) {
    const auto found = raw.find(name);
    if (found == raw.end() || std::holds_alternative<value::Null>(found->second.data)) {
        return {};
    }
    const auto* text = std::get_if<std::string>(&found->second.data);
    return {true, text != nullptr ? std::optional<std::string_view>(*text) : std::nullopt};
}

}  // namespace

bool KeyShape::Part::fits(const KeyLook::Part& look) const {
    if (!wanted) {
        return true;
    }
    if (!look.there || text == nullptr) {
        return look.there;
    }
    return look.text &&
           (repeats ? text->parse_key(*look.text).has_value() : fits_key(*text, *look.text));
}

bool KeyShape::Part::fits(const KeyLook::Part& look, Memory& memory) const {
    if (text == nullptr || !look.text) {
        return fits(look);
    }
    if (memory.made_by != text || memory.text != *look.text) {
        memory = {std::string(*look.text), text, fits(look)};
    }
    return memory.fits;
}

std::optional<KeyShape> KeyShape::find(const Table& table, const Entity& entity) {
    const auto part_of = [&](const KeyAttribute& key) -> std::optional<Part> {
        const auto* rule = entity.find_key(key.name);
        if (rule == nullptr) {
            return std::nullopt;
        }
        if (rule->plain || key.type != value::Type::kString) {
            return Part{true};
        }
        return Part{true, &rule->key_template, repeats_variable(rule->key_template)};
    };
    KeyShape shape;
    shape.entity_ = &entity;
    const auto partition = part_of(table.key.partition);
    const auto sort = table.key.sort ? part_of(*table.key.sort) : Part{};
    if (!partition || !sort) {
        return std::nullopt;
    }
    shape.partition_ = *partition;
    shape.sort_ = *sort;
    return shape;
}

bool KeyShape::fits(const KeyLook& look) const {
    return partition_.fits(look.partition) && sort_.fits(look.sort);
}

bool KeyShape::fits(const KeyLook& look, Memory& memory) const {
    return partition_.fits(look.partition, memory) && sort_.fits(look.sort);
}

Recogniser::Recogniser(const Model& model) {
    for (const auto& entity : model.entities) {
        if (const auto shape = KeyShape::find(model.table, entity)) {
            all_.push_back(*shape);
            (entity.marker ? marked_[*entity.marker] : unmarked_).push_back(*shape);
        }
    }
}

const Entity* Recogniser::find(const KeyLook& look, Memory& memory) const {
    static const Shapes kNone;
    if (!look.marker) {
        return find_shape(all_, look, memory.partition_);
    }
    if (memory.marked_ == nullptr || memory.marker_ != *look.marker) {
        const auto found = marked_.find(*look.marker);
        memory.marker_ = *look.marker;
        memory.marked_ = found != marked_.end() ? &found->second : &kNone;
    }
    if (const auto* found = find_shape(*memory.marked_, look, memory.partition_)) {
        return found;
    }
    // An entity may have no marker, and its items an attribute of that name.
    return find_shape(unmarked_, look, memory.partition_);
}

const Entity* recognise(const Model& model, const value::Item& raw) {
    const auto& table = model.table;
    KeyLook look;
    if (!table.marker.empty()) {
        look.marker = look_at(raw, table.marker).text;
    }
    look.partition = look_at(raw, table.key.partition.name);
    if (table.key.sort) {
        look.sort = look_at(raw, table.key.sort->name);
    }
    const auto find_among = [&](const auto& is_candidate) -> const Entity* {
        for (const auto& entity : model.entities) {
            if (is_candidate(entity)) {
                if (const auto shape = KeyShape::find(table, entity); shape && shape->fits(look)) {
                    return &entity;
                }
            }
        }
        return nullptr;
    };
    if (!look.marker) {
        // An index may not project the marker.
        return find_among([](const Entity&) { return true; });
    }
    const auto* marked = find_among([&](const Entity& entity) {
        return entity.marker && *entity.marker == *look.marker;
    });
    return marked != nullptr ? marked
                             : find_among([](const Entity& entity) { return !entity.marker; });
}

}  // namespace gateleg::model
