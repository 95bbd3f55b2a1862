#include "model/table_export.h"

#include <algorithm>
#include <cctype>

#include "base/json_indent.h"
#include "base/json_writer.h"
#include "dynamo/schema_json.h"
#include "model/table_request.h"

namespace gateleg::model {
namespace {

void write_indexes(JsonWriter& json, const dynamo::CreateTableRequest& request) {
    if (!request.global_indexes) {
        return;
    }
    json.key("GlobalSecondaryIndexes");
    json.begin_array();
    for (const auto& index : *request.global_indexes) {
        json.begin_object();
        dynamo::write_index_shape(json, index);
        json.end_object();
    }
    json.end_array();
}

// What CreateTable and a CloudFormation resource have in common.
void write_table_members(JsonWriter& json, const dynamo::CreateTableRequest& request) {
    json.member("TableName", request.table);
    dynamo::write_attribute_definitions(json, request.attributes);
    dynamo::write_key_schema(json, request.key_schema);
    write_indexes(json, request);
    json.member("BillingMode", "PAY_PER_REQUEST");
}

std::string create_table_text(const Table& table) {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    write_table_members(json, create_table_request(table));
    json.end_object();
    return out;
}

// A word of a POSIX shell.
std::string shell_quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return out + "'";
}

// CloudFormation's names of resources: letters and digits only.
std::string logical_id(std::string_view name) {
    std::string id;
    bool upper = true;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
            upper = true;
            continue;
        }
        id += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = false;
    }
    return id + "Table";
}

// A text of HCL: JSON's escapes, and no interpolation.
std::string hcl_text(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool opens = at + 1 < text.size() && text[at + 1] == '{';
        plain += text[at];
        if (opens && (text[at] == '$' || text[at] == '%')) {
            plain += text[at];
        }
    }
    std::string out;
    append_json_string(out, plain);
    return out;
}

std::string resource_name(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const auto letter = static_cast<unsigned char>(c);
        out += std::isalnum(letter) != 0 || c == '_' || c == '-' ? c : '_';
    }
    const bool starts = !out.empty() && std::isdigit(static_cast<unsigned char>(out[0])) == 0;
    return starts ? out : "_" + out;
}

// Lines `name = value` of one HCL block, their values in one column.
class HclBlock {
public:
    explicit HclBlock(std::size_t indent) : indent_(indent) {}

    void line(std::string name, std::string value) {
        width_ = std::max(width_, name.size());
        lines_.emplace_back(std::move(name), std::move(value));
    }
    void text(std::string name, std::string_view value) { line(std::move(name), hcl_text(value)); }
    void keys(const dynamo::KeySchema& schema) {
        for (const auto& element : schema) {
            text(
                element.role == dynamo::KeyRole::kHash ? "hash_key" : "range_key", element.attribute
            );
        }
    }
    std::string render() const {
        std::string out;
        for (const auto& [name, value] : lines_) {
            out.append(indent_, ' ').append(name).append(width_ - name.size(), ' ');
            out.append(" = ").append(value).append("\n");
        }
        return out;
    }

private:
    std::size_t indent_;
    std::size_t width_ = 0;
    std::vector<std::pair<std::string, std::string>> lines_;
};

constexpr std::size_t kOuter = 2;
constexpr std::size_t kInner = 4;

std::string hcl_block(std::string_view name, const HclBlock& block) {
    return "\n  " + std::string(name) + " {\n" + block.render() + "  }\n";
}

std::string hcl_index(const dynamo::IndexDefinition& index) {
    HclBlock block(kInner);
    block.text("name", index.name);
    block.keys(index.key_schema);
    block.text("projection_type", dynamo::projection_name(index.projection.type));
    const auto& names = index.projection.non_key_attributes;
    if (!names.empty()) {
        std::string list = "[";
        for (const auto& name : names) {
            list += (list.size() > 1 ? ", " : "") + hcl_text(name);
        }
        block.line("non_key_attributes", list + "]");
    }
    return hcl_block("global_secondary_index", block);
}

}  // namespace

std::string to_create_table_json(const Table& table) {
    return indent_json(create_table_text(table));
}

std::string to_aws_cli(const Table& table) {
    std::string out = "#!/bin/sh\nset -e\n";
    out += "aws dynamodb create-table --cli-input-json " + shell_quoted(create_table_text(table)) +
           "\n";
    const auto name = " --table-name " + shell_quoted(table.name);
    out += "aws dynamodb wait table-exists" + name + "\n";
    if (!table.ttl.empty()) {
        std::string specification;
        JsonWriter json(specification);
        json.begin_object();
        json.member("AttributeName", table.ttl);
        json.member("Enabled", true);
        json.end_object();
        out += "aws dynamodb update-time-to-live" + name + " --time-to-live-specification " +
               shell_quoted(specification) + "\n";
    }
    return out;
}

std::string to_cloudformation(const Model& model) {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.member("AWSTemplateFormatVersion", "2010-09-09");
    json.member("Description", "The table of the model " + model.name);
    json.key("Resources");
    json.begin_object();
    json.key(logical_id(model.table.name));
    json.begin_object();
    json.member("Type", "AWS::DynamoDB::Table");
    // A stack that goes, or a changed key, must not take the data along.
    json.member("DeletionPolicy", "Retain");
    json.member("UpdateReplacePolicy", "Retain");
    json.key("Properties");
    json.begin_object();
    write_table_members(json, create_table_request(model.table));
    if (!model.table.ttl.empty()) {
        json.key("TimeToLiveSpecification");
        json.begin_object();
        json.member("AttributeName", model.table.ttl);
        json.member("Enabled", true);
        json.end_object();
    }
    for (int level = 0; level < 4; ++level) {
        json.end_object();
    }
    return indent_json(out);
}

std::string to_terraform(const Model& model) {
    const auto request = create_table_request(model.table);
    HclBlock head(kOuter);
    head.text("name", request.table);
    head.text("billing_mode", "PAY_PER_REQUEST");
    head.keys(request.key_schema);
    std::string out = "resource \"aws_dynamodb_table\" \"" + resource_name(model.table.name) +
                      "\" {\n" + head.render();
    for (const auto& attribute : request.attributes) {
        HclBlock block(kInner);
        block.text("name", attribute.name);
        block.text("type", value::type_name(attribute.type));
        out += hcl_block("attribute", block);
    }
    if (request.global_indexes) {
        for (const auto& index : *request.global_indexes) {
            out += hcl_index(index);
        }
    }
    if (!model.table.ttl.empty()) {
        HclBlock block(kInner);
        block.text("attribute_name", model.table.ttl);
        block.line("enabled", "true");
        out += hcl_block("ttl", block);
    }
    HclBlock lifecycle(kInner);
    lifecycle.line("prevent_destroy", "true");
    return out + hcl_block("lifecycle", lifecycle) + "}\n";
}

}  // namespace gateleg::model
