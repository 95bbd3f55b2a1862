// Looks up every name of a model and resolves its expressions.

#include <algorithm>
#include <map>

#include "model/read_model.h"
#include "model/resolve.h"

namespace gateleg::model {
namespace {

template <class Things>
std::vector<std::string> names_of(const Things& things) {
    std::vector<std::string> names;
    for (const auto& thing : things) {
        names.push_back(thing.name);
    }
    return names;
}

// The attribute type that keeps what an expression of that type gives.
void take_type(Attribute& attribute, const Type& type, const Expr& root) {
    if (const auto* call = std::get_if<CallNode>(&root.node);
        call != nullptr && call->function == "epoch_s") {
        attribute.type = AttributeType::kEpochSeconds;
        attribute.json_number = true;
        return;
    }
    if (type.attribute != nullptr && type.attribute->type != AttributeType::kAny) {
        attribute.type = type.attribute->type;
        attribute.values = type.attribute->values;
        attribute.whole_seconds = type.attribute->whole_seconds;
        attribute.of = type.attribute->of;
        attribute.fields = type.attribute->fields;
        return;
    }
    switch (type.kind) {
        case ValueKind::kBoolean:
            attribute.type = AttributeType::kBoolean;
            break;
        case ValueKind::kNumber:
            attribute.type = AttributeType::kNumber;
            break;
        case ValueKind::kText:
            attribute.type = AttributeType::kString;
            break;
        case ValueKind::kTime:
            attribute.type = AttributeType::kTimestamp;
            break;
        case ValueKind::kList:
            attribute.type = AttributeType::kList;
            break;
        case ValueKind::kMap:
            attribute.type = AttributeType::kMap;
            break;
        case ValueKind::kAny:
        case ValueKind::kNull:
        case ValueKind::kDuration:
        case ValueKind::kSet:
        case ValueKind::kBinary:
        case ValueKind::kItem:
            break;
    }
}

class ModelResolver {
public:
    ModelResolver(Model& model, Diagnostics& diagnostics)
        : model_(model), diagnostics_(diagnostics) {}

    void run() {
        for (auto& entity : model_.entities) {
            add_plain_keys(entity);
        }
        collect_enum_values();
        for (auto& entity : model_.entities) {
            resolve_derived(entity);
        }
        for (auto& entity : model_.entities) {
            set_key_types(entity);
        }
        for (auto& pattern : model_.patterns) {
            resolve_pattern_names(pattern);
        }
        for (auto& entity : model_.entities) {
            resolve_entity(entity);
        }
        for (auto& pattern : model_.patterns) {
            resolve_pattern(pattern);
        }
        for (auto& operation : model_.operations) {
            resolve_operation(operation);
        }
        for (auto& job : model_.jobs) {
            resolve_job(job);
        }
    }

private:
    void unknown(
        std::string_view what,
        const Reference& name,
        const std::string& where,
        const std::vector<std::string>& candidates
    ) {
        diagnostics_.error(
            "M01",
            name.position,
            where + ": there is no " + std::string(what) + " '" + name.name + "'",
            did_you_mean(name.name, candidates)
        );
    }

    // A key attribute without a template is the attribute of that name.
    void add_plain_keys(Entity& entity) {
        const auto add = [&](const KeyAttribute& key) {
            // What is not stored under its name cannot be found by it.
            const auto* attribute = entity.find_attribute(key.name);
            if (entity.find_key(key.name) == nullptr && attribute != nullptr && attribute->stored) {
                auto parsed = KeyTemplate::parse("{" + key.name + "}");
                if (parsed) {
                    KeyRule rule{key.name, attribute->position, *parsed, {}};
                    rule.plain = true;
                    entity.keys.push_back(std::move(rule));
                }
            }
        };
        const auto add_all = [&](const KeySchema& schema) {
            add(schema.partition);
            if (schema.sort) {
                add(*schema.sort);
            }
        };
        add_all(model_.table.key);
        for (const auto& index : model_.table.indexes) {
            add_all(index.key);
        }
        for (const auto& rule : entity.keys) {
            if (!model_.table.is_key_attribute(rule.attribute)) {
                diagnostics_.error(
                    "M01",
                    rule.position,
                    "entity " + entity.name + ": '" + rule.attribute + "' is no key of the table"
                );
            }
        }
    }

