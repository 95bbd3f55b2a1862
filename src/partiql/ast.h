// The tree a PartiQL statement parses to. It depends on the statement's text alone: parameters are
// positions that the request fills.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gateleg::partiql {

// Where a token stands, counted in characters from 1, as messages show it: "at 1:8:3".
struct Position {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
    std::uint32_t length = 0;
};

struct PathStep {
    std::string name;  // empty for an index
    std::uint32_t index = 0;
    bool is_index = false;
    bool operator==(const PathStep&) const = default;
};

// A document path; its first step is a name.
struct Path {
    std::vector<PathStep> steps;
};

// What a column is called in the result: its path from the last name on, "b[0]" for a.b[0].
std::string column_name(const Path& path);

enum class ExprKind : std::uint8_t {
    kPath,
    kString,
    kNumber,  // `text` as written, its sign included
    kBoolean,
    kNull,
    kParameter,
    kList,
    kBag,
    kStruct,  // children are the values of `names`
    kAnd,     // any number of children; likewise kOr
    kOr,
    kNot,
    kCompare,  // `text` is the operator as expressions spell it: "<>", not "!="
    kBetween,
    kIn,  // children: the operand, then the list
    kIsMissing,
    kIsNull,
    kIsType,  // `text` is the type's name in capitals
    kCall,    // `text` is the function's name in lower case
    kPlus,
    kMinus,
};

struct Expr {
    ExprKind kind = ExprKind::kNull;
    Position at;
    std::string text;
    bool boolean = false;
    std::size_t parameter = 0;
    Path path;
    std::vector<std::string> names;
    std::vector<Expr> children;
};

struct Source {
    std::string table;
    std::optional<std::string> index;
};

struct OrderBy {
    std::string attribute;
    bool descending = false;
};

// SET path = value, or REMOVE path.
struct Assignment {
    Path target;
    std::optional<Expr> value;
};

struct Returning {
    bool modified = false;  // else all
    bool is_new = false;    // else old
};

enum class StatementKind : std::uint8_t { kSelect, kExists, kInsert, kUpdate, kDelete };

struct Statement {
    StatementKind kind = StatementKind::kSelect;
    Source source;
    std::optional<Expr> where;
    // SELECT and EXISTS; no columns means *.
    std::vector<Path> columns;
    std::vector<OrderBy> order;
    // INSERT.
    std::optional<Expr> item;
    // UPDATE.
    std::vector<Assignment> assignments;
    // UPDATE and DELETE.
    std::optional<Returning> returning;
    std::size_t parameters = 0;

    bool is_read() const { return kind == StatementKind::kSelect; }
};

}  // namespace gateleg::partiql
