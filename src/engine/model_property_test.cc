// Random requests against an engine and against a model of it that is a map and a few loops.
//
// The model shares no code with the engine: it keeps items as maps of texts and integers, decides
// conditions with its own functions and sorts with std::sort.

#include <functional>
#include <map>
#include <variant>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "engine/test_engine.h"

namespace gateleg::engine {
namespace {

// An attribute is a number or a string.
using Attribute = std::variant<int, std::string>;
using Attributes = std::map<std::string, Attribute>;
using Key = std::pair<std::string, int>;  // pk and sk

std::string json_value(const Attribute& attribute) {
    if (const auto* number = std::get_if<int>(&attribute)) {
        return R"({"N":")" + std::to_string(*number) + "\"}";
    }
    return R"({"S":")" + std::get<std::string>(attribute) + "\"}";
}

// Names come in the order of the map, which is that of the engine's replies.
std::string json_object(const Attributes& attributes) {
    std::string text = "{";
    for (const auto& [name, each] : attributes) {
        text.append(text.size() == 1 ? "\"" : ",\"")
            .append(name)
            .append("\":")
            .append(json_value(each));
    }
    return text + "}";
}

Attributes attributes_of(const Key& key) {
    return {{"pk", key.first}, {"sk", key.second}};
}

// Texts of placeholders for the values of a request's expressions.
class Values {
public:
    std::string add(const Attribute& attribute) {
        auto name = ":v" + std::to_string(values_.size());
        values_[name] = attribute;
        return name;
    }
    std::string json() const { return values_.empty() ? "" : json_object(values_); }

private:
    Attributes values_;
};

// A condition as text and as a function that says what it means.
struct Predicate {
    std::string text;
    std::function<bool(const Attributes&)> holds;
};

Predicate compare(const std::string& name, Values& values) {
    const auto op = *rc::gen::element<std::string>("=", "<", ">=");
    const auto bound = *rc::gen::inRange(0, 5);
    return {
        name + " " + op + " " + values.add(bound), [=](const Attributes& item) {
            const auto found = item.find(name);
            const auto* number = found == item.end() ? nullptr : std::get_if<int>(&found->second);
            if (number == nullptr) {
                return false;
            }
            return op == "=" ? *number == bound : op == "<" ? *number < bound : *number >= bound;
        }};
}

Predicate between(const std::string& name, Values& values) {
    const auto low = *rc::gen::inRange(0, 4);
    const auto high = low + *rc::gen::inRange(0, 3);
    return {
        name + " BETWEEN " + values.add(low) + " AND " + values.add(high),
        [=](const Attributes& item) {
            const auto found = item.find(name);
            const auto* number = found == item.end() ? nullptr : std::get_if<int>(&found->second);
            return number != nullptr && low <= *number && *number <= high;
        }};
}

Predicate begins_with(const std::string& name, Values& values) {
    const auto prefix = *rc::gen::element<std::string>("x", "xy", "y");
    return {"begins_with(" + name + ", " + values.add(prefix) + ")", [=](const Attributes& item) {
                const auto found = item.find(name);
                const auto* text =
                    found == item.end() ? nullptr : std::get_if<std::string>(&found->second);
                return text != nullptr && text->substr(0, prefix.size()) == prefix;
            }};
}

Predicate exists(const std::string& name) {
    if (*rc::gen::arbitrary<bool>()) {
        return {"attribute_exists(" + name + ")", [=](const Attributes& item) {
                    return item.contains(name);
                }};
    }
    return {"attribute_not_exists(" + name + ")", [=](const Attributes& item) {
                return !item.contains(name);
            }};
}