    void collect_values(const Attribute& attribute) {
        enum_values_.insert(attribute.values.begin(), attribute.values.end());
        for (const auto& field : attribute.fields) {
            collect_values(field);
        }
        if (attribute.of) {
            collect_values(*attribute.of);
        }
    }

    void collect_enum_values() {
        for (const auto& entity : model_.entities) {
            for (const auto& attribute : entity.attributes) {
                collect_values(attribute);
            }
        }
        for (const auto& operation : model_.operations) {
            for (const auto& input : operation.inputs) {
                collect_values(input.attribute);
            }
        }
    }

    Scope scope_of(const Entity& entity, std::string where) {
        Scope scope = empty_scope(std::move(where));
        scope.item = {&entity};
        return scope;
    }

    Scope empty_scope(std::string where) {
        Scope scope;
        scope.table = &model_.table;
        scope.enum_values = &enum_values_;
        scope.where = std::move(where);
        for (const auto& constant : model_.constants) {
            scope.variables[constant.name] = {};
        }
        return scope;
    }

    // Derived attributes first of all: their types are known only from their expressions, which may
    // use other derived attributes.
    void resolve_derived(Entity& entity) {
        std::map<std::string, int> state;  // 1 under way, 2 done
        for (auto& attribute : entity.attributes) {
            resolve_derived(entity, attribute, state);
        }
    }

    void resolve_derived(Entity& entity, Attribute& attribute, std::map<std::string, int>& state) {
        auto& mine = state[attribute.name];
        if (!attribute.is || mine == 2) {
            return;
        }
        if (mine == 1) {
            diagnostics_.error(
                "E05",
                attribute.position,
                entity.name + "." + attribute.name + " is derived from itself"
            );
            attribute.is.reset();
            return;
        }
        mine = 1;
        const auto root = attribute.is->root;  // a circle takes the expression away below
        walk(root, [&](const Expr& expr) {
            const auto* name = std::get_if<NameNode>(&expr.node);
            if (name == nullptr) {
                return;
            }
            for (auto& other : entity.attributes) {
                if (other.name == name->name) {
                    resolve_derived(entity, other, state);
                }
            }
        });
        state[attribute.name] = 2;
        if (!attribute.is) {
            return;
        }
        const bool typed = attribute.type != AttributeType::kAny;
        const auto expected = typed ? type_of(attribute) : Type{};
        const auto type = resolve(
            *attribute.is,
            scope_of(entity, entity.name + "." + attribute.name),
            expected,
            diagnostics_
        );
        if (!typed) {
            take_type(attribute, type, *attribute.is->root);
        } else {
            check_fits(type, attribute, *attribute.is, entity.name + "." + attribute.name);
        }
    }

    void set_key_types(Entity& entity) {
        for (auto& rule : entity.keys) {
            for (const auto* variable : rule.key_template.variables()) {
                if (variable->name == "shard") {
                    continue;
                }
                const auto* attribute = entity.find_attribute(variable->name);
                if (attribute == nullptr) {
                    diagnostics_.error(
                        "K01",
                        rule.position,
                        "entity " + entity.name + ": the key '" + rule.key_template.text() +
                            "' uses an unknown attribute '" + variable->name + "'",
                        did_you_mean(variable->name, names_of(entity.attributes))
                    );
                    continue;
                }
                rule.key_template.set_type(variable->name, key_value_type(*attribute));
            }
        }
    }

