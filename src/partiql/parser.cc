#include "partiql/parser.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "partiql/errors.h"
#include "partiql/internal/expression_parser.h"
#include "partiql/internal/token_reader.h"
#include "partiql/lexer.h"

namespace gateleg::partiql {
namespace {

constexpr std::string_view kLeftover = "Unexpected token after expression";

class Parser {
public:
    explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    Result<Statement> run() {
        GATELEG_TRY(statement());
        tokens_.take_symbol(";");
        if (!tokens_.at_end()) {
            return malformed(kLeftover);
        }
        statement_.parameters = expressions_.parameters();
        return std::move(statement_);
    }

private:
    Result<void> statement() {
        if (tokens_.take_word("select")) {
            statement_.kind = StatementKind::kSelect;
            return select();
        }
        if (tokens_.sees_word("exists") && tokens_.sees_symbol("(", 1)) {
            return exists();
        }
        if (tokens_.take_word("insert")) {
            return insert();
        }
        if (tokens_.take_word("update")) {
            return update();
        }
        if (tokens_.take_word("delete")) {
            return remove();
        }
        if (tokens_.take_word("from")) {
            return update_from();
        }
        return malformed("Expected data manipulation");
    }

    Result<void> exists() {
        tokens_.take();
        tokens_.take();
        statement_.kind = StatementKind::kExists;
        GATELEG_TRY(tokens_.expect_word("select", "Unexpected term"));
        GATELEG_TRY(select());
        return tokens_.expect_symbol(")", "Expected RIGHT_PAREN");
    }

    Result<void> select() {
        GATELEG_TRY(refuse_clauses({"distinct", "pivot"}));
        GATELEG_TRY(columns());
        GATELEG_TRY(tokens_.expect_word("from", "Expected FROM"));
        GATELEG_TRY(source("Unexpected term"));
        GATELEG_TRY(refuse_alias());
        GATELEG_TRY(refuse_clauses({"join", "inner", "left", "right", "cross", "full"}));
        GATELEG_TRY(where());
        GATELEG_TRY(refuse_clauses({"group", "having"}));
        GATELEG_TRY(order_by());
        return refuse_clauses({"limit", "offset"});
    }

    Result<void> refuse_clauses(std::initializer_list<std::string_view> words) {
        for (const auto word : words) {
            if (tokens_.sees_word(word)) {
                auto upper = std::string(word);
                std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
                    return static_cast<char>(c - 'a' + 'A');
                });
                return validation_error("Unsupported clause: " + upper + at(tokens_.peek().at));
            }
        }
        return {};
    }

    Result<void> refuse_alias() {
        const auto& token = tokens_.peek();
        const bool is_name = token.kind == TokenKind::kQuotedName ||
                             (token.kind == TokenKind::kWord && !is_keyword(token.text) &&
                              !is_word(token, "offset"));
        if (is_name || is_word(token, "as")) {
            return validation_error("Aliasing is not supported");
        }
        return {};
    }

    Result<void> columns() {
        if (tokens_.take_symbol("*")) {
            if (tokens_.sees_symbol(",")) {
                return validation_error(
                    "Other attributes should not be present in the projection when '*' is used."
                );
            }
            return {};
        }
        std::set<std::string> seen;
        do {
            const auto position = tokens_.peek().at;
            GATELEG_TRY_ASSIGN(auto column, expressions_.expression());
            if (column.kind != ExprKind::kPath) {
                return unexpected_component(position);
            }
            if (tokens_.sees_word("as")) {
                return validation_error("Aliasing is not supported");
            }
            if (const auto name = column_name(column.path); !seen.insert(name).second) {
                return validation_error("Duplicate identifiers in select clause: " + name);
            }
            statement_.columns.push_back(std::move(column.path));
        } while (tokens_.take_symbol(","));
        return {};
    }

    // "table", or "table"."index".
    Result<void> source(std::string_view problem) {
        const auto& token = tokens_.peek();
        if (token.kind != TokenKind::kQuotedName &&
            (token.kind != TokenKind::kWord || is_keyword(token.text))) {
            return malformed(problem);
        }
        GATELEG_TRY_ASSIGN(auto path, expressions_.path());
        for (const auto& step : path.steps) {
            if (step.is_index) {
                return validation_error("Invalid list expression in source.");
            }
        }
        if (path.steps.size() > 2) {
            return validation_error("A path may contain at most 2 components in the FROM clause");
        }
        statement_.source.table = path.steps[0].name;
        if (path.steps.size() == 2) {
            if (statement_.kind != StatementKind::kSelect &&
                statement_.kind != StatementKind::kExists) {
                return validation_error("This operation is not supported on an index");
            }
            statement_.source.index = path.steps[1].name;
        }
        return {};
    }

