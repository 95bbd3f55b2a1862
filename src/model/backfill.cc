#include "model/backfill.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "model/access.h"
#include "model/entity_keys.h"
#include "model/idempotency.h"
#include "model/item_codec.h"
#include "model/recognise.h"
#include "model/request_text.h"
#include "model/rows.h"
#include "value/json_codec.h"

namespace gateleg::model {
namespace {

using dynamo::TransactAction;
using value::AttributeValue;
using value::Item;
using Names = std::set<std::string, std::less<>>;

constexpr int kMaxAttempts = 8;
constexpr std::size_t kMaxProblems = 100;
// Leaves room for the owner in a transaction of 100.
constexpr std::size_t kRowsAtOnce = 90;

const AttributeValue* find(const Item& item, const std::string& name) {
    const auto found = item.find(name);
    return found != item.end() && !is_null(found->second) ? &found->second : nullptr;
}

bool is_same(const AttributeValue* left, const AttributeValue* right) {
    return left == nullptr || right == nullptr ? left == right : *left == *right;
}

// Names of `wanted` whose value in the item is another one.
Names differing(const Item& wanted, const Item& raw) {
    Names names;
    for (const auto& [name, value] : wanted) {
        if (!is_same(is_null(value) ? nullptr : &value, find(raw, name))) {
            names.insert(name);
        }
    }
    return names;
}

void set_or_remove(RequestText& text, const Item& wanted, const Names& names) {
    for (const auto& name : names) {
        if (const auto* value = find(wanted, name)) {
            text.set(name, *value);
        } else {
            text.remove(name);
        }
    }
}

class Backfill {
public:
    Backfill(
        Shared& shared, Database& database, const BackfillOptions& options, BackfillPosition start
    )
        : shared_(shared), model_(shared.model), database_(database), options_(options) {
        report_.position = std::move(start);
    }

    CallResult<BackfillReport> run(const std::function<Result<void>(const BackfillPosition&)>& hook
    ) {
        auto& position = report_.position;
        const auto first = position.counts.scanned;
        while (!position.finished) {
            GATELEG_CALL_TRY_ASSIGN(
                const auto page, database_.scan(position.next, options_.page_items)
            );
            for (const auto& raw : page.items) {
                ++position.counts.scanned;
                GATELEG_CALL_TRY(visit(raw));
            }
            position.next = page.next;
            position.finished = !page.next;
            if (hook) {
                GATELEG_CALL_TRY(hook(position));
            }
            if (options_.max_items > 0 && position.counts.scanned - first >= options_.max_items) {
                break;
            }
        }
        return std::move(report_);
    }

private:
    // What must be written so that one item is right.
    struct Changes {
        Names stale;  // of the item itself
        Item wanted;
        std::vector<Write> rows;
        Names pins;  // attributes all this was computed from
        std::vector<std::string> conflicts;
    };

    Result<void> visit(Item raw) {
        bool counted = false;
        for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
            environment_ = make_environment(model_, {}, shared_.clock.now_millis());
            environment_.make_ulid = [this] {
                return shared_.ulids.next(shared_.clock.now_millis());
            };
            if (is_expired(model_.table, raw, environment_.now_millis) ||
                is_idempotency_record(model_.table, raw)) {
                return {};
            }
            const auto* entity = recognise(model_, raw);
            if (entity == nullptr || (options_.entity != nullptr && options_.entity != entity)) {
                return {};
            }
            counts().matched += counted ? 0 : 1;
            counted = true;
            const auto changes = find_changes(*entity, raw);
            if (!changes) {
                // What the data itself makes impossible is reported; the store's errors end the
                // run.
                if (changes.error().code != ErrorCode::kValidation) {
                    return changes.error();
                }
                give_up(*entity, raw, changes.error().message);
                return {};
            }
            auto outcome = Outcome::kDone;
            if (options_.dry_run) {
                count(*changes);
            } else if (!changes->stale.empty() || !changes->rows.empty()) {
                GATELEG_TRY_ASSIGN(outcome, write(*entity, raw, *changes));
            }
            if (outcome == Outcome::kDone) {
                for (const auto& conflict : changes->conflicts) {
                    give_up(*entity, raw, conflict);
                }
                return {};
            }
            GATELEG_TRY_ASSIGN(auto now, database_.get(key_of(model_.table, raw), true));
            if (!now) {
                return {};
            }
            raw = std::move(*now);
        }
        ++counts().contended;
        note(nullptr, raw, "live writes came first each time");
        return {};
    }

