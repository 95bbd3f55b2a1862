#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "partiql/errors.h"
#include "partiql/execute.h"
#include "partiql/internal/steps.h"
#include "partiql/lexer.h"
#include "partiql/planner.h"

namespace gateleg::partiql {
namespace {

using Request = ExecuteTransactionRequest;
using Reply = ExecuteTransactionReply;
using Done = dynamo::Done<Request>;

Error in_transaction(std::size_t i, Error error) {
    if (error.code == ErrorCode::kValidation) {
        error.message =
            "Validation failed in TransactStatements[" + std::to_string(i) + "]: " + error.message;
    }
    return error;
}

// Owns itself through the calls it makes; one step at a time.
class Transaction : public std::enable_shared_from_this<Transaction> {
public:
    Transaction(dynamo::Dynamo& dynamo, Request request, Done done)
        : dynamo_(dynamo), request_(std::move(request)), done_(std::move(done)) {}

    void start() {
        if (auto checked = parse_all(); !checked) {
            done_(std::move(checked).error());
            return;
        }
        find_tables(0);
    }

private:
    Result<void> parse_all() {
        for (std::size_t i = 0; i < request_.statements.size(); ++i) {
            // A bad parameter is told as it is, without its statement's place.
            if (const auto& bad = request_.statements[i].parameter_error) {
                return *bad;
            }
            auto parsed = parse_with_parameters(request_.statements[i]);
            if (!parsed) {
                return in_transaction(i, std::move(parsed).error());
            }
            if (parsed->returning) {
                return in_transaction(
                    i, validation_error("RETURNING clause is not supported in ExecuteTransaction.")
                );
            }
            if (parsed->source.index) {
                return in_transaction(
                    i, validation_error("Reads on indices are not supported within transactions.")
                );
            }
            statements_.push_back(*std::move(parsed));
        }
        reading_ = statements_.front().is_read();
        const bool mixed =
            std::any_of(statements_.begin(), statements_.end(), [&](const Statement& each) {
                return each.is_read() != reading_;
            });
        if (mixed) {
            return validation_error(
                "ExecuteTransaction API does not support both read and write operations in the "
                "same request."
            );
        }
        return {};
    }

    void find_tables(std::size_t from) {
        for (auto i = from; i < statements_.size(); ++i) {
            const auto& name = statements_[i].source.table;
            if (tables_.contains(name)) {
                continue;
            }
            find_table(dynamo_, name, [self = shared_from_this(), i](Result<Table> table) {
                if (!table) {
                    self->done_(std::move(table).error());
                    return;
                }
                self->tables_.emplace(self->statements_[i].source.table, *std::move(table));
                self->find_tables(i + 1);
            });
            return;
        }
        if (reading_) {
            read();
        } else {
            write();
        }
    }

    void read() {
        dynamo::TransactGetItemsRequest gets;
        gets.return_capacity = request_.return_capacity;
        for (std::size_t i = 0; i < statements_.size(); ++i) {
            auto key = plan_get(
                statements_[i], request_.statements[i].parameters, table_of(i), "ExecuteTransaction"
            );
            if (!key) {
                done_(in_transaction(i, std::move(key).error()));
                return;
            }
            gets.gets.push_back({
                .table = statements_[i].source.table,
                .key = *std::move(key),
                .projection = std::nullopt,
                .placeholders = {},
            });
        }
        dynamo_.transact_get_items(
            std::move(gets),
            [self = shared_from_this()](Result<dynamo::TransactGetItemsReply> reply) {
                if (!reply) {
                    self->done_(std::move(reply).error());
                } else {
                    self->answer_read(*std::move(reply));
                }
            }
        );
    }

    void answer_read(dynamo::TransactGetItemsReply found) {
        Reply reply;
        for (std::size_t i = 0; i < found.items.size(); ++i) {
            auto& item = reply.items.emplace_back();
            if (found.items[i]) {
                std::string bytes;
                append_columns(bytes, statements_[i].columns, found.items[i]->view());
                item.emplace(std::move(bytes));
            }
        }
        reply.capacity = std::move(found.capacity);
        done_(std::move(reply));
    }

    void write() {
        dynamo::TransactWriteItemsRequest writes;
        writes.client_request_token = request_.client_request_token;
        writes.content_hash = request_.content_hash;
        writes.return_capacity = request_.return_capacity;
        for (std::size_t i = 0; i < statements_.size(); ++i) {
            const auto& source = request_.statements[i];
            auto plan = plan_write(statements_[i], source.parameters, table_of(i));
            if (!plan) {
                done_(in_transaction(i, std::move(plan).error()));
                return;
            }
            auto& action = writes.actions.emplace_back(std::move((*plan).action));
            action.write.return_old_on_failure = source.return_old_on_failure;
        }
        dynamo_.transact_write_items(
            std::move(writes),
            [self = shared_from_this()](Result<dynamo::TransactWriteItemsReply> reply) {
                if (!reply) {
                    self->done_(self->tell_duplicates(std::move(reply).error()));
                    return;
                }
                Reply done;
                done.capacity = (*std::move(reply)).capacity;
                self->done_(std::move(done));
            }
        );
    }

    // An INSERT whose condition failed found an item under its key.
    Error tell_duplicates(Error error) const {
        const auto* cancelled =
            dynamic_cast<const dynamo::CancellationReasons*>(error.detail.get());
        if (cancelled == nullptr || cancelled->reasons.size() != statements_.size()) {
            return in_statement_words(std::move(error));
        }
        auto reasons = cancelled->reasons;
        std::string codes;
        for (std::size_t i = 0; i < reasons.size(); ++i) {
            if (statements_[i].kind == StatementKind::kInsert &&
                reasons[i].code == "ConditionalCheckFailed") {
                reasons[i].code = "DuplicateItem";
                reasons[i].message = duplicate_item().message;
            }
            codes += (codes.empty() ? "" : ", ") + reasons[i].code;
        }
        return {
            error.code,
            "Transaction cancelled, please refer cancellation reasons for specific reasons [" +
                codes + "]",
            std::make_shared<dynamo::CancellationReasons>(std::move(reasons))};
    }

    const dynamo::TableDescription& table_of(std::size_t i) const {
        return *tables_.at(statements_[i].source.table);
    }

    dynamo::Dynamo& dynamo_;
    Request request_;
    Done done_;
    std::vector<Statement> statements_;
    std::map<std::string, Table> tables_;
    bool reading_ = false;
};

}  // namespace

void execute_transaction(dynamo::Dynamo& dynamo, Request request, Done done) {
    std::make_shared<Transaction>(dynamo, std::move(request), std::move(done))->start();
}

bool only_reads(std::string_view statement) {
    const auto tokens = tokenize(statement);
    return tokens && is_word(tokens->front(), "select");
}

}  // namespace gateleg::partiql
