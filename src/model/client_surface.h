// What the generators of clients share: the calls a client has, under names that are free, and
// which attributes an answer shows.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/surface.h"

namespace gateleg::model {

// What the body of a success holds.
enum class AnswerKind : std::uint8_t {
    kItem,
    kPage,     // {"items", "cursor"}
    kCount,    // {"count"}
    kChanged,  // {"changed"}
    kFields,   // those of a native operation
    kAny,      // JSON of no known shape, or text
};

struct ClientCall {
    std::string name;  // camelCase, unique in the model
    Endpoint endpoint;
    AnswerKind answer = AnswerKind::kAny;
    std::vector<const Entity*> entities;  // of kItem and kPage
    bool may_be_unchanged = false;        // answers {"changed": false} when there was nothing to do
    bool takes_version = false;           // If-Match guards it
    std::set<std::string> errors;

    bool has_body() const;
    // True if nothing must be given.
    bool all_optional() const;
};

// Every declared route but those that take raw bytes, and the patterns that have none under
// <base>/patterns/.
std::vector<ClientCall> client_calls(const Model& model);
// Entities some call answers with, in the order of the file.
std::vector<const Entity*> client_entities(
    const Model& model, const std::vector<ClientCall>& calls
);

// True if answers hold the attribute.
bool is_shown(const Attribute& attribute);
// True if every answer that shows the item holds it.
bool is_always_there(const Entity& entity, const Attribute& attribute);
// The shown attributes of one call's answer: those of `return`, else all.
std::vector<const Attribute*> shown_attributes(const ClientCall& call, const Entity& entity);

// "createStory" -> "CreateStory"; what no identifier may hold is left out.
std::string pascal_case(std::string_view text);
std::string camel_case(std::string_view text);
bool is_plain_identifier(std::string_view text);
// `name`, or with a number behind it, if it is taken; taken from then on.
std::string claim_name(std::set<std::string>& taken, const std::string& name);

}  // namespace gateleg::model
