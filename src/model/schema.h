// The typed model: everything a model file says, read once at start and never changed.
//
// Names are kept as text and, once resolved, as pointers into the same Model; a Model therefore
// never moves. load_model() (load.h) makes one.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/diagnostics.h"
#include "model/expression.h"
#include "model/key_template.h"
#include "value/attribute_value.h"
#include "value/types.h"

namespace re2 {
class RE2;
}

namespace gateleg::model {

// A name used somewhere, and where.
struct Reference {
    std::string name;
    Position position;
};

// --- table
// -----------------------------------------------------------------------------------------

struct KeyAttribute {
    std::string name;
    value::Type type = value::Type::kString;  // S, N or B
};
struct KeySchema {
    KeyAttribute partition;
    std::optional<KeyAttribute> sort;
};
struct Index {
    enum class Projection : std::uint8_t { kAll, kKeys, kSome };
    std::string name;
    Position position;
    KeySchema key;
    Projection projection = Projection::kAll;
    std::vector<std::string> projected;  // of kSome
    bool optional = false;               // may be off: its patterns then answer 501
};
struct Table {
    std::string name;
    Position position;
    KeySchema key;
    std::string ttl;     // attribute, empty for none
    std::string marker;  // attribute, empty for none
    std::vector<Index> indexes;

    const Index* find_index(std::string_view index) const;
    // Part of the primary key or of an index key.
    bool is_key_attribute(std::string_view attribute) const;
    bool is_primary_key(std::string_view attribute) const;
};

// --- attributes
// ------------------------------------------------------------------------------------

enum class AttributeType : std::uint8_t {
    kString,
    kInteger,
    kNumber,
    kBoolean,
    kTimestamp,  // S, ISO 8601 in UTC, with milliseconds or whole seconds
    kEpochSeconds,
    kEpochMillis,
    kUlid,
    kUuid,
    kEnum,
    kList,
    kMap,
    kSet,
    kBinary,
    kAny,
};
std::string_view attribute_type_name(AttributeType type);  // the word of the language
bool is_time(AttributeType type);
bool is_numeric(AttributeType type);  // integer or number
bool is_text(AttributeType type);     // string, ulid, uuid, enum

enum class Normalise : std::uint8_t { kTrim, kLower, kSqueeze, kDistinct };

struct Attribute {
    std::string name;
    Position position;
    AttributeType type = AttributeType::kAny;
    bool required = false;            // '!': must have a value
    std::vector<std::string> values;  // of an enum

    std::optional<Expression> default_value;
    std::optional<Expression> is;  // derived; stored unless `stored` is false

    // Of the value of a number, of the length of a string, of the size of a list, set or map.
    std::optional<value::Number> min;
    std::optional<value::Number> max;
    std::optional<value::Number> above;  // greater than, not equal
    std::optional<value::Number> step;
    std::vector<value::AttributeValue> in;  // the only values; empty for any
    std::string pattern;
    std::shared_ptr<const re2::RE2> regex;  // of `pattern`
    std::optional<int> decimals;
    bool whole_seconds = false;  // precision: s
    std::vector<Normalise> normalise;

    std::shared_ptr<Attribute> of;  // elements of a list or set, values of a map
    std::vector<Attribute> fields;  // of a map
    bool open = false;              // a map that keeps fields it does not name

    bool stored = true;  // false: derived, or exists only in the key
    // A boolean kept as a string: spellings of true and false.
    std::optional<std::pair<std::string, std::string>> spelling;
    bool keep_null = false;
    bool immutable = false;
    bool hidden = false;
    bool json_number = false;  // an epoch as an integer in the API, not as RFC 3339 text

