#include "app/table_setup.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "app/config.h"
#include "base/log.h"

namespace gateleg::app {
namespace {

constexpr std::chrono::minutes kIndexPatience{30};
constexpr std::chrono::milliseconds kPoll{50};

template <class Request>
Result<typename Request::Reply> wait_for(
    dynamo::Dynamo& dynamo,
    void (dynamo::Dynamo::*call)(Request, dynamo::Done<Request>),
    Request request
) {
    using Reply = Result<typename Request::Reply>;
    // Shared: the thread that answers may still be inside set_value() when this one goes on.
    const auto promise = std::make_shared<std::promise<Reply>>();
    auto future = promise->get_future();
    (dynamo.*call
    )(std::move(request), [promise](Reply reply) { promise->set_value(std::move(reply)); });
    return future.get();
}

dynamo::KeySchema to_dynamo(const model::KeySchema& key) {
    dynamo::KeySchema schema{{key.partition.name, dynamo::KeyRole::kHash}};
    if (key.sort) {
        schema.push_back({key.sort->name, dynamo::KeyRole::kRange});
    }
    return schema;
}

std::vector<dynamo::AttributeDefinition> attributes_of(const model::KeySchema& key) {
    std::vector<dynamo::AttributeDefinition> attributes{{key.partition.name, key.partition.type}};
    if (key.sort) {
        attributes.push_back({key.sort->name, key.sort->type});
    }
    return attributes;
}

std::string type_in(const dynamo::TableDescription& table, std::string_view attribute) {
    for (const auto& definition : table.attributes) {
        if (definition.name == attribute) {
            return std::string(value::type_name(definition.type));
        }
    }
    return "?";
}

// "PK S, SK S"
std::string written(const dynamo::TableDescription& table, const dynamo::KeySchema& key) {
    std::string text;
    for (const auto& element : key) {
        text += (text.empty() ? "" : ", ") + element.attribute + " " +
                type_in(table, element.attribute);
    }
    return text;
}

std::string written(const model::KeySchema& key) {
    std::string text;
    for (const auto& attribute : attributes_of(key)) {
        text += (text.empty() ? "" : ", ") + attribute.name + " " +
                std::string(value::type_name(attribute.type));
    }
    return text;
}

void check_key(
    const model::Model& model,
    const std::string& what,
    const dynamo::TableDescription& table,
    const dynamo::KeySchema& found,
    const model::KeySchema& wanted
) {
    if (written(table, found) != written(wanted)) {
        throw ConfigError(
            model.file + ": " + what + " exists with the key " + written(table, found) +
            ", but the model says " + written(wanted) +
            ": use another table name, or delete the old one"
        );
    }
}

dynamo::Projection projection_of(const model::Index& index) {
    using Kind = model::Index::Projection;
    switch (index.projection) {
        case Kind::kAll:
            return {dynamo::ProjectionType::kAll, {}};
        case Kind::kKeys:
            return {dynamo::ProjectionType::kKeysOnly, {}};
        case Kind::kSome:
            return {dynamo::ProjectionType::kInclude, index.projected};
    }
    return {};
}

class TableSetup {
public:
    TableSetup(const model::Model& model, dynamo::Dynamo& dynamo)
        : model_(model), dynamo_(dynamo) {}

    // Nothing if there is no such table.
    std::optional<dynamo::TableDescription> describe() {
        auto reply = wait_for<dynamo::DescribeTableRequest>(
            dynamo_, &dynamo::Dynamo::describe_table, {.table = model_.table.name}
        );
        if (!reply) {
            if (reply.error().code == ErrorCode::kResourceNotFound) {
                return std::nullopt;
            }
            throw failed("cannot be described", reply.error());
        }
        return (*reply).table;
    }

    void complete(const dynamo::TableDescription& table) {
        check_key(model_, "table " + model_.table.name, table, table.key_schema, model_.table.key);
        for (const auto& index : model_.table.indexes) {
            const auto* found = find_index(table, index.name);
            if (found != nullptr) {
                check_key(
                    model_,
                    "index " + index.name + " of table " + model_.table.name,
                    table,
                    found->definition.key_schema,
                    index.key
                );
            } else if (!index.optional) {
                add_index(index);
            }
        }
        enable_expiry();
    }

private:
    ConfigError failed(std::string_view what, const Error& error) const {
        return ConfigError(
            model_.file + ": table " + model_.table.name + " " + std::string(what) + ": " +
            error.message
        );
    }

    static const dynamo::IndexDescription* find_index(
        const dynamo::TableDescription& table, std::string_view name
    ) {
        for (const auto* indexes : {&table.global_indexes, &table.local_indexes}) {
            for (const auto& index : *indexes) {
                if (index.definition.name == name) {
                    return &index;
                }
            }
        }
        return nullptr;
    }

    void add_index(const model::Index& index) {
        log_info("adding an index", {{"table", model_.table.name}, {"index", index.name}});
        dynamo::UpdateTableRequest request;
        request.table = model_.table.name;
        request.attributes = attributes_of(index.key);
        request.index_updates.emplace();
        request.index_updates->push_back(
            {.create =
                 dynamo::IndexDefinition{
                     .name = index.name,
                     .key_schema = to_dynamo(index.key),
                     .projection = projection_of(index)}}
        );
        const auto reply = wait_for<dynamo::UpdateTableRequest>(
            dynamo_, &dynamo::Dynamo::update_table, std::move(request)
        );
        if (!reply) {
            throw failed("cannot be given the index " + index.name, reply.error());
        }
        wait_until_active(index.name);
    }

    void wait_until_active(const std::string& index_name) {
        const auto end = std::chrono::steady_clock::now() + kIndexPatience;
        while (std::chrono::steady_clock::now() < end) {
            const auto table = describe();
            const auto* index = table ? find_index(*table, index_name) : nullptr;
            if (index != nullptr && index->status == dynamo::Status::kActive &&
                table->status == dynamo::Status::kActive) {
                return;
            }
            std::this_thread::sleep_for(kPoll);
        }
        throw ConfigError(model_.file + ": index " + index_name + " was not filled in time");
    }

    void enable_expiry() {
        if (model_.table.ttl.empty()) {
            return;
        }
        const auto now = wait_for<dynamo::DescribeTimeToLiveRequest>(
            dynamo_, &dynamo::Dynamo::describe_time_to_live, {.table = model_.table.name}
        );
        if (!now) {
            throw failed("cannot be asked for its TTL", now.error());
        }
        if (now->attribute == model_.table.ttl) {
            return;
        }
        const auto reply = wait_for<dynamo::UpdateTimeToLiveRequest>(
            dynamo_,
            &dynamo::Dynamo::update_time_to_live,
            {.table = model_.table.name,
             .specification = {.attribute = model_.table.ttl, .enabled = true}}
        );
        if (!reply) {
            throw failed("cannot be given its TTL", reply.error());
        }
    }

    const model::Model& model_;
    dynamo::Dynamo& dynamo_;
};

}  // namespace

void prepare_table(const model::Model& model, model::Runtime& runtime, dynamo::Dynamo& dynamo) {
    TableSetup setup(model, dynamo);
    if (const auto table = setup.describe()) {
        setup.complete(*table);
        return;
    }
    const auto created = runtime.create_table();
    if (!created) {
        throw ConfigError(
            model.file + ": table " + model.table.name +
            " cannot be made: " + created.error().message
        );
    }
}

}  // namespace gateleg::app