    // True unless a value of that type can never be one of the attribute.
    static bool fits(const Type& type, const Attribute& attribute) {
        const auto wanted = type_of(attribute).kind;
        if (type.kind == wanted || type.kind == ValueKind::kAny || type.kind == ValueKind::kNull ||
            wanted == ValueKind::kAny) {
            return true;
        }
        switch (type.kind) {
            case ValueKind::kTime:  // in a number: seconds since 1970
                return wanted == ValueKind::kNumber;
            case ValueKind::kNumber:
                return wanted == ValueKind::kTime && attribute.type != AttributeType::kTimestamp;
            case ValueKind::kList:
                return wanted == ValueKind::kSet;
            case ValueKind::kItem:
                return wanted == ValueKind::kMap;
            default:
                return false;
        }
    }

    void check_fits(
        const Type& type,
        const Attribute& attribute,
        const Expression& value,
        const std::string& where
    ) {
        if (!fits(type, attribute)) {
            diagnostics_.error(
                "E03",
                value.position,
                where + ": '" + value.text + "' is no " +
                    std::string(attribute_type_name(attribute.type))
            );
        }
    }

    void resolve_value(const Expression& value, const Scope& scope, const Attribute& attribute) {
        const auto type = resolve(value, scope, type_of(attribute), diagnostics_);
        check_fits(type, attribute, value, scope.where + ": " + attribute.name);
    }

    void resolve_condition(const Expression& condition, const Scope& scope) {
        const auto type = resolve(condition, scope, boolean_type(), diagnostics_);
        if (type.kind != ValueKind::kBoolean && type.kind != ValueKind::kAny &&
            type.kind != ValueKind::kNull) {
            diagnostics_.error(
                "E03",
                condition.position,
                scope.where + ": '" + condition.text + "' is no condition"
            );
        }
    }

    void resolve_entity(Entity& entity) {
        const auto where = "entity " + entity.name;
        const auto scope = scope_of(entity, where);
        for (auto& rule : entity.keys) {
            if (rule.when) {
                resolve_condition(*rule.when, scope);
            }
        }
        for (auto& attribute : entity.attributes) {
            if (attribute.default_value) {
                // There is no item yet whose attributes it could name.
                resolve_value(*attribute.default_value, empty_scope(where), attribute);
            }
        }
        if (entity.visible) {
            resolve_condition(*entity.visible, scope);
        }
        if (entity.full) {
            resolve_condition(*entity.full, scope);
        }
        for (const auto& name : entity.public_names) {
            check_names_attribute(entity, name.name, "public");
        }
        check_names_attribute(entity, entity.version, "version");
        if (entity.shard) {
            check_names_attribute(entity, entity.shard->by, "shard.by");
            check_names_attribute(entity, entity.shard->at, "shard.at");
        }
        for (auto& row : entity.rows) {
            resolve_row(entity, row);
        }
    }

    void check_names_attribute(
        const Entity& entity, const std::string& name, std::string_view property
    ) {
        if (!name.empty() && entity.find_attribute(name) == nullptr) {
            diagnostics_.error(
                "M01",
                entity.position,
                "entity " + entity.name + ": " + std::string(property) + " names no attribute '" +
                    name + "'",
                did_you_mean(name, names_of(entity.attributes))
            );
        }
    }

    void resolve_row(Entity& owner, Step& row) {
        auto scope = scope_of(owner, "rows of " + owner.name);
        if (row.verb != Verb::kPut) {
            diagnostics_.error("Y04", row.position, "rows of " + owner.name + ": a row is a put");
            return;
        }
        resolve_target(row.target, scope, {});
        if (row.loop) {
            add_loop(*row.loop, scope);
        }
        if (row.when) {
            resolve_condition(*row.when, scope);
        }
        if (row.target.entities.empty()) {
            return;
        }
        const auto& target = *row.target.entities.front();
        // The model is not const here; owners are filled as rows are found.
        auto& owners = const_cast<Entity&>(target).owners;
        if (std::find(owners.begin(), owners.end(), &owner) == owners.end()) {
            owners.push_back(&owner);
        }
        resolve_assignments(row.set, scope, row.target.entities);
        for (const auto& one : row.copy) {
            if (target.find_attribute(one.name) == nullptr) {
                unknown(
                    "attribute",
                    one,
                    "rows of " + owner.name + ", " + target.name,
                    names_of(target.attributes)
                );
            }
            if (owner.find_attribute(one.name) == nullptr) {
                unknown("attribute", one, owner.name, names_of(owner.attributes));
            }
        }
        resolve_conditions(row, scope);
    }

