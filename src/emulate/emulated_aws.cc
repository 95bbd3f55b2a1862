#include "emulate/emulated_aws.h"

#include <utility>
#include <vector>

namespace gateleg::emulate {
namespace {

using dynamo::Done;

constexpr const char* kConflict = "Transaction is ongoing for the item";

// A transaction of `count` actions that met another one at the action `at`.
Error cancelled(std::size_t count, std::size_t at) {
    std::vector<dynamo::CancellationReason> reasons(count);
    reasons[at].code = "TransactionConflict";
    reasons[at].message = kConflict;
    std::string message =
        "Transaction cancelled, please refer cancellation reasons for specific reasons [";
    for (std::size_t i = 0; i < count; ++i) {
        message.append(i == 0 ? "" : ", ").append(reasons[i].code);
    }
    return {
        ErrorCode::kTransactionCanceled,
        message + "]",
        std::make_shared<dynamo::CancellationReasons>(std::move(reasons))};
}

Error conflict() {
    return {ErrorCode::kTransactionConflict, kConflict};
}

// Puts what was held back into the reply, behind what the store left itself.
template <class Request, class Left>
Done<Request> giving_back(std::vector<Left> left, Done<Request> done) {
    return [left = std::move(left),
            done = std::move(done)](Result<typename Request::Reply> reply) mutable {
        if (reply) {
            for (auto& each : left) {
                (*reply).unprocessed.push_back(std::move(each));
            }
        }
        done(std::move(reply));
    };
}

// Moves elements of `list` for which `is_left` holds to the end of `left`; one always stays.
template <class Element, class IsLeft>
void hold_back(
    std::vector<Element>& list, std::vector<Element>& left, bool& one_stays, IsLeft is_left
) {
    std::vector<Element> kept;
    for (auto& element : list) {
        if (one_stays && is_left()) {
            left.push_back(std::move(element));
        } else {
            kept.push_back(std::move(element));
            one_stays = true;
        }
    }
    list = std::move(kept);
}

}  // namespace

EmulatedAws::EmulatedAws(dynamo::Dynamo& behind, std::uint64_t seed, AwsOdds odds)
    : behind_(behind), odds_(odds), random_(seed) {}

bool EmulatedAws::happens(unsigned one_in) {
    return one_in != 0 && random_() % one_in == 0;
}

std::size_t EmulatedAws::below(std::size_t count) {
    return static_cast<std::size_t>(random_() % count);
}

bool EmulatedAws::write_conflicts(const std::string& table) {
    const std::lock_guard lock(mutex_);
    return transacted_.contains(table) && happens(odds_.write_conflict);
}

void EmulatedAws::batch_get_item(
    dynamo::BatchGetItemRequest request, Done<dynamo::BatchGetItemRequest> done
) {
    std::vector<dynamo::KeysAndAttributes> left;
    std::size_t keys = 0;
    for (const auto& table : request.tables) {
        keys += table.keys.size();
    }
    if (const std::lock_guard lock(mutex_); keys > 1 && happens(odds_.batch_unprocessed)) {
        bool one_stays = false;
        for (auto& table : request.tables) {
            auto held = table;
            held.keys.clear();
            hold_back(table.keys, held.keys, one_stays, [&] {
                return happens(odds_.element_unprocessed);
            });
            if (!held.keys.empty()) {
                left.push_back(std::move(held));
            }
        }
        std::erase_if(request.tables, [](const auto& table) { return table.keys.empty(); });
    }
    behind_.batch_get_item(
        std::move(request),
        giving_back<dynamo::BatchGetItemRequest>(std::move(left), std::move(done))
    );
}

void EmulatedAws::batch_write_item(
    dynamo::BatchWriteItemRequest request, Done<dynamo::BatchWriteItemRequest> done
) {
    std::vector<dynamo::TableWrites> left;
    std::size_t writes = 0;
    for (const auto& table : request.tables) {
        writes += table.writes.size();
    }
    if (const std::lock_guard lock(mutex_); writes > 1 && happens(odds_.batch_unprocessed)) {
        bool one_stays = false;
        for (auto& table : request.tables) {
            dynamo::TableWrites held{.name = table.name, .writes = {}};
            hold_back(table.writes, held.writes, one_stays, [&] {
                return happens(odds_.element_unprocessed);
            });
            if (!held.writes.empty()) {
                left.push_back(std::move(held));
            }
        }
        std::erase_if(request.tables, [](const auto& table) { return table.writes.empty(); });
    }
    behind_.batch_write_item(
        std::move(request),
        giving_back<dynamo::BatchWriteItemRequest>(std::move(left), std::move(done))
    );
}

void EmulatedAws::transact_get_items(
    dynamo::TransactGetItemsRequest request, Done<dynamo::TransactGetItemsRequest> done
) {
    std::optional<std::size_t> at;
    if (const std::lock_guard lock(mutex_);
        !request.gets.empty() && happens(odds_.transaction_conflict)) {
        at = below(request.gets.size());
    }
    if (at) {
        done(cancelled(request.gets.size(), *at));
        return;
    }
    behind_.transact_get_items(std::move(request), std::move(done));
}

void EmulatedAws::transact_write_items(
    dynamo::TransactWriteItemsRequest request, Done<dynamo::TransactWriteItemsRequest> done
) {
    std::optional<std::size_t> at;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& action : request.actions) {
            if (!transacted_.contains(action.write.table)) {
                transacted_.insert(action.write.table);
            }
        }
        if (!request.actions.empty() && happens(odds_.transaction_conflict)) {
            at = below(request.actions.size());
        }
    }
    if (at) {
        done(cancelled(request.actions.size(), *at));
        return;
    }
    behind_.transact_write_items(std::move(request), std::move(done));
}

