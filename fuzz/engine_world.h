// For fuzz_engine: an engine, tables with indexes of every kind, changes of items made from bytes,
// and the map that says what they should lead to.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "storage/store.h"
#include "value/attribute_value.h"

namespace gateleg::fuzz {

using dynamo::Dynamo;
using value::Item;

struct World {
    World() { clock.freeze_at(1'750'000'000'000); }
    std::unique_ptr<gateleg::storage::Store> store =
        gateleg::storage::Store::open({.in_memory = true});
    gateleg::SettableClock clock;
    // Nothing here expires: times are far behind or far ahead.
    gateleg::engine::Engine engine{*store, clock, {.expiry_delay_seconds = 1'000'000'000}};
};
inline World& world() {
    static World only;
    return only;
}
inline Dynamo& engine() {
    return world().engine;
}

template <class Request>
std::future<gateleg::Result<typename Request::Reply>> start(
    void (Dynamo::*operation)(Request, dynamo::Done<Request>), Request request
) {
    using Reply = typename Request::Reply;
    std::promise<gateleg::Result<Reply>> promise;
    auto reply = promise.get_future();
    (engine().*operation
    )(std::move(request), [promise = std::move(promise)](gateleg::Result<Reply> result) mutable {
        promise.set_value(std::move(result));
    });
    return reply;
}
template <class Request>
gateleg::Result<typename Request::Reply> call(
    void (Dynamo::*operation)(Request, dynamo::Done<Request>), Request request
) {
    return start(operation, std::move(request)).get();
}

class Source {
public:
    Source(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
    unsigned byte() { return at_ == end_ ? 0 : *at_++; }
    bool empty() const { return at_ == end_; }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

inline value::AttributeValue text(unsigned number) {
    return {std::string("v") + std::to_string(number)};
}
inline value::AttributeValue count(unsigned number) {
    return {*value::Number::parse(std::to_string(number))};
}

inline Item key(unsigned number) {
    return {{"pk", text(number % 4)}, {"sk", count(number / 4 % 4)}};
}
inline Item make_item(Source& source, unsigned which) {
    auto item = key(which);
    const auto shape = source.byte();
    if ((shape & 1) != 0) {
        item["g"] = (shape & 2) != 0 ? text(shape >> 5) : count(shape >> 5);  // of the wrong type
    }
    if ((shape & 4) != 0) {
        item["n"] = count(shape >> 4);
    }
    if ((shape & 8) != 0) {
        item["pad"] = {std::string(shape, 'x')};
    }
    return item;
}

// One is made for each input; the other stays, and has a stream and a time to live.
inline constexpr auto kFreshTable = "fuzz";
inline constexpr auto kKeptTable = "kept";
inline std::string& table() {
    static std::string name = kFreshTable;
    return name;
}

// What an index holds: items with these attributes, and of them what it projects.
struct Shape {
    const char* name;
    bool global;
    const char* hash;
    const char* range;                        // or null
    std::vector<std::string_view> projected;  // all if empty

    bool has_key(std::string_view attribute) const {
        return attribute == hash || (range != nullptr && attribute == range);
    }
    bool projects(std::string_view attribute) const {
        return projected.empty() ||
               std::find(projected.begin(), projected.end(), attribute) != projected.end();
    }
    bool holds(const Item& item) const {
        return item.contains(hash) && (range == nullptr || item.contains(range));
    }
    Item of(Item item) const {
        std::erase_if(item, [&](const auto& entry) { return !projects(entry.first); });
        return item;
    }
};
inline const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all = {
        {"byG", true, "g", "n", {}},
        {"keys", true, "g", nullptr, {"pk", "sk", "g"}},
        {"byN", false, "pk", "n", {}},
        {"few", false, "pk", "n", {"pk", "sk", "n"}},
        {"some", true, "g", "sk", {"pk", "sk", "g", "pad"}}};
    return all;
}
// The table itself.
inline const Shape& whole() {
    static const Shape shape{nullptr, false, "pk", "sk", {}};
    return shape;
}
// An index that is made when there are items already.
inline const Shape& late() {
    static const Shape shape{"late", true, "n", nullptr, {"pk", "sk", "n"}};
    return shape;
}

inline dynamo::IndexDefinition define(const Shape& shape) {
    dynamo::IndexDefinition index;
    index.name = shape.name;
    index.key_schema = {{shape.hash, dynamo::KeyRole::kHash}};
    if (shape.range != nullptr) {
        index.key_schema.push_back({shape.range, dynamo::KeyRole::kRange});
    }
    if (shape.projects("pad") && !shape.projected.empty()) {
        index.projection = {dynamo::ProjectionType::kInclude, {"pad"}};
    } else if (!shape.projected.empty()) {
        index.projection.type = dynamo::ProjectionType::kKeysOnly;
    }
    return index;
}

inline void create_table() {
    dynamo::CreateTableRequest request;
    request.table = table();
    request.billing_mode = dynamo::BillingMode::kPayPerRequest;
    request.attributes = {
        {"pk", value::Type::kString},
        {"sk", value::Type::kNumber},
        {"g", value::Type::kString},
        {"n", value::Type::kNumber}};
    request.key_schema = {{"pk", dynamo::KeyRole::kHash}, {"sk", dynamo::KeyRole::kRange}};
    request.global_indexes.emplace();
    request.local_indexes.emplace();
    for (const auto& shape : shapes()) {
        (shape.global ? request.global_indexes : request.local_indexes)->push_back(define(shape));
    }
    GATELEG_CHECK(call(&Dynamo::create_table, std::move(request)).has_value());
}

// The table that stays, once its time to live works: that is one change, and two steps of the
// engine's own. Each input is an hour later, so that old records of its stream go.
inline void open_kept_table() {
    static const bool made = [] {
        create_table();
        const auto before = world().engine.figures().commits;
        GATELEG_CHECK(call(
                          &Dynamo::update_time_to_live,
                          dynamo::UpdateTimeToLiveRequest{table(), {"t", true}}
        ).has_value());
        while (world().engine.figures().commits < before + 3) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        dynamo::UpdateTableRequest request;
        request.table = table();
        request.stream = {.enabled = true, .view = dynamo::StreamView::kKeysOnly};
        GATELEG_CHECK(call(&Dynamo::update_table, std::move(request)).has_value());
        return true;
    }();
    static_cast<void>(made);
    world().clock.advance(3'600'000);
}

struct Change {
    Item item;  // or the key alone
    unsigned kind = 0;
    unsigned argument = 0;
};
// Those behind kKinds are not read from bytes.
enum Kind : unsigned { kPut, kDelete, kSetG, kRemoveG, kAddN, kPutIfNew, kKinds, kTouch };

using Model = std::map<std::string, Item>;

inline std::string name_of(const Item& item) {
    return value::encode_item({{"pk", item.at("pk")}, {"sk", item.at("sk")}}).bytes();
}

// An attribute of an index's key must have the index's type.
inline bool has_bad_key(const Item& item) {
    const auto g = item.find("g");
    return g != item.end() && g->second.type() != value::Type::kString;
}

// What the change makes of the model; false if it fails.
inline bool change_model(Model& model, const Change& change) {
    const auto name = name_of(change.item);
    const auto found = model.find(name);
    Item next = found == model.end()
                    ? Item{{"pk", change.item.at("pk")}, {"sk", change.item.at("sk")}}
                    : found->second;
    switch (change.kind) {
        case kPutIfNew:
            if (found != model.end()) {
                return false;
            }
            [[fallthrough]];
        case kPut:
            if (has_bad_key(change.item)) {
                return false;
            }
            next = change.item;
            break;
        case kDelete:
            model.erase(name);
            return true;
        case kSetG:
            next["g"] = text(change.argument);
            break;
        case kRemoveG:
            if (found == model.end()) {
                return true;  // an update that only removes makes no item
            }
            next.erase("g");
            break;
        case kTouch:
            break;
        default: {
            const auto old = next.find("n");
            const auto sum =
                change.argument +
                (old == next.end()
                     ? 0
                     : std::stoul(std::get<value::Number>(old->second.data).to_text()));
            next["n"] = {*value::Number::parse(std::to_string(sum))};
        }
    }
    model[name] = std::move(next);
    return true;
}

inline dynamo::ItemWrite write_of(const Change& change) {
    dynamo::ItemWrite write{.table = table()};
    if (change.kind == kPutIfNew) {
        write.condition = "attribute_not_exists(pk)";
    } else if (change.kind == kSetG) {
        write.placeholders.values = value::encode_item({{":v", text(change.argument)}});
    } else if (change.kind == kAddN) {
        write.placeholders.values = value::encode_item({{":v", count(change.argument)}});
    }
    return write;
}
inline std::optional<std::string> update_of(const Change& change) {
    switch (change.kind) {
        case kSetG:
            return "SET g = :v";
        case kRemoveG:
            return "REMOVE g";
        case kAddN:
            return "ADD n :v";
        default:
            return std::nullopt;
    }
}

inline Change read_change(Source& source) {
    Change change{.kind = source.byte() % kKinds};
    const auto which = source.byte();
    change.item =
        change.kind == kPut || change.kind == kPutIfNew ? make_item(source, which) : key(which);
    change.argument = source.byte() % 8;
    return change;
}

using WriteReply = gateleg::Result<dynamo::ItemWriteReply>;

inline std::future<WriteReply> start_alone(
    const Change& change, dynamo::ItemWrite write, const dynamo::ItemWriteOptions& options
) {
    auto item = value::encode_item(change.item);
    if (change.kind == kDelete) {
        return start(
            &Dynamo::delete_item,
            dynamo::DeleteItemRequest{std::move(write), options, std::move(item)}
        );
    }
    if (const auto update = update_of(change); update || change.kind == kTouch) {
        return start(
            &Dynamo::update_item,
            dynamo::UpdateItemRequest{std::move(write), options, std::move(item), update}
        );
    }
    return start(
        &Dynamo::put_item, dynamo::PutItemRequest{std::move(write), options, std::move(item)}
    );
}
inline bool run_alone(const Change& change) {
    return start_alone(change, write_of(change), {}).get().has_value();
}

inline dynamo::ReturnCapacity capacity_of(unsigned number) {
    return static_cast<dynamo::ReturnCapacity>(number % 3);
}

}  // namespace gateleg::fuzz
