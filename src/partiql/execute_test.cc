#include "partiql/execute.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dynamo/named_error.h"
#include "engine/test_engine.h"

namespace gateleg::partiql {
namespace {

using engine::error_of;
using engine::item;
using engine::json_of;
using engine::must;
using engine::normalized;

using Lines = std::vector<std::string>;

template <class Request>
Result<typename Request::Reply> wait_for(
    dynamo::Dynamo& dynamo,
    void (*execute)(dynamo::Dynamo&, Request, dynamo::Done<Request>),
    Request request
) {
    std::promise<Result<typename Request::Reply>> promise;
    auto reply = promise.get_future();
    execute(
        dynamo,
        std::move(request),
        [promise = std::move(promise)](Result<typename Request::Reply> result) mutable {
            promise.set_value(std::move(result));
        }
    );
    return reply.get();
}

class ExecuteTest : public testing::Test {
protected:
    ExecuteTest() {
        must(engine_.create(engine::new_table("h", {"pk"}, {"pk:S"})));
        auto sorted = engine::new_table("s", {"pk", "sk"}, {"pk:S", "sk:N", "g:S"});
        sorted.global_indexes = {engine::index_on("byG", {"g"}, {"sk"})};
        must(engine_.create(sorted));
    }

    Result<ExecuteStatementReply> run(const std::string& text, Parameters parameters = {}) {
        ExecuteStatementRequest request;
        request.statement.text = text;
        request.statement.parameters = std::move(parameters);
        return wait_for(engine_.dynamo(), execute_statement, std::move(request));
    }
    Lines rows(const std::string& text, Parameters parameters = {}) {
        return json_of(must(run(text, std::move(parameters))).items);
    }
    std::string refusal(const std::string& text, Parameters parameters = {}) {
        const auto error = error_of(run(text, std::move(parameters)));
        return std::string(dynamo::name_of(error)) + ": " + error.message;
    }
    Result<ExecuteTransactionReply> transact(const Lines& texts, std::string token = "") {
        ExecuteTransactionRequest request;
        for (const auto& text : texts) {
            request.statements.emplace_back().text = text;
        }
        request.client_request_token = engine::unless_empty(std::move(token));
        return wait_for(engine_.dynamo(), execute_transaction, std::move(request));
    }
    void fill_sorted() {
        for (const auto* pk : {"a", "b"}) {
            for (int sk = 1; sk <= 4; ++sk) {
                must(engine_.put(
                    "s",
                    std::string(R"({"pk":{"S":")") + pk + R"("},"sk":{"N":")" + std::to_string(sk) +
                        R"("},"g":{"S":"g)" + std::to_string(sk % 2) + R"("}})"
                ));
            }
        }
    }
    // The sort keys of the rows, page by page: "1,2|3".
    std::string pages(const std::string& text, std::int64_t limit) {
        ExecuteStatementRequest request;
        request.statement.text = text;
        request.limit = limit;
        std::string shown;
        for (int page = 0; page < 100; ++page) {
            const auto reply = must(wait_for(engine_.dynamo(), execute_statement, request));
            shown += page == 0 ? "" : "|";
            bool first = true;
            for (const auto each : reply.items.items()) {
                shown += std::string(first ? "" : ",") + std::string(each.find("sk")->text());
                first = false;
            }
            if (!reply.next_token) {
                return shown;
            }
            request.next_token = reply.next_token;
        }
        return "endless";
    }

    engine::TestEngine engine_;
};

TEST_F(ExecuteTest, InsertsSelectsUpdatesAndDeletes) {
    EXPECT_EQ(
        rows("INSERT INTO h VALUE {'pk': 'a', 'n': 1, 's': <<'x','y'>>, 'm': {'k': [1]}}"), Lines()
    );
    EXPECT_EQ(
        rows("SELECT * FROM h WHERE pk = 'a'"),
        Lines{normalized(R"({"pk":{"S":"a"},"n":{"N":"1"},"s":{"SS":["x","y"]},
                                   "m":{"M":{"k":{"L":[{"N":"1"}]}}}})")}
    );
    EXPECT_EQ(
        rows("SELECT n, m.k[0], nope FROM h WHERE pk = ?", {{std::string("a")}}),
        Lines{normalized(R"({"n":{"N":"1"},"k[0]":{"N":"1"}})")}
    );
    EXPECT_EQ(
        rows(
            "UPDATE h SET n = n + ? SET s = set_delete(s, <<'x'>>) WHERE pk = 'a' "
            "RETURNING MODIFIED NEW *",
            {{value::Number::from_int(4)}}
        ),
        Lines{normalized(R"({"n":{"N":"5"},"s":{"SS":["y"]}})")}
    );
    EXPECT_EQ(rows("DELETE FROM h WHERE pk = 'a' AND n = 5 RETURNING ALL OLD *").size(), 1);
    EXPECT_EQ(rows("SELECT * FROM h"), Lines());
}