    void add_loop(Loop& loop, Scope& scope) {
        const auto list = resolve(loop.list, scope, {}, diagnostics_);
        Type element;
        if (list.attribute != nullptr && list.attribute->of) {
            element = type_of(*list.attribute->of);
        } else if (list.kind != ValueKind::kAny && list.kind != ValueKind::kList && list.kind != ValueKind::kSet) {
            diagnostics_.error("E03", loop.position, scope.where + ": for needs a list");
        }
        scope.variables[loop.variable] = element;
    }

    const Attribute* common(const std::vector<const Entity*>& entities, std::string_view name) {
        const Attribute* found = nullptr;
        for (const auto* entity : entities) {
            const auto* attribute = entity->find_attribute(name);
            if (attribute == nullptr) {
                return nullptr;
            }
            found = found == nullptr ? attribute : found;
        }
        return found;
    }

    void resolve_assignments(
        std::vector<Assignment>& assignments,
        const Scope& scope,
        const std::vector<const Entity*>& targets
    ) {
        for (auto& one : assignments) {
            const auto* attribute = common(targets, one.attribute);
            if (attribute == nullptr) {
                if (!targets.empty()) {
                    unknown(
                        "attribute",
                        {one.attribute, one.position},
                        scope.where + ", " + targets.front()->name,
                        names_of(targets.front()->attributes)
                    );
                }
                resolve(one.value, scope, {}, diagnostics_);
                continue;
            }
            if (attribute->is) {
                diagnostics_.error(
                    "E05",
                    one.position,
                    scope.where + ": '" + one.attribute + "' is derived and cannot be set"
                );
            }
            resolve_value(one.value, scope, *attribute);
        }
    }

    void resolve_conditions(Step& step, Scope scope) {
        scope.item = step.target.entities;
        scope.existence = true;
        for (auto& rule : step.conditions) {
            resolve_condition(rule.condition, scope);
            walk(rule.condition.root, [&](const Expr& expr) {
                if (const auto* word = std::get_if<WordNode>(&expr.node)) {
                    step.says_existence |=
                        word->word == Word::kExists || word->word == Word::kAbsent;
                }
            });
        }
    }

    // `reads` are the items that $name may stand for.
    void resolve_target(
        ItemReference& item,
        const Scope& scope,
        const std::map<std::string, std::vector<const Entity*>>& reads
    ) {
        switch (item.kind) {
            case ItemReference::Kind::kRead:
                if (const auto found = reads.find(item.name); found != reads.end()) {
                    item.entities = found->second;
                } else {
                    std::vector<std::string> names;
                    for (const auto& [name, entities] : reads) {
                        names.push_back(name);
                    }
                    unknown("read", {item.name, item.position}, scope.where, names);
                }
                return;
            case ItemReference::Kind::kMatch: {
                const auto selector = resolve(item.selector, scope, {}, diagnostics_);
                for (auto& [label, inner] : item.cases) {
                    resolve_target(inner, scope, reads);
                    item.entities.insert(
                        item.entities.end(), inner.entities.begin(), inner.entities.end()
                    );
                    if (selector.attribute != nullptr &&
                        selector.attribute->type == AttributeType::kEnum) {
                        const auto& values = selector.attribute->values;
                        if (std::find(values.begin(), values.end(), label) == values.end()) {
                            diagnostics_.error(
                                "E04",
                                inner.position,
                                scope.where + ": '" + label + "' is no value of '" +
                                    selector.attribute->name + "'",
                                did_you_mean(label, values)
                            );
                        }
                    }
                }
                return;
            }
            case ItemReference::Kind::kEntity:
            case ItemReference::Kind::kPattern:
                resolve_named(item, scope);
                return;
        }
    }

