#include "partiql/planner.h"

#include <algorithm>
#include <set>
#include <utility>

#include "partiql/errors.h"
#include "partiql/expression_text.h"
#include "partiql/key_match.h"

namespace gateleg::partiql {
namespace {

using dynamo::IndexDescription;
using dynamo::KeyRole;
using dynamo::KeySchema;
using dynamo::TableDescription;

// How many partitions one SELECT may name, which AWS limits too.
constexpr std::size_t kMaxRanges = 100;

const IndexDescription* find_index(
    const std::vector<IndexDescription>& indexes, const std::string& name
) {
    const auto found = std::find_if(indexes.begin(), indexes.end(), [&](const auto& each) {
        return each.definition.name == name;
    });
    return found == indexes.end() ? nullptr : &*found;
}

std::string bracketed(const std::vector<std::string>& names) {
    std::string text = "[";
    for (const auto& name : names) {
        text += (text.size() == 1 ? "" : ", ") + name;
    }
    return text + "]";
}

// The top-level attributes that an expression looks at, each once.
void add_roots(const Expr& expr, std::vector<std::string>& roots) {
    if (expr.kind == ExprKind::kPath) {
        const auto& root = expr.path.steps[0].name;
        if (std::find(roots.begin(), roots.end(), root) == roots.end()) {
            roots.push_back(root);
        }
    }
    for (const auto& child : expr.children) {
        add_roots(child, roots);
    }
}

class SelectPlanner {
public:
    SelectPlanner(
        const Statement& statement, const Parameters& parameters, const TableDescription& table
    )
        : statement_(statement), parameters_(parameters), table_(table) {}

    Result<SelectPlan> run(bool consistent_read) {
        GATELEG_TRY(choose_index(consistent_read));
        GATELEG_TRY(find_ranges());
        GATELEG_TRY(apply_order());
        return std::move(plan_);
    }

private:
    const KeySchema& schema() const {
        return index_ == nullptr ? table_.key_schema : index_->definition.key_schema;
    }

    Result<void> choose_index(bool consistent_read) {
        if (!statement_.source.index) {
            return {};
        }
        const auto& name = *statement_.source.index;
        const auto* global = find_index(table_.global_indexes, name);
        index_ = global != nullptr ? global : find_index(table_.local_indexes, name);
        if (index_ == nullptr) {
            return validation_error("The table does not have the specified index");
        }
        if (global != nullptr && consistent_read) {
            return validation_error(
                "Strongly consistent read is not supported on Global Secondary Indexes"
            );
        }
        return check_projection(global != nullptr);
    }

    // A local index reaches back to the table for its columns, but not for its filter.
    Result<void> check_projection(bool is_global) {
        const auto& projection = index_->definition.projection;
        if (projection.type == dynamo::ProjectionType::kAll) {
            return {};
        }
        std::set<std::string> projected(
            projection.non_key_attributes.begin(), projection.non_key_attributes.end()
        );
        for (const auto* keys : {&table_.key_schema, &index_->definition.key_schema}) {
            for (const auto& element : *keys) {
                projected.insert(element.attribute);
            }
        }
        const auto missing_of = [&](const std::vector<std::string>& names) {
            std::vector<std::string> missing;
            std::copy_if(
                names.begin(),
                names.end(),
                std::back_inserter(missing),
                [&](const std::string& name) { return !projected.contains(name); }
            );
            return missing;
        };
        std::vector<std::string> columns;
        for (const auto& column : statement_.columns) {
            columns.push_back(column.steps[0].name);
        }
        const auto& name = index_->definition.name;
        if (const auto missing = missing_of(columns); !missing.empty()) {
            if (is_global) {
                return validation_error(
                    "One or more parameter values were invalid: Global secondary index " + name +
                    " does not project " + bracketed(missing)
                );
            }
            plan_.select = dynamo::Select::kAllAttributes;
        }
        std::vector<std::string> filtered;
        if (statement_.where) {
            add_roots(*statement_.where, filtered);
        }
        if (const auto missing = missing_of(filtered); !missing.empty()) {
            return validation_error(
                "One or more parameter values were invalid: Secondary index " + name +
                " does not project one or more filter attributes: " + bracketed(missing)
            );
        }
        return {};
    }