// One predicate on attributes of `numbers` and `texts`, or several joined.
Predicate any_predicate(
    const std::vector<std::string>& numbers,
    const std::vector<std::string>& texts,
    Values& values,
    int depth = 2
) {
    const auto form = *rc::gen::inRange(0, depth > 0 ? 7 : 4);
    const auto again = [&] { return any_predicate(numbers, texts, values, depth - 1); };
    switch (form) {
        case 0:
            return compare(*rc::gen::elementOf(numbers), values);
        case 1:
            return between(*rc::gen::elementOf(numbers), values);
        case 2:
            if (!texts.empty()) {
                return begins_with(*rc::gen::elementOf(texts), values);
            }
            return compare(*rc::gen::elementOf(numbers), values);
        case 3:
            return exists(*rc::gen::elementOf(numbers));
        case 4: {
            const auto inner = again();
            return {"NOT (" + inner.text + ")", [inner](const Attributes& item) {
                        return !inner.holds(item);
                    }};
        }
        default: {
            const auto left = again();
            const auto right = again();
            const bool both = form == 5;
            return {
                "(" + left.text + (both ? ") AND (" : ") OR (") + right.text + ")",
                [=](const Attributes& item) {
                    return both ? left.holds(item) && right.holds(item)
                                : left.holds(item) || right.holds(item);
                }};
        }
    }
}

// The table of these tests: a global index by g and h that includes a, a local one by l with keys
// only. g, h, l, a and b are there or not.
constexpr const char* kGlobal = "by-g";
constexpr const char* kLocal = "by-l";

Key any_key() {
    return {*rc::gen::element<std::string>("p", "q"), *rc::gen::inRange(0, 6)};
}

Attributes any_item(const Key& key) {
    auto item = attributes_of(key);
    const auto maybe = [&](const char* name, const Attribute& attribute) {
        if (*rc::gen::weightedElement<bool>({{3, true}, {1, false}})) {
            item[name] = attribute;
        }
    };
    maybe("g", *rc::gen::element<std::string>("x", "y"));
    maybe("h", *rc::gen::inRange(0, 4));
    maybe("l", *rc::gen::element<std::string>("x", "xy", "y", "yy"));
    maybe("a", *rc::gen::inRange(0, 5));
    maybe("b", *rc::gen::element<std::string>("", "x", "xyz", "y"));
    return item;
}

// Which part of an item an index holds; nothing if the item is not in it. An empty name is the
// table.
std::optional<Attributes> in_index(const std::string& index, const Attributes& item) {
    std::vector<std::string> keys;
    std::vector<std::string> kept;
    if (index == kGlobal) {
        keys = {"g", "h"};
        kept = {"pk", "sk", "g", "h", "a"};
    } else if (index == kLocal) {
        keys = {"l"};
        kept = {"pk", "sk", "l"};
    } else {
        return item;
    }
    for (const auto& name : keys) {
        if (!item.contains(name)) {
            return std::nullopt;
        }
    }
    Attributes part;
    for (const auto& name : kept) {
        if (const auto found = item.find(name); found != item.end()) {
            part.insert(*found);
        }
    }
    return part;
}

// A write as a request and as what it does to one item.
struct Write {
    Key key;
    Predicate condition;  // without text: none
    Values values;
    dynamo::TransactAction kind{};
    Attributes item;     // of a put
    std::string update;  // of an update
    std::function<void(Attributes&)> change;
    bool creates = true;  // an update that only removes makes no item
};

void draw_update(Write& write) {
    switch (*rc::gen::inRange(0, 5)) {
        case 0: {
            const auto number = *rc::gen::inRange(0, 5);
            write.update = "SET a = " + write.values.add(number);
            write.change = [=](Attributes& item) { item["a"] = number; };
            break;
        }
        case 1: {
            const auto number = *rc::gen::inRange(-2, 3);
            write.update = "ADD a " + write.values.add(number);
            write.change = [=](Attributes& item) {
                const auto found = item.find("a");
                item["a"] = (found == item.end() ? 0 : std::get<int>(found->second)) + number;
            };
            break;
        }
        case 2: {
            const auto g = *rc::gen::element<std::string>("x", "y");
            const auto h = *rc::gen::inRange(0, 4);
            write.update = "SET g = " + write.values.add(g) + ", h = if_not_exists(h, " +
                           write.values.add(h) + ") REMOVE l";
            write.change = [=](Attributes& item) {
                item["g"] = g;
                item.emplace("h", h);
                item.erase("l");
            };
            break;
        }
        case 3: {
            const auto l = *rc::gen::element<std::string>("x", "xy", "z");
            write.update = "REMOVE g, b SET l = " + write.values.add(l);
            write.change = [=](Attributes& item) {
                item["l"] = l;
                item.erase("g");
                item.erase("b");
            };
            break;
        }
        default:
            write.update = "REMOVE h, a";
            write.change = [](Attributes& item) {
                item.erase("h");
                item.erase("a");
            };
            write.creates = false;
    }
}

