#include "model/item_form.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "model/api_json.h"
#include "model/key_parse.h"
#include "model/pattern_within.h"
#include "model/surface.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::JsonSink;
using value::ValueView;
using Names = std::set<std::string, std::less<>>;

// As many calls of one pattern as may run at a time, about.
constexpr std::size_t kMaxSpare = 16;

// Names that evaluating it may look up in the item: also those behind derived attributes.
void add_names(const ExprPtr& expr, Names& names) {
    walk(expr, [&](const Expr& part) {
        const auto* name = std::get_if<NameNode>(&part.node);
        if (name == nullptr || name->meaning == NameNode::Meaning::kEnumValue) {
            return;
        }
        const bool is_new = names.insert(name->name).second;
        const auto* attribute = part.type.attribute;
        if (is_new && attribute != nullptr && attribute->is) {
            add_names(attribute->is->root, names);
        }
    });
}

// The expression, or a derived attribute it names, has a variable: of the model itself only
// constants are.
bool has_variable(const ExprPtr& expr, Names& seen) {
    bool found = false;
    walk(expr, [&](const Expr& part) {
        found |= std::holds_alternative<VariableNode>(part.node);
        const auto* attribute = part.type.attribute;
        if (attribute != nullptr && attribute->is && seen.insert(attribute->name).second) {
            found |= has_variable(attribute->is->root, seen);
        }
    });
    return found;
}

bool has_constant(const Pattern& pattern) {
    if (pattern.load || pattern.within) {
        return true;
    }
    Names seen;
    bool found = pattern.only && has_variable(pattern.only->root, seen);
    for (const auto& fixed : pattern.fixed) {
        found |= has_variable(fixed.value.root, seen);
    }
    for (const auto* entity : pattern.entities) {
        for (const auto* rule : {&entity->visible, &entity->full}) {
            seen.clear();
            found |= *rule && has_variable((*rule)->root, seen);
        }
    }
    return found;
}

template <class Visit>
void each_key(const KeySchema& schema, const Visit& visit) {
    visit(schema.partition);
    if (schema.sort) {
        visit(*schema.sort);
    }
}

bool is_named(const std::vector<Reference>& names, std::string_view name) {
    return std::any_of(names.begin(), names.end(), [&](const Reference& one) {
        return one.name == name;
    });
}

// Some step looks at whole items, or at several at once.
bool needs_trees(const Pattern& pattern) {
    return pattern.get || pattern.load || pattern.distinct || (pattern.sort && pattern.all_pages) ||
           (pattern.within && !is_named_by_call(pattern));
}

}  // namespace

ItemForm::ItemForm(const Model& model, const Pattern& pattern, const Entity& entity)
    : model_(model), entity_(entity) {
    add_fields(pattern);
    const auto& table = model.table;
    const auto& key = table.key;
    // In the order in which to_attributes() looks.
    add_sources(key.partition, Mark::kPartition);
    if (key.sort) {
        add_sources(*key.sort, Mark::kSort);
    }
    for (const auto& index : table.indexes) {
        each_key(index.key, [&](const KeyAttribute& attribute) {
            if (!table.is_primary_key(attribute.name)) {
                add_sources(attribute, std::nullopt);
            }
        });
    }
    add_columns(pattern);
    const auto rule_of = [&](const std::optional<Expression>& expression, std::size_t number) {
        return expression ? std::optional(make_rule(*expression, number)) : std::nullopt;
    };
    visible_ = pattern.unfiltered ? std::nullopt : rule_of(entity.visible, 0);
    full_ = rule_of(entity.full, 1);
    only_ = rule_of(pattern.only, 2);
    has_limit_ = !entity.public_names.empty() && pattern.returns.empty();
    if (pattern.range && entity.find_attribute(pattern.range->name) != nullptr) {
        range_ = find_field(pattern.range->name);
    }
}

