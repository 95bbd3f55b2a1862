// Every route says who may use it. A line of a table that says nothing does not compile; that this
// stays so is what these lines hold. (Models do the same when they are read: an operation without
// `allow` is an error, see model/check_test.cc.)

#include <type_traits>

#include <gtest/gtest.h>

#include "api/console/face.h"
#include "api/dynamodb/operations.h"
#include "api/dynamodb/stream_operations.h"
#include "api/dynamodb/tool_operations.h"
#include "api/dynamodb/transfer_operations.h"
#include "api/s3/operations.h"

namespace gateleg::api {
namespace {

// Whether these words make a line of the table.
template <class Line, class... Words>
concept CanBeMadeOf = requires(Words... words) {
    Line{words...};
};

using Word = std::string_view;

// Names alone do not: nobody would have had to think of who may.
static_assert(!CanBeMadeOf<dynamodb::Operation, Word>);
static_assert(!CanBeMadeOf<dynamodb::StreamOperation, Word>);
static_assert(!CanBeMadeOf<dynamodb::ToolOperation, Word>);
static_assert(!CanBeMadeOf<dynamodb::TransferOperation, Word>);
static_assert(!CanBeMadeOf<s3::Operation, Word>);
static_assert(!CanBeMadeOf<s3::Operation, Word, s3::BodyUse>);
static_assert(!CanBeMadeOf<console::Face::Route, Word, Word, Word>);
static_assert(!std::is_default_constructible_v<dynamodb::Policy>);
static_assert(!std::is_default_constructible_v<s3::Needs>);
static_assert(!std::is_default_constructible_v<console::Face::Declared>);

// And with the word they can be made: the lines above fail for no other reason.
static_assert(CanBeMadeOf<dynamodb::Operation, Word, dynamodb::Policy>);
static_assert(CanBeMadeOf<s3::Operation, Word, s3::BodyUse, s3::Needs>);
static_assert(CanBeMadeOf<console::Face::Route, Word, Word, Word, console::Face::Effect>);

TEST(DeclaredPoliciesTest, EveryOperationOfTheDynamoDbApiDemandsSomething) {
    // An operation that only reads must not be declared as one for administrators by accident, and
    // the other way round: the names tell.
    for (const char* name : {"GetItem", "Query", "Scan", "BatchGetItem", "DescribeTable"}) {
        ASSERT_NE(dynamodb::find_operation(name), nullptr) << name;
        EXPECT_EQ(dynamodb::find_operation(name)->policy.action(), auth::Action::kRead) << name;
    }
    for (const char* name : {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"}) {
        ASSERT_NE(dynamodb::find_operation(name), nullptr) << name;
        EXPECT_EQ(dynamodb::find_operation(name)->policy.action(), auth::Action::kWrite) << name;
    }
    for (const char* name : {"CreateTable", "DeleteTable", "UpdateTable"}) {
        ASSERT_NE(dynamodb::find_operation(name), nullptr) << name;
        EXPECT_EQ(dynamodb::find_operation(name)->policy.action(), auth::Action::kAdmin) << name;
    }
}

}  // namespace
}  // namespace gateleg::api
