#include "engine/limits.h"
#include "engine/ops/catalog_change.h"
#include "engine/ops/operations.h"

namespace gateleg::engine::ops {
namespace {

// The table that an ARN such as "arn:aws:dynamodb:us-east-1:123456789012:table/Orders" names.
Result<std::shared_ptr<const Table>> table_of(
    const Catalog& catalog, std::string_view account_id, const std::string& arn
) {
    constexpr std::string_view kPrefix = "arn:aws:dynamodb:";
    constexpr std::string_view kTable = ":table/";
    const auto at = arn.find(kTable);
    if (!arn.starts_with(kPrefix) || at == std::string::npos) {
        return validation_error("Invalid TableArn: Invalid ResourceArn provided as input " + arn);
    }
    // "...:<account>:table/": tables of other accounts are not ours to speak of.
    const auto account_at = arn.rfind(':', at - 1);
    if (arn.substr(account_at + 1, at - account_at - 1) != account_id) {
        return Error{
            ErrorCode::kAccessDenied, "User is not authorized to access this resource: " + arn};
    }
    auto table = catalog.find(std::string_view(arn).substr(at + kTable.size()));
    if (table == nullptr || table->description.arn != arn) {
        return resource_not_found(
            "Requested resource not found: ResourcArn: " + arn + " not found"
        );
    }
    return table;
}

Result<dynamo::Empty> tag(
    const Core& core, const dynamo::TagResourceRequest& request, CommitContext& context
) {
    GATELEG_TRY_ASSIGN(
        const auto before, table_of(context.catalog(), core.account_id, request.arn)
    );
    auto changed = std::make_shared<Table>(*before);
    for (const auto& [key, value] : request.tags) {
        changed->tags[key] = value;
    }
    if (changed->tags.size() > kMaxTags) {
        return validation_error(
            "Number of Tags exceed the current limit for the provided ResourceArn"
        );
    }
    context.store_table(std::move(changed));
    context.note_growth();
    return dynamo::Empty{};
}

Result<dynamo::Empty> untag(
    const Core& core, const dynamo::UntagResourceRequest& request, CommitContext& context
) {
    GATELEG_TRY_ASSIGN(
        const auto before, table_of(context.catalog(), core.account_id, request.arn)
    );
    auto changed = std::make_shared<Table>(*before);
    for (const auto& key : request.keys) {
        changed->tags.erase(key);
    }
    context.store_table(std::move(changed));
    return dynamo::Empty{};
}

Result<dynamo::ListTagsReply> list(
    const Core& core, const dynamo::ListTagsOfResourceRequest& request
) {
    constexpr std::size_t kPageTags = 10;
    GATELEG_TRY_ASSIGN(
        const auto table, table_of(*core.committer.catalog(), core.account_id, request.arn)
    );
    // The token is the last key of the page before.
    auto next =
        request.next_token ? table->tags.upper_bound(*request.next_token) : table->tags.begin();
    dynamo::ListTagsReply reply;
    for (; next != table->tags.end() && reply.tags.size() < kPageTags; ++next) {
        reply.tags.emplace_back(*next);
    }
    if (next != table->tags.end()) {
        reply.next_token = reply.tags.back().first;
    }
    return reply;
}

}  // namespace

void tag_resource(
    const Core& core, dynamo::TagResourceRequest request, Done<dynamo::TagResourceRequest> done
) {
    change_catalog<dynamo::Empty>(
        core,
        [&core, request = std::move(request)](CommitContext& context) {
            return tag(core, request, context);
        },
        std::move(done)
    );
}

void untag_resource(
    const Core& core, dynamo::UntagResourceRequest request, Done<dynamo::UntagResourceRequest> done
) {
    change_catalog<dynamo::Empty>(
        core,
        [&core, request = std::move(request)](CommitContext& context) {
            return untag(core, request, context);
        },
        std::move(done)
    );
}

void list_tags_of_resource(
    const Core& core,
    dynamo::ListTagsOfResourceRequest request,
    Done<dynamo::ListTagsOfResourceRequest> done
) {
    done(list(core, request));
}

}  // namespace gateleg::engine::ops
