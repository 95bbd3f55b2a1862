#include "tests/runtime/fixture.h"

#include <barrier>
#include <filesystem>
#include <future>
#include <thread>

#include <simdjson.h>

#include "base/json_writer.h"

namespace gateleg::model {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;
using value::AttributeValue;

AttributeValue from_element(element given) {
    switch (given.type()) {
        case element_type::STRING:
            return {std::string(given.get_string().value_unsafe())};
        case element_type::BOOL:
            return {given.get_bool().value_unsafe()};
        case element_type::NULL_VALUE:
            return {value::Null{}};
        case element_type::ARRAY: {
            value::List list;
            for (const auto one : given.get_array()) {
                list.push_back(from_element(one));
            }
            return {list};
        }
        case element_type::OBJECT: {
            value::Map map;
            for (const auto& [key, one] : given.get_object()) {
                map[std::string(key)] = from_element(one);
            }
            return {map};
        }
        default:
            return {*value::Number::parse(simdjson::minify(given))};
    }
}

void append(std::string& out, const AttributeValue& tree) {
    if (const auto* text = std::get_if<std::string>(&tree.data)) {
        append_json_string(out, *text);
    } else if (const auto* number = std::get_if<value::Number>(&tree.data)) {
        number->append_text(out);
    } else if (const auto* flag = std::get_if<bool>(&tree.data)) {
        out += *flag ? "true" : "false";
    } else if (const auto* list = std::get_if<value::List>(&tree.data)) {
        out += '[';
        for (const auto& one : *list) {
            out += out.back() == '[' ? "" : ",";
            append(out, one);
        }
        out += ']';
    } else if (const auto* map = std::get_if<value::Map>(&tree.data)) {
        out += '{';
        for (const auto& [name, one] : *map) {
            out += out.back() == '{' ? "" : ",";
            append_json_string(out, name);
            out += ':';
            append(out, one);
        }
        out += '}';
    } else {
        out += "null";
    }
}

Arguments to_arguments(const std::string& text) {
    const auto tree = json(text);
    const auto& map = std::get<value::Map>(tree.data);
    return {map.begin(), map.end()};
}

template <class Request>
Result<typename Request::Reply> wait_for(
    engine::Engine& engine,
    void (engine::Engine::*method)(Request, dynamo::Done<Request>),
    Request request
) {
    using Reply = Result<typename Request::Reply>;
    std::promise<Reply> promise;
    auto future = promise.get_future();
    (engine.*method)(std::move(request), [promise = std::move(promise)](Reply reply) mutable {
        promise.set_value(std::move(reply));
    });
    return future.get();
}

}  // namespace

AttributeValue json(const std::string& text) {
    simdjson::dom::parser parser;
    return from_element(parser.parse(text).value());
}

std::string to_json(const AttributeValue& tree) {
    std::string out;
    append(out, tree);
    return out;
}

World::World(const std::string& name, RuntimeOptions options) {
    storage::StoreOptions in_memory;
    in_memory.in_memory = true;
    store = storage::Store::open(in_memory);
    clock.freeze_at(kStart);
    engine = std::make_unique<engine::Engine>(*store, clock, engine::EngineOptions{});
    const std::filesystem::path source(GATELEG_SOURCE_DIR);
    auto path = source / "tests" / "runtime" / (name + ".yaml");
    if (!exists(path)) {
        path = source / "systems" / name / "model.yaml";
    }
    Diagnostics diagnostics(path);
    model = load_model_file(path, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.to_text();
    options.secret = "a secret";
    runtime = std::make_unique<Runtime>(*model, *engine, clock, std::move(options));
    const auto created = runtime->create_table();
    EXPECT_TRUE(created && *created) << (created ? "" : created.error().message);
}

CallResult<OperationReply> World::run(
    const std::string& operation,
    const std::string& arguments,
    const Caller& caller,
    std::optional<std::string> idempotency_key,
    std::optional<std::int64_t> if_match
) {
    const auto* found = model->find_operation(operation);
    EXPECT_NE(found, nullptr) << operation;
    OperationCall call;
    call.arguments = to_arguments(arguments);
    call.idempotency_key = std::move(idempotency_key);
    call.if_match = if_match;
    return runtime->run(*found, call, caller);
}

CallResult<Page> World::query(
    const std::string& pattern,
    const std::string& arguments,
    const Caller& caller,
    std::optional<int> limit,
    std::optional<std::string> cursor
) {
    const auto* found = model->find_pattern(pattern);
    EXPECT_NE(found, nullptr) << pattern;
    PatternCall call;
    call.arguments = to_arguments(arguments);
    call.limit = limit;
    call.cursor = std::move(cursor);
    return runtime->query(*found, call, caller);
}

CallResult<Found> World::get(
    const std::string& pattern, const std::string& arguments, const Caller& caller
) {
    PatternCall call;
    call.arguments = to_arguments(arguments);
    return runtime->get(*model->find_pattern(pattern), call, caller);
}

std::string World::outcome(
    const std::string& operation,
    const std::string& arguments,
    const Caller& caller,
    std::optional<std::string> idempotency_key,
    std::optional<std::int64_t> if_match
) {
    const auto reply = run(operation, arguments, caller, std::move(idempotency_key), if_match);
    if (!reply) {
        return reply.error().code;
    }
    return reply->changed ? "ok" : "unchanged";
}

std::string World::raw(const std::string& partition, const std::string& sort) {
    const auto& key = model->table.key;
    dynamo::GetItemRequest request;
    request.table = model->table.name;
    value::Item item;
    item[key.partition.name] = {partition};
    item[key.sort->name] = {sort};
    request.key = value::encode_item(item);
    request.consistent_read = true;
    const auto reply = wait_for(*engine, &engine::Engine::get_item, std::move(request));
    EXPECT_TRUE(reply);
    return reply && reply->item ? to_json({value::decode_item(reply->item->view())}) : "null";
}

void World::put_raw(const std::string& item) {
    EXPECT_TRUE(put_tree(std::get<value::Map>(json(item).data)));
}

bool World::put_tree(const value::Item& item) {
    dynamo::PutItemRequest request;
    request.write.table = model->table.name;
    request.item = value::encode_item(item);
    return bool(wait_for(*engine, &engine::Engine::put_item, std::move(request)));
}

std::string World::fsck() {
    const auto report = runtime->fsck();
    if (!report) {
        return report.error().message;
    }
    std::string text;
    for (const auto& finding : report->findings) {
        text += std::string(finding_name(finding.kind)) + " " + finding.key + ": " +
                finding.message + "\n";
    }
    return text;
}

Caller user(const std::string& name, std::set<std::string, std::less<>> roles) {
    Caller caller;
    caller.user = name;
    caller.viewer = name;
    caller.roles = std::move(roles);
    return caller;
}

Caller internal(const std::string& name) {
    Caller caller;
    if (!name.empty()) {
        caller = user(name);
    }
    caller.internal = true;
    return caller;
}

void at_once(int count, const std::function<void(int)>& work) {
    std::barrier start(count);
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(count));
    for (int at = 0; at < count; ++at) {
        threads.emplace_back([&, at] {
            start.arrive_and_wait();
            work(at);
        });
    }
}

}  // namespace gateleg::model
