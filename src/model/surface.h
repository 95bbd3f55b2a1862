// What a model offers over HTTP: each route with its parameters, who may call it, what it answers
// and how it can fail. The REST face, OpenAPI and the documents are made from this one list.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/schema.h"

namespace gateleg::model {

struct Parameter {
    enum class Place : std::uint8_t { kPath, kQuery, kBody };
    std::string name;      // as the caller writes it
    std::string argument;  // as the pattern, operation or job calls it
    Place place = Place::kQuery;
    bool required = false;
    const Attribute* attribute = nullptr;  // null: text
    bool whole_day = false;                // a date that stands for `from` and `to`
};

// One way to call a pattern, an operation or a job. Points into the model.
struct Endpoint {
    // Unique in the model: "renameStory", "nodes.2" for a second route, "runPlanExpiry" of a job.
    std::string id;
    std::string method;
    std::string path;                    // "/v1/stories/{id}"
    std::vector<std::string> selecting;  // query parameters that tell it from others of its path
    const Pattern* pattern = nullptr;    // one of the three is set
    const Operation* operation = nullptr;
    const Job* job = nullptr;
    std::vector<Parameter> parameters;
    std::vector<std::pair<std::string, std::string>> fixed;
    // The open map that takes every field of the body that no parameter names; empty for none.
    std::string rest;

    const Access& access() const;
    const Parameter* find_parameter(std::string_view name) const;
    // Answers {"items", "cursor"}.
    bool is_list() const;
    // Its list goes on behind a cursor.
    bool is_paged() const;
    bool takes_body() const;
    // A create, spend or move: it takes an Idempotency-Key.
    bool takes_idempotency_key() const;
};

// "/v1" and the model's path.
std::string base_path(const Model& model);

// The routes the file names, in its order. What only C++ may call is not among them.
std::vector<Endpoint> endpoints_of(const Model& model);
// GET <base>/patterns/<name> for every pattern that anybody but C++ may call.
std::vector<Endpoint> pattern_endpoints_of(const Model& model);

// "st-a1" from a doc such as "ST-A1, ST-A8: newest first": the rows a pattern serves.
std::vector<std::string> row_ids(const Pattern& pattern);

// What an endpoint gives; empty when it is not an item.
std::vector<const Entity*> returned_entities(const Endpoint& endpoint);
// The attribute that tells items of several entities apart in an answer, and an entity's value of
// it.
std::string discriminator(const Model& model);
std::string discriminator_value(const Entity& entity, const std::vector<const Entity*>& among);

// Status -> codes: exactly the errors an endpoint can answer with.
std::map<int, std::set<std::string>> errors_of(const Model& model, const Endpoint& endpoint);

}  // namespace gateleg::model