    void resolve_named(ItemReference& item, const Scope& scope) {
        if (const auto* entity = model_.find_entity(item.name)) {
            item.entities = {entity};
            resolve_key_arguments(item, *entity, scope);
            return;
        }
        if (const auto* pattern = model_.find_pattern(item.name)) {
            item.kind = ItemReference::Kind::kPattern;
            item.pattern = pattern;
            item.entities = pattern->returned();
            if (!pattern->one && !pattern->get) {
                diagnostics_.error(
                    "M01",
                    item.position,
                    scope.where + ": pattern '" + item.name + "' gives a list, not one item"
                );
            }
            resolve_pattern_arguments(item.arguments, *pattern, scope, item.position);
            return;
        }
        auto candidates = names_of(model_.entities);
        const auto patterns = names_of(model_.patterns);
        candidates.insert(candidates.end(), patterns.begin(), patterns.end());
        unknown("entity", {item.name, item.position}, scope.where, candidates);
        for (const auto& argument : item.arguments) {
            resolve(argument.value, scope, {}, diagnostics_);
        }
    }

    // Entity(args): all variables of the key, or (in `put` and `load`) none.
    void resolve_key_arguments(ItemReference& item, const Entity& entity, const Scope& scope) {
        const auto variables = key_variables(entity, model_.table.key);
        const bool bare = item.text.find('(') == std::string::npos;
        if (!bare && item.arguments.size() != variables.size()) {
            std::string all;
            for (const auto& variable : variables) {
                all += (all.empty() ? "" : ", ") + variable;
            }
            diagnostics_.error(
                "E05",
                item.position,
                scope.where + ": " + entity.name + " is named by " +
                    std::to_string(variables.size()) + " arguments, not " +
                    std::to_string(item.arguments.size()),
                entity.name + "(" + all + ")"
            );
        }
        for (std::size_t at = 0; at < item.arguments.size(); ++at) {
            const auto* attribute =
                at < variables.size() ? entity.find_attribute(variables[at]) : nullptr;
            auto plain = scope;
            plain.item.clear();
            if (attribute != nullptr) {
                resolve(item.arguments[at].value, plain, type_of(*attribute), diagnostics_);
            } else {
                resolve(item.arguments[at].value, plain, {}, diagnostics_);
            }
        }
    }

    void resolve_pattern_arguments(
        std::vector<Argument>& arguments, const Pattern& pattern, const Scope& scope, Position at
    ) {
        std::vector<std::string> parameters;
        if (pattern.get && !pattern.entities.empty()) {
            for (const auto& name : key_variables(*pattern.entities.front(), model_.table.key)) {
                const auto fixed =
                    std::any_of(pattern.fixed.begin(), pattern.fixed.end(), [&](const auto& one) {
                        return one.attribute == name;
                    });
                if (!fixed) {
                    parameters.push_back(name);
                }
            }
        }
        for (const auto& one : pattern.by) {
            parameters.push_back(one.name);
        }
        const auto required = parameters.size();
        if (pattern.range) {
            parameters.insert(parameters.end(), {"from", "to"});
        }
        if (pattern.prefix) {
            parameters.push_back(pattern.prefix->name);
        }
        std::size_t given = 0;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            auto& argument = arguments[i];
            if (argument.name.empty() && i < parameters.size()) {
                argument.name = parameters[i];
            }
            const auto found = std::find(parameters.begin(), parameters.end(), argument.name);
            if (found == parameters.end()) {
                unknown(
                    "parameter",
                    {argument.name, argument.value->position},
                    scope.where + ", pattern " + pattern.name,
                    parameters
                );
            } else if (static_cast<std::size_t>(found - parameters.begin()) < required) {
                ++given;
            }
            auto name = argument.name;
            if ((name == "from" || name == "to") && pattern.range) {
                name = pattern.range->name;
            }
            const auto* attribute =
                pattern.entities.empty() ? nullptr : pattern.entities.front()->find_attribute(name);
            resolve(
                argument.value,
                scope,
                attribute != nullptr ? type_of(*attribute) : Type{},
                diagnostics_
            );
        }
        if (given < required) {
            diagnostics_.error(
                "E05", at, scope.where + ": pattern '" + pattern.name + "' needs more arguments"
            );
        }
    }

