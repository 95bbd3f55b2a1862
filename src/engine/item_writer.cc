#include "engine/item_writer.h"

#include <algorithm>

#include "engine/index_writer.h"
#include "engine/key_check.h"
#include "engine/keyspace.h"
#include "engine/limits.h"
#include "value/item_size.h"

namespace gateleg::engine {
namespace {

using value::EncodedItem;
using value::ValueView;

// "A is null", "A and B are null", "A, B and C are null".
std::string null_parameters(std::initializer_list<NamedExpression> expressions) {
    std::string text;
    std::size_t i = 0;
    for (const auto& each : expressions) {
        if (i > 0) {
            text += i + 1 == expressions.size() ? " and " : ", ";
        }
        text += each.parameter;
        ++i;
    }
    return text + (expressions.size() == 1 ? " is null" : " are null");
}

// Keys are S, N or B: there is nothing to look into.
Result<void> check_scalar_keys(const Table& table, const std::vector<std::string_view>& names) {
    for (const auto name : names) {
        if (table.key.has(name)) {
            return validation_error(
                "Key attributes must be scalars; list random access '[]' and map lookup '.' are "
                "not allowed: Key: " +
                std::string(name)
            );
        }
    }
    return {};
}

Result<void> check_key_attributes_untouched(const Table& table, const expr::Update& update) {
    for (const auto name : expr::root_names(update)) {
        if (table.key.has(name)) {
            return validation_error(
                "One or more parameter values were invalid: Cannot update attribute " +
                std::string(name) + ". This attribute is part of the key"
            );
        }
    }
    return {};
}

}  // namespace

Error conditional_check_failed(bool with_item, std::optional<ValueView> item) {
    Error error{ErrorCode::kConditionalCheckFailed, "The conditional request failed"};
    if (with_item && item) {
        error.detail =
            std::make_shared<dynamo::FailedItem>(EncodedItem(std::string(item->bytes())));
    }
    return error;
}

Result<void> check_placeholders(
    const dynamo::Placeholders& placeholders, std::initializer_list<NamedExpression> expressions
) {
    const bool any = std::any_of(expressions.begin(), expressions.end(), [](const auto& each) {
        return each.present;
    });
    if (placeholders.names) {
        if (!any) {
            return validation_error(
                "ExpressionAttributeNames can only be specified when using expressions: " +
                null_parameters(expressions)
            );
        }
        GATELEG_TRY(expr::check_names(*placeholders.names));
    }
    if (placeholders.values) {
        if (!any) {
            return validation_error(
                "ExpressionAttributeValues can only be specified when using expressions: " +
                null_parameters(expressions)
            );
        }
        GATELEG_TRY(expr::check_value_names(placeholders.values->view()));
    }
    return {};
}

ItemWriter::ItemWriter(
    WriteKind kind, dynamo::ItemWrite write, EncodedItem item, std::optional<std::string> update
)
    : kind_(kind),
      write_(std::move(write)),
      item_(std::move(item)),
      update_text_(std::move(update)) {}

Result<void> ItemWriter::compile(expr::Cache& cache) {
    const auto& placeholders = write_.placeholders;
    if (kind_ == WriteKind::kUpdate) {
        GATELEG_TRY(check_placeholders(
            placeholders,
            {{"UpdateExpression", update_text_.has_value()},
             {"ConditionExpression", write_.condition.has_value()}}
        ));
    } else {
        GATELEG_TRY(check_placeholders(
            placeholders, {{"ConditionExpression", write_.condition.has_value()}}
        ));
    }
    scope_.emplace(
        placeholders.names ? &*placeholders.names : nullptr,
        placeholders.values ? std::optional(placeholders.values->view()) : std::nullopt
    );
    if (update_text_) {
        GATELEG_TRY_ASSIGN(update_, expr::compile_update(cache, *update_text_, *scope_));
    }
    if (write_.condition) {
        GATELEG_TRY_ASSIGN(
            condition_,
            expr::compile_condition(cache, expr::Kind::kCondition, *write_.condition, *scope_)
        );
    }
    GATELEG_TRY(scope_->check_all_used());
    if (kind_ == WriteKind::kPut) {
        new_size_ = value::item_size(item_.view());
        if (new_size_ > kMaxItemBytes) {
            return validation_error("Item size has exceeded the maximum allowed size");
        }
    }
    return {};
}

Result<void> ItemWriter::bind(std::shared_ptr<const Table> table) {
    table_ = std::move(table);
    if (kind_ == WriteKind::kPut) {
        GATELEG_TRY(check_item(*table_, item_.view()));
    } else {
        GATELEG_TRY(check_key(*table_, item_.view()));
    }
    if (update_) {
        GATELEG_TRY(check_scalar_keys(*table_, expr::nested_root_names(*update_)));
        GATELEG_TRY(check_key_attributes_untouched(*table_, *update_));
    }
    if (condition_) {
        GATELEG_TRY(check_scalar_keys(*table_, expr::nested_root_names(*condition_)));
    }
    key_ = item_key(*table_, item_.view());
    early_ = {};
    return {};
}

void ItemWriter::read_early(const storage::Store& store, std::size_t& room) {
    const bool asks = kind_ != WriteKind::kPut || condition_.has_value();
    if (!asks || room == 0) {
        return;
    }
    // What cannot be read now is read again, and the failure is known then.
    if (auto read = store.get_early(key_, old_bytes_, room)) {
        early_ = *read;
        if (read->found) {
            // Empty: it was too long, and so is likely to be the next.
            room -= old_bytes_.empty() ? room : old_bytes_.size();
        }
    }
}

void ItemWriter::want_updated(bool old_values, bool new_values) {
    want_updated_old_ = old_values;
    want_updated_new_ = new_values;
}

Result<void> ItemWriter::rebind(const CommitContext& context) {
    auto table = context.catalog().find(write_.table);
    if (table == table_) {
        return {};
    }
    if (table == nullptr) {
        return resource_not_found("Requested resource not found");
    }
    return bind(std::move(table));
}

Result<void> ItemWriter::evaluate(CommitContext& context) {
    GATELEG_TRY(rebind(context));
    context.count_write(key_);
    GATELEG_TRY_ASSIGN(exists_, context.get(key_, old_bytes_, early_));
    if (condition_ && !expr::holds(*condition_, old_item())) {
        return conditional_check_failed(write_.return_old_on_failure, old_item());
    }
    if (kind_ == WriteKind::kUpdate) {
        return run_update();
    }
    return {};
}

Result<void> ItemWriter::run_update() {
    // A new item starts as its key.
    const auto base = exists_ ? ValueView(old_bytes_.data()) : item_.view();
    if (!exists_ && update_ && !expr::can_create_item(*update_)) {
        return {};
    }
    if (!update_) {
        updated_item_ = EncodedItem(std::string(base.bytes()));
        new_size_ = value::item_size(base);
        return {};
    }
    GATELEG_TRY_ASSIGN(
        auto result,
        expr::apply_update(
            *update_, base, {.updated_old = want_updated_old_, .updated_new = want_updated_new_}
        )
    );
    new_size_ = value::item_size(result.item.view());
    if (new_size_ > kMaxItemBytes) {
        return validation_error("Item size to update has exceeded the maximum allowed size");
    }
    GATELEG_TRY(check_updated_index_keys(*table_, result.item.view()));
    updated_item_ = std::move(result.item);
    updated_old_ = std::move(result.updated_old);
    updated_new_ = std::move(result.updated_new);
    return {};
}

void ItemWriter::apply(CommitContext& context, WriteCost* cost) {
    if (kind_ != WriteKind::kCheck) {
        write_item(
            context,
            {.table = *table_,
             .key = key_,
             .before = old_item(),
             .after = new_item(),
             .size_after = new_size_},
            cost
        );
    } else if (cost != nullptr) {
        const auto old = old_item();
        cost->table += write_units(old ? value::item_size(*old) : 0);
    }
}

std::optional<ValueView> ItemWriter::old_item() const {
    return exists_ ? std::optional(ValueView(old_bytes_.data())) : std::nullopt;
}

std::optional<ValueView> ItemWriter::new_item() const {
    switch (kind_) {
        case WriteKind::kPut:
            return item_.view();
        case WriteKind::kUpdate:
            return updated_item_ ? std::optional(updated_item_->view()) : std::nullopt;
        case WriteKind::kDelete:
            return std::nullopt;
        case WriteKind::kCheck:
            return old_item();
    }
    return std::nullopt;
}

}  // namespace gateleg::engine
