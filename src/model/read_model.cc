// From nodes to a Model whose names are not looked up yet.

#include "model/read_model.h"

#include <algorithm>
#include <array>
#include <set>

#include "model/reader.h"

namespace gateleg::model {
namespace {

// Items every system has; their keys are fixed by the rules all systems share. A type, or
// properties as in a model file. Not YAML: reading that took a fifteenth of a start.
struct BuiltInAttribute {
    std::string_view entity;
    std::string_view name;
    std::string_view properties;
};
constexpr std::array<BuiltInAttribute, 55> kBuiltInAttributes = {{
    {"Event", "provider", "type: string!, stored: false"},
    {"Event", "eventId", "type: string!, stored: false"},
    {"Event", "createdAt", "type: timestamp!, default: now"},
    {"Outbox", "slot", "type: integer!, min: 0, max: 15, stored: false"},
    {"Outbox", "id", "type: ulid!, default: ulid(), stored: false"},
    {"Outbox", "kind", "string!"},
    {"Outbox", "payload", "any"},
    {"Outbox", "attempts", "type: integer!, default: 0"},
    {"Outbox", "nextAttemptAt", "type: timestamp!, default: now"},
    {"Outbox", "createdAt", "type: timestamp!, default: now"},
    {"Outbox", "lastError", "string"},
    {"Outbox", "answer", "any"},
    {"Outbox", "leaseOwner", "string"},
    {"Outbox", "leaseUntil", "timestamp"},
    {"OutboxDone", "id", "type: ulid!, stored: false"},
    {"OutboxDone", "slot", "integer!"},
    {"OutboxDone", "kind", "string!"},
    {"OutboxDone", "payload", "any"},
    {"OutboxDone", "attempts", "integer!"},
    {"OutboxDone", "createdAt", "timestamp!"},
    {"OutboxDone", "deliveredAt", "timestamp!"},
    {"OutboxDone", "lastError", "string"},
    {"OutboxDone", "answer", "any"},
    {"OutboxDead", "id", "type: ulid!, stored: false"},
    {"OutboxDead", "slot", "integer!"},
    {"OutboxDead", "kind", "string!"},
    {"OutboxDead", "payload", "any"},
    {"OutboxDead", "attempts", "integer!"},
    {"OutboxDead", "createdAt", "timestamp!"},
    {"OutboxDead", "diedAt", "timestamp!"},
    {"OutboxDead", "lastError", "string"},
    {"OutboxDead", "answer", "any"},
    {"Schedule", "job", "type: string!, stored: false"},
    {"Schedule", "nextRunAt", "timestamp!"},
    {"Schedule", "startedAt", "timestamp"},
    {"Schedule", "finishedAt", "timestamp"},
    {"Schedule", "cursor", "string"},
    {"Schedule", "scanned", "integer"},
    {"Schedule", "changed", "integer"},
    {"Schedule", "skipped", "integer"},
    {"Schedule", "failed", "integer"},
    {"Schedule", "lastError", "string"},
    {"Schedule", "leaseOwner", "string"},
    {"Schedule", "leaseUntil", "timestamp"},
    {"Shards", "entity", "type: string!, stored: false"},
    {"Shards", "count", "type: integer!, min: 1, max: 64"},
    {"Shards", "steps", "type: list, max: 1000"},
    {"Audit", "at", "type: timestamp!, default: now"},
    {"Audit", "id", "type: ulid!, default: ulid(), stored: false"},
    {"Audit", "actor", "type: string, default: caller"},
    {"Audit", "action", "string!"},
    {"Audit", "target", "string"},
    {"Audit", "before", "any"},
    {"Audit", "after", "any"},
    {"Audit", "reason", "string"},
}};

Node to_node(std::string_view text) {
    return {Node::Kind::kScalar, {}, std::string(text)};
}

// Of "string!" a scalar, of "type: string!, stored: false" a map.
Node built_in_node(std::string_view properties) {
    if (properties.find(": ") == std::string_view::npos) {
        return to_node(properties);
    }
    Node map{Node::Kind::kMap, {}};
    while (!properties.empty()) {
        const auto one = properties.substr(0, properties.find(", "));
        properties.remove_prefix(std::min(one.size() + 2, properties.size()));
        const auto colon = one.find(": ");
        map.members.emplace_back(to_node(one.substr(0, colon)), to_node(one.substr(colon + 2)));
    }
    return map;
}

// Elements of Shards.steps.
Node shard_step_node() {
    Node fields{Node::Kind::kMap, {}};
    fields.members.emplace_back(to_node("from"), built_in_node("type: epoch_ms!, json: number"));
    fields.members.emplace_back(to_node("count"), to_node("integer!"));
    return fields;
}

struct BuiltInKeys {
    std::string_view entity;
    std::string_view partition;
    std::string_view sort;
};
constexpr std::array<BuiltInKeys, 7> kBuiltInKeys = {{
    {"Event", "EVENT#{provider}#{eventId}", "META"},
    {"Outbox", "OUTBOX#{slot:02}", "{id}"},
    {"OutboxDone", "OUTBOXDONE#{deliveredAt:%Y%m%d}", "{id}"},
    {"OutboxDead", "OUTBOXDEAD#{diedAt:%Y%m%d}", "{id}"},
    {"Schedule", "SCHEDULE#{job}", "META"},
    {"Shards", "SHARDS#{entity}", "META"},
    {"Audit", "AUDIT#{at:%Y%m%d}", "{at}#{id}"},
}};

class ModelReader {
public:
    ModelReader(const Node& root, Model& model, Diagnostics& diagnostics)
        : root_(root), model_(model), diagnostics_(diagnostics) {}

