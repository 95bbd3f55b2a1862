// A sequence of operations on one table, from bytes; then what a crash test checks: the table is
// what a map says, every index is the projection of its table, and every count is exact. Queries
// and scans in between find what the map says they should.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "engine_reading.h"
#include "engine_world.h"
#include "value/item_size.h"

using namespace gateleg::fuzz;  // NOLINT: one program
namespace dynamo = gateleg::dynamo;
namespace value = gateleg::value;

namespace {

// A write that asks for all there is to ask; with a condition that an item is there or has an n.
void run_with_options(Source& source, Model& model) {
    auto change = read_change(source);
    const auto how = source.byte();
    if (how % 8 == 7 && update_of(change)) {
        change.kind = kTouch;
    }
    const bool is_update = update_of(change) || change.kind == kTouch;
    auto write = write_of(change);
    if (change.kind == kTouch) {
        write.placeholders = {};
    }
    dynamo::ItemWriteOptions options{
        .return_values = static_cast<dynamo::ReturnValues>(how % (is_update ? 5 : 2)),
        .return_capacity = capacity_of(how / 8),
        .return_collection_metrics = how % 2 != 0};
    const auto old = model.find(name_of(change.item));
    const auto before = old == model.end() ? std::nullopt : std::optional(old->second);
    const auto condition = how / 32 % 4;
    bool holds = true;
    if (condition == 1) {
        write.condition = "attribute_exists(pk)";
        holds = before.has_value();
    } else if (condition == 2) {
        write.condition = "attribute_exists(#n)";
        write.placeholders.names = {{{"#n", "n"}}};
        holds = before && before->contains("n");
    } else if (condition == 3) {
        write.condition = "attribute_not_exists(m.a)";
    }
    if (condition != 0) {
        change.kind = change.kind == kPutIfNew ? kPut : change.kind;
    }
    write.return_old_on_failure = how >= 128;
    const bool works = holds && change_model(model, change);
    const auto reply = start_alone(change, std::move(write), options).get();
    GATELEG_CHECK(reply.has_value() == works);
    if (!works) {
        if (const auto* failed =
                dynamic_cast<const dynamo::FailedItem*>(reply.error().detail.get())) {
            GATELEG_CHECK(before && value::decode_item(failed->item.view()) == *before);
        }
        return;
    }
    GATELEG_CHECK(
        reply->capacity.has_value() == (options.return_capacity != dynamo::ReturnCapacity::kNone)
    );
    GATELEG_CHECK(reply->collection_metrics.has_value() == options.return_collection_metrics);
    const auto shown = reply->attributes
                           ? std::optional(value::decode_item(reply->attributes->view()))
                           : std::nullopt;
    if (options.return_values == dynamo::ReturnValues::kAllOld) {
        GATELEG_CHECK(shown == before);
    } else if (options.return_values == dynamo::ReturnValues::kAllNew) {
        const auto now = model.find(name_of(change.item));
        GATELEG_CHECK(shown == (now == model.end() ? std::nullopt : std::optional(now->second)));
    } else if (options.return_values == dynamo::ReturnValues::kNone) {
        GATELEG_CHECK(!shown);
    }
}

// Writes that no table takes.
void run_refused(Source& source) {
    constexpr std::size_t kTooLarge = std::size_t{400} * 1024;
    const auto how = source.byte();
    Change change{.item = key(source.byte()), .kind = kTouch};
    dynamo::UpdateItemRequest request{{.table = table()}, {}, value::encode_item(change.item), {}};
    auto& placeholders = request.write.placeholders;
    const auto use_value = [&](value::AttributeValue used) {
        placeholders.values = value::encode_item({{":v", std::move(used)}});
    };
    switch (how % 10) {
        case 0:
            request.update = "SET pk = :v";
            use_value(text(1));
            break;
        case 1:
            request.update = "SET sk.a = :v";
            use_value(text(1));
            break;
        case 2:
            request.update = "SET h = :v";
            use_value({std::string(kTooLarge, 'x')});
            break;
        case 3:
            request.write.condition = "pk.a = :v";
            use_value(text(1));
            break;
        case 4:
            placeholders.names = {{{"#a", "a"}}};
            break;
        case 5:
            use_value(text(1));
            break;
        case 6:
            request.update = "REMOVE g";
            use_value(text(1));
            break;
        case 7:
            request.update = "SET g = :v";
            use_value(count(1));
            break;
        default: {
            change.item["pad"] = {std::string(how % 2 == 0 ? kTooLarge : 1, 'x')};
            change.kind = kPut;
            auto write = request.write;
            if (how % 2 != 0) {
                write.placeholders.names = {{{"#a", "a"}}};
            }
            GATELEG_CHECK(!start_alone(change, std::move(write), {}).get());
            return;
        }
    }
    GATELEG_CHECK(!call(&Dynamo::update_item, std::move(request)));
}

// Large enough that three of them are more than a page.
void put_large(Source& source, Model& model) {
    Change change{.item = key(source.byte()), .kind = kPut};
    const auto shape = source.byte();
    change.item["pad"] = {std::string(380'000 + shape, 'x')};
    if (shape % 2 != 0) {
        change.item["g"] = text(0);
        change.item["n"] = count(shape % 4);
    }
    GATELEG_CHECK(change_model(model, change) && run_alone(change));
}

// Times to live of every kind, though none that ends.
void put_expiring(Source& source, Model& model) {
    auto change = read_change(source);
    change.kind = kPut;
    constexpr std::array kTimes = {
        "5", "7", "2.5", "-3", "1000000000000000000", "1000000000000000000000000000000"};
    const auto which = source.byte() % (kTimes.size() + 1);
    change.item["t"] = which == kTimes.size()
                           ? text(5)
                           : value::AttributeValue{*value::Number::parse(kTimes[which])};
    GATELEG_CHECK(run_alone(change) == change_model(model, change));
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

// A put that stands only if another item does.
void run_checked(Source& source, Model& model) {
    auto change = read_change(source);
    change.kind = change.kind == kPutIfNew ? kPutIfNew : kPut;
    const auto how = source.byte();
    const auto other = key(how);
    dynamo::TransactWriteItemsRequest request;
    request.return_capacity = capacity_of(how / 16);
    request.return_collection_metrics = how >= 128;
    dynamo::ItemWrite check{.table = table(), .condition = "attribute_exists(pk)"};
    check.return_old_on_failure = how % 2 != 0;
    if (how >= 192) {
        check.condition = "attribute_not_exists(pk)";
    }
    request.actions.push_back(
        {dynamo::TransactAction::kConditionCheck, check, value::encode_item(other), {}}
    );
    request.actions.push_back(
        {dynamo::TransactAction::kPut, write_of(change), value::encode_item(change.item), {}}
    );
    const bool works = name_of(other) != name_of(change.item) &&
                       model.contains(name_of(other)) == (how < 192) && change_model(model, change);
    const auto reply = call(&Dynamo::transact_write_items, std::move(request));
    GATELEG_CHECK(reply.has_value() == works);
    if (reply) {
        GATELEG_CHECK(reply->capacity.size() == (how / 16 % 3 == 0 ? 0 : 1));
    }
}

void run_batch(Source& source, Model& model, unsigned how = 0) {
    dynamo::BatchWriteItemRequest request;
    request.return_capacity = capacity_of(how);
    request.return_collection_metrics = how % 2 != 0;
    auto& writes = request.tables.emplace_back();
    writes.name = table();
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

// A change of the table, and a write that was checked against the table as it was before it: the
// first reply holds up the thread that writes until both are in its queue.
template <class Request>
bool run_behind(
    void (Dynamo::*operation)(Request, dynamo::Done<Request>), Request request, const Change& change
) {
    std::promise<void> queued;
    dynamo::UpdateTableRequest first;
    first.table = table();
    first.deletion_protection = false;
    engine().update_table(std::move(first), [held = queued.get_future()](const auto&) mutable {
        held.wait();
    });
    auto changed = start(operation, std::move(request));
    auto written = start_alone(change, write_of(change), {});
    queued.set_value();
    GATELEG_CHECK(changed.get().has_value());
    return written.get().has_value();
}

void run_between(Source& source, Model& model) {
    const auto how = source.byte();
    const auto change = read_change(source);
    if (how % 2 == 0 || table() == kKeptTable) {
        dynamo::UpdateTableRequest request;
        request.table = table();
        request.deletion_protection = false;
        GATELEG_CHECK(
            run_behind(&Dynamo::update_table, std::move(request), change) ==
            change_model(model, change)
        );
        return;
    }
    GATELEG_CHECK(
        !run_behind(&Dynamo::delete_table, dynamo::DeleteTableRequest{.table = table()}, change)
    );
    model.clear();
    create_table();
}

bool has_late_index() {
    const auto described =
        call(&Dynamo::describe_table, dynamo::DescribeTableRequest{.table = table()});
    GATELEG_CHECK(described.has_value());
    const auto& indexes = described->table.global_indexes;
    return std::any_of(indexes.begin(), indexes.end(), [](const auto& each) {
        return each.definition.name == late().name;
    });
}

// It takes up to a quarter of a second until the engine sees it, so only once.
void add_late_index() {
    if (table() == kKeptTable || has_late_index()) {
        return;
    }
    dynamo::UpdateTableRequest request;
    request.table = table();
    request.attributes = {{"n", value::Type::kNumber}};
    request.index_updates = {{{.create = define(late())}}};
    GATELEG_CHECK(call(&Dynamo::update_table, std::move(request)).has_value());
    // Refused while it is built.
    dynamo::ScanRequest early;
    early.page.table = table();
    early.page.index = late().name;
    static_cast<void>(call(&Dynamo::scan, std::move(early)));
}

void wait_for_late_index() {
    dynamo::ScanRequest request;
    request.page.table = table();
    request.page.index = late().name;
    while (!call(&Dynamo::scan, request)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

Model scan(const char* index, std::int64_t limit) {
    Model all;
    dynamo::ScanRequest request;
    request.page.table = table();
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

Model projected(const Model& model, const Shape& shape) {
    Model all;
    for (const auto& [name, item] : model) {
        if (shape.holds(item)) {
            all.emplace(name, shape.of(item));
        }
    }
    return all;
}
void check(const Model& model, std::int64_t limit) {
    GATELEG_CHECK(scan(nullptr, limit) == model);
    for (const auto& shape : shapes()) {
        GATELEG_CHECK(scan(shape.name, limit) == projected(model, shape));
    }
    if (has_late_index()) {
        wait_for_late_index();
        GATELEG_CHECK(scan(late().name, limit) == projected(model, late()));
    }
    const auto described =
        call(&Dynamo::describe_table, dynamo::DescribeTableRequest{.table = table()});
    GATELEG_CHECK(
        described && described->table.item_count == static_cast<std::int64_t>(model.size())
    );
    std::int64_t bytes = 0;
    for (const auto& [name, item] : model) {
        bytes += static_cast<std::int64_t>(value::item_size(value::encode_item(item).view()));
    }
    GATELEG_CHECK(described->table.size_bytes == bytes);
}

// What came later: bytes that were a change of one item before.
constexpr unsigned kFirstOther = 224;
void run_other(Source& source, Model& model, unsigned what) {
    switch ((what - kFirstOther) / 4) {
        case 0:
        case 1:
            Reading(source, what % 2 != 0).run(model);
            break;
        case 2:
            run_with_options(source, model);
            break;
        case 3:
            run_checked(source, model);
            break;
        case 4:
            run_batch(source, model, source.byte());
            break;
        case 5:
            run_refused(source);
            break;
        case 6:
            what % 2 != 0 ? put_large(source, model) : run_between(source, model);
            break;
        default:
            what == 255 ? add_late_index() : put_expiring(source, model);
    }
}

void close_table(const Model& model) {
    if (table() == kFreshTable) {
        GATELEG_CHECK(
            call(&Dynamo::delete_table, dynamo::DeleteTableRequest{.table = table()}).has_value()
        );
        return;
    }
    for (const auto& [name, item] : model) {
        GATELEG_CHECK(
            run_alone({.item = {{"pk", item.at("pk")}, {"sk", item.at("sk")}}, .kind = kDelete})
        );
    }
    check({}, 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t kMostBytes = 400;
    constexpr unsigned kUseKept = 223;
    Source source(data, std::min(size, kMostBytes));
    if (size > 0 && data[0] == kUseKept) {
        source.byte();
        table() = kKeptTable;
        open_kept_table();
    } else {
        table() = kFreshTable;
        create_table();
    }
    Model model;
    while (!source.empty()) {
        const auto byte = source.byte();
        const auto what = byte % 8;
        if (byte >= kFirstOther) {
            run_other(source, model, byte);
        } else if (what == 6) {
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
    close_table(model);
    return 0;
}