    // Exists only in the key.
    bool key_only() const { return !stored && !is; }
    const Attribute* find_field(std::string_view field) const;
};

// How values of the attribute look in a key.
KeyValueType key_value_type(const Attribute& attribute);
// The type an expression has that reads the attribute.
Type type_of(const Attribute& attribute);

// --- steps
// -----------------------------------------------------------------------------------------

struct Entity;
struct Pattern;
struct Operation;

struct Outcome {
    enum class Kind : std::uint8_t { kError, kUnchanged, kSkip, kRetry };
    Kind kind = Kind::kError;
    std::string error;  // of kError
    std::string name() const;
};
// `outcome` happens when `condition` does not hold.
struct OutcomeRule {
    Outcome outcome;
    Expression condition;
    Position position;
};
struct Assignment {
    std::string attribute;
    Position position;
    Expression value;
};
struct Loop {  // for: x in $list
    std::string variable;
    Expression list;
    Position position;
};

// An item, as it is named in the file: Story(caller, $id), onePattern($x), $read, or
// match($kind, album: Album($id), ..).
struct ItemCase;
struct ItemReference {
    enum class Kind : std::uint8_t { kEntity, kPattern, kRead, kMatch };
    Kind kind = Kind::kEntity;
    Position position;
    std::string text;
    std::string name;  // entity, pattern or read
    std::vector<Argument>
        arguments;     // of kEntity and kPattern: in the order of the key's variables
    ExprPtr selector;  // of kMatch
    std::vector<ItemCase> cases;

    // What the item can be; resolved.
    std::vector<const Entity*> entities;
    const Pattern* pattern = nullptr;  // of kPattern
};
struct ItemCase {
    std::string label;
    ItemReference item;
};

enum class Verb : std::uint8_t { kPut, kUpdate, kUpsert, kDelete, kCheck };
std::string_view verb_name(Verb verb);

// A write in an operation, or (a put) a row of an entity.
struct Step {
    Verb verb = Verb::kPut;
    Position position;
    ItemReference target;  // of a put: kEntity without arguments
    std::optional<Loop> loop;
    std::optional<Expression> when;
    std::vector<OutcomeRule> conditions;  // `if`, in order
    std::vector<Assignment> set;
    bool set_input = false;  // set: input
    std::vector<Assignment> add;
    std::vector<Assignment> append;
    std::vector<Reference> copy;
    std::optional<Expression> spread;
    std::string as;

    // A default condition goes away when one of the step's own says exists or absent; a put with
    // any condition has only those.
    bool says_existence = false;  // resolved

    // True if the step writes that attribute by name (set, add, append, copy).
    bool names(std::string_view attribute) const;
};

// --- entities
// --------------------------------------------------------------------------------------

struct KeyRule {
    std::string attribute;
    Position position;
    KeyTemplate key_template;
    std::optional<Expression> when;
    bool plain = false;  // no template in the file: the attribute itself is the key
};
struct Shard {
    std::string by;
    std::string at;
};
struct Entity {
    std::string name;
    Position position;
    std::vector<KeyRule> keys;
    std::vector<Attribute> attributes;
    std::optional<std::string> marker;  // its value; nothing: the item has none
    std::vector<Step> rows;
    std::optional<Expression> visible;
    // What callers see of an item for which `full` does not hold; empty: everything.
    std::vector<Reference> public_names;
    std::optional<Expression> full;
    std::string version;  // attribute, empty for none
    std::optional<Shard> shard;
    bool open = false;
    bool built_in = false;

    // Entities whose rows write this one; resolved.
    std::vector<const Entity*> owners;

    const Attribute* find_attribute(std::string_view attribute) const;
    const KeyRule* find_key(std::string_view key) const;
    // True if an item of it can be in that index: it has a rule or a plain attribute for every key.
    bool in_index(const KeySchema& key) const;
};

// Partitions of the built-in entity Outbox, so that a worker finds its rows by Query.
inline constexpr int kOutboxSlots = 16;

// Variables of the primary key, partition first, each once: the order of arguments.
std::vector<std::string> key_variables(const Entity& entity, const KeySchema& key);

// --- who may call, and where
// -----------------------------------------------------------------------

struct Access {
    enum class Kind : std::uint8_t { kAnyone, kSignedIn, kRole, kInternal };
    Kind kind = Kind::kInternal;
    std::vector<std::string> roles;  // of kRole
    std::string text() const;
};
struct Route {
    std::string method;
    std::string path;                      // "/albums/{id}"
    std::vector<std::string> path_inputs;  // "id"
    std::vector<std::string> query;        // names after '?': the route is meant when all are given
    std::vector<std::pair<std::string, std::string>> fixed;  // name=value
    Position position;
};

// --- patterns
// --------------------------------------------------------------------------------------

struct Pattern {
    enum class Order : std::uint8_t { kAscending, kDescending, kEither };
    struct Fixed {
        std::string attribute;
        Expression value;
        Position position;
    };