    void run() {
        const Reader file(root_, "file", "the file", diagnostics_);
        if (!root_.is_map()) {
            return;
        }
        if (const auto* node = file.find("model")) {
            const Reader reader(*node, "model", "model", diagnostics_);
            model_.name = reader.text("name");
            model_.path = reader.text("path");
        }
        if (const auto* node = file.find("table")) {
            read_table(*node);
        }
        if (const auto* node = file.find("constants")) {
            for (const auto& [key, value] : node->members) {
                model_.constants.push_back({key.text, key.position, plain_value(value)});
            }
        }
        each(file, "entities", [&](const Node& key, const Node& value) {
            read_entity(key, value);
        });
        add_built_in();
        each(file, "patterns", [&](const Node& key, const Node& value) {
            read_pattern(key, value);
        });
        each(file, "operations", [&](const Node& key, const Node& value) {
            read_operation(key, value);
        });
        each(file, "jobs", [&](const Node& key, const Node& value) { read_job(key, value); });
        each(file, "errors", [&](const Node& key, const Node& value) { read_error(key, value); });
    }

private:
    template <class Use>
    void each(const Reader& file, std::string_view property, const Use& use) {
        if (const auto* node = file.find(property)) {
            for (const auto& [key, value] : node->members) {
                use(key, value);
            }
        }
    }

    void read_table(const Node& node) {
        const Reader reader(node, "table", "table", diagnostics_);
        auto& table = model_.table;
        table.name = reader.text("name");
        table.position = node.position;
        table.key = reader.key_schema("key");
        table.ttl = reader.text("ttl");
        table.marker = reader.text("marker");
        if (table.marker == "none") {
            table.marker.clear();
        }
        each(reader, "indexes", [&](const Node& key, const Node& value) {
            const Reader index(value, "index", "index " + key.text, diagnostics_);
            Index one;
            one.name = key.text;
            one.position = key.position;
            one.key = index.key_schema("key");
            one.optional = index.flag("optional");
            read_projection(one, index);
            table.indexes.push_back(std::move(one));
        });
    }

    void read_projection(Index& index, const Reader& reader) {
        const auto* node = reader.find("project");
        if (node == nullptr || node->text == "all") {
            return;
        }
        if (node->is_scalar()) {
            index.projection = Index::Projection::kKeys;
            if (node->text != "keys") {
                diagnostics_.error(
                    "Y04", node->position, reader.where() + ": project is all, keys or a list"
                );
            }
            return;
        }
        index.projection = Index::Projection::kSome;
        for (const auto& one : reader.names("project")) {
            index.projected.push_back(one.name);
        }
    }

