// The walk over a model that every generator of clients makes: entities first, then calls with what
// they take and answer. A language says only how each is written.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/client_surface.h"

namespace gateleg::model {

// One thing a call takes from its caller.
struct ClientInput {
    enum class Kind : std::uint8_t {
        kParameter,
        kRest,    // further fields of the body
        kLimit,   // of a page
        kCursor,  // where a page begins
        kOrder,   // asc or desc
    };
    Kind kind = Kind::kParameter;
    std::string name;
    Parameter::Place place = Parameter::Place::kQuery;
    bool needed = false;
    const Attribute* attribute = nullptr;  // null: text, but for kLimit and kRest
};
// In the order in which a client declares them.
std::vector<ClientInput> inputs_of(const ClientCall& call);

// Of "/v1/stories/{id}": a text, then a variable.
struct PathPart {
    std::string text;
    bool is_variable = false;
};
std::vector<PathPart> path_parts(std::string_view path);

// "POST /v1/albums/{id}/like kind=album; signed_in; GA-A1": for a comment.
std::string summary_of(const ClientCall& call);

// One thread at a time; the model outlives it.
class ClientWriter {
public:
    ClientWriter(const ClientWriter&) = delete;
    ClientWriter& operator=(const ClientWriter&) = delete;

protected:
    // `taken` are names that the language's base declares.
    ClientWriter(const Model& model, std::set<std::string> taken);
    virtual ~ClientWriter() = default;

    virtual void write_entity(const Entity& entity) = 0;
    // Writes the types of the call, which stand before the class, and gives its methods.
    virtual std::string write_call(const ClientCall& call) = 0;

    // Everything that stands before the class; gives the methods of the class.
    std::string write_calls();

    const Model& model() const { return model_; }
    const std::vector<ClientCall>& calls() const { return calls_; }
    const std::string& client_name() const { return client_; }
    const std::string& name_of(const Entity& entity) const { return names_.at(&entity); }
    // A name nothing else has.
    std::string claim(const std::string& name) { return claim_name(taken_, name); }

    std::string out_;

private:
    const Model& model_;
    std::vector<ClientCall> calls_;
    std::vector<const Entity*> entities_;
    std::map<const Entity*, std::string> names_;
    std::set<std::string> taken_;
    std::string client_;
};

}  // namespace gateleg::model