void ItemForm::add_fields(const Pattern& pattern) {
    const auto& table = model_.table;
    Names names;
    for (const auto& attribute : entity_.attributes) {
        names.insert(attribute.name);
    }
    for (const auto* some : {&entity_.public_names, &pattern.returns}) {
        for (const auto& one : *some) {
            names.insert(one.name);
        }
    }
    for (const auto* rule : {&entity_.visible, &entity_.full, &pattern.only}) {
        if (*rule) {
            add_names((*rule)->root, names);
        }
    }
    if (entity_.open) {
        for (const auto& rule : entity_.keys) {
            for (const auto* variable : rule.key_template.variables()) {
                names.insert(variable->name);
            }
        }
        const auto add_key = [&](const KeyAttribute& key) { names.insert(key.name); };
        each_key(table.key, add_key);
        for (const auto& index : table.indexes) {
            each_key(index.key, add_key);
        }
        names.insert(table.marker);
        names.erase("");
    }
    const auto& kinds = pattern.returned();
    const auto kind = kinds.size() > 1 ? discriminator(model_) : std::string();
    if (!kind.empty()) {
        names.insert(kind);
    }
    for (const auto& name : names) {
        Field field{.name = name, .label = ",", .attribute = entity_.find_attribute(name)};
        append_json_string(field.label, name);
        field.label += ':';
        field.label_size = field.label.size();
        field.label.resize(std::max(field.label_size, JsonSink::kShort + 1));
        field.dropped =
            field.attribute == nullptr && (table.is_key_attribute(name) || name == table.marker);
        if (name == kind) {
            append_json_string(field.constant, discriminator_value(entity_, kinds));
        }
        fields_.push_back(std::move(field));
    }
}

void ItemForm::add_sources(const KeyAttribute& key, std::optional<Mark> mark) {
    const auto* rule = entity_.find_key(key.name);
    if (rule == nullptr || rule->plain) {
        return;
    }
    for (const auto* variable : rule->key_template.variables()) {
        const bool lost = key.type == value::Type::kString &&
                          std::holds_alternative<DateFormat>(variable->format);
        auto* field = lost || variable->name == "shard" ? nullptr : find_field(variable->name);
        if (field != nullptr) {
            field->sources.push_back({mark, key.name, rule, variable});
        }
    }
}

void ItemForm::add_columns(const Pattern& pattern) {
    shows_unknown_ = entity_.open && pattern.returns.empty();
    for (const auto& field : fields_) {
        const bool constant = !field.constant.empty();
        const bool named = pattern.returns.empty() || is_named(pattern.returns, field.name);
        const bool whole = constant || (is_shown(field) && named);
        if (whole || shows_unknown_) {
            whole_.push_back({&field, whole});
        }
        if (constant || (is_shown(field) && is_named(entity_.public_names, field.name))) {
            public_.push_back({&field, true});
        }
    }
}

ItemForm::Field* ItemForm::find_field(std::string_view name) {
    const auto found = std::lower_bound(
        fields_.begin(),
        fields_.end(),
        name,
        [](const Field& field, std::string_view wanted) { return field.name < wanted; }
    );
    return found != fields_.end() && found->name == name ? &*found : nullptr;
}

// As item_to_api() decides.
bool ItemForm::is_shown(const Field& field) const {
    const auto* attribute = field.attribute;
    return attribute != nullptr ? !attribute->hidden && (!attribute->is || attribute->stored)
                                : entity_.open && !field.dropped;
}

ItemRule ItemForm::make_rule(const Expression& expression, std::size_t number) {
    Names names;
    add_names(expression.root, names);
    ItemRule rule{.expression = &expression, .number = number};
    for (const auto& name : names) {
        rule.fields.push_back(static_cast<std::size_t>(find_field(name) - fields_.data()));
    }
    return rule;
}

std::optional<ItemForm::Piece> ItemForm::find_piece(const Field& field, const StoredItem& item) {
    for (const auto& source : field.sources) {
        const auto key =
            source.mark ? item.find(*source.mark) : item.bytes().find(source.attribute);
        if (!key || key->type() == value::Type::kNull) {
            continue;
        }
        const auto& text = source.rule->key_template;
        if (key->type() != value::Type::kString) {
            if (text.variables().size() == 1) {
                return Piece{*key};
            }
            continue;
        }
        // The item was recognised by its primary key; the key of an index may say anything.
        if (!source.mark && !text.parse_key(key->text())) {
            continue;
        }
        if (const auto piece = find_key_piece(text, key->text(), *source.variable)) {
            return Piece{*key, source.variable, *piece};
        }
    }
    return std::nullopt;
}

std::optional<AttributeValue> ItemForm::find_value(const Field& field, const StoredItem& item) {
    const auto stored = field.dropped ? std::nullopt : item.bytes().find(field.name);
    if (stored) {
        return value::decode(*stored);
    }
    const auto piece = find_piece(field, item);
    if (!piece) {
        return std::nullopt;
    }
    return piece->variable == nullptr ? value::decode(piece->key)
                                      : read_piece(*piece->variable, piece->text);
}

