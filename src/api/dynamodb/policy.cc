#include "api/dynamodb/policy.h"

#include <algorithm>
#include <array>
#include <optional>

#include "api/dynamodb/parse_body.h"
#include "api/dynamodb/table_arns.h"
#include "partiql/execute.h"
#include "partiql/parser.h"

namespace gateleg::api::dynamodb {
namespace {

using auth::Action;

constexpr std::string_view kTableMark = ":table/";
// The account that all ARNs of this server name.
constexpr std::string_view kAccount = "123456789012";

std::optional<std::string_view> find_text(dom::element json, std::string_view name) {
    std::string_view text;
    return json[name].get_string().get(text) == simdjson::SUCCESS ? std::optional(text)
                                                                  : std::nullopt;
}

void add(Accesses& out, const Access& own, std::string_view table) {
    out.push_back({own.action, own.verb, std::string(table)});
}

void add_table(dom::element json, std::string_view name, const Access& own, Accesses& out) {
    const auto text = find_text(json, name);
    add(out, own, text ? table_of_arn(*text) : std::string(auth::kEveryName));
}

void add_bucket(dom::element json, const Access& access, Accesses& out) {
    out.push_back(
        {access.action,
         access.verb,
         std::string(find_text(json, "S3Bucket").value_or(auth::kEveryName)),
         auth::ResourceKind::kBucket}
    );
}

// The table in an ARN of it, of a stream, or of a backup.
void add_arn(dom::element json, std::string_view name, const Access& own, Accesses& out) {
    const auto text = find_text(json, name);
    const auto at = text ? text->find(kTableMark) : std::string_view::npos;
    if (at == std::string_view::npos) {
        add(out, own, auth::kEveryName);
        return;
    }
    const auto rest = text->substr(at + kTableMark.size());
    add(out, own, rest.substr(0, rest.find('/')));
}

Access access_of(partiql::StatementKind kind) {
    switch (kind) {
        case partiql::StatementKind::kSelect:
        case partiql::StatementKind::kExists:
            return {Action::kRead, "PartiQLSelect"};
        case partiql::StatementKind::kInsert:
            return {Action::kWrite, "PartiQLInsert"};
        case partiql::StatementKind::kUpdate:
            return {Action::kWrite, "PartiQLUpdate"};
        case partiql::StatementKind::kDelete:
            return {Action::kWrite, "PartiQLDelete"};
    }
    return {};
}

// By the parser that runs it later; what that refuses goes by its first word.
void add_statement(dom::element json, const Access& own, Accesses& out) {
    const auto text = find_text(json, "Statement");
    if (!text) {
        add(out, own, auth::kEveryName);
        return;
    }
    if (const auto parsed = partiql::parse(*text)) {
        add(out, access_of(parsed->kind), parsed->source.table);
    } else if (partiql::only_reads(*text)) {
        add(out, access_of(partiql::StatementKind::kSelect), auth::kEveryName);
    } else {
        add(out, own, auth::kEveryName);
    }
}

void add_statements(dom::element body, std::string_view list, const Access& own, Accesses& out) {
    dom::array statements;
    if (body[list].get_array().get(statements) != simdjson::SUCCESS) {
        add(out, own, auth::kEveryName);
        return;
    }
    for (const auto statement : statements) {
        add_statement(statement, own, out);
    }
}

Error access_denied(const auth::Identity& caller, std::string_view region, const Access& refused) {
    const bool bucket = refused.kind == auth::ResourceKind::kBucket;
    const auto action = (bucket ? "s3:" : "dynamodb:") + std::string(refused.verb);
    const auto resource = bucket ? "arn:aws:s3:::" + refused.name
                                 : "arn:aws:dynamodb:" + std::string(region) + ":" +
                                       std::string(kAccount) + ":table/" + refused.name;
    return {
        ErrorCode::kAccessDenied,
        "User: arn:aws:iam::" + std::string(kAccount) + ":user/" + caller.profile +
            " is not authorized to perform: " + action + " on resource: " + resource +
            " because no identity-based policy allows the " + action + " action"};
}

}  // namespace

namespace touches {

void nothing(dom::element /*body*/, const Access& /*own*/, Accesses& /*out*/) {}

void every_table(dom::element /*body*/, const Access& own, Accesses& out) {
    add(out, own, auth::kEveryName);
}

void table(dom::element body, const Access& own, Accesses& out) {
    add_table(body, "TableName", own, out);
}

void resource(dom::element body, const Access& own, Accesses& out) {
    add_arn(body, "ResourceArn", own, out);
}

void stream(dom::element body, const Access& own, Accesses& out) {
    add_arn(body, "StreamArn", own, out);
}

void iterator(dom::element body, const Access& own, Accesses& out) {
    add_arn(body, "ShardIterator", own, out);  // begins with the ARN of its stream
}

void table_arn(dom::element body, const Access& own, Accesses& out) {
    add_arn(body, "TableArn", own, out);
}

void export_arn(dom::element body, const Access& own, Accesses& out) {
    add_arn(body, "ExportArn", own, out);
}

void import_arn(dom::element body, const Access& own, Accesses& out) {
    add_arn(body, "ImportArn", own, out);
}

void exporting(dom::element body, const Access& own, Accesses& out) {
    add_arn(body, "TableArn", own, out);
    add_bucket(body, {Action::kWrite, "PutObject"}, out);
}

void importing(dom::element body, const Access& own, Accesses& out) {
    dom::element part;
    const bool has_table = body["TableCreationParameters"].get(part) == simdjson::SUCCESS;
    add_table(has_table ? part : body, "TableName", own, out);
    const bool has_bucket = body["S3BucketSource"].get(part) == simdjson::SUCCESS;
    add_bucket(has_bucket ? part : body, {Action::kRead, "GetObject"}, out);
}

void backup(dom::element body, const Access& own, Accesses& out) {
    add_arn(body, "BackupArn", own, out);
}

void restore(dom::element body, const Access& own, Accesses& out) {
    add_table(body, "TargetTableName", own, out);
    add_arn(body, "BackupArn", {Action::kRead, own.verb}, out);
}

void batch(dom::element body, const Access& own, Accesses& out) {
    dom::object tables;
    if (body["RequestItems"].get_object().get(tables) != simdjson::SUCCESS) {
        add(out, own, auth::kEveryName);
        return;
    }
    for (const auto& [name, requests] : tables) {
        add(out, own, table_of_arn(name));
    }
}

// Policies know the actions of a transaction, not the transaction.
void transaction(dom::element body, const Access& own, Accesses& out) {
    struct Kind {
        std::string_view member;
        Access access;
    };
    static const std::array<Kind, 5> kKinds = {{
        {"Get", {Action::kRead, "GetItem"}},
        {"ConditionCheck", {Action::kRead, "ConditionCheckItem"}},
        {"Put", {Action::kWrite, "PutItem"}},
        {"Update", {Action::kWrite, "UpdateItem"}},
        {"Delete", {Action::kWrite, "DeleteItem"}},
    }};
    dom::array items;
    if (body["TransactItems"].get_array().get(items) != simdjson::SUCCESS) {
        add(out, own, auth::kEveryName);
        return;
    }
    for (const auto item : items) {
        for (const auto& kind : kKinds) {
            dom::element found;
            if (item[kind.member].get(found) == simdjson::SUCCESS) {
                add_table(found, "TableName", kind.access, out);
            }
        }
    }
}

void statement(dom::element body, const Access& own, Accesses& out) {
    add_statement(body, own, out);
}

void statements(dom::element body, const Access& own, Accesses& out) {
    add_statements(body, "Statements", own, out);
}

void transact_statements(dom::element body, const Access& own, Accesses& out) {
    add_statements(body, "TransactStatements", own, out);
}

}  // namespace touches

Accesses Policy::accesses(std::string_view name, std::string_view body) const {
    const Access own{action_, name};
    Accesses out;
    const auto parsed = parse_body(body, [&](dom::element root) {
        touches_(root, own, out);
        return Result<void>();
    });
    if (!parsed) {
        out.push_back({action_, name, std::string(auth::kEveryName)});
    }
    return out;
}

bool only_reads(const Policy& policy, std::string_view name, std::string_view body) {
    if (!policy.is_mixed()) {
        return policy.action() == Action::kRead;
    }
    const auto accesses = policy.accesses(name, body);
    return std::all_of(accesses.begin(), accesses.end(), [](const Access& access) {
        return access.action == Action::kRead;
    });
}

Result<void> check_access(
    const auth::Identity& caller,
    std::string_view region,
    const Policy& policy,
    std::string_view name,
    std::string_view body
) {
    const auto allows = [&](Action action, auth::ResourceKind kind, std::string_view resource) {
        return caller.scope != nullptr && caller.scope->allows(action, kind, resource);
    };
    // Most keys are not limited to tables, and then the body need not be looked at.
    if ((caller.scope != nullptr && caller.scope->allows_everything()) ||
        (!policy.is_mixed() && allows(policy.action(), auth::ResourceKind::kTable, auth::kEveryName)
        )) {
        return {};
    }
    for (const auto& access : policy.accesses(name, body)) {
        if (!allows(access.action, access.kind, access.name)) {
            return access_denied(caller, region, access);
        }
    }
    return {};
}

}  // namespace gateleg::api::dynamodb