    Result<void> find_ranges() {
        plan_.is_scan = true;
        if (!statement_.where) {
            return {};
        }
        for (const auto* branch : terms_of_or(*statement_.where)) {
            const auto terms = terms_of_and(*branch);
            GATELEG_TRY_ASSIGN(auto partitions, find_partitions(terms));
            if (partitions.empty()) {
                plan_.ranges.clear();
                return {};
            }
            const auto sort = find_sort(terms);
            for (auto& partition : partitions) {
                add_range({std::move(partition), sort});
            }
        }
        if (plan_.ranges.size() > kMaxRanges) {
            plan_.ranges.clear();
            return {};
        }
        plan_.is_scan = false;
        return {};
    }

    // Each combination of values that the hash attributes may have; none if one may have any.
    Result<std::vector<value::Item>> find_partitions(const std::vector<const Expr*>& terms) {
        std::vector<value::Item> partitions = {{}};
        for (const auto& element : schema()) {
            if (element.role != KeyRole::kHash) {
                continue;
            }
            std::optional<std::vector<value::AttributeValue>> values;
            for (const auto* term : terms) {
                GATELEG_TRY_ASSIGN(auto found, find_values(*term, element.attribute, parameters_));
                if (found && (!values || found->size() < values->size())) {
                    values = std::move(found);
                }
            }
            if (!values || values->size() * partitions.size() > kMaxRanges) {
                return std::vector<value::Item>();
            }
            std::vector<value::Item> combined;
            for (const auto& partition : partitions) {
                for (const auto& each : *values) {
                    combined.push_back(partition);
                    combined.back().insert_or_assign(element.attribute, each);
                }
            }
            partitions = std::move(combined);
        }
        return partitions;
    }

    // A key condition has an equality on each sort attribute but the last that it names.
    std::vector<const Expr*> find_sort(const std::vector<const Expr*>& terms) const {
        std::vector<const Expr*> found;
        for (const auto& element : schema()) {
            if (element.role != KeyRole::kRange) {
                continue;
            }
            const auto pick = [&](auto predicate) {
                return std::find_if(terms.begin(), terms.end(), [&](const Expr* term) {
                    return predicate(*term, element.attribute);
                });
            };
            if (const auto equal = pick(find_equal); equal != terms.end()) {
                found.push_back(*equal);
                continue;
            }
            if (const auto bound = pick(bounds); bound != terms.end()) {
                found.push_back(*bound);
            }
            break;
        }
        return found;
    }

    // A partition that two branches name is read once, and as a whole.
    void add_range(KeyRange range) {
        for (auto& known : plan_.ranges) {
            if (known.hash == range.hash) {
                known.sort.clear();
                return;
            }
        }
        plan_.ranges.push_back(std::move(range));
    }

    Result<void> apply_order() {
        const auto& order = statement_.order;
        if (order.empty()) {
            return {};
        }
        if (!statement_.where) {
            return validation_error(
                "Must have WHERE clause in the statement when using ORDER BY clause."
            );
        }
        const OrderBy* by_hash = nullptr;
        std::vector<const OrderBy*> by_range;
        for (const auto& each : order) {
            const auto element =
                std::find_if(schema().begin(), schema().end(), [&](const auto& key) {
                    return key.attribute == each.attribute;
                });
            if (element == schema().end()) {
                return validation_error(
                    "Attribute " + each.attribute +
                    " in ORDER BY clause must be part of the primary key"
                );
            }
            if (element->role == KeyRole::kRange) {
                by_range.push_back(&each);
            } else if (by_hash == nullptr) {
                by_hash = &each;
            }
        }
        GATELEG_TRY(check_range_order(by_range));
        if (plan_.is_scan) {
            return validation_error(
                "Must have at least one non-optional hash key condition in WHERE clause when using "
                "ORDER BY clause."
            );
        }
        if (plan_.ranges.size() > 1 && by_hash == nullptr) {
            return validation_error(
                "Must have hash key in ORDER BY clause when more than one hash key condition "
                "specified in WHERE clause."
            );
        }
        if (by_hash != nullptr) {
            sort_ranges(by_hash->attribute, by_hash->descending);
        }
        // Real DynamoDB reads a partition backwards when only its hash key is named.
        plan_.forward = !by_range.empty() && !by_range.front()->descending;
        return {};
    }

    // A partition can be read in the order of its sort key, or backwards: of an index with several
    // sort attributes the first ones, all in one direction.
    Result<void> check_range_order(const std::vector<const OrderBy*>& order) const {
        auto wanted = order.begin();
        for (const auto& key : schema()) {
            if (key.role == KeyRole::kRange && wanted != order.end() &&
                (*wanted)->attribute == key.attribute &&
                (*wanted)->descending == order.front()->descending) {
                ++wanted;
            } else if (key.role == KeyRole::kRange) {
                break;
            }
        }
        if (wanted != order.end()) {
            return validation_error(
                "Attribute " + (*wanted)->attribute +
                " in ORDER BY clause must follow the sort key attributes before it, in their "
                "direction"
            );
        }
        return {};
    }