Write any_write(const Key& key, bool may_check) {
    using dynamo::TransactAction;
    Write write{.key = key};
    write.kind = *rc::gen::weightedElement<TransactAction>(
        {{3, TransactAction::kPut},
         {3, TransactAction::kUpdate},
         {1, TransactAction::kDelete},
         {may_check ? 1U : 0U, TransactAction::kConditionCheck}}
    );
    const bool check = write.kind == TransactAction::kConditionCheck;
    if (check || *rc::gen::inRange(0, 3) == 0) {
        write.condition = any_predicate({"a", "h", "sk"}, {"b", "l"}, write.values);
    }
    if (write.kind == TransactAction::kPut) {
        write.item = any_item(key);
    } else if (write.kind == TransactAction::kUpdate) {
        draw_update(write);
    }
    return write;
}

class Model {
public:
    const Attributes* find(const Key& key) const {
        const auto found = items_.find(key);
        return found == items_.end() ? nullptr : &found->second;
    }
    // Conditions on an item that is not there see an empty one.
    bool allows(const Write& write) const {
        const auto* found = find(write.key);
        return !write.condition.holds || write.condition.holds(found ? *found : Attributes{});
    }
    void apply(const Write& write) {
        switch (write.kind) {
            case dynamo::TransactAction::kPut:
                items_[write.key] = write.item;
                break;
            case dynamo::TransactAction::kDelete:
                items_.erase(write.key);
                break;
            case dynamo::TransactAction::kUpdate:
                if (write.creates || items_.contains(write.key)) {
                    write.change(
                        items_.try_emplace(write.key, attributes_of(write.key)).first->second
                    );
                }
                break;
            case dynamo::TransactAction::kConditionCheck:
                break;
        }
    }
    std::vector<Attributes> entries(const std::string& index) const {
        std::vector<Attributes> all;
        for (const auto& [key, each] : items_) {
            if (auto part = in_index(index, each)) {
                all.push_back(*std::move(part));
            }
        }
        return all;
    }

private:
    std::map<Key, Attributes> items_;
};

std::vector<std::string> json_of_all(const std::vector<Attributes>& items) {
    std::vector<std::string> all;
    for (const auto& each : items) {
        all.push_back(json_object(each));
    }
    return all;
}

// One engine and one model, told the same things.
class Pair {
public:
    Pair(TestEngine& engine, std::string table) : engine_(engine), table_(std::move(table)) {
        auto request = new_table(table_, {"pk", "sk"}, {"pk:S", "sk:N", "g:S", "h:N", "l:S"});
        request.global_indexes = {index_on(kGlobal, {"g"}, {"h"}, include({"a"}))};
        request.local_indexes = {index_on(kLocal, {"pk"}, {"l"}, keys_only())};
        must(engine_.create(request));
    }
    ~Pair() {
        must(call(
            engine_.dynamo(), &dynamo::Dynamo::delete_table, dynamo::DeleteTableRequest{table_}
        ));
    }
    Pair(const Pair&) = delete;
    Pair& operator=(const Pair&) = delete;

    void step() {
        switch (
            *rc::gen::weightedElement<int>({{8, 0}, {3, 1}, {2, 2}, {5, 3}, {2, 4}, {1, 5}, {1, 6}})
        ) {
            case 0:
                return write_one();
            case 1:
                return write_together();
            case 2:
                return write_batch();
            case 3:
                return query();
            case 4:
                return scan();
            case 5:
                return get();
            default:
                return engine_.reopen();
        }
    }