    void read_entity(const Node& key, const Node& value) {
        const Reader reader(value, "entity", "entity " + key.text, diagnostics_);
        Entity entity;
        entity.name = key.text;
        entity.position = key.position;
        each(reader, "attributes", [&](const Node& name, const Node& attribute) {
            entity.attributes.push_back(read_attribute(
                name.text, name.position, attribute, key.text + "." + name.text, diagnostics_
            ));
        });
        each(reader, "keys", [&](const Node& name, const Node& rule) {
            read_key(entity, name, rule);
        });
        if (!model_.table.marker.empty()) {
            entity.marker = reader.has("marker") ? reader.text("marker") : key.text;
            if (entity.marker == "none") {
                entity.marker.reset();
            }
        }
        if (const auto* rows = reader.find("rows")) {
            for (const auto& row : rows->elements) {
                read_step(entity.rows, row, "rows of " + key.text);
            }
        }
        entity.visible = reader.expression("visible");
        entity.public_names = reader.names("public");
        entity.full = reader.expression("full");
        entity.version = reader.text("version");
        entity.open = reader.flag("open");
        if (const auto* shard = reader.find("shard")) {
            const Reader inner(*shard, "shard", "shard of " + key.text, diagnostics_);
            entity.shard = Shard{inner.text("by"), inner.text("at")};
        }
        model_.entities.push_back(std::move(entity));
    }

    void read_key(Entity& entity, const Node& name, const Node& rule) {
        const Node* text = &rule;
        std::optional<Expression> when;
        if (rule.is_map()) {
            const Reader reader(rule, "key", entity.name + "." + name.text, diagnostics_);
            text = reader.find("template");
            when = reader.expression("when");
            if (text == nullptr) {
                return;
            }
        }
        auto parsed = KeyTemplate::parse(text->text);
        if (!parsed) {
            diagnostics_.error("K01", text->position, entity.name + ": " + parsed.error().message);
            return;
        }
        entity.keys.push_back(
            {name.text, text->text_position(), *std::move(parsed), std::move(when)}
        );
    }

    void add_built_in() {
        const auto& key = model_.table.key;
        if (key.partition.type != value::Type::kString || !key.sort ||
            key.sort->type != value::Type::kString) {
            return;
        }
        const bool sharded =
            std::any_of(model_.entities.begin(), model_.entities.end(), [](const Entity& entity) {
                return entity.shard.has_value();
            });
        for (const auto& keys : kBuiltInKeys) {
            if (keys.entity == "Shards" && !sharded) {
                continue;
            }
            if (const auto* own = model_.find_entity(keys.entity)) {
                diagnostics_.error(
                    "M01", own->position, "every system has an entity '" + own->name + "' already"
                );
                continue;
            }
            Entity entity;
            entity.name = keys.entity;
            entity.built_in = true;
            if (!model_.table.marker.empty()) {
                entity.marker = entity.name;
            }
            for (const auto& one : kBuiltInAttributes) {
                if (one.entity != keys.entity) {
                    continue;
                }
                auto node = built_in_node(one.properties);
                if (one.name == "steps") {
                    node.members.emplace_back(to_node("of"), shard_step_node());
                }
                entity.attributes.push_back(
                    read_attribute(std::string(one.name), {}, node, entity.name, diagnostics_)
                );
                if (one.name == model_.table.marker) {
                    entity.marker.reset();  // the attribute has the place; its key tells what it is
                }
            }
            const bool passes = keys.entity == "Event" || keys.entity == "OutboxDone";
            if (passes && !model_.table.ttl.empty()) {
                const Node node{Node::Kind::kScalar, {}, "epoch_s!"};
                auto ttl = read_attribute(model_.table.ttl, {}, node, entity.name, diagnostics_);
                std::optional<SyntaxError> error;
                ttl.default_value =
                    parse_expression(keys.entity == "Event" ? "now + 60d" : "now + 30d", {}, error);
                entity.attributes.push_back(std::move(ttl));
            }
            entity.keys.push_back({key.partition.name, {}, *KeyTemplate::parse(keys.partition), {}}
            );
            entity.keys.push_back({key.sort->name, {}, *KeyTemplate::parse(keys.sort), {}});
            model_.entities.push_back(std::move(entity));
        }
    }

