#include <algorithm>

#include "engine/item_writer.h"
#include "engine/key_check.h"
#include "engine/ops/operations.h"
#include "engine/page_reader.h"
#include "expr/key_condition.h"
#include "value/key_codec.h"

namespace gateleg::engine::ops {
namespace {

using expr::KeyOp;
using expr::KeyPredicate;
using value::ValueView;

Error unsupported() {
    return validation_error("Query key condition not supported");
}

Error missed(const std::string& attribute) {
    return validation_error("Query condition missed key schema element: " + attribute);
}

Result<void> check_type(const KeyAttribute& attribute, bool is_hash, ValueView value) {
    if (value.type() != attribute.type) {
        return validation_error(
            "One or more parameter values were invalid: Condition parameter type does not match "
            "schema type"
        );
    }
    return check_key_size(attribute, is_hash, value);
}

// The predicates in the order of the key: all hash attributes, then range attributes from the left.
class KeyConditions {
public:
    KeyConditions(const KeyDefinition& key, const std::vector<KeyPredicate>& predicates)
        : key_(key), predicates_(predicates) {}

    Result<void> check() {
        for (const auto& attribute : key_.hash) {
            const auto* predicate = find(attribute.name);
            if (predicate == nullptr) {
                return missed(attribute.name);
            }
            if (predicate->op != KeyOp::kEqual) {
                return unsupported();
            }
            GATELEG_TRY(check_type(attribute, true, predicate->value));
        }
        GATELEG_TRY(check_range_attributes());
        if (used_ != predicates_.size()) {
            return unused();
        }
        return {};
    }

    // Needs check(). The part of the index that the conditions select.
    KeyRange range(TableId table, IndexId index) const {
        std::string hash;
        for (const auto& attribute : key_.hash) {
            value::append_key(hash, find_const(attribute.name)->value);
        }
        auto prefix = partition_prefix(table, index, hash);
        for (const auto* predicate : range_predicates_) {
            if (predicate->op != KeyOp::kEqual) {
                return inequality(prefix, *predicate);
            }
            value::append_key(prefix, predicate->value);
        }
        auto end = after_prefix(prefix);
        return {std::move(prefix), std::move(end)};
    }

private:
    const KeyPredicate* find_const(std::string_view attribute) const {
        const auto found =
            std::find_if(predicates_.begin(), predicates_.end(), [&](const KeyPredicate& each) {
                return each.attribute == attribute;
            });
        return found == predicates_.end() ? nullptr : &*found;
    }
    const KeyPredicate* find(std::string_view attribute) {
        const auto* found = find_const(attribute);
        used_ += found == nullptr ? 0 : 1;
        return found;
    }

    // Range attributes may be left out from the right, and only the last one may be an inequality.
    Result<void> check_range_attributes() {
        bool ended = false;
        for (const auto& attribute : key_.range) {
            const auto* predicate = find(attribute.name);
            if (predicate == nullptr) {
                ended = true;
                continue;
            }
            if (ended) {
                return unsupported();
            }
            GATELEG_TRY(check_type(attribute, false, predicate->value));
            if (predicate->upper) {
                GATELEG_TRY(check_type(attribute, false, *predicate->upper));
            }
            if (predicate->op == KeyOp::kBeginsWith && attribute.type == value::Type::kNumber) {
                return unsupported();
            }
            range_predicates_.push_back(predicate);
            ended = predicate->op != KeyOp::kEqual;
        }
        return {};
    }

    // A condition on an attribute that is not part of the key.
    Error unused() const {
        if (predicates_.size() > key_.size() || key_.range.empty()) {
            return unsupported();
        }
        const auto absent =
            std::find_if(key_.range.begin(), key_.range.end(), [&](const KeyAttribute& each) {
                return find_const(each.name) == nullptr;
            });
        return absent == key_.range.end() ? unsupported() : missed(absent->name);
    }

    static KeyRange inequality(const std::string& prefix, const KeyPredicate& predicate) {
        auto low = prefix;
        auto high = after_prefix(prefix);
        auto bound = prefix;
        if (predicate.op == KeyOp::kBeginsWith) {
            value::append_key_prefix(bound, predicate.value.text());
        } else {
            value::append_key(bound, predicate.value);
        }
        switch (predicate.op) {
            case KeyOp::kLess:
                return {std::move(low), std::move(bound)};
            case KeyOp::kLessOrEqual:
                return {std::move(low), after_prefix(std::move(bound))};
            case KeyOp::kGreater:
                return {after_prefix(std::move(bound)), std::move(high)};
            case KeyOp::kGreaterOrEqual:
                return {std::move(bound), std::move(high)};
            case KeyOp::kBeginsWith: {
                auto end = after_prefix(bound);
                return {std::move(bound), std::move(end)};
            }
            case KeyOp::kBetween: {
                auto end = prefix;
                value::append_key(end, *predicate.upper);
                return {std::move(bound), after_prefix(std::move(end))};
            }
            default:
                return {std::move(low), std::move(high)};
        }
    }

    const KeyDefinition& key_;
    const std::vector<KeyPredicate>& predicates_;
    std::vector<const KeyPredicate*> range_predicates_;
    std::size_t used_ = 0;
};

// A filter looks at what the key condition has already chosen by, so it may not name keys.
Result<void> check_filter_names(
    const dynamo::ReadPage& page, const expr::Condition* filter, const KeyDefinition& key
) {
    if (!page.filter || filter == nullptr) {
        return {};
    }
    for (const auto name : expr::root_names(*filter)) {
        if (key.has(name)) {
            return validation_error(
                "Filter Expression can only contain non-primary key attributes: Primary key "
                "attribute: " +
                std::string(name)
            );
        }
    }
    return {};
}

Result<dynamo::PageReply> run(const Core& core, const dynamo::QueryRequest& request) {
    const auto& page = request.page;
    GATELEG_TRY(check_placeholders(
        page.placeholders,
        {{"FilterExpression", page.filter.has_value()},
         {"KeyConditionExpression", request.key_condition.has_value()}}
    ));
    if (!request.key_condition) {
        return validation_error(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
            "request."
        );
    }
    PageReader reader(core, page);
    auto& scope = reader.open_scope();
    GATELEG_TRY_ASSIGN(
        const auto key_condition,
        expr::compile_key_condition(core.expressions, *request.key_condition, scope)
    );
    GATELEG_TRY(reader.compile());
    GATELEG_TRY_ASSIGN(const auto predicates, expr::key_predicates(key_condition));
    GATELEG_TRY(reader.bind());
    KeyConditions conditions(reader.key(), predicates);
    GATELEG_TRY(conditions.check());
    GATELEG_TRY(check_filter_names(page, reader.filter(), reader.key()));
    const auto range = conditions.range(reader.table().id, reader.index_id());
    GATELEG_TRY(reader.check_start_inside(
        range, "The provided starting key is outside query boundaries based on provided conditions"
    ));
    core.hot_keys.count(range.begin, Access::kRead);
    return reader.read(range, request.forward);
}

}  // namespace

void query(const Core& core, dynamo::QueryRequest request, Done<dynamo::QueryRequest> done) {
    done(run(core, request));
}

}  // namespace gateleg::engine::ops
