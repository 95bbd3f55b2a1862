#include "partiql/internal/steps.h"

#include <map>
#include <utility>

#include "partiql/errors.h"
#include "partiql/parser.h"
#include "partiql/planner.h"
#include "value/value_writer.h"

namespace gateleg::partiql {
namespace {

std::optional<value::ValueView> find_at(value::ValueView item, const Path& path) {
    std::optional<value::ValueView> found = item;
    for (const auto& step : path.steps) {
        const auto wanted = step.is_index ? value::Type::kList : value::Type::kMap;
        if (!found || found->type() != wanted) {
            return std::nullopt;
        }
        found = step.is_index ? found->at(step.index) : found->find(step.name);
    }
    return found;
}

void add_units(std::map<std::string, double>& sum, const std::map<std::string, double>& more) {
    for (const auto& [name, units] : more) {
        sum[name] += units;
    }
}

}  // namespace

Result<Statement> parse_with_parameters(const ParameterizedStatement& statement) {
    if (statement.parameter_error) {
        return *statement.parameter_error;
    }
    GATELEG_TRY_ASSIGN(auto parsed, parse(statement.text));
    if (parsed.parameters != statement.parameters.size()) {
        return parameter_count_differs();
    }
    return parsed;
}

void find_table(
    dynamo::Dynamo& dynamo, const std::string& name, UniqueFunction<void(Result<Table>)> done
) {
    dynamo.describe_table(
        {.table = name},
        [done = std::move(done)](Result<dynamo::TableReply> reply) mutable {
            if (reply) {
                done(Table(std::make_shared<dynamo::TableDescription>(std::move((*reply).table))));
                return;
            }
            auto error = std::move(reply).error();
            if (error.code == ErrorCode::kResourceNotFound) {
                error.message = "Requested resource not found";
            }
            done(std::move(error));
        }
    );
}

void append_columns(std::string& out, const std::vector<Path>& columns, value::ValueView item) {
    if (columns.empty()) {
        out.append(item.bytes());
        return;
    }
    std::map<std::string, value::ValueView> found;
    for (const auto& column : columns) {
        if (const auto value = find_at(item, column)) {
            found.emplace(column_name(column), *value);
        }
    }
    value::ValueWriter writer(out);
    const auto mark = writer.begin_map(found.size());
    for (const auto& [name, value] : found) {
        writer.name(name);
        writer.copy(value);
    }
    writer.end(mark);
}

void run_write(
    dynamo::Dynamo& dynamo,
    const Statement& statement,
    const ParameterizedStatement& source,
    const dynamo::TableDescription& table,
    dynamo::ReturnCapacity return_capacity,
    dynamo::Done<dynamo::PutItemRequest> done
) {
    auto plan = plan_write(statement, source.parameters, table);
    if (!plan) {
        done(std::move(plan).error());
        return;
    }
    auto& action = (*plan).action;
    action.write.return_old_on_failure = source.return_old_on_failure;
    const dynamo::ItemWriteOptions options{
        .return_values = plan->return_values, .return_capacity = return_capacity};
    const bool is_insert = action.kind == dynamo::TransactAction::kPut;
    auto answer = [done = std::move(done),
                   is_insert](Result<dynamo::ItemWriteReply> reply) mutable {
        if (reply) {
            done(std::move(reply));
        } else if (is_insert && reply.error().code == ErrorCode::kConditionalCheckFailed) {
            done(duplicate_item());
        } else {
            done(in_statement_words(std::move(reply).error()));
        }
    };
    if (is_insert) {
        dynamo.put_item(
            {.write = std::move(action.write), .options = options, .item = std::move(action.item)},
            std::move(answer)
        );
    } else if (action.kind == dynamo::TransactAction::kUpdate) {
        dynamo.update_item(
            {.write = std::move(action.write),
             .options = options,
             .key = std::move(action.item),
             .update = std::move(action.update)},
            std::move(answer)
        );
    } else {
        dynamo.delete_item(
            {.write = std::move(action.write), .options = options, .key = std::move(action.item)},
            std::move(answer)
        );
    }
}

void add_capacity(
    std::optional<dynamo::ConsumedCapacity>& sum,
    const std::optional<dynamo::ConsumedCapacity>& more
) {
    if (!more) {
        return;
    }
    if (!sum) {
        sum = more;
        return;
    }
    sum->units += more->units;
    sum->table_units += more->table_units;
    add_units(sum->global_indexes, more->global_indexes);
    add_units(sum->local_indexes, more->local_indexes);
}

}  // namespace gateleg::partiql