    Result<Changes> find_changes(const Entity& entity, const Item& raw) {
        const auto attributes = settled_attributes(model_, entity, raw);
        Changes changes;
        GATELEG_TRY_ASSIGN(const auto placed, shared_.shards.place(entity, attributes));
        GATELEG_TRY_ASSIGN(
            changes.wanted, dependent_attributes(model_, entity, placed, environment_)
        );
        changes.stale = differing(changes.wanted, raw);
        const auto& dependents = shared_.dependents.at(&entity);
        for (const auto& one : dependents.computed) {
            if (changes.stale.contains(one.attribute)) {
                changes.pins.insert(one.needs.begin(), one.needs.end());
                changes.pins.insert(one.attribute);
            }
        }
        GATELEG_TRY_ASSIGN(const auto rows, rows_of(model_, entity, attributes, environment_));
        GATELEG_TRY(find_row_writes(rows, changes));
        if (!changes.rows.empty()) {
            changes.pins.insert(dependents.rows.begin(), dependents.rows.end());
        }
        return changes;
    }

    Result<void> find_row_writes(const std::vector<Row>& rows, Changes& changes) {
        std::vector<Item> keys;
        keys.reserve(rows.size());
        for (const auto& row : rows) {
            keys.push_back(row.key);
        }
        if (keys.empty()) {
            return {};
        }
        GATELEG_TRY_ASSIGN(const auto found, database_.get_all(keys, true));
        for (std::size_t at = 0; at < rows.size(); ++at) {
            const auto& there = found[at];
            if (!there || is_expired(model_.table, *there, environment_.now_millis)) {
                changes.rows.push_back(put_row(rows[at]));
                continue;
            }
            auto change = update_row(rows[at], *there);
            if (!change) {
                continue;
            }
            if (rows[at].is_guard()) {
                // Two items claim one name: people must decide who keeps it.
                changes.conflicts.push_back("its " + rows[at].entity->name + " is another's");
                continue;
            }
            changes.rows.push_back(std::move(*change));
        }
        return {};
    }

    Write put_row(const Row& row) const {
        Write write;
        write.kind = TransactAction::kPut;
        write.item = row.raw;
        RequestText text(model_.table, environment_.now_millis);
        text.require(text.existence(false));
        std::move(text).finish(write);
        return write;
    }

    // Nothing if the row has what its owner gives.
    std::optional<Write> update_row(const Row& row, const Item& there) const {
        Item wanted;
        for (const auto& name : row.given) {
            const auto* attribute = row.entity->find_attribute(name);
            if (attribute == nullptr || attribute->stored) {
                const auto* value = find(row.raw, name);
                wanted[name] = value != nullptr ? *value : AttributeValue{value::Null{}};
            }
        }
        auto names = differing(wanted, there);
        if (names.empty()) {
            return std::nullopt;
        }
        auto merged = settled_attributes(model_, *row.entity, there);
        for (const auto& name : names) {
            merged[name] = wanted[name];
        }
        if (auto computed = dependent_attributes(model_, *row.entity, merged, environment_)) {
            for (auto& [name, value] : *computed) {
                wanted[name] = std::move(value);
            }
            names = differing(wanted, there);
        }
        Write write;
        write.kind = TransactAction::kUpdate;
        write.item = row.key;
        RequestText text(model_.table, environment_.now_millis);
        text.require(text.existence(true));
        for (const auto& name : names) {
            text.require(text.unchanged(name, find(there, name)));
        }
        set_or_remove(text, wanted, names);
        std::move(text).finish(write);
        return write;
    }