    void resolve_pattern_names(Pattern& pattern) {
        const auto where = "pattern " + pattern.name;
        for (const auto& name : pattern.entity_names) {
            if (const auto* entity = model_.find_entity(name.name)) {
                pattern.entities.push_back(entity);
            } else {
                unknown("entity", name, where, names_of(model_.entities));
            }
        }
        if (!pattern.index.empty()) {
            pattern.table_index = model_.table.find_index(pattern.index);
            if (pattern.table_index == nullptr) {
                unknown(
                    "index",
                    {pattern.index, pattern.position},
                    where,
                    names_of(model_.table.indexes)
                );
            }
        }
        for (auto* named : {&pattern.load, &pattern.within}) {
            if (!*named || pattern.entities.empty()) {
                continue;
            }
            auto scope = empty_scope(where);
            for (const auto& attribute : pattern.entities.front()->attributes) {
                scope.variables[attribute.name] = type_of(attribute);
            }
            resolve_target(**named, scope, {});
        }
    }

    void resolve_pattern(Pattern& pattern) {
        const auto where = "pattern " + pattern.name;
        if (pattern.entities.empty()) {
            return;
        }
        const auto& first = *pattern.entities.front();
        const auto check = [&](const Reference& name) {
            if (name.name != "shard" && first.find_attribute(name.name) == nullptr) {
                unknown("attribute", name, where + ", " + first.name, names_of(first.attributes));
            }
        };
        std::for_each(pattern.by.begin(), pattern.by.end(), check);
        std::for_each(pattern.merge.begin(), pattern.merge.end(), check);
        for (const auto* name :
             {&pattern.range, &pattern.prefix, &pattern.sort, &pattern.distinct}) {
            if (*name) {
                check(**name);
            }
        }
        for (const auto& name : pattern.returns) {
            const auto& shown = pattern.returned();
            if (common(shown, name.name) == nullptr && !shown.empty()) {
                unknown(
                    "attribute",
                    name,
                    where + ", " + shown.front()->name,
                    names_of(shown.front()->attributes)
                );
            }
        }
        auto plain = empty_scope(where);
        for (auto& fixed : pattern.fixed) {
            if (const auto* attribute = first.find_attribute(fixed.attribute)) {
                resolve_value(fixed.value, plain, *attribute);
            } else {
                unknown(
                    "attribute",
                    {fixed.attribute, fixed.position},
                    where + ", " + first.name,
                    names_of(first.attributes)
                );
            }
        }
        if (pattern.only) {
            auto scope = plain;
            scope.item = pattern.entities;
            resolve_condition(*pattern.only, scope);
        }
    }

    void resolve_inputs(std::vector<Input>& inputs, Scope& scope) {
        for (auto& input : inputs) {
            const auto where = scope.where + ", input " + input.attribute.name;
            if (!input.borrowed_from.empty()) {
                borrow(input, where);
            }
            if (input.attribute.is) {
                diagnostics_.error("E05", input.attribute.position, where + " cannot be derived");
            }
            // A borrowed default was resolved with its entity.
            if (input.attribute.default_value && input.borrowed_from.empty()) {
                resolve_value(*input.attribute.default_value, scope, input.attribute);
            }
            scope.variables[input.attribute.name] = type_of(input.attribute);
        }
    }