std::optional<AttributeValue> ItemForm::range_value(const StoredItem& item) const {
    return range_ != nullptr ? find_value(*range_, item) : std::nullopt;
}

void ItemForm::look(const ItemLayout& layout, Memory& memory) const {
    memory.layout_ = &layout;
    if (memory.now_->version == layout.version()) {
        return;
    }
    for (auto& known : memory.known_) {
        if (known.version == layout.version()) {
            memory.now_ = &known;
            return;
        }
    }
    memory.now_ = &memory.known_[memory.oldest_];
    memory.oldest_ = (memory.oldest_ + 1) % memory.known_.size();
    auto& [version, places, steps] = *memory.now_;
    version = 0;  // until all is known: memory may run out
    steps = {};
    places.clear();
    for (const auto& field : fields_) {
        places.push_back(field.dropped ? ItemLayout::kNone : layout.find(field.name));
    }
    version = layout.version();
}

// --- rules

// True if what the rule looks at is what it looked at last. Else it is remembered, if it can be.
bool ItemForm::is_known(const ItemRule& rule, const StoredItem& item, Memory& of_form) const {
    auto& memory = of_form.rules_[rule.number];
    bool same = memory.answer.has_value();
    memory.values.resize(rule.fields.size());
    for (std::size_t at = 0; at < rule.fields.size(); ++at) {
        const auto& field = fields_[rule.fields[at]];
        // A value of its own, a key that it is a part of, or nothing.
        char kind = 'v';
        const auto place = of_form.now_->places[rule.fields[at]];
        auto source = place != ItemLayout::kNone ? std::optional(of_form.layout_->value(place))
                                                 : std::nullopt;
        if (!source && !field.sources.empty()) {
            kind = 'k';
            const auto& first = field.sources.front();
            source = first.mark ? item.find(*first.mark) : std::nullopt;
            if (!source) {
                memory.answer.reset();
                memory.values.clear();
                return false;
            }
        }
        const auto bytes = source ? source->bytes() : std::string_view();
        auto& last = memory.values[at];
        if (last.size() != bytes.size() + 1 || last.front() != kind ||
            std::string_view(last).substr(1) != bytes) {
            last.assign(1, kind).append(bytes);
            same = false;
        }
    }
    return same;
}

bool ItemForm::holds(
    const ItemRule& rule, const StoredItem& item, Environment& environment, Memory& of_form
) const {
    auto& memory = of_form.rules_[rule.number];
    if (is_known(rule, item, of_form)) {
        return *memory.answer;
    }
    value::Item values;
    for (const auto place : rule.fields) {
        if (auto value = find_value(fields_[place], item)) {
            values.emplace(fields_[place].name, std::move(*value));
        }
    }
    environment.item = &values;
    const auto good = model::holds(*rule.expression, environment);
    environment.item = nullptr;
    const bool answer = good && *good;
    if (memory.values.size() == rule.fields.size()) {
        memory.answer = answer;
    }
    return answer;
}

// --- JSON

class ItemForm::Writer {
public:
    Writer(JsonSink& out, const StoredItem& item) : out_(out), item_(item) {}

    void write_stored(const Field& field, ValueView value) {
        label(field);
        field.constant.empty() ? write_api_json(out_, field.attribute, value)
                               : out_.raw(field.constant);
    }

    // Of a field that the item itself does not have.
    void write_absent(Step& step) {
        const auto& field = *step.field;
        if (!field.constant.empty()) {
            label(field);
            out_.raw(field.constant);
            return;
        }
        const auto partition = item_.find(Mark::kPartition);
        if (!step.json.empty() && !first_ && partition && step.partition == partition->bytes()) {
            out_.raw(step.json);
            return;
        }
        const auto piece = find_piece(field, item_);
        if (!piece) {
            return;
        }
        const bool is_first = first_;
        const auto before = out_.size();
        write_piece(field, *piece);
        if (!is_first && partition && partition->bytes().data() == piece->key.bytes().data()) {
            step.partition = partition->bytes();
            step.json = out_.written_behind(before);
        }
    }