TEST_F(ExecuteTest, InsertIsNoReplacementAndUpdateNoInsert) {
    rows("INSERT INTO h VALUE {'pk': 'a'}");
    EXPECT_EQ(
        refusal("INSERT INTO h VALUE {'pk': 'a', 'n': 2}"),
        "DuplicateItemException: Duplicate primary key exists in table"
    );
    EXPECT_EQ(
        refusal("UPDATE h SET n = 1 WHERE pk = 'b'"),
        "ConditionalCheckFailedException: The conditional request failed"
    );
    EXPECT_EQ(
        refusal("DELETE FROM h WHERE pk = 'a' AND n = 1"),
        "ConditionalCheckFailedException: The conditional request failed"
    );
    EXPECT_EQ(rows("DELETE FROM h WHERE pk = 'b' AND n = 1 RETURNING ALL OLD *"), Lines());
    EXPECT_EQ(rows("UPDATE h REMOVE n WHERE pk = 'a' RETURNING MODIFIED NEW *"), Lines());
}

TEST_F(ExecuteTest, FiltersAsExpressionsDo) {
    rows("INSERT INTO h VALUE {'pk': 'a', 'n': 5, 't': 'text', 'z': null, 's': <<1,2>>, 'f': true}"
    );
    const auto holds = [&](const std::string& condition) {
        return rows("SELECT pk FROM h WHERE pk = 'a' AND " + condition).size() == 1;
    };
    for (const auto* condition :
         {"n > 4",
          "n BETWEEN 4 AND 6",
          "n IN [1, 5]",
          "n != 6",
          "NOT n = 6",
          "n NOT IN (1, 2)",
          "begins_with(t, 'te')",
          "CONTAINS(t, 'ex')",
          "contains(s, 2)",
          "size(t) = 4",
          "attribute_type(n, 'N')",
          "x IS MISSING",
          "z IS NULL",
          "n IS NOT NULL",
          "x IS NOT NULL",
          "f IS BOOL",
          "s IS BAG",
          "attribute_exists(n) = true",
          "attribute_exists(x) = false",
          "(n = 1 OR t = 'text') AND NOT (n = 1 AND t = 'text')",
          "n IS NOT MISSING"}) {
        EXPECT_TRUE(holds(condition)) << condition;
    }
    for (const auto* condition : {"n > 5", "x IS NULL", "t IS BOOL", "n NOT BETWEEN 1 AND 9"}) {
        EXPECT_FALSE(holds(condition)) << condition;
    }
    const auto broken = [&](const std::string& condition) {
        return refusal("SELECT pk FROM h WHERE pk = 'a' AND " + condition);
    };
    EXPECT_EQ(
        broken("n < true"),
        "ValidationException: Incorrect operand type for operator or function; operator or "
        "function: <, operand type: BOOL"
    );
    EXPECT_EQ(
        broken("attribute_exists('n')"),
        "ValidationException: Operator or function requires a document path; operator or "
        "function: attribute_exists"
    );
    EXPECT_EQ(
        broken("attribute_exists(n, t)"),
        "ValidationException: Incorrect number of operands for operator or function; "
        "operator or function: attribute_exists, number of operands: 2"
    );
    EXPECT_EQ(broken("EXISTS(n)"), "ValidationException: Unrecognized function: exists at 1:37:6");
}