    void check_whole() {
        for (const std::string index : {"", kGlobal, kLocal}) {
            const auto stored = encoded(engine_.scan_all(table_, unless_empty(index)));
            RC_ASSERT(stored == sorted(json_of_all(model_.entries(index))));
        }
        expect_whole(engine_, table_);
        RC_ASSERT(!testing::Test::HasFailure());
    }

private:
    Extra extra_of(const Write& write) const {
        return {.condition = write.condition.text, .values = write.values.json()};
    }

    void write_one() {
        const auto write = any_write(any_key(), false);
        auto extra = extra_of(write);
        const bool old_values =
            write.kind != dynamo::TransactAction::kUpdate || *rc::gen::arbitrary<bool>();
        extra.returns = old_values ? ReturnValues::kAllOld : ReturnValues::kAllNew;
        extra.old_on_failure = true;
        const auto* before = model_.find(write.key);
        const auto before_json = before == nullptr ? "" : json_object(*before);
        const auto key = json_object(attributes_of(write.key));
        const auto reply = write.kind == dynamo::TransactAction::kPut
                               ? engine_.put(table_, json_object(write.item), extra)
                           : write.kind == dynamo::TransactAction::kDelete
                               ? engine_.remove(table_, key, extra)
                               : engine_.update(table_, key, write.update, extra);
        if (!model_.allows(write)) {
            RC_ASSERT(!reply.has_value());
            RC_ASSERT(reply.error().code == ErrorCode::kConditionalCheckFailed);
            const auto* detail =
                dynamic_cast<const dynamo::FailedItem*>(reply.error().detail.get());
            RC_ASSERT((detail == nullptr ? "" : to_json(detail->item.view())) == before_json);
            return;
        }
        RC_ASSERT(reply.has_value());
        model_.apply(write);
        const auto* after = model_.find(write.key);
        RC_ASSERT(
            json_of(reply->attributes) == (old_values         ? before_json
                                           : after == nullptr ? ""
                                                              : json_object(*after))
        );
    }

    std::vector<Key> some_keys(int max) {
        return *rc::gen::unique<std::vector<Key>>(
            static_cast<std::size_t>(*rc::gen::inRange(1, max + 1)), rc::gen::exec(any_key)
        );
    }

    void write_together() {
        std::vector<Write> writes;
        std::vector<Action> actions;
        std::vector<std::string> reasons;
        bool allowed = true;
        for (const auto& key : some_keys(4)) {
            const auto& write = writes.emplace_back(any_write(key, true));
            const bool put = write.kind == dynamo::TransactAction::kPut;
            actions.push_back(
                {write.kind,
                 extra_of(write).write(table_),
                 item(json_object(put ? write.item : attributes_of(key))),
                 unless_empty(write.update)}
            );
            reasons.emplace_back(model_.allows(write) ? "None" : "ConditionalCheckFailed");
            allowed = allowed && model_.allows(write);
        }
        const auto reply = engine_.transact(std::move(actions));
        RC_ASSERT(reply.has_value() == allowed);
        if (!allowed) {
            RC_ASSERT(reasons_of(reply.error()) == reasons);
            return;
        }
        for (const auto& write : writes) {
            model_.apply(write);
        }
    }

    void write_batch() {
        dynamo::BatchWriteItemRequest request;
        auto& table = request.tables.emplace_back();
        table.name = table_;
        for (const auto& key : some_keys(5)) {
            Write write{.key = key, .kind = dynamo::TransactAction::kDelete};
            auto json = json_object(attributes_of(key));
            if (*rc::gen::inRange(0, 4) > 0) {
                write.kind = dynamo::TransactAction::kPut;
                write.item = any_item(key);
                json = json_object(write.item);
            }
            table.writes.push_back({item(json), write.kind == dynamo::TransactAction::kDelete});
            model_.apply(write);
        }
        RC_ASSERT(call(engine_.dynamo(), &dynamo::Dynamo::batch_write_item, std::move(request))
                      .has_value());
    }

