// A sequence of operations on one table, from bytes; then what a crash test checks: the table is
// what a map says, every index is the projection of its table, and every count is exact.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "storage/store.h"
#include "value/attribute_value.h"
#include "value/item_size.h"

namespace {

namespace dynamo = gateleg::dynamo;
namespace value = gateleg::value;
using dynamo::Dynamo;
using value::Item;

struct World {
    World() { clock.freeze_at(1'750'000'000'000); }
    std::unique_ptr<gateleg::storage::Store> store =
        gateleg::storage::Store::open({.in_memory = true});
    gateleg::SettableClock clock;
    gateleg::engine::Engine engine{*store, clock, {}};
};
Dynamo& engine() {
    static World world;
    return world.engine;
}

template <class Request>
gateleg::Result<typename Request::Reply> call(
    void (Dynamo::*operation)(Request, dynamo::Done<Request>), Request request
) {
    using Reply = typename Request::Reply;
    std::promise<gateleg::Result<Reply>> promise;
    auto reply = promise.get_future();
    (engine().*operation
    )(std::move(request), [promise = std::move(promise)](gateleg::Result<Reply> result) mutable {
        promise.set_value(std::move(result));
    });
    return reply.get();
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

value::AttributeValue text(unsigned number) {
    return {std::string("v") + std::to_string(number)};
}
value::AttributeValue count(unsigned number) {
    return {*value::Number::parse(std::to_string(number))};
}

Item key(unsigned number) {
    return {{"pk", text(number % 4)}, {"sk", count(number / 4 % 4)}};
}
Item make_item(Source& source, unsigned which) {
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

constexpr auto kTable = "fuzz";

void create_table() {
    dynamo::CreateTableRequest request;
    request.table = kTable;
    request.billing_mode = dynamo::BillingMode::kPayPerRequest;
    request.attributes = {
        {"pk", value::Type::kString},
        {"sk", value::Type::kNumber},
        {"g", value::Type::kString},
        {"n", value::Type::kNumber}};
    const auto hash = [](const char* name) {
        return dynamo::KeySchemaElement{name, dynamo::KeyRole::kHash};
    };
    const auto range = [](const char* name) {
        return dynamo::KeySchemaElement{name, dynamo::KeyRole::kRange};
    };
    request.key_schema = {hash("pk"), range("sk")};
    request.global_indexes = {
        {.name = "byG", .key_schema = {hash("g"), range("n")}, .projection = {}},
        {.name = "keys",
         .key_schema = {hash("g")},
         .projection = {.type = dynamo::ProjectionType::kKeysOnly}}};
    request.local_indexes = {
        {.name = "byN", .key_schema = {hash("pk"), range("n")}, .projection = {}}};
    GATELEG_CHECK(call(&Dynamo::create_table, std::move(request)).has_value());
}

struct Change {
    Item item;  // or the key alone
    unsigned kind = 0;
    unsigned argument = 0;
};
enum Kind : unsigned { kPut, kDelete, kSetG, kRemoveG, kAddN, kPutIfNew, kKinds };

using Model = std::map<std::string, Item>;

std::string name_of(const Item& item) {
    return value::encode_item({{"pk", item.at("pk")}, {"sk", item.at("sk")}}).bytes();
}

// An attribute of an index's key must have the index's type.
bool has_bad_key(const Item& item) {
    const auto g = item.find("g");
    return g != item.end() && g->second.type() != value::Type::kString;
}

// What the change makes of the model; false if it fails.
bool change_model(Model& model, const Change& change) {
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

dynamo::ItemWrite write_of(const Change& change) {
    dynamo::ItemWrite write{.table = kTable};
    if (change.kind == kPutIfNew) {
        write.condition = "attribute_not_exists(pk)";
    } else if (change.kind == kSetG) {
        write.placeholders.values = value::encode_item({{":v", text(change.argument)}});
    } else if (change.kind == kAddN) {
        write.placeholders.values = value::encode_item({{":v", count(change.argument)}});
    }
    return write;
}
std::optional<std::string> update_of(const Change& change) {
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

Change read_change(Source& source) {
    Change change{.kind = source.byte() % kKinds};
    const auto which = source.byte();
    change.item =
        change.kind == kPut || change.kind == kPutIfNew ? make_item(source, which) : key(which);
    change.argument = source.byte() % 8;
    return change;
}

bool run_alone(const Change& change) {
    auto item = value::encode_item(change.item);
    if (change.kind == kDelete) {
        return call(
                   &Dynamo::delete_item,
                   dynamo::DeleteItemRequest{write_of(change), {}, std::move(item)}
        )
            .has_value();
    }
    if (const auto update = update_of(change)) {
        return call(
                   &Dynamo::update_item,
                   dynamo::UpdateItemRequest{write_of(change), {}, std::move(item), update}
        )
            .has_value();
    }
    return call(&Dynamo::put_item, dynamo::PutItemRequest{write_of(change), {}, std::move(item)})
        .has_value();
}

void run_transaction(Source& source, Model& model) {
    dynamo::TransactWriteItemsRequest request;
    auto changed = model;
    std::map<std::string, int> touched;
    bool works = true;
    for (auto left = 2 + source.byte() % 3; left > 0; --left) {
        const auto change = read_change(source);
        works = ++touched[name_of(change.item)] == 1 && change_model(changed, change) && works;
        const auto kind = change.kind == kDelete ? dynamo::TransactAction::kDelete
                          : update_of(change)    ? dynamo::TransactAction::kUpdate
                                                 : dynamo::TransactAction::kPut;
        request.actions.push_back(
            {kind, write_of(change), value::encode_item(change.item), update_of(change)}
        );
    }
    const auto done = call(&Dynamo::transact_write_items, std::move(request));
    GATELEG_CHECK(done.has_value() == works);
    if (works) {
        model = std::move(changed);
    }
}

void run_batch(Source& source, Model& model) {
    dynamo::BatchWriteItemRequest request;
    auto& writes = request.tables.emplace_back();
    writes.name = kTable;
    std::map<std::string, int> touched;
    for (auto left = 1 + source.byte() % 4; left > 0; --left) {
        auto change = read_change(source);
        change.kind = change.kind == kPut || change.kind == kPutIfNew ? kPut : kDelete;
        if (!has_bad_key(change.item) && ++touched[name_of(change.item)] == 1) {
            change_model(model, change);
            writes.writes.push_back({value::encode_item(change.item), change.kind == kDelete});
        }
    }
    if (!writes.writes.empty()) {
        GATELEG_CHECK(call(&Dynamo::batch_write_item, std::move(request)).has_value());
    }
}

Model scan(const char* index, std::int64_t limit) {
    Model all;
    dynamo::ScanRequest request;
    request.page.table = kTable;
    request.page.limit = limit;
    if (index != nullptr) {
        request.page.index = index;
    }
    for (;;) {
        auto reply = call(&Dynamo::scan, request);
        GATELEG_CHECK(reply.has_value());
        for (const auto each : reply->items.items()) {
            auto item = value::decode_item(each);
            auto name = name_of(item);
            GATELEG_CHECK(all.emplace(std::move(name), std::move(item)).second);
        }
        if (!reply->last_evaluated_key) {
            return all;
        }
        request.page.exclusive_start_key = std::move(reply->last_evaluated_key);
    }
}

Model projected(const Model& model, bool needs_g, bool needs_n, bool keys_only) {
    Model all;
    for (auto [name, item] : model) {
        const auto g = item.find("g");
        if ((needs_g && (g == item.end() || g->second.type() != value::Type::kString)) ||
            (needs_n && !item.contains("n"))) {
            continue;
        }
        if (keys_only) {
            std::erase_if(item, [](const auto& entry) {
                return entry.first == "n" || entry.first == "pad";
            });
        }
        all.emplace(name, std::move(item));
    }
    return all;
}

void check(const Model& model, std::int64_t limit) {
    GATELEG_CHECK(scan(nullptr, limit) == model);
    GATELEG_CHECK(scan("byG", limit) == projected(model, true, true, false));
    GATELEG_CHECK(scan("keys", limit) == projected(model, true, false, true));
    GATELEG_CHECK(scan("byN", limit) == projected(model, false, true, false));
    const auto described =
        call(&Dynamo::describe_table, dynamo::DescribeTableRequest{.table = kTable});
    GATELEG_CHECK(
        described && described->table.item_count == static_cast<std::int64_t>(model.size())
    );
    std::int64_t bytes = 0;
    for (const auto& [name, item] : model) {
        bytes += static_cast<std::int64_t>(value::item_size(value::encode_item(item).view()));
    }
    GATELEG_CHECK(described->table.size_bytes == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t kMostBytes = 400;
    Source source(data, std::min(size, kMostBytes));
    create_table();
    Model model;
    while (!source.empty()) {
        const auto what = source.byte() % 8;
        if (what == 6) {
            run_transaction(source, model);
        } else if (what == 7) {
            run_batch(source, model);
        } else {
            const auto change = read_change(source);
            const auto works = change_model(model, change);
            GATELEG_CHECK(run_alone(change) == works);
        }
    }
    check(model, 1 + static_cast<std::int64_t>(size % 5));
    GATELEG_CHECK(
        call(&Dynamo::delete_table, dynamo::DeleteTableRequest{.table = kTable}).has_value()
    );
    return 0;
}