    void write_unknown(std::string_view name, ValueView value) {
        if (!first_) {
            out_.put(',');
        }
        first_ = false;
        out_.text(name, needs_json_escape(name));
        out_.put(':');
        write_api_json(out_, nullptr, value);
    }

private:
    void write_piece(const Field& field, const Piece& piece) {
        if (piece.variable == nullptr) {
            label(field);
            write_api_json(out_, field.attribute, piece.key);
        } else if (is_text_piece(*piece.variable) && !is_boolean(field)) {
            label(field);
            out_.text(piece.text, piece.key.needs_escape() && needs_json_escape(piece.text));
        } else if (const auto value = read_piece(*piece.variable, piece.text)) {
            label(field);
            const auto bytes = value::encode(*value);
            write_api_json(out_, field.attribute, ValueView(bytes.data()));
        }
    }
    static bool is_boolean(const Field& field) {
        return field.attribute != nullptr && field.attribute->type == AttributeType::kBoolean;
    }
    void label(const Field& field) {
        const std::size_t without = first_ ? 1 : 0;
        const auto* text = field.label.data() + without;
        const auto size = field.label_size - without;
        size <= JsonSink::kShort ? out_.raw_short(text, size) : out_.raw({text, size});
        first_ = false;
    }

    JsonSink& out_;
    const StoredItem& item_;
    bool first_ = true;
};

// Both are in the order of their names, and so is what is written.
ItemForm::Steps ItemForm::make_steps(const ItemLayout& layout, bool limited) const {
    const auto& columns = limited ? public_ : whole_;
    const auto& names = layout.names();
    Steps steps;
    steps.reserve(columns.size());
    const auto add_absent = [&](const Column& column) {
        const auto& field = *column.field;
        if (column.is_shown && (!field.constant.empty() || !field.sources.empty())) {
            steps.push_back({.field = &field, .place = ItemLayout::kNone});
        }
    };
    auto column = columns.begin();
    for (std::size_t place = 0; place < names.size(); ++place) {
        for (; column != columns.end() && column->field->name < names[place]; ++column) {
            add_absent(*column);
        }
        if (column != columns.end() && column->field->name == names[place]) {
            if (column->is_shown) {
                steps.push_back({.field = column->field, .place = place});
            }
            ++column;
        } else if (shows_unknown_ && !limited) {
            steps.push_back({.field = nullptr, .place = place});
        }
    }
    std::for_each(column, columns.end(), add_absent);
    return steps;
}

void ItemForm::write(JsonSink& out, const StoredItem& item, bool limited, Memory& memory) const {
    const auto& layout = *memory.layout_;
    auto& steps = memory.now_->steps[limited ? 1 : 0];
    if (!steps) {
        steps = make_steps(layout, limited);
    }
    out.put('{');
    Writer writer(out, item);
    for (auto& step : *steps) {
        if (step.place == ItemLayout::kNone) {
            writer.write_absent(step);
        } else if (step.field != nullptr) {
            writer.write_stored(*step.field, layout.value(step.place));
        } else {
            writer.write_unknown(layout.names()[step.place], layout.value(step.place));
        }
    }
    out.put('}');
}

// --- patterns

PatternForm::PatternForm(const Model& model, const Pattern& pattern)
    : marks_(model.table, pattern.table_index), uses_constants_(has_constant(pattern)) {
    if (needs_trees(pattern)) {
        return;
    }
    for (const auto* entity : pattern.entities) {
        forms_.push_back(std::make_unique<const ItemForm>(model, pattern, *entity));
    }
}

std::unique_ptr<ListMemory> PatternForm::take_memory() const {
    {
        const std::lock_guard lock(mutex_);
        if (!spare_.empty()) {
            auto memory = std::move(spare_.back());
            spare_.pop_back();
            return memory;
        }
    }
    return std::make_unique<ListMemory>();
}

void PatternForm::give_back(std::unique_ptr<ListMemory> memory) const {
    memory->layout.forget_item();
    for (auto& [form, known] : memory->forms) {
        known.forget_answers();
    }
    const std::lock_guard lock(mutex_);
    if (spare_.size() < kMaxSpare) {
        spare_.push_back(std::move(memory));
    }
}

const ItemForm* PatternForm::find(const Entity& entity) const {
    const auto found = std::find_if(forms_.begin(), forms_.end(), [&](const auto& form) {
        return &form->entity() == &entity;
    });
    return found != forms_.end() ? found->get() : nullptr;
}

const PatternForm& PatternForms::of(const Pattern& pattern) {
    {
        const std::shared_lock lock(mutex_);
        if (const auto found = known_.find(&pattern); found != known_.end()) {
            return *found->second;
        }
    }
    auto form = std::make_unique<const PatternForm>(model_, pattern);
    const std::unique_lock lock(mutex_);
    return *known_.try_emplace(&pattern, std::move(form)).first->second;
}

}  // namespace gateleg::model