    std::string name;
    Position position;
    bool get = false;  // otherwise a query
    std::vector<Reference> entity_names;
    std::string index;  // empty: the table
    std::vector<Reference> by;
    std::vector<Fixed> fixed;
    std::optional<Reference> range;
    std::optional<Reference> prefix;
    std::vector<Reference> merge;
    std::optional<Expression> only;
    std::optional<ItemReference> load;  // without arguments: the same item in full
    // The item each result belongs to: who does not see it does not see the result.
    std::optional<ItemReference> within;
    std::optional<Reference> distinct;  // one result for each value of it
    bool one = false;
    bool count = false;
    bool all_pages = false;
    std::optional<Reference> sort;
    Order order = Order::kAscending;
    std::optional<int> limit;
    std::optional<std::int64_t> max_range;  // milliseconds
    std::vector<Reference> returns;         // empty: everything
    bool consistent = false;
    bool absent_defaults = false;
    bool unfiltered = false;
    Access allow;
    std::vector<Route> routes;
    std::string doc;

    // Resolved.
    std::vector<const Entity*> entities;
    const Index* table_index = nullptr;  // null: the table
    // What the caller sees: the loaded entities, or those that were read.
    const std::vector<const Entity*>& returned() const { return load ? load->entities : entities; }
};

// --- operations and jobs
// ---------------------------------------------------------------------------

struct Input {
    Attribute attribute;  // of E.attr: a copy of that attribute under the input's name
    const Attribute* borrowed = nullptr;
    std::string borrowed_from;  // "Story.title", empty when the input has a type of its own
};
struct Read {
    std::string name;
    Position position;
    ItemReference item;
    bool loose = false;  // not pinned
};
struct Let {
    std::string name;
    Position position;
    Expression value;
};
struct Operation {
    std::string name;
    Position position;
    Access allow;
    std::vector<Route> routes;  // empty: called from C++ and jobs only
    bool idempotency_required = false;
    std::vector<Input> inputs;
    std::vector<Read> reads;
    std::vector<Let> lets;
    std::vector<OutcomeRule> require;
    std::vector<Step> writes;
    std::optional<Expression> returns;
    int status = 0;  // of success; 0: 201 for a new item, else 200

    // C++ runs it (native.h); the file says who may call it, where and with what.
    bool native = false;
    bool raw_body = false;            // C++ reads the bytes of the body itself
    std::vector<std::string> raised;  // errors it can answer with
    std::vector<Attribute> answer;    // fields of its answer
    std::string answer_item;          // or the entity it answers with
    std::string rest;                 // open map input that takes the fields no input names
    bool answer_list = false;         // {"items", "cursor"} of that entity

    const Input* find_input(std::string_view input) const;
    const Read* find_read(std::string_view read) const;
};
struct Job {
    std::string name;
    Position position;
    Access allow;
    std::vector<Route> routes;
    std::optional<std::int64_t> every;  // milliseconds
    std::vector<Input> inputs;
    std::optional<Loop> loop;
    Reference source;  // pattern, or entity of scan(Entity)
    bool scan = false;
    std::vector<Argument> source_arguments;
    std::optional<Expression> when;
    Reference run;
    std::vector<Argument> run_arguments;

    // Resolved.
    const Pattern* pattern = nullptr;
    const Entity* entity = nullptr;  // what $it is
    const Operation* operation = nullptr;
};

// --- the whole
// -------------------------------------------------------------------------------------

struct Constant {
    std::string name;
    Position position;
    value::AttributeValue value;
};

class Model {
public:
    Model() = default;
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    std::string name;
    std::string path;  // under /v1
    std::string file;
    Table table;
    std::vector<Constant> constants;
    std::vector<Entity> entities;  // those of the file, then the built-in ones
    std::vector<Pattern> patterns;
    std::vector<Operation> operations;
    std::vector<Job> jobs;
    std::vector<std::pair<std::string, int>> errors;

    const Entity* find_entity(std::string_view entity) const;
    const Pattern* find_pattern(std::string_view pattern) const;
    const Operation* find_operation(std::string_view operation) const;
    const Constant* find_constant(std::string_view constant) const;
    // The listed status, else 404 for ...NotFound and 409 for the rest.
    int error_status(std::string_view error) const;
    const KeySchema& key_of(const Pattern& pattern) const {
        return pattern.table_index != nullptr ? pattern.table_index->key : table.key;
    }
};

}  // namespace gateleg::model
