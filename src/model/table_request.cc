#include "model/table_request.h"

#include <map>

namespace gateleg::model {
namespace {

dynamo::KeySchema to_dynamo(const KeySchema& key) {
    dynamo::KeySchema schema{{key.partition.name, dynamo::KeyRole::kHash}};
    if (key.sort) {
        schema.push_back({key.sort->name, dynamo::KeyRole::kRange});
    }
    return schema;
}

}  // namespace

dynamo::CreateTableRequest create_table_request(const Table& table) {
    dynamo::CreateTableRequest request;
    request.table = table.name;
    request.key_schema = to_dynamo(table.key);
    request.billing_mode = dynamo::BillingMode::kPayPerRequest;
    std::map<std::string, value::Type> types;
    const auto note = [&](const KeySchema& key) {
        types[key.partition.name] = key.partition.type;
        if (key.sort) {
            types[key.sort->name] = key.sort->type;
        }
    };
    note(table.key);
    for (const auto& index : table.indexes) {
        note(index.key);
        dynamo::IndexDefinition definition;
        definition.name = index.name;
        definition.key_schema = to_dynamo(index.key);
        switch (index.projection) {
            case Index::Projection::kAll:
                break;
            case Index::Projection::kKeys:
                definition.projection.type = dynamo::ProjectionType::kKeysOnly;
                break;
            case Index::Projection::kSome:
                definition.projection.type = dynamo::ProjectionType::kInclude;
                for (const auto& name : index.projected) {
                    const bool key = name == index.key.partition.name ||
                                     (index.key.sort && name == index.key.sort->name);
                    if (!key && !table.is_primary_key(name)) {
                        definition.projection.non_key_attributes.push_back(name);
                    }
                }
                if (definition.projection.non_key_attributes.empty()) {
                    definition.projection.type = dynamo::ProjectionType::kKeysOnly;
                }
                break;
        }
        if (!request.global_indexes) {
            request.global_indexes.emplace();
        }
        request.global_indexes->push_back(std::move(definition));
    }
    for (const auto& [name, type] : types) {
        request.attributes.push_back({name, type});
    }
    return request;
}

}  // namespace gateleg::model