    void borrow(Input& input, const std::string& where) {
        // Entity.attribute? is the attribute for callers who need not give it.
        const bool optional = input.borrowed_from.ends_with('?');
        if (optional) {
            input.borrowed_from.pop_back();
        }
        const auto dot = input.borrowed_from.find('.');
        const auto entity_name = input.borrowed_from.substr(0, dot);
        const auto name = input.borrowed_from.substr(dot + 1);
        const auto at = input.attribute.position;
        const auto* entity = model_.find_entity(entity_name);
        if (entity == nullptr) {
            unknown("entity", {entity_name, at}, where, names_of(model_.entities));
            return;
        }
        input.borrowed = entity->find_attribute(name);
        if (input.borrowed == nullptr) {
            unknown(
                "attribute", {name, at}, where + ", " + entity_name, names_of(entity->attributes)
            );
            return;
        }
        const auto own_name = input.attribute.name;
        input.attribute = *input.borrowed;
        input.attribute.name = own_name;
        input.attribute.position = at;
        // Where the item has a default, the caller need not give a value.
        input.attribute.required =
            input.borrowed->required && !input.borrowed->default_value && !optional;
        input.attribute.is.reset();
        input.attribute.stored = true;
    }

    void resolve_operation(Operation& operation) {
        auto scope = empty_scope("operation " + operation.name);
        resolve_inputs(operation.inputs, scope);
        std::map<std::string, std::vector<const Entity*>> reads;
        for (auto& read : operation.reads) {
            resolve_target(read.item, scope, reads);
            reads[read.name] = read.item.entities;
            scope.variables[read.name] = {ValueKind::kItem, nullptr, read.item.entities};
        }
        for (auto& let : operation.lets) {
            scope.variables[let.name] = resolve(let.value, scope, {}, diagnostics_);
        }
        for (auto& rule : operation.require) {
            resolve_condition(rule.condition, scope);
        }
        for (auto& step : operation.writes) {
            auto inner = scope;
            if (step.loop) {
                add_loop(*step.loop, inner);
            }
            resolve_target(step.target, inner, reads);
            if (!step.as.empty()) {
                scope.variables[step.as] = {ValueKind::kItem, nullptr, step.target.entities};
            }
        }
        for (auto& step : operation.writes) {
            resolve_step(operation, step, scope);
        }
        if (operation.returns) {
            resolve(*operation.returns, scope, {}, diagnostics_);
        }
        if (const auto* rest = operation.find_input(operation.rest);
            !operation.rest.empty() &&
            (rest == nullptr || rest->attribute.type != AttributeType::kMap || !rest->attribute.open
            )) {
            diagnostics_.error(
                "N01", operation.position, scope.where + ": rest names an input that is an open map"
            );
        }
        if (!operation.answer_item.empty() &&
            model_.find_entity(operation.answer_item) == nullptr) {
            unknown(
                "entity",
                {operation.answer_item, operation.position},
                scope.where,
                names_of(model_.entities)
            );
        }
        check_routes(operation.name, operation.routes, operation.inputs);
    }

    void resolve_step(const Operation& operation, Step& step, Scope scope) {
        if (step.loop) {
            add_loop(*step.loop, scope);
        }
        if (step.when) {
            resolve_condition(*step.when, scope);
        }
        auto with_item = scope;
        if (step.verb != Verb::kPut) {
            with_item.item = step.target.entities;
        }
        for (auto* assignments : {&step.set, &step.add, &step.append}) {
            resolve_assignments(*assignments, with_item, step.target.entities);
        }
        for (const auto& one : step.copy) {
            if (!step.target.entities.empty() &&
                common(step.target.entities, one.name) == nullptr) {
                unknown(
                    "attribute",
                    one,
                    scope.where + ", " + step.target.entities.front()->name,
                    names_of(step.target.entities.front()->attributes)
                );
            }
            if (!scope.variables.contains(one.name)) {
                unknown("value", {"$" + one.name, one.position}, scope.where, {});
            }
        }
        if (step.spread) {
            resolve(*step.spread, scope, {}, diagnostics_);
        }
        resolve_conditions(step, scope);
        if (step.verb == Verb::kPut && step.target.kind != ItemReference::Kind::kEntity) {
            diagnostics_.error(
                "E05", step.position, "operation " + operation.name + ": put names an entity"
            );
        }
    }

