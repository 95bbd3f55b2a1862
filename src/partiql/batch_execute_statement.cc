#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "partiql/errors.h"
#include "partiql/execute.h"
#include "partiql/internal/steps.h"
#include "partiql/planner.h"

namespace gateleg::partiql {
namespace {

using Request = BatchExecuteStatementRequest;
using Reply = BatchExecuteStatementReply;
using Done = dynamo::Done<Request>;

// All statements are under way at once; whichever answers last sends the reply.
class Batch : public std::enable_shared_from_this<Batch> {
public:
    Batch(dynamo::Dynamo& dynamo, Request request, Done done)
        : dynamo_(dynamo),
          request_(std::move(request)),
          done_(std::move(done)),
          capacity_(request_.statements.size()),
          left_(request_.statements.size()) {
        reply_.responses.resize(request_.statements.size());
    }

    void start() {
        for (const auto& statement : request_.statements) {
            parsed_.push_back(parse_with_parameters(statement));
        }
        const auto has = [&](bool reading) {
            return std::any_of(parsed_.begin(), parsed_.end(), [&](const auto& each) {
                return each && each->is_read() == reading;
            });
        };
        if (has(true) && has(false)) {
            done_(validation_error(
                "BatchExecuteStatement API does not support both read and write operations in the "
                "same request."
            ));
            return;
        }
        for (std::size_t i = 0; i < parsed_.size(); ++i) {
            run(i);
        }
    }

private:
    void run(std::size_t i) {
        if (!parsed_[i]) {
            fail(i, parsed_[i].error(), false);
            return;
        }
        if (parsed_[i]->kind == StatementKind::kExists) {
            fail(
                i,
                validation_error("EXISTS can only be used in ExecuteTransaction write requests."),
                false
            );
            return;
        }
        find_table(
            dynamo_,
            parsed_[i]->source.table,
            [self = shared_from_this(), i](Result<Table> table) {
                if (!table) {
                    self->fail(i, table.error(), false);
                } else if (self->parsed_[i]->is_read()) {
                    self->read(i, **table);
                } else {
                    self->write(i, **table);
                }
            }
        );
    }

    void read(std::size_t i, const dynamo::TableDescription& table) {
        const auto& source = request_.statements[i];
        auto key = plan_get(*parsed_[i], source.parameters, table, "BatchExecuteStatement");
        if (!key) {
            fail(i, key.error(), false);
            return;
        }
        dynamo_.get_item(
            {.table = table.name,
             .key = *std::move(key),
             .projection = std::nullopt,
             .placeholders = {},
             .consistent_read = source.consistent_read,
             .return_capacity = request_.return_capacity},
            [self = shared_from_this(), i](Result<dynamo::GetItemReply> reply) {
                if (!reply) {
                    self->fail(i, in_statement_words(std::move(reply).error()), true);
                    return;
                }
                std::optional<value::EncodedItem> item;
                if (reply->item) {
                    std::string bytes;
                    append_columns(bytes, self->parsed_[i]->columns, reply->item->view());
                    item.emplace(std::move(bytes));
                }
                self->answer(i, std::move(item), reply->capacity);
            }
        );
    }

    void write(std::size_t i, const dynamo::TableDescription& table) {
        // The option is without effect here: a batch has no place for the item.
        auto source = request_.statements[i];
        source.return_old_on_failure = false;
        run_write(
            dynamo_,
            *parsed_[i],
            source,
            table,
            request_.return_capacity,
            [self = shared_from_this(), i](Result<dynamo::ItemWriteReply> reply) {
                if (!reply) {
                    self->fail(i, reply.error(), true);
                    return;
                }
                auto attributes = (*reply).attributes;
                if (attributes && attributes->view().count() == 0) {
                    attributes.reset();
                }
                self->answer(i, std::move(attributes), reply->capacity);
            }
        );
    }

    void fail(std::size_t i, Error error, bool ran) {
        const bool tells_table = ran && error.code == ErrorCode::kConditionalCheckFailed;
        auto& response = reply_.responses[i];
        if (tells_table) {
            response.table = parsed_[i]->source.table;
        }
        response.error = std::move(error);
        count_down();
    }

    void answer(
        std::size_t i,
        std::optional<value::EncodedItem> item,
        const std::optional<dynamo::ConsumedCapacity>& capacity
    ) {
        auto& response = reply_.responses[i];
        response.table = parsed_[i]->source.table;
        response.item = std::move(item);
        capacity_[i] = capacity;
        count_down();
    }

    void count_down() {
        {
            const std::lock_guard lock(mutex_);
            if (--left_ > 0) {
                return;
            }
        }
        for (auto& capacity : capacity_) {
            if (capacity) {
                reply_.capacity.push_back(*std::move(capacity));
            }
        }
        done_(std::move(reply_));
    }

    dynamo::Dynamo& dynamo_;
    Request request_;
    Done done_;
    std::vector<Result<Statement>> parsed_;
    // Each statement writes its own places; the count below orders them before the reply.
    Reply reply_;
    std::vector<std::optional<dynamo::ConsumedCapacity>> capacity_;
    std::mutex mutex_;
    std::size_t left_;
};

}  // namespace

void batch_execute_statement(dynamo::Dynamo& dynamo, Request request, Done done) {
    std::make_shared<Batch>(dynamo, std::move(request), std::move(done))->start();
}

}  // namespace gateleg::partiql
