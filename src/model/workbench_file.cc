#include "model/workbench_file.h"

#include <algorithm>

#include <simdjson.h>

namespace gateleg::model {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::size_t kMaxBytes = std::size_t{64} * 1024 * 1024;
constexpr std::size_t kMaxSamples = 1000;

std::string text_of(const object& in, std::string_view member) {
    std::string_view text;
    return in[member].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

template <class Each>
void each_object(const object& in, std::string_view member, Each visit) {
    array list;
    if (in[member].get(list) != simdjson::SUCCESS) {
        return;
    }
    for (const element one : list) {
        object inner;
        if (one.get(inner) == simdjson::SUCCESS) {
            visit(inner);
        }
    }
}

std::vector<std::string> texts_of(const object& in, std::string_view member) {
    std::vector<std::string> texts;
    array list;
    if (in[member].get(list) != simdjson::SUCCESS) {
        return texts;
    }
    for (const element one : list) {
        std::string_view text;
        if (one.get(text) == simdjson::SUCCESS) {
            texts.emplace_back(text);
        }
    }
    return texts;
}

std::optional<WorkbenchKey> read_key(const object& keys, std::string_view member) {
    object key;
    if (keys[member].get(key) != simdjson::SUCCESS) {
        return std::nullopt;
    }
    WorkbenchKey read{text_of(key, "AttributeName"), text_of(key, "AttributeType")};
    const bool known = read.type == "S" || read.type == "N" || read.type == "B";
    return read.name.empty() || !known ? std::nullopt : std::optional(std::move(read));
}

std::optional<WorkbenchKeys> read_keys(const object& in) {
    object keys;
    if (in["KeyAttributes"].get(keys) != simdjson::SUCCESS) {
        return std::nullopt;
    }
    auto partition = read_key(keys, "PartitionKey");
    if (!partition) {
        return std::nullopt;
    }
    return WorkbenchKeys{*std::move(partition), read_key(keys, "SortKey")};
}

WorkbenchSample read_sample(const object& in) {
    WorkbenchSample sample;
    for (const auto& [name, typed] : in) {
        object value;
        std::string text;
        if (typed.get(value) == simdjson::SUCCESS) {
            text = text_of(value, "S");
            text = text.empty() ? text_of(value, "N") : text;
        }
        sample.insert_or_assign(std::string(name), std::move(text));
    }
    return sample;
}

bool is_key(const WorkbenchTable& table, std::string_view name) {
    return name == table.keys.partition.name || (table.keys.sort && name == table.keys.sort->name);
}

// The facet that has every attribute of the sample, and the fewest besides.
WorkbenchFacet* find_facet(WorkbenchTable& table, const WorkbenchSample& sample) {
    WorkbenchFacet* best = nullptr;
    for (auto& facet : table.facets) {
        const auto& names = facet.attributes;
        const bool fits = std::all_of(sample.begin(), sample.end(), [&](const auto& member) {
            return is_key(table, member.first) ||
                   std::find(names.begin(), names.end(), member.first) != names.end();
        });
        if (fits && (best == nullptr || names.size() < best->attributes.size())) {
            best = &facet;
        }
    }
    return best;
}

void read_facets(const object& in, WorkbenchTable& table) {
    each_object(in, "TableFacets", [&](const object& one) {
        WorkbenchFacet facet;
        facet.name = text_of(one, "FacetName");
        object alias;
        if (one["KeyAttributeAlias"].get(alias) == simdjson::SUCCESS) {
            facet.partition_alias = text_of(alias, "PartitionKeyAlias");
            facet.sort_alias = text_of(alias, "SortKeyAlias");
        }
        facet.attributes = texts_of(one, "NonKeyAttributes");
        each_object(one, "TableData", [&](const object& item) {
            if (facet.samples.size() < kMaxSamples) {
                facet.samples.push_back(read_sample(item));
            }
        });
        table.facets.push_back(std::move(facet));
    });
    if (table.facets.empty()) {
        WorkbenchFacet whole{.name = table.name};
        for (const auto& [name, type] : table.types) {
            whole.attributes.push_back(name);
        }
        table.facets.push_back(std::move(whole));
    }
    std::size_t seen = 0;
    each_object(in, "TableData", [&](const object& item) {
        if (++seen > kMaxSamples) {
            return;
        }
        auto sample = read_sample(item);
        if (auto* facet = find_facet(table, sample)) {
            facet->samples.push_back(std::move(sample));
        }
    });
}

std::optional<WorkbenchTable> read_table(const object& in) {
    WorkbenchTable table;
    table.name = text_of(in, "TableName");
    auto keys = read_keys(in);
    if (table.name.empty() || !keys) {
        return std::nullopt;
    }
    table.keys = *std::move(keys);
    each_object(in, "NonKeyAttributes", [&](const object& one) {
        auto name = text_of(one, "AttributeName");
        if (!name.empty() && !is_key(table, name)) {
            table.types.try_emplace(std::move(name), text_of(one, "AttributeType"));
        }
    });
    each_object(in, "GlobalSecondaryIndexes", [&](const object& one) {
        auto index_keys = read_keys(one);
        auto name = text_of(one, "IndexName");
        if (name.empty() || !index_keys) {
            return;
        }
        WorkbenchIndex index{std::move(name), *std::move(index_keys), "ALL", {}};
        object projection;
        if (one["Projection"].get(projection) == simdjson::SUCCESS) {
            index.projection = text_of(projection, "ProjectionType");
            index.included = texts_of(projection, "NonKeyAttributes");
        }
        table.indexes.push_back(std::move(index));
    });
    read_facets(in, table);
    return table;
}

}  // namespace

Result<std::vector<WorkbenchTable>> read_workbench(std::string_view json) {
    if (json.size() > kMaxBytes) {
        return validation_error("the file is larger than 64 MB");
    }
    simdjson::dom::parser parser;
    element root;
    object file;
    if (parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS) {
        return validation_error("the file is no JSON");
    }
    if (root.get(file) != simdjson::SUCCESS || file["DataModel"].error() != simdjson::SUCCESS) {
        return validation_error("the file has no DataModel: it is no data model of NoSQL Workbench"
        );
    }
    std::vector<WorkbenchTable> tables;
    each_object(file, "DataModel", [&](const object& one) {
        if (auto table = read_table(one)) {
            tables.push_back(*std::move(table));
        }
    });
    if (tables.empty()) {
        return validation_error("the file has no table with a name and a key");
    }
    return tables;
}

}  // namespace gateleg::model
