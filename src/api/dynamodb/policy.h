// What a caller needs to be allowed for each operation: one line of it stands in the tables of
// operations, and this is the one place that judges it.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "auth/scope.h"
#include "auth/sigv4.h"
#include "base/result.h"

namespace gateleg::api::dynamodb {

namespace dom = simdjson::dom;

// One thing that a request does, under the name that AWS's policies give it.
struct Access {
    auth::Action action = auth::Action::kAdmin;
    std::string_view verb = {};  // "PutItem"; a literal
    std::string name = {};       // of the table; auth::kEveryName: all of them
    auth::ResourceKind kind = auth::ResourceKind::kTable;
};
using Accesses = std::vector<Access>;

// Has no default, so that an operation which declares nothing does not compile.
class Policy {
public:
    // Adds what a request with this body does; `own` has the operation's action and name. A body
    // that does not say which tables it means is taken to mean all of them.
    using Touches = void (*)(dom::element body, const Access& own, Accesses& out);

    constexpr Policy(auth::Action action, Touches touches, bool mixed = false)
        : action_(action), touches_(touches), mixed_(mixed) {}

    auth::Action action() const { return action_; }
    // What a request does is told by its body alone.
    bool is_mixed() const { return mixed_; }
    Accesses accesses(std::string_view name, std::string_view body) const;

private:
    auth::Action action_;
    Touches touches_;
    bool mixed_;
};

// The names of tables are where an operation of that kind has them.
namespace touches {
void nothing(dom::element body, const Access& own, Accesses& out);
void every_table(dom::element body, const Access& own, Accesses& out);
void table(dom::element body, const Access& own, Accesses& out);       // TableName, else every one
void resource(dom::element body, const Access& own, Accesses& out);    // ResourceArn
void stream(dom::element body, const Access& own, Accesses& out);      // StreamArn
void iterator(dom::element body, const Access& own, Accesses& out);    // ShardIterator
void table_arn(dom::element body, const Access& own, Accesses& out);   // TableArn
void export_arn(dom::element body, const Access& own, Accesses& out);  // ExportArn
void import_arn(dom::element body, const Access& own, Accesses& out);  // ImportArn
void exporting(dom::element body, const Access& own, Accesses& out);   // TableArn into S3Bucket
void importing(
    dom::element body, const Access& own, Accesses& out
);                                                                  // the new table, from S3Bucket
void backup(dom::element body, const Access& own, Accesses& out);   // BackupArn
void restore(dom::element body, const Access& own, Accesses& out);  // TargetTableName, BackupArn
void batch(dom::element body, const Access& own, Accesses& out);    // RequestItems
void transaction(dom::element body, const Access& own, Accesses& out);  // TransactItems
void statement(dom::element body, const Access& own, Accesses& out);    // Statement
void statements(dom::element body, const Access& own, Accesses& out);   // Statements
void transact_statements(dom::element body, const Access& own, Accesses& out);
}  // namespace touches

// Whether a request with this body changes nothing.
bool only_reads(const Policy& policy, std::string_view name, std::string_view body);

// AccessDeniedException, in AWS's words, for the first thing that the caller may not do.
Result<void> check_access(
    const auth::Identity& caller,
    std::string_view region,
    const Policy& policy,
    std::string_view name,
    std::string_view body
);

}  // namespace gateleg::api::dynamodb