TEST_F(ExecuteTest, PagesOverPartitionsAndThroughScans) {
    fill_sorted();
    EXPECT_EQ(pages("SELECT sk FROM s WHERE pk = 'a' AND sk > 1 ORDER BY sk DESC", 2), "4,3|2");
    EXPECT_EQ(pages("SELECT sk FROM s WHERE pk IN ['a', 'b'] AND sk <> 2", 3), "1,3|4,1|3,4");
    EXPECT_EQ(
        pages("SELECT sk FROM s WHERE pk IN ['b', 'a'] ORDER BY pk, sk", 4), "1,2,3,4|1,2,3,4|"
    );
    EXPECT_EQ(pages("SELECT sk FROM s.byG WHERE g = 'g1' AND sk >= 3", 10), "3,3");
    EXPECT_EQ(rows("SELECT * FROM s WHERE sk = 2").size(), 2);
    EXPECT_EQ(rows("SELECT * FROM s WHERE pk = 'a' AND sk = 1 OR pk = 'b' AND sk = 2").size(), 2);
    EXPECT_EQ(rows("SELECT * FROM s.byG").size(), 8);
}

TEST_F(ExecuteTest, ATokenBelongsToItsStatement) {
    fill_sorted();
    ExecuteStatementRequest request;
    request.statement.text = "SELECT * FROM s";
    request.limit = 2;
    const auto first = must(wait_for(engine_.dynamo(), execute_statement, request));
    ASSERT_TRUE(first.next_token.has_value());
    request.next_token = first.next_token;
    request.statement.text = "SELECT * FROM s WHERE sk = 1";
    EXPECT_EQ(
        error_of(wait_for(engine_.dynamo(), execute_statement, request)).message,
        "NextToken does not match request"
    );
    for (const auto* token : {"x", "e30=", "eyJyZXF1ZXN0IjoiMSIsInJhbmdlIjotMX0="}) {
        request.next_token = token;
        EXPECT_EQ(
            error_of(wait_for(engine_.dynamo(), execute_statement, request)).message,
            "Invalid NextToken"
        );
    }
}

TEST_F(ExecuteTest, RefusesWhatItCannotRun) {
    EXPECT_EQ(
        refusal("SELECT * FROM nope"), "ResourceNotFoundException: Requested resource not found"
    );
    EXPECT_EQ(
        refusal("SELECT * FROM h WHERE pk = ?"),
        "ValidationException: Number of parameters in request and statement don't match."
    );
    EXPECT_EQ(
        refusal("EXISTS(SELECT * FROM h WHERE pk = 'a' AND n = 1)"),
        "ValidationException: EXISTS can only be used in ExecuteTransaction write requests."
    );
    EXPECT_EQ(
        refusal("UPDATE h SET l[0] = 1 WHERE pk = 'a'"),
        "ConditionalCheckFailedException: The conditional request failed"
    );
    rows("INSERT INTO h VALUE {'pk': 'a'}");
    EXPECT_EQ(
        refusal("UPDATE h SET l[0] = 1 WHERE pk = 'a'"),
        "ValidationException: The document path provided in the update expression is invalid "
        "for update"
    );
}

TEST_F(ExecuteTest, BatchesAnswerForEachStatement) {
    rows("INSERT INTO h VALUE {'pk': 'a', 'n': 1}");
    BatchExecuteStatementRequest request;
    for (const auto* text :
         {"INSERT INTO h VALUE {'pk': 'b'}",
          "INSERT INTO h VALUE {'pk': 'a'}",
          "UPDATE h SET n = 2 WHERE pk = 'a' AND n = 7",
          "UPDATE h SET n = 2 WHERE pk = 'a' RETURNING ALL OLD *",
          "DELETE FROM nope WHERE pk = 'a'",
          "DELETE FROM h WHERE n = 1",
          "nonsense"}) {
        request.statements.emplace_back().text = text;
    }
    const auto reply = must(wait_for(engine_.dynamo(), batch_execute_statement, request));
    Lines errors;
    for (const auto& response : reply.responses) {
        errors.push_back(
            response.error ? std::string(dynamo::name_of(*response.error)) : std::string()
        );
    }
    EXPECT_EQ(
        errors,
        (Lines{
            "",
            "DuplicateItemException",
            "ConditionalCheckFailedException",
            "",
            "ResourceNotFoundException",
            "ValidationException",
            "ValidationException"})
    );
    EXPECT_EQ(reply.responses[1].table, "h");
    EXPECT_FALSE(reply.responses[5].table.has_value());
    EXPECT_EQ(json_of(reply.responses[3].item), normalized(R"({"pk":{"S":"a"},"n":{"N":"1"}})"));

    BatchExecuteStatementRequest reads;
    reads.statements.emplace_back().text = "SELECT n FROM h WHERE pk = 'a'";
    reads.statements.emplace_back().text = "SELECT n FROM h WHERE n = 1";
    reads.statements.emplace_back().text = "SELECT n FROM h WHERE pk = 'zz'";
    const auto found = must(wait_for(engine_.dynamo(), batch_execute_statement, reads));
    EXPECT_EQ(json_of(found.responses[0].item), normalized(R"({"n":{"N":"2"}})"));
    EXPECT_EQ(
        found.responses[1].error->message,
        "Select statements within BatchExecuteStatement must specify the primary key in the "
        "where clause."
    );
    EXPECT_FALSE(found.responses[2].item.has_value());

    reads.statements.emplace_back().text = "DELETE FROM h WHERE pk = 'a'";
    EXPECT_FALSE(wait_for(engine_.dynamo(), batch_execute_statement, reads).has_value());
}