void EmulatedAws::put_item(dynamo::PutItemRequest request, Done<dynamo::PutItemRequest> done) {
    if (write_conflicts(request.write.table)) {
        done(conflict());
        return;
    }
    behind_.put_item(std::move(request), std::move(done));
}

void EmulatedAws::update_item(
    dynamo::UpdateItemRequest request, Done<dynamo::UpdateItemRequest> done
) {
    if (write_conflicts(request.write.table)) {
        done(conflict());
        return;
    }
    behind_.update_item(std::move(request), std::move(done));
}

void EmulatedAws::delete_item(
    dynamo::DeleteItemRequest request, Done<dynamo::DeleteItemRequest> done
) {
    if (write_conflicts(request.write.table)) {
        done(conflict());
        return;
    }
    behind_.delete_item(std::move(request), std::move(done));
}

// The rest is as it is behind.

void EmulatedAws::get_item(dynamo::GetItemRequest request, Done<dynamo::GetItemRequest> done) {
    behind_.get_item(std::move(request), std::move(done));
}
void EmulatedAws::query(dynamo::QueryRequest request, Done<dynamo::QueryRequest> done) {
    behind_.query(std::move(request), std::move(done));
}
void EmulatedAws::scan(dynamo::ScanRequest request, Done<dynamo::ScanRequest> done) {
    behind_.scan(std::move(request), std::move(done));
}
void EmulatedAws::create_table(
    dynamo::CreateTableRequest request, Done<dynamo::CreateTableRequest> done
) {
    behind_.create_table(std::move(request), std::move(done));
}
void EmulatedAws::describe_table(
    dynamo::DescribeTableRequest request, Done<dynamo::DescribeTableRequest> done
) {
    behind_.describe_table(std::move(request), std::move(done));
}
void EmulatedAws::update_table(
    dynamo::UpdateTableRequest request, Done<dynamo::UpdateTableRequest> done
) {
    behind_.update_table(std::move(request), std::move(done));
}
void EmulatedAws::delete_table(
    dynamo::DeleteTableRequest request, Done<dynamo::DeleteTableRequest> done
) {
    behind_.delete_table(std::move(request), std::move(done));
}
void EmulatedAws::list_tables(
    dynamo::ListTablesRequest request, Done<dynamo::ListTablesRequest> done
) {
    behind_.list_tables(std::move(request), std::move(done));
}
void EmulatedAws::update_time_to_live(
    dynamo::UpdateTimeToLiveRequest request, Done<dynamo::UpdateTimeToLiveRequest> done
) {
    behind_.update_time_to_live(std::move(request), std::move(done));
}
void EmulatedAws::describe_time_to_live(
    dynamo::DescribeTimeToLiveRequest request, Done<dynamo::DescribeTimeToLiveRequest> done
) {
    behind_.describe_time_to_live(std::move(request), std::move(done));
}
void EmulatedAws::tag_resource(
    dynamo::TagResourceRequest request, Done<dynamo::TagResourceRequest> done
) {
    behind_.tag_resource(std::move(request), std::move(done));
}
void EmulatedAws::untag_resource(
    dynamo::UntagResourceRequest request, Done<dynamo::UntagResourceRequest> done
) {
    behind_.untag_resource(std::move(request), std::move(done));
}
void EmulatedAws::list_tags_of_resource(
    dynamo::ListTagsOfResourceRequest request, Done<dynamo::ListTagsOfResourceRequest> done
) {
    behind_.list_tags_of_resource(std::move(request), std::move(done));
}

}  // namespace gateleg::emulate
