#include <map>

#include "base/json_indent.h"
#include "base/json_writer.h"
#include "dynamo/schema_json.h"
#include "model/table_export.h"
#include "model/table_request.h"

namespace gateleg::model {
namespace {

std::string_view stored_type(const Attribute& attribute) {
    switch (attribute.type) {
        case AttributeType::kInteger:
        case AttributeType::kNumber:
        case AttributeType::kEpochSeconds:
        case AttributeType::kEpochMillis:
            return "N";
        case AttributeType::kBoolean:
            return attribute.spelling ? "S" : "BOOL";
        case AttributeType::kList:
            return "L";
        case AttributeType::kMap:
        case AttributeType::kAny:
            return "M";
        case AttributeType::kSet:
            return attribute.of && is_numeric(attribute.of->type)                 ? "NS"
                   : attribute.of && attribute.of->type == AttributeType::kBinary ? "BS"
                                                                                  : "SS";
        case AttributeType::kBinary:
            return "B";
        case AttributeType::kString:
        case AttributeType::kTimestamp:
        case AttributeType::kUlid:
        case AttributeType::kUuid:
        case AttributeType::kEnum:
            return "S";
    }
    return "S";
}

class Workbench {
public:
    explicit Workbench(const Model& model) : model_(model), json_(text_) {}

    std::string render() {
        const auto request = create_table_request(model_.table);
        json_.begin_object();
        json_.member("ModelName", model_.name);
        json_.key("ModelMetadata");
        json_.begin_object();
        json_.member("Author", "");
        json_.member("Description", "The table of the model " + model_.name);
        json_.member("AWSService", "Amazon DynamoDB");
        json_.member("Version", "3.0");
        json_.end_object();
        json_.key("DataModel");
        json_.begin_array();
        json_.begin_object();
        json_.member("TableName", model_.table.name);
        write_keys(model_.table.key);
        write_attributes();
        write_facets();
        write_indexes(request);
        json_.key("TableData");
        json_.raw("[]");
        json_.key("DataAccess");
        json_.raw(R"({"MySql":{}})");
        json_.member("BillingMode", "PAY_PER_REQUEST");
        json_.end_object();
        json_.end_array();
        json_.end_object();
        return indent_json(text_);
    }

private:
    void write_key(std::string_view member, const KeyAttribute& attribute) {
        json_.key(member);
        json_.begin_object();
        json_.member("AttributeName", attribute.name);
        json_.member("AttributeType", value::type_name(attribute.type));
        json_.end_object();
    }
    void write_keys(const KeySchema& key) {
        json_.key("KeyAttributes");
        json_.begin_object();
        write_key("PartitionKey", key.partition);
        if (key.sort) {
            write_key("SortKey", *key.sort);
        }
        json_.end_object();
    }

    // What an item of the entity holds beside the primary key.
    std::vector<std::pair<std::string, std::string_view>> stored_of(const Entity& entity) const {
        std::vector<std::pair<std::string, std::string_view>> names;
        for (const auto& rule : entity.keys) {
            if (!rule.plain && !model_.table.is_primary_key(rule.attribute)) {
                names.emplace_back(rule.attribute, value::type_name(key_type(rule.attribute)));
            }
        }
        for (const auto& attribute : entity.attributes) {
            if (attribute.stored && !model_.table.is_primary_key(attribute.name)) {
                names.emplace_back(attribute.name, stored_type(attribute));
            }
        }
        if (!model_.table.marker.empty() && entity.marker) {
            names.emplace_back(model_.table.marker, "S");
        }
        return names;
    }
    value::Type key_type(std::string_view name) const {
        for (const auto& index : model_.table.indexes) {
            if (index.key.partition.name == name) {
                return index.key.partition.type;
            }
            if (index.key.sort && index.key.sort->name == name) {
                return index.key.sort->type;
            }
        }
        return value::Type::kString;
    }

    void write_attributes() {
        std::map<std::string, std::string_view> all;
        for (const auto& entity : model_.entities) {
            if (!entity.built_in) {
                for (const auto& [name, type] : stored_of(entity)) {
                    all.try_emplace(name, type);
                }
            }
        }
        json_.key("NonKeyAttributes");
        json_.begin_array();
        for (const auto& [name, type] : all) {
            json_.begin_object();
            json_.member("AttributeName", name);
            json_.member("AttributeType", type);
            json_.end_object();
        }
        json_.end_array();
    }

    void write_alias(std::string_view member, const Entity& entity, const KeyAttribute& key) {
        const auto* rule = entity.find_key(key.name);
        json_.member(member, rule != nullptr ? rule->key_template.text() : key.name);
    }
    void write_facets() {
        json_.key("TableFacets");
        json_.begin_array();
        for (const auto& entity : model_.entities) {
            if (entity.built_in) {
                continue;
            }
            json_.begin_object();
            json_.member("FacetName", entity.name);
            json_.key("KeyAttributeAlias");
            json_.begin_object();
            write_alias("PartitionKeyAlias", entity, model_.table.key.partition);
            if (model_.table.key.sort) {
                write_alias("SortKeyAlias", entity, *model_.table.key.sort);
            }
            json_.end_object();
            json_.key("TableData");
            json_.raw("[]");
            json_.key("NonKeyAttributes");
            json_.begin_array();
            for (const auto& stored : stored_of(entity)) {
                json_.string(stored.first);
            }
            json_.end_array();
            json_.key("DataAccess");
            json_.raw(R"({"MySql":{}})");
            json_.end_object();
        }
        json_.end_array();
    }

    void write_indexes(const dynamo::CreateTableRequest& request) {
        json_.key("GlobalSecondaryIndexes");
        json_.begin_array();
        for (std::size_t i = 0; i < model_.table.indexes.size(); ++i) {
            json_.begin_object();
            json_.member("IndexName", model_.table.indexes[i].name);
            write_keys(model_.table.indexes[i].key);
            dynamo::write_projection(json_, (*request.global_indexes)[i].projection);
            json_.end_object();
        }
        json_.end_array();
    }

    const Model& model_;
    std::string text_;
    JsonWriter json_;
};

}  // namespace

std::string to_workbench(const Model& model) {
    return Workbench(model).render();
}

}  // namespace gateleg::model