    void sort_ranges(const std::string& attribute, bool descending) {
        const auto less = [&](const KeyRange& left, const KeyRange& right) {
            const auto& a = left.hash.at(attribute).data;
            const auto& b = right.hash.at(attribute).data;
            if (a.index() != b.index()) {
                return a.index() < b.index();
            }
            if (const auto* text = std::get_if<std::string>(&a)) {
                return *text < std::get<std::string>(b);
            }
            if (const auto* number = std::get_if<value::Number>(&a)) {
                return *number < std::get<value::Number>(b);
            }
            if (const auto* binary = std::get_if<value::Binary>(&a)) {
                return *binary < std::get<value::Binary>(b);
            }
            return false;
        };
        std::stable_sort(plan_.ranges.begin(), plan_.ranges.end(), less);
        if (descending) {
            std::reverse(plan_.ranges.begin(), plan_.ranges.end());
        }
    }

    const Statement& statement_;
    const Parameters& parameters_;
    const TableDescription& table_;
    const IndexDescription* index_ = nullptr;
    SelectPlan plan_;
};

dynamo::ReturnValues return_values(const std::optional<Returning>& returning) {
    using dynamo::ReturnValues;
    if (!returning) {
        return ReturnValues::kNone;
    }
    if (returning->modified) {
        return returning->is_new ? ReturnValues::kUpdatedNew : ReturnValues::kUpdatedOld;
    }
    return returning->is_new ? ReturnValues::kAllNew : ReturnValues::kAllOld;
}

}  // namespace

Result<SelectPlan> plan_select(
    const Statement& statement,
    const Parameters& parameters,
    const TableDescription& table,
    bool consistent_read
) {
    return SelectPlanner(statement, parameters, table).run(consistent_read);
}

Result<value::EncodedItem> plan_get(
    const Statement& statement,
    const Parameters& parameters,
    const TableDescription& table,
    std::string_view operation
) {
    GATELEG_TRY_ASSIGN(auto match, match_key(statement.where, table.key_schema, parameters));
    if (!match || !match->rest.empty() || statement.source.index) {
        return validation_error(
            "Select statements within " + std::string(operation) +
            " must specify the primary key in the where clause."
        );
    }
    return std::move(match->key);
}

Result<WritePlan> plan_write(
    const Statement& statement, const Parameters& parameters, const TableDescription& table
) {
    WritePlan plan;
    plan.return_values = return_values(statement.returning);
    auto& action = plan.action;
    action.write.table = statement.source.table;
    ExpressionText text(parameters);
    const auto& hash = table.key_schema.front().attribute;
    if (statement.kind == StatementKind::kInsert) {
        action.kind = dynamo::TransactAction::kPut;
        GATELEG_TRY_ASSIGN(const auto item, evaluate_item(*statement.item, parameters));
        action.item = value::encode_item(item);
        action.write.condition = "attribute_not_exists(" + text.name(hash) + ")";
        action.write.placeholders = text.placeholders();
        return plan;
    }
    GATELEG_TRY_ASSIGN(auto match, match_key(statement.where, table.key_schema, parameters));
    if (statement.kind == StatementKind::kExists &&
        (!match || match->rest.empty() || statement.source.index)) {
        return validation_error("EXISTS() must contain a single item read with additional condition"
        );
    }
    if (!match) {
        return missing_key_equality();
    }
    action.item = std::move(match->key);
    GATELEG_TRY_ASSIGN(const auto rest, text.conditions(match->rest));
    if (statement.kind == StatementKind::kUpdate) {
        // An UPDATE of an item that is not there fails; it does not make one.
        action.kind = dynamo::TransactAction::kUpdate;
        GATELEG_TRY_ASSIGN(action.update, text.update(statement.assignments));
        action.write.condition =
            "attribute_exists(" + text.name(hash) + ")" + (rest.empty() ? "" : " AND " + rest);
    } else if (statement.kind == StatementKind::kDelete) {
        // Nothing to delete is no failure, whatever the condition.
        action.kind = dynamo::TransactAction::kDelete;
        if (!rest.empty()) {
            action.write.condition = "attribute_not_exists(" + text.name(hash) + ") OR " + rest;
        }
    } else {
        action.kind = dynamo::TransactAction::kConditionCheck;
        action.write.condition = rest;
    }
    action.write.placeholders = text.placeholders();
    return plan;
}

}  // namespace gateleg::partiql
