// How items of an entity are shown in a list, worked out once for a pattern, so that a stored item
// becomes JSON without a tree.
//
// It gives what to_attributes() and show_of_pattern() give, byte for byte; tests/runtime compares
// the two.

#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "model/evaluate.h"
#include "model/schema.h"
#include "model/stored_item.h"
#include "value/attribute_value.h"
#include "value/json_sink.h"

namespace gateleg::model {

// A rule on items, and the attributes it looks at.
struct ItemRule {
    const Expression* expression = nullptr;
    std::size_t number = 0;                // among the rules of ItemForm
    std::vector<std::size_t> fields = {};  // places in ItemForm
};

// Immutable; the model outlives it.
class ItemForm {
public:
    ItemForm(const Model& model, const Pattern& pattern, const Entity& entity);

    const Entity& entity() const { return entity_; }
    const std::optional<ItemRule>& visible() const { return visible_; }
    const std::optional<ItemRule>& full() const { return full_; }
    const std::optional<ItemRule>& only() const { return only_; }
    // Callers for whom `full` does not hold see less.
    bool has_limit() const { return has_limit_; }

    // What was found out about the last items of a list, for the next: they often have the same
    // names, the same partition and the same answer to a rule. Of one form, one caller and one
    // moment.
    class Memory;
    // Begins with an item, which the layout has read. It is meant by what follows.
    void look(const ItemLayout& layout, Memory& memory) const;

    // False also where the rule cannot be evaluated. `environment` is for this call alone.
    bool holds(
        const ItemRule& rule, const StoredItem& item, Environment& environment, Memory& memory
    ) const;

    // The attribute that the pattern's range is over, in stored form; nothing if the item lacks it.
    std::optional<value::AttributeValue> range_value(const StoredItem& item) const;

    void write(value::JsonSink& out, const StoredItem& item, bool limited, Memory& memory) const;

private:
    static constexpr std::size_t kRules = 3;

    // A key attribute that the value was made into.
    struct Source {
        std::optional<Mark> mark = {};  // of a part of the primary key, which is known to fit
        std::string attribute;          // of an index
        const KeyRule* rule = nullptr;
        const KeyVariable* variable = nullptr;
    };
    // A name that an item may have a value under.
    struct Field {
        std::string name;
        std::string label;           // ,"name":
        std::size_t label_size = 0;  // as JSON; kShort bytes can be read behind its comma
        const Attribute* attribute = nullptr;
        bool dropped = false;  // a key that is no attribute
        std::string constant;  // JSON that stands there whatever the item says; empty for none
        std::vector<Source> sources;
    };
    struct Column {
        const Field* field = nullptr;
        bool is_shown = true;  // false: known, and left out
    };
    using Columns = std::vector<Column>;
    // A column of items with certain names.
    struct Step {
        const Field* field;  // null: the name is not known
        std::size_t place;   // in the layout; kNone: the item does not have it
        // What the key of a partition was made into, for its other items.
        std::string partition = {};
        std::string json = {};
    };
    using Steps = std::vector<Step>;
    // What a key says about a field.
    struct Piece {
        value::ValueView key;
        const KeyVariable* variable = nullptr;  // null: the whole key is the value
        std::string_view text = {};
    };
    class Writer;

    void add_fields(const Pattern& pattern);
    void add_sources(const KeyAttribute& key, std::optional<Mark> mark);
    void add_columns(const Pattern& pattern);
    Field* find_field(std::string_view name);
    bool is_shown(const Field& field) const;
    ItemRule make_rule(const Expression& expression, std::size_t number);
    Steps make_steps(const ItemLayout& layout, bool limited) const;
    static std::optional<Piece> find_piece(const Field& field, const StoredItem& item);
    static std::optional<value::AttributeValue> find_value(
        const Field& field, const StoredItem& item
    );
    bool is_known(const ItemRule& rule, const StoredItem& item, Memory& memory) const;

    const Model& model_;
    const Entity& entity_;
    std::vector<Field> fields_;  // by name
    Columns whole_;
    Columns public_;  // where `full` does not hold
    bool shows_unknown_ = false;
    bool has_limit_ = false;
    std::optional<ItemRule> visible_;
    std::optional<ItemRule> full_;
    std::optional<ItemRule> only_;
    const Field* range_ = nullptr;
};

class ItemForm::Memory {
public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    // For another caller, or later.
    void forget_answers() {
        for (auto& rule : rules_) {
            rule.answer.reset();
        }
    }

private:
    friend class ItemForm;

    struct Rule {
        std::optional<bool> answer = {};
        std::vector<std::string> values = {};  // that it was given for
    };

    // What is known of items with certain names.
    struct OfNames {
        std::uint64_t version = 0;
        std::vector<std::size_t> places = {};            // of the form's fields in the layout
        std::array<std::optional<Steps>, 2> steps = {};  // for whole items and for limited ones
    };

    const ItemLayout* layout_ = nullptr;
    std::array<OfNames, ItemLayout::kShapes> known_;
    OfNames* now_ = known_.data();
    std::size_t oldest_ = 0;
    std::array<Rule, kRules> rules_;
};

// What one call of a list found out that the next can use: the names and keys of its items.
struct ListMemory {
    ItemLayout layout = {};
    ItemMarks::Places places = {};
    Recogniser::Memory recognised = {};
    std::map<const ItemForm*, ItemForm::Memory> forms = {};
};

// What a list of a pattern needs to read and show stored items. Immutable, but for memories that
// calls leave to each other; thread-safe.
class PatternForm {
public:
    PatternForm(const Model& model, const Pattern& pattern);

    // For one call, which gives it back.
    std::unique_ptr<ListMemory> take_memory() const;
    void give_back(std::unique_ptr<ListMemory> memory) const;

    const ItemMarks& marks() const { return marks_; }
    // Null if items of it are not in the list, or if only a tree can tell what the list shows.
    const ItemForm* find(const Entity& entity) const;
    // No step of the list needs a tree.
    bool shows_bytes() const { return !forms_.empty(); }
    // Some expression of the list may ask for a constant of the model.
    bool uses_constants() const { return uses_constants_; }

private:
    ItemMarks marks_;
    std::vector<std::unique_ptr<const ItemForm>> forms_;
    bool uses_constants_ = false;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<ListMemory>> spare_;
};

// Each is made on its first use. Thread-safe.
class PatternForms {
public:
    explicit PatternForms(const Model& model) : model_(model) {}
    const PatternForm& of(const Pattern& pattern);

private:
    const Model& model_;
    std::shared_mutex mutex_;
    std::map<const Pattern*, std::unique_ptr<const PatternForm>> known_;
};

}  // namespace gateleg::model