    void read_step(std::vector<Step>& steps, const Node& node, const std::string& where) {
        const Reader reader(node, "step", where, diagnostics_);
        if (!node.is_map()) {
            return;
        }
        Step step;
        step.position = node.position;
        int verbs = 0;
        for (const auto verb :
             {Verb::kPut, Verb::kUpdate, Verb::kUpsert, Verb::kDelete, Verb::kCheck}) {
            if (!reader.has(verb_name(verb))) {
                continue;
            }
            ++verbs;
            step.verb = verb;
            if (auto target = reader.item(verb_name(verb))) {
                step.target = std::move(*target);
            }
        }
        if (verbs != 1) {
            if (!diagnostics_.contains("O07")) {
                diagnostics_.error(
                    "Y05",
                    node.position,
                    where + ": a step has one of put, update, upsert, delete and check"
                );
            }
            return;
        }
        step.loop = reader.loop("for");
        step.when = reader.expression("when");
        step.conditions = reader.outcomes("if");
        step.set = reader.expressions("set");
        step.set_input = reader.text("set") == "input";
        step.add = reader.expressions("add");
        step.append = reader.expressions("append");
        step.copy = reader.names("copy");
        step.spread = reader.expression("spread");
        step.as = reader.text("as");
        steps.push_back(std::move(step));
    }

    void read_pattern(const Node& key, const Node& value) {
        const Reader reader(value, "pattern", "pattern " + key.text, diagnostics_);
        Pattern pattern;
        pattern.name = key.text;
        pattern.position = key.position;
        pattern.get = reader.has("get");
        pattern.entity_names = reader.names(pattern.get ? "get" : "query");
        if (pattern.get == reader.has("query")) {
            diagnostics_.error("Y05", key.position, reader.where() + " has either get or query");
        }
        pattern.index = reader.text("index");
        pattern.by = reader.names("by");
        for (auto& one : reader.expressions("fixed")) {
            pattern.fixed.push_back({one.attribute, std::move(one.value), one.position});
        }
        pattern.range = reader.name("range");
        pattern.prefix = reader.name("prefix");
        pattern.merge = reader.names("merge");
        pattern.only = reader.expression("only");
        pattern.load = reader.item("load");
        pattern.within = reader.item("within");
        pattern.distinct = reader.name("distinct");
        pattern.one = reader.flag("one");
        pattern.count = reader.flag("count");
        pattern.all_pages = reader.flag("all_pages");
        pattern.sort = reader.name("sort");
        if (const auto order = reader.text("order"); order == "desc") {
            pattern.order = Pattern::Order::kDescending;
        } else if (order == "either") {
            pattern.order = Pattern::Order::kEither;
        }
        pattern.limit = reader.integer("limit");
        pattern.max_range = reader.duration("max_range");
        pattern.returns = reader.names("return");
        pattern.consistent = reader.flag("consistent");
        pattern.absent_defaults = reader.has("absent");
        pattern.unfiltered = reader.flag("unfiltered");
        pattern.allow = reader.access();
        pattern.routes = reader.routes();
        pattern.doc = reader.text("doc");
        model_.patterns.push_back(std::move(pattern));
    }

    std::vector<Input> read_inputs(const Reader& reader) {
        std::vector<Input> inputs;
        each(reader, "input", [&](const Node& name, const Node& node) {
            Input input;
            input.attribute = read_attribute(
                name.text,
                name.position,
                node,
                reader.where() + ": " + name.text,
                diagnostics_,
                &input.borrowed_from
            );
            inputs.push_back(std::move(input));
        });
        return inputs;
    }

    void read_operation(const Node& key, const Node& value) {
        const Reader reader(value, "operation", "operation " + key.text, diagnostics_);
        Operation operation;
        operation.name = key.text;
        operation.position = key.position;
        operation.allow = reader.access();
        operation.routes = reader.routes();
        operation.idempotency_required = reader.has("idempotency");
        operation.inputs = read_inputs(reader);
        each(reader, "read", [&](const Node& name, const Node& node) {
            if (auto item = to_item_reference(read_expression(node, diagnostics_), diagnostics_)) {
                operation.reads.push_back({name.text, name.position, std::move(*item)});
            }
        });
        for (const auto& loose : reader.names("loose")) {
            mark_loose(operation, loose);
        }
        for (auto& one : reader.expressions("let")) {
            operation.lets.push_back({one.attribute, one.position, std::move(one.value)});
        }
        operation.require = reader.outcomes("require");
        if (const auto* steps = reader.find("write")) {
            for (const auto& step : steps->elements) {
                read_step(operation.writes, step, "operation " + key.text);
            }
        }
        operation.returns = reader.expression("return");
        operation.status = reader.integer("status").value_or(0);
        read_native(reader, operation);
        model_.operations.push_back(std::move(operation));
    }