TEST_F(ExecuteTest, TransactionsAreAllOrNothing) {
    rows("INSERT INTO h VALUE {'pk': 'a', 'n': 1}");
    const auto error = error_of(transact(
        {"INSERT INTO h VALUE {'pk': 'new'}",
         "INSERT INTO h VALUE {'pk': 'a'}",
         "EXISTS(SELECT * FROM h WHERE pk = 'c' AND n = 1)"}
    ));
    EXPECT_EQ(
        engine::reasons_of(error), (Lines{"None", "DuplicateItem", "ConditionalCheckFailed"})
    );
    EXPECT_TRUE(error.message.ends_with("[None, DuplicateItem, ConditionalCheckFailed]"));
    EXPECT_EQ(rows("SELECT * FROM h").size(), 1);

    must(transact(
        {"UPDATE h SET n = n + 1 WHERE pk = 'a'", "INSERT INTO h VALUE {'pk': 'new'}"}, "token"
    ));
    must(transact(
        {"UPDATE h SET n = n + 1 WHERE pk = 'a'", "INSERT INTO h VALUE {'pk': 'new'}"}, "token"
    ));
    const auto read =
        must(transact({"SELECT n FROM h WHERE pk = 'a'", "SELECT * FROM h WHERE pk = 'zz'"}));
    ASSERT_EQ(read.items.size(), 2);
    EXPECT_EQ(json_of(read.items[0]), normalized(R"({"n":{"N":"2"}})"));
    EXPECT_FALSE(read.items[1].has_value());
}

TEST_F(ExecuteTest, TransactionsSayWhichStatementIsWrong) {
    const auto message = [&](const Lines& texts) { return error_of(transact(texts)).message; };
    EXPECT_EQ(
        message({"SELECT * FROM h WHERE pk = 'a'", "DELETE FROM h WHERE pk = 'a'"}),
        "ExecuteTransaction API does not support both read and write operations in the same "
        "request."
    );
    EXPECT_EQ(
        message({"SELECT * FROM h WHERE"}),
        "Validation failed in TransactStatements[0]: Statement wasn't well formed, can't be "
        "processed: Unexpected term"
    );
    EXPECT_EQ(
        message({"SELECT * FROM h WHERE pk = 'a'", "SELECT * FROM h WHERE n = 1"}),
        "Validation failed in TransactStatements[1]: Select statements within "
        "ExecuteTransaction must specify the primary key in the where clause."
    );
    EXPECT_EQ(
        message({"SELECT * FROM s.byG WHERE g = 'x'"}),
        "Validation failed in TransactStatements[0]: Reads on indices are not supported "
        "within transactions."
    );
    EXPECT_EQ(
        message({"DELETE FROM h WHERE pk = 'a' RETURNING ALL OLD *"}),
        "Validation failed in TransactStatements[0]: RETURNING clause is not supported in "
        "ExecuteTransaction."
    );
}

TEST_F(ExecuteTest, OnlySelectReads) {
    EXPECT_TRUE(only_reads(" /* x */ Select 1"));
    EXPECT_FALSE(only_reads("DELETE FROM t"));
    EXPECT_FALSE(only_reads(""));
    EXPECT_FALSE(only_reads("'"));
}

}  // namespace
}  // namespace gateleg::partiql