    // The item's own part: its new attributes, or only the test that it is as it was read.
    Write owner_write(const Item& raw, const Changes& changes, bool update) const {
        Write write;
        write.kind = update ? TransactAction::kUpdate : TransactAction::kConditionCheck;
        write.item = key_of(model_.table, raw);
        RequestText text(model_.table, environment_.now_millis);
        text.require(text.existence(true));
        for (const auto& name : changes.pins) {
            if (!model_.table.is_primary_key(name)) {
                text.require(text.unchanged(name, find(raw, name)));
            }
        }
        if (update) {
            set_or_remove(text, changes.wanted, changes.stale);
        }
        std::move(text).finish(write);
        return write;
    }

    enum class Outcome { kDone, kAgain };

    Result<Outcome> write(const Entity& entity, const Item& raw, const Changes& changes) {
        std::size_t at = 0;
        bool update = !changes.stale.empty();
        do {
            std::vector<Write> writes{owner_write(raw, changes, update)};
            const auto end = std::min(changes.rows.size(), at + kRowsAtOnce);
            writes.insert(
                writes.end(),
                changes.rows.begin() + static_cast<std::ptrdiff_t>(at),
                changes.rows.begin() + static_cast<std::ptrdiff_t>(end)
            );
            slow_down(writes.size());
            const auto refused = database_.write(writes);
            if (!refused) {
                if (refused.error().code != ErrorCode::kValidation) {
                    return refused.error();
                }
                give_up(entity, raw, refused.error().message);
                return Outcome::kDone;
            }
            if (!refused->empty()) {
                return Outcome::kAgain;
            }
            counts().changed += update ? 1 : 0;
            counts().rows += static_cast<std::int64_t>(end - at);
            at = end;
            // What it was computed from is pinned still; the keys it had are gone.
            if (update && at < changes.rows.size()) {
                return Outcome::kAgain;
            }
            update = false;
        } while (at < changes.rows.size());
        return Outcome::kDone;
    }

    void count(const Changes& changes) {
        counts().changed += changes.stale.empty() ? 0 : 1;
        counts().rows += static_cast<std::int64_t>(changes.rows.size());
    }

    void give_up(const Entity& entity, const Item& raw, std::string message) {
        ++counts().failed;
        note(&entity, raw, std::move(message));
    }

    void note(const Entity* entity, const Item& raw, std::string message) {
        if (report_.problems.size() >= kMaxProblems) {
            return;
        }
        std::string key;
        value::append_json_map(key, value::encode_item(key_of(model_.table, raw)).view());
        report_.problems.push_back(
            {std::move(key), entity != nullptr ? entity->name : "", std::move(message)}
        );
    }

    void slow_down(std::size_t writes) {
        if (options_.max_rate <= 0) {
            return;
        }
        const auto now = std::chrono::steady_clock::now();
        next_write_ = std::max(next_write_, now);
        std::this_thread::sleep_until(next_write_);
        next_write_ += std::chrono::microseconds(1'000'000 / options_.max_rate) * writes;
    }

    BackfillCounts& counts() { return report_.position.counts; }

    Shared& shared_;
    const Model& model_;
    Database& database_;
    const BackfillOptions& options_;
    Environment environment_;
    BackfillReport report_;
    std::chrono::steady_clock::time_point next_write_;
};

}  // namespace

CallResult<BackfillReport> run_backfill(
    Shared& shared,
    Database& database,
    const BackfillOptions& options,
    BackfillPosition start,
    const std::function<Result<void>(const BackfillPosition&)>& on_page
) {
    return Backfill(shared, database, options, std::move(start)).run(on_page);
}

}  // namespace gateleg::model