    void get() {
        const auto key = any_key();
        const auto* found = model_.find(key);
        RC_ASSERT(
            engine_.get(table_, json_object(attributes_of(key))) ==
            (found == nullptr ? "" : json_object(*found))
        );
    }

    // What a read asks for, and what it must find.
    struct Read {
        std::string index;
        Values values;
        std::string filter;
        std::vector<std::string> projection;
        std::vector<Attributes> looked_at;  // sorted for a query, but for ties
        std::vector<std::string> found;     // what is left after the filter, projected
    };

    void draw_filter(Read& read, bool is_query) {
        Predicate predicate{"", [](const Attributes&) { return true; }};
        if (*rc::gen::arbitrary<bool>()) {
            // A query may not filter by its own key. A local index fetches the whole item when it
            // lacks what the filter asks for, a global one has nothing more to show.
            const auto numbers = read.index.empty() && is_query
                                     ? std::vector<std::string>{"a", "h"}
                                     : std::vector<std::string>{"a", "sk"};
            const auto texts =
                is_query ? std::vector<std::string>{"b"} : std::vector<std::string>{"b", "pk"};
            predicate = any_predicate(numbers, texts, read.values);
            read.filter = predicate.text;
        }
        if (*rc::gen::arbitrary<bool>()) {
            read.projection = read.index == kGlobal ? std::vector<std::string>{"a", "pk"}
                                                    : std::vector<std::string>{"b", "l", "sk"};
        }
        for (const auto& each : read.looked_at) {
            const auto& whole =
                *model_.find({std::get<std::string>(each.at("pk")), std::get<int>(each.at("sk"))});
            const auto& visible = read.index == kLocal ? whole : each;
            if (!predicate.holds(visible)) {
                continue;
            }
            Attributes part;
            for (const auto& name : read.projection) {
                if (const auto at = visible.find(name); at != visible.end()) {
                    part.insert(*at);
                }
            }
            read.found.push_back(json_object(read.projection.empty() ? each : part));
        }
    }

    void fill_page(dynamo::ReadPage& page, const Read& read) const {
        page.table = table_;
        page.index = unless_empty(read.index);
        page.filter = unless_empty(read.filter);
        std::string projection;
        for (const auto& name : read.projection) {
            projection.append(projection.empty() ? "" : ", ").append(name);
        }
        page.projection = unless_empty(projection);
        page.placeholders = placeholders(read.values.json());
    }

    // Reads page by page, `limit` at a time, until there is no more.
    template <class Request, class Run>
    std::vector<std::string> read_pages(Request request, std::size_t limit, Run run) {
        std::vector<std::string> all;
        std::int64_t scanned = 0;
        request.page.limit = static_cast<std::int64_t>(limit);
        for (;;) {
            auto reply = run(request);
            RC_ASSERT(reply.has_value());
            RC_ASSERT(reply->scanned_count <= static_cast<std::int64_t>(limit));
            RC_ASSERT(reply->count == static_cast<std::int64_t>(reply->items.size()));
            scanned += reply->scanned_count;
            for (auto& each : json_of(reply->items)) {
                all.push_back(std::move(each));
            }
            if (!reply->last_evaluated_key) {
                last_scanned_ = scanned;
                return all;
            }
            RC_ASSERT(reply->scanned_count == static_cast<std::int64_t>(limit));
            request.page.exclusive_start_key = reply->last_evaluated_key;
        }
    }

    template <class Request, class Run>
    std::vector<std::string> check_read(const Request& request, const Read& read, Run run) {
        const auto whole = run(request);
        RC_ASSERT(whole.has_value());
        RC_ASSERT(!whole->last_evaluated_key);
        RC_ASSERT(static_cast<std::size_t>(whole->scanned_count) == read.looked_at.size());
        const auto found = json_of(whole->items);
        RC_ASSERT(sorted(found) == sorted(read.found));
        for (std::size_t limit = 1; limit <= read.looked_at.size() + 1; ++limit) {
            RC_ASSERT(read_pages(request, limit, run) == found);
            RC_ASSERT(static_cast<std::size_t>(last_scanned_) == read.looked_at.size());
        }
        return found;
    }

