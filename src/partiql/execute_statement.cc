#include <memory>
#include <utility>

#include "base/hash.h"
#include "expr/cache.h"
#include "expr/condition.h"
#include "expr/scope.h"
#include "partiql/errors.h"
#include "partiql/execute.h"
#include "partiql/expression_text.h"
#include "partiql/internal/steps.h"
#include "partiql/next_token.h"
#include "partiql/planner.h"

namespace gateleg::partiql {
namespace {

using Request = ExecuteStatementRequest;
using Reply = ExecuteStatementReply;
using Done = dynamo::Done<Request>;

// Like a Query, a page ends once this much has been read.
constexpr std::size_t kMaxPageBytes = 1 << 20;

// The WHERE of a SELECT, compiled, with the names and values it refers to.
class Filter {
public:
    Result<void> compile(const std::optional<Expr>& where, const Parameters& parameters) {
        if (!where) {
            return {};
        }
        ExpressionText text(parameters);
        GATELEG_TRY_ASSIGN(const auto condition, text.condition(*where));
        placeholders_ = text.placeholders();
        scope_.emplace(
            placeholders_.names ? &*placeholders_.names : nullptr,
            placeholders_.values ? std::optional(placeholders_.values->view()) : std::nullopt
        );
        auto compiled = expr::compile_condition(cache_, expr::Kind::kFilter, condition, *scope_);
        if (!compiled) {
            return in_statement_words(std::move(compiled).error());
        }
        condition_.emplace(*std::move(compiled));
        return {};
    }

    bool accepts(value::ValueView item) const {
        return !condition_ || expr::holds(*condition_, item);
    }

private:
    expr::Cache cache_{1};
    dynamo::Placeholders placeholders_;
    std::optional<expr::Scope> scope_;
    std::optional<expr::Condition> condition_;
};

std::uint64_t identify(const ParameterizedStatement& statement) {
    std::string bytes = statement.text;
    for (const auto& parameter : statement.parameters) {
        value::append_encoded(bytes, parameter);
    }
    return hash64(bytes);
}

// One page of a SELECT. Owns itself through the calls it makes; one step at a time.
class Select : public std::enable_shared_from_this<Select> {
public:
    Select(dynamo::Dynamo& dynamo, Request request, Statement statement, Done done)
        : dynamo_(dynamo),
          request_(std::move(request)),
          statement_(std::move(statement)),
          done_(std::move(done)) {}

    void start(const dynamo::TableDescription& table) {
        if (auto prepared = prepare(table); !prepared) {
            done_(std::move(prepared).error());
            return;
        }
        read_range();
    }

private:
    Result<void> prepare(const dynamo::TableDescription& table) {
        const auto& parameters = request_.statement.parameters;
        GATELEG_TRY_ASSIGN(
            plan_, plan_select(statement_, parameters, table, request_.statement.consistent_read)
        );
        GATELEG_TRY(filter_.compile(statement_.where, parameters));
        if (request_.next_token) {
            GATELEG_TRY_ASSIGN(
                next_, decode_next_token(*request_.next_token, identify(request_.statement))
            );
            if (next_.range >= std::max<std::size_t>(plan_.ranges.size(), 1)) {
                return validation_error("Invalid NextToken");
            }
        }
        return {};
    }

    dynamo::ReadPage page() {
        dynamo::ReadPage page;
        page.table = statement_.source.table;
        page.index = statement_.source.index;
        page.exclusive_start_key = std::move(next_.after);
        next_.after.reset();
        if (request_.limit) {
            page.limit = *request_.limit - evaluated_;
        }
        page.select = plan_.select;
        page.consistent_read = request_.statement.consistent_read;
        page.return_capacity = request_.return_capacity;
        return page;
    }

    void read_range() {
        auto answer = [self = shared_from_this()](Result<dynamo::PageReply> reply) {
            if (!reply) {
                self->done_(in_statement_words(std::move(reply).error()));
            } else {
                self->take(*reply);
            }
        };
        if (plan_.is_scan) {
            dynamo_.scan({.page = page()}, std::move(answer));
            return;
        }
        const auto& range = plan_.ranges[next_.range];
        ExpressionText text(request_.statement.parameters);
        std::string condition;
        for (const auto& [attribute, value] : range.hash) {
            condition += (condition.empty() ? "" : " AND ") + text.name(attribute) + " = " +
                         text.value(value);
        }
        auto sort = text.conditions(range.sort);
        if (!sort) {
            done_(std::move(sort).error());
            return;
        }
        dynamo::QueryRequest query{.page = page()};
        query.key_condition = condition + (sort->empty() ? "" : " AND " + *sort);
        query.page.placeholders = text.placeholders();
        query.forward = plan_.forward;
        dynamo_.query(std::move(query), std::move(answer));
    }

    void take(dynamo::PageReply& page) {
        evaluated_ += page.scanned_count;
        add_capacity(reply_.capacity, page.capacity);
        for (const auto item : page.items.items()) {
            read_bytes_ += item.bytes().size();
            if (filter_.accepts(item)) {
                append_columns(reply_.items.bytes_for_next(), statement_.columns, item);
            }
        }
        if (page.last_evaluated_key) {
            next_.after = page.last_evaluated_key;
            reply_.last_evaluated_key = std::move(page.last_evaluated_key);
            finish(true);
            return;
        }
        ++next_.range;
        if (plan_.is_scan || next_.range == plan_.ranges.size()) {
            finish(false);
        } else if ((request_.limit && evaluated_ >= *request_.limit) || read_bytes_ >= kMaxPageBytes) {
            finish(true);
        } else {
            read_range();
        }
    }

    void finish(bool more) {
        if (more) {
            reply_.next_token = encode_next_token(next_, identify(request_.statement));
        }
        done_(std::move(reply_));
    }

    dynamo::Dynamo& dynamo_;
    Request request_;
    Statement statement_;
    Done done_;
    SelectPlan plan_;
    Filter filter_;
    PageStart next_;
    std::int64_t evaluated_ = 0;
    std::size_t read_bytes_ = 0;
    Reply reply_;
};

Reply write_reply(dynamo::ItemWriteReply written) {
    Reply reply;
    // What an update left of its attributes may be nothing: no row then, rather than an empty one.
    if (written.attributes && written.attributes->view().count() > 0) {
        reply.items.bytes_for_next() += written.attributes->bytes();
    }
    reply.capacity = std::move(written.capacity);
    return reply;
}

}  // namespace

void execute_statement(dynamo::Dynamo& dynamo, Request request, Done done) {
    auto parsed = parse_with_parameters(request.statement);
    if (!parsed) {
        done(std::move(parsed).error());
        return;
    }
    if (parsed->kind == StatementKind::kExists) {
        done(validation_error("EXISTS can only be used in ExecuteTransaction write requests."));
        return;
    }
    const auto table_name = parsed->source.table;
    find_table(
        dynamo,
        table_name,
        [&dynamo,
         request = std::move(request),
         statement = *std::move(parsed),
         done = std::move(done)](Result<Table> table) mutable {
            if (!table) {
                done(std::move(table).error());
                return;
            }
            if (statement.is_read()) {
                std::make_shared<Select>(
                    dynamo, std::move(request), std::move(statement), std::move(done)
                )
                    ->start(**table);
                return;
            }
            run_write(
                dynamo,
                statement,
                request.statement,
                **table,
                request.return_capacity,
                [done = std::move(done)](Result<dynamo::ItemWriteReply> written) mutable {
                    if (written) {
                        done(write_reply(*std::move(written)));
                    } else {
                        done(std::move(written).error());
                    }
                }
            );
        }
    );
}

}  // namespace gateleg::partiql