    void check_routes(
        const std::string& name, const std::vector<Route>& routes, const std::vector<Input>& inputs
    ) {
        for (const auto& route : routes) {
            auto names = route.path_inputs;
            for (const auto& [fixed, value] : route.fixed) {
                names.push_back(fixed);
            }
            for (const auto& one : names) {
                const bool known =
                    std::any_of(inputs.begin(), inputs.end(), [&](const Input& input) {
                        return input.attribute.name == one;
                    });
                if (!known) {
                    diagnostics_.error(
                        "M01", route.position, name + ": the route names no input '" + one + "'"
                    );
                }
            }
        }
    }

    void resolve_job(Job& job) {
        auto scope = empty_scope("job " + job.name);
        resolve_inputs(job.inputs, scope);
        if (job.loop) {
            add_loop(*job.loop, scope);
        }
        if (job.scan) {
            job.entity = model_.find_entity(job.source.name);
            if (job.entity == nullptr) {
                unknown("entity", job.source, scope.where, names_of(model_.entities));
            }
        } else {
            job.pattern = model_.find_pattern(job.source.name);
            if (job.pattern == nullptr) {
                unknown("pattern", job.source, scope.where, names_of(model_.patterns));
            } else {
                resolve_pattern_arguments(
                    job.source_arguments, *job.pattern, scope, job.source.position
                );
                const auto& shown = job.pattern->returned();
                job.entity = shown.empty() ? nullptr : shown.front();
            }
        }
        Type item{ValueKind::kAny};
        if (job.entity != nullptr) {
            item = {ValueKind::kItem, nullptr, {job.entity}};
        }
        scope.variables["it"] = item;
        if (job.when) {
            resolve_condition(*job.when, scope);
        }
        resolve_run(job, scope);
        check_routes(job.name, job.routes, job.inputs);
    }

    void resolve_run(Job& job, const Scope& scope) {
        job.operation = model_.find_operation(job.run.name);
        if (job.operation == nullptr) {
            unknown("operation", job.run, scope.where, names_of(model_.operations));
            return;
        }
        const auto& inputs = job.operation->inputs;
        if (job.run_arguments.size() > inputs.size()) {
            diagnostics_.error(
                "E05", job.run.position, scope.where + ": " + job.run.name + " has fewer inputs"
            );
        }
        for (std::size_t at = 0; at < job.run_arguments.size(); ++at) {
            auto& argument = job.run_arguments[at];
            if (argument.name.empty() && at < inputs.size()) {
                argument.name = inputs[at].attribute.name;
            }
            const auto* input = job.operation->find_input(argument.name);
            if (input == nullptr) {
                unknown("input", {argument.name, argument.value->position}, scope.where, {});
            }
            resolve(
                argument.value,
                scope,
                input != nullptr ? type_of(input->attribute) : Type{},
                diagnostics_
            );
        }
        for (const auto& input : inputs) {
            const bool given = std::any_of(
                job.run_arguments.begin(),
                job.run_arguments.end(),
                [&](const auto& one) { return one.name == input.attribute.name; }
            );
            if (input.attribute.required && !given) {
                diagnostics_.error(
                    "E05",
                    job.run.position,
                    scope.where + ": " + job.run.name + " needs '" + input.attribute.name + "'"
                );
            }
        }
    }

    Model& model_;
    Diagnostics& diagnostics_;
    std::set<std::string, std::less<>> enum_values_;
};

}  // namespace

void resolve_model(Model& model, Diagnostics& diagnostics) {
    ModelResolver(model, diagnostics).run();
}

}  // namespace gateleg::model
