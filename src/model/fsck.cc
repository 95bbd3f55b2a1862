#include "model/fsck.h"

#include <map>

#include "model/access.h"
#include "model/idempotency.h"
#include "model/item_codec.h"
#include "model/recognise.h"
#include "model/rows.h"
#include "value/json_codec.h"

namespace gateleg::model {
namespace {

using value::Item;

bool is_stored_as(const Attribute& attribute, value::Type type) {
    using value::Type;
    switch (attribute.type) {
        case AttributeType::kString:
        case AttributeType::kUlid:
        case AttributeType::kUuid:
        case AttributeType::kEnum:
        case AttributeType::kTimestamp:
            return type == Type::kString;
        case AttributeType::kInteger:
        case AttributeType::kNumber:
        case AttributeType::kEpochSeconds:
        case AttributeType::kEpochMillis:
            return type == Type::kNumber;
        case AttributeType::kBoolean:
            return type == (attribute.spelling ? Type::kString : Type::kBool);
        case AttributeType::kList:
            return type == Type::kList;
        case AttributeType::kMap:
            return type == Type::kMap;
        case AttributeType::kSet:
            return type == Type::kStringSet || type == Type::kNumberSet || type == Type::kBinarySet;
        case AttributeType::kBinary:
            return type == Type::kBinary;
        case AttributeType::kAny:
            return true;
    }
    return true;
}

class Fsck {
public:
    Fsck(Shared& shared, Database& database, std::size_t most, std::vector<Item>* orphans)
        : shared_(shared),
          model_(shared.model),
          database_(database),
          most_(most),
          orphans_(orphans),
          environment_(make_environment(shared.model, {}, shared.clock.now_millis())) {}

    CallResult<FsckReport> run() {
        std::optional<Item> start;
        do {
            GATELEG_CALL_TRY_ASSIGN(auto page, database_.scan(start));
            for (const auto& raw : page.items) {
                ++report_.scanned;
                check(raw);
            }
            start = std::move(page.next);
        } while (start);
        compare_rows();
        return std::move(report_);
    }

private:
    void add(Finding::Kind kind, const Item& key, const Entity* entity, std::string message) {
        ++report_.found;
        if (report_.findings.size() >= most_) {
            return;
        }
        std::string json;
        value::append_json_map(json, value::encode_item(key).view());
        report_.findings.push_back(
            {kind, std::move(json), entity != nullptr ? entity->name : "", std::move(message)}
        );
    }

    void check(const Item& raw) {
        if (is_expired(model_.table, raw, environment_.now_millis) ||
            is_idempotency_record(model_.table, raw)) {
            return;
        }
        const auto key = key_of(model_.table, raw);
        const auto* entity = recognise(model_, raw);
        if (entity == nullptr) {
            add(Finding::Kind::kUnknownItem, key, nullptr, "no entity has such a key and marker");
            return;
        }
        const auto attributes = settled_attributes(model_, *entity, raw);
        check_attributes(*entity, key, attributes);
        check_computed(*entity, key, raw, attributes);
        const auto rows = rows_of(model_, *entity, attributes, environment_);
        if (!rows) {
            add(Finding::Kind::kBadAttribute, key, entity, rows.error().message);
        } else {
            for (const auto& row : *rows) {
                expected_.try_emplace(row.key_bytes, row);
            }
        }
        if (!entity->owners.empty()) {
            found_.try_emplace(value::encode_item(key).bytes(), std::pair(entity, raw));
        }
    }

    void check_attributes(const Entity& entity, const Item& key, const Item& attributes) {
        for (const auto& attribute : entity.attributes) {
            const auto found = attributes.find(attribute.name);
            if (found == attributes.end() || is_null(found->second)) {
                if (attribute.required) {
                    add(Finding::Kind::kBadAttribute,
                        key,
                        &entity,
                        "'" + attribute.name + "' is required");
                }
                continue;
            }
            if (!is_stored_as(attribute, found->second.type())) {
                add(Finding::Kind::kBadAttribute,
                    key,
                    &entity,
                    "'" + attribute.name + "' has another type");
                continue;
            }
            FieldErrors errors;
            settle_value(attribute, found->second, attribute.name, errors);
            if (!errors.empty()) {
                add(Finding::Kind::kBadAttribute, key, &entity, errors.to_error().message);
            }
        }
    }

    void check_computed(
        const Entity& entity, const Item& key, const Item& raw, const Item& attributes
    ) {
        const auto placed = shared_.shards.place(entity, attributes);
        const auto wanted = placed ? dependent_attributes(model_, entity, *placed, environment_)
                                   : Result<Item>(placed.error());
        if (!wanted) {
            add(Finding::Kind::kStaleKey, key, &entity, wanted.error().message);
            return;
        }
        for (const auto& [name, value] : *wanted) {
            const auto found = raw.find(name);
            const bool right = is_null(value) ? found == raw.end() || is_null(found->second)
                                              : found != raw.end() && found->second == value;
            if (!right) {
                add(Finding::Kind::kStaleKey,
                    key,
                    &entity,
                    "'" + name + "' is not what its attributes give");
            }
        }
    }

    void compare_rows() {
        for (const auto& [bytes, row] : expected_) {
            const auto found = found_.find(bytes);
            if (found == found_.end()) {
                add(Finding::Kind::kMissingRow, row.key, row.entity, "the row is missing");
                continue;
            }
            for (const auto& name : row.given) {
                const auto* attribute = row.entity->find_attribute(name);
                const auto wanted = row.raw.find(name);
                const auto there = found->second.second.find(name);
                const bool stored = attribute == nullptr || attribute->stored;
                const bool is_there = there != found->second.second.end();
                if (stored && ((wanted == row.raw.end()) == is_there ||
                               (is_there && !(there->second == wanted->second)))) {
                    add(Finding::Kind::kMissingRow,
                        row.key,
                        row.entity,
                        "'" + name + "' differs from its owner");
                }
            }
        }
        for (const auto& [bytes, found] : found_) {
            if (!expected_.contains(bytes)) {
                add(Finding::Kind::kOrphanRow,
                    key_of(model_.table, found.second),
                    found.first,
                    "no owner asks for this row");
                if (orphans_ != nullptr) {
                    orphans_->push_back(found.second);
                }
            }
        }
    }

    Shared& shared_;
    const Model& model_;
    Database& database_;
    std::size_t most_;
    std::vector<Item>* orphans_;
    Environment environment_;
    FsckReport report_;
    std::map<std::string, Row> expected_;
    std::map<std::string, std::pair<const Entity*, Item>> found_;
};

}  // namespace

CallResult<FsckReport> run_fsck(
    Shared& shared, Database& database, std::size_t most, std::vector<Item>* orphans
) {
    return Fsck(shared, database, most, orphans).run();
}

}  // namespace gateleg::model