    void read_native(const Reader& reader, Operation& operation) {
        operation.native = reader.flag("native");
        operation.raw_body = reader.has("body");
        operation.rest = reader.text("rest");
        for (const auto& one : reader.names("raises")) {
            operation.raised.push_back(one.name);
        }
        each(reader, "answer", [&](const Node& name, const Node& node) {
            operation.answer.push_back(read_attribute(
                name.text, name.position, node, reader.where() + ": " + name.text, diagnostics_
            ));
        });
        operation.answer_list = reader.has("answer_list");
        operation.answer_item = reader.text(operation.answer_list ? "answer_list" : "answer_item");
        check_native(reader, operation);
    }

    // A native operation says nothing of what it does; the others say nothing else.
    void check_native(const Reader& reader, const Operation& operation) {
        constexpr std::array kDone = {"read", "loose", "let", "require", "write", "return"};
        constexpr std::array kNative = {
            "body", "rest", "raises", "answer", "answer_item", "answer_list"};
        const auto refuse = [&](const auto& properties, const std::string& why) {
            for (const auto* property : properties) {
                if (reader.has(property)) {
                    diagnostics_.error(
                        "N01",
                        operation.position,
                        reader.where() + " " + why + " '" + property + "'"
                    );
                }
            }
        };
        if (operation.native) {
            refuse(kDone, "is native, so C++ does its work: leave out");
            return;
        }
        refuse(kNative, "is not native: leave out");
        if (!reader.has("write")) {
            diagnostics_.error(
                "Y04", operation.position, reader.where() + " needs 'write', or 'native: true'"
            );
        }
    }

    void mark_loose(Operation& operation, const Reference& loose) {
        for (auto& read : operation.reads) {
            if (read.name == loose.name) {
                read.loose = true;
                return;
            }
        }
        diagnostics_.error(
            "M01",
            loose.position,
            "operation " + operation.name + ": loose names no read '" + loose.name + "'"
        );
    }

    void read_job(const Node& key, const Node& value) {
        const Reader reader(value, "job", "job " + key.text, diagnostics_);
        Job job;
        job.name = key.text;
        job.position = key.position;
        job.allow = reader.access();
        job.routes = reader.routes();
        job.every = reader.duration("every");
        job.inputs = read_inputs(reader);
        job.loop = reader.loop("for");
        if (auto each_item = reader.item("each")) {
            job.source = {each_item->name, each_item->position};
            job.source_arguments = each_item->arguments;
            if (each_item->name == "scan" && each_item->arguments.size() == 1) {
                if (const auto* name =
                        std::get_if<NameNode>(&each_item->arguments[0].value->node)) {
                    job.scan = true;
                    job.source = {name->name, each_item->arguments[0].value->position};
                    job.source_arguments.clear();
                }
            }
        }
        job.when = reader.expression("when");
        if (auto run = reader.item("run")) {
            job.run = {run->name, run->position};
            job.run_arguments = run->arguments;
        }
        model_.jobs.push_back(std::move(job));
    }

    void read_error(const Node& key, const Node& value) {
        const auto number = value::Number::parse(value.text);
        const auto text = number ? number->to_text() : std::string();
        if (text.size() != 3 || text[0] < '4' || text[0] > '5') {
            diagnostics_.error(
                "Y04", value.position, "error " + key.text + " needs a status from 400 to 599"
            );
            return;
        }
        model_.errors.emplace_back(key.text, std::stoi(text));
    }

    const Node& root_;
    Model& model_;
    Diagnostics& diagnostics_;
};

}  // namespace

void read_model(const Node& root, Model& model, Diagnostics& diagnostics) {
    ModelReader(root, model, diagnostics).run();
}

}  // namespace gateleg::model