    Result<void> where() {
        if (tokens_.take_word("where")) {
            GATELEG_TRY_ASSIGN(statement_.where, expressions_.expression());
        }
        return {};
    }

    Result<void> order_by() {
        if (!tokens_.take_word("order")) {
            return {};
        }
        GATELEG_TRY(tokens_.expect_word("by", "Expected BY after ORDER"));
        do {
            const auto position = tokens_.peek().at;
            GATELEG_TRY_ASSIGN(auto key, expressions_.expression());
            if (key.kind != ExprKind::kPath || key.path.steps.size() != 1) {
                return unexpected_component(position);
            }
            auto& order = statement_.order.emplace_back();
            order.attribute = std::move(key.path.steps[0].name);
            order.descending = tokens_.take_word("desc");
            if (!order.descending) {
                tokens_.take_word("asc");
            }
        } while (tokens_.take_symbol(","));
        return {};
    }

    Result<void> insert() {
        statement_.kind = StatementKind::kInsert;
        GATELEG_TRY(tokens_.expect_word("into", "Expected INTO after INSERT"));
        GATELEG_TRY(source("Expected identifier for simple path"));
        if (!tokens_.take_word("value")) {
            return malformed(kLeftover);
        }
        GATELEG_TRY_ASSIGN(statement_.item, expressions_.expression());
        return {};
    }

    Result<void> update() {
        statement_.kind = StatementKind::kUpdate;
        GATELEG_TRY(source("Expected identifier for simple path"));
        GATELEG_TRY(refuse_alias());
        GATELEG_TRY(assignments());
        GATELEG_TRY(where());
        return returning();
    }

    // FROM "table" WHERE .. SET ..
    Result<void> update_from() {
        statement_.kind = StatementKind::kUpdate;
        GATELEG_TRY(source("Unexpected term"));
        GATELEG_TRY(refuse_alias());
        GATELEG_TRY(where());
        GATELEG_TRY(assignments());
        return returning();
    }

    Result<void> remove() {
        statement_.kind = StatementKind::kDelete;
        GATELEG_TRY(tokens_.expect_word("from", "Expected FROM after DELETE"));
        GATELEG_TRY(source("Expected identifier for simple path"));
        GATELEG_TRY(refuse_alias());
        GATELEG_TRY(where());
        return returning();
    }

    Result<void> assignments() {
        while (tokens_.sees_word("set") || tokens_.sees_word("remove")) {
            const bool is_set = is_word(tokens_.take(), "set");
            do {
                GATELEG_TRY(assignment(is_set));
            } while (tokens_.take_symbol(","));
        }
        return statement_.assignments.empty() ? malformed("Expected data manipulation")
                                              : Result<void>();
    }

    Result<void> assignment(bool is_set) {
        const auto& token = tokens_.peek();
        if (token.kind != TokenKind::kQuotedName &&
            (token.kind != TokenKind::kWord || is_keyword(token.text))) {
            return malformed("Expected identifier for simple path");
        }
        auto& made = statement_.assignments.emplace_back();
        GATELEG_TRY_ASSIGN(made.target, expressions_.path());
        if (is_set) {
            GATELEG_TRY(tokens_.expect_symbol("=", "Expected '=' for SET operation"));
            GATELEG_TRY_ASSIGN(made.value, expressions_.expression());
        }
        return {};
    }

    Result<void> returning() {
        if (!tokens_.take_word("returning")) {
            return {};
        }
        Returning wanted;
        wanted.modified = tokens_.take_word("modified");
        if (!wanted.modified) {
            GATELEG_TRY(tokens_.expect_word("all", "Expected ALL or MODIFIED"));
        }
        wanted.is_new = tokens_.take_word("new");
        if (!wanted.is_new) {
            GATELEG_TRY(tokens_.expect_word("old", "Expected OLD or NEW"));
        }
        GATELEG_TRY(tokens_.expect_symbol("*", "Expected STAR"));
        if (statement_.kind == StatementKind::kDelete && (wanted.modified || wanted.is_new)) {
            return validation_error(
                std::string("Invalid returning clause: RETURNING ") +
                (wanted.modified ? "MODIFIED " : "ALL ") + (wanted.is_new ? "NEW" : "OLD") +
                " *. Only RETURNING ALL OLD * is allowed in DELETE statements."
            );
        }
        statement_.returning = wanted;
        return {};
    }

    TokenReader tokens_;
    ExpressionParser expressions_{tokens_};
    Statement statement_;
};

}  // namespace

Result<Statement> parse(std::string_view text) {
    GATELEG_TRY_ASSIGN(auto tokens, tokenize(text));
    return Parser(std::move(tokens)).run();
}

}  // namespace gateleg::partiql