    void query() {
        Read read;
        read.index = *rc::gen::element<std::string>("", kGlobal, kLocal);
        const std::string hash = read.index == kGlobal ? "g" : "pk";
        const std::string range = read.index.empty() ? "sk" : read.index == kGlobal ? "h" : "l";
        const auto hash_value = *rc::gen::element<std::string>("p", "q", "x", "y");
        Predicate condition{"", [](const Attributes&) { return true; }};
        auto text = hash + " = " + read.values.add(hash_value);
        if (*rc::gen::arbitrary<bool>()) {
            condition = range == "l"                  ? begins_with(range, read.values)
                        : *rc::gen::arbitrary<bool>() ? compare(range, read.values)
                                                      : between(range, read.values);
            text += " AND " + condition.text;
        }
        for (auto& each : model_.entries(read.index)) {
            if (each.at(hash) == Attribute(hash_value) && condition.holds(each)) {
                read.looked_at.push_back(std::move(each));
            }
        }
        std::stable_sort(
            read.looked_at.begin(),
            read.looked_at.end(),
            [&](const auto& left, const auto& right) { return left.at(range) < right.at(range); }
        );
        draw_filter(read, true);
        dynamo::QueryRequest request;
        request.key_condition = text;
        fill_page(request.page, read);
        const auto run = [&](const dynamo::QueryRequest& each) { return engine_.query(each); };
        auto forward = check_read(request, read, run);
        request.forward = false;
        const auto backward = check_read(request, read, run);
        check_order(request, read, range);
        std::reverse(forward.begin(), forward.end());
        RC_ASSERT(forward == backward);
        if (read.index.empty()) {
            std::reverse(forward.begin(), forward.end());
            RC_ASSERT(forward == read.found);  // without ties there is one order
        }
    }

    // The range attribute never goes back. Ties may come in any order.
    void check_order(dynamo::QueryRequest request, const Read& read, const std::string& range) {
        request.forward = true;
        request.page.projection = range;
        request.page.filter.reset();
        // Values of the filter would be unused, so only queries without one are looked at.
        if (!read.filter.empty()) {
            return;
        }
        std::vector<std::string> expected;
        for (const auto& each : read.looked_at) {
            expected.push_back(json_object({{range, each.at(range)}}));
        }
        const auto reply = engine_.query(request);
        RC_ASSERT(reply.has_value());
        RC_ASSERT(json_of(reply->items) == expected);
    }

    void scan() {
        Read read;
        read.index = *rc::gen::element<std::string>("", kGlobal, kLocal);
        read.looked_at = model_.entries(read.index);
        draw_filter(read, false);
        dynamo::ScanRequest request;
        fill_page(request.page, read);
        const auto run = [&](const dynamo::ScanRequest& each) { return engine_.scan(each); };
        const auto whole = check_read(request, read, run);
        request.total_segments = *rc::gen::inRange<std::uint32_t>(1, 5);
        std::vector<std::string> joined;
        for (; request.segment < request.total_segments; ++request.segment) {
            for (auto& each : read_pages(request, 2, run)) {
                joined.push_back(std::move(each));
            }
        }
        RC_ASSERT(joined == whole);
    }

    TestEngine& engine_;
    std::string table_;
    Model model_;
    std::int64_t last_scanned_ = 0;
};

TEST(ModelPropertyTest, EngineAnswersAsTheModelDoes) {
    TestEngine engine;
    int round = 0;
    EXPECT_TRUE(rc::check([&] {
        Pair pair(engine, "model" + std::to_string(round++));
        const auto steps = *rc::gen::inRange(10, 60);
        for (int i = 0; i < steps; ++i) {
            pair.step();
        }
        pair.check_whole();
        engine.reopen();
        pair.check_whole();
    }));
}

}  // namespace
}  // namespace gateleg::engine
