#include "model/properties.h"

#include <algorithm>

#include "base/check.h"

namespace gateleg::model {
namespace {

std::vector<Construct> make_constructs() {
    using S = Shape;
    return {
        {"file",
         "A system on one DynamoDB table.",
         {
             {"model", S::kConstruct, "Name and place of the system.", true, "model"},
             {"table", S::kConstruct, "The one table.", true, "table"},
             {"constants", S::kAnything, "Values used as $name."},
             {"entities", S::kConstructs, "Kinds of items.", true, "entity"},
             {"patterns", S::kConstructs, "Reads, one each.", false, "pattern"},
             {"operations",
              S::kConstructs,
              "Writes: bounded reads, one transaction.",
              false,
              "operation"},
             {"jobs", S::kConstructs, "A pattern times an operation.", false, "job"},
             {"errors", S::kStatuses, "HTTP statuses of errors; else ...NotFound 404, others 409."},
         }},
        {"model",
         "Name and place of the system.",
         {
             {"name", S::kName, "Name of the system.", true},
             {"path", S::kText, "Prefix of its routes under /v1.", true},
         }},
        {"table",
         "The DynamoDB table.",
         {
             {"name", S::kText, "Name of the table.", true},
             {"key", S::kKeyTypes, "Partition and sort key: { PK: S, SK: S }.", true},
             {"ttl", S::kName, "Attribute that holds the end of life in epoch seconds."},
             {"marker", S::kName, "Attribute that names the kind of an item, or none.", true},
             {"indexes", S::kConstructs, "Global secondary indexes.", false, "index"},
         }},
        {"index",
         "A global secondary index.",
         {
             {"key", S::kKeyTypes, "Partition and sort key.", true},
             {"project", S::kProjection, "all, keys, or a list of attributes."},
             {"optional", S::kFlag, "May be off: its patterns then answer 501."},
         }},
        {"entity",
         "A kind of item.",
         {
             {"keys", S::kKeys, "Key attribute to template.", true},
             {"attributes", S::kAttributes, "Attributes.", true},
             {"marker", S::kName, "Its value of the table's marker, or none."},
             {"rows", S::kConstructList, "Items that exist because this one does.", false, "step"},
             {"visible", S::kExpression, "Which items a caller sees."},
             {"public", S::kNames, "What callers see of an item that is not `full` to them."},
             {"full", S::kExpression, "Which items a caller sees with all attributes."},
             {"version", S::kName, "Integer attribute that counts edits."},
             {"shard", S::kConstruct, "Source of {shard} in templates.", false, "shard"},
             {"open", S::kFlag, "Keeps attributes it does not name."},
         }},
        {"key",
         "A template with a condition.",
         {
             {"template", S::kText, "Literals, {name} and {name:format}.", true},
             {"when", S::kExpression, "The key is there only when this holds.", true},
         }},
        {"shard",
         "How items spread over partitions.",
         {
             {"by", S::kName, "Attribute that is hashed.", true},
             {"at", S::kName, "Time attribute that says which schedule holds.", true},
         }},
        {"attribute",
         "An attribute, an input or a field.",
         {
             {"type", S::kText, "A type word, with ! when a value is required."},
             {"enum", S::kNames, "The values it may have."},
             {"default", S::kExpression, "Its value when none is given."},
             {"is", S::kExpression, "Derived: computed from other attributes."},
             {"min", S::kNumber, "Least value, length or size."},
             {"max", S::kNumber, "Greatest value, length or size."},
             {"above", S::kNumber, "The value is greater than this."},
             {"in", S::kValues, "The only values."},
             {"step", S::kNumber, "The value is a multiple of this."},
             {"pattern", S::kText, "RE2 expression a text must match."},
             {"decimals", S::kInteger, "Most decimals of a number; more is refused."},
             {"precision", S::kChoice, "Of a timestamp.", false, {}, {"ms", "s"}},
             {"normalise", S::kNames, "trim, lower, squeeze, distinct."},
             {"of", S::kAttribute, "Type of the elements."},
             {"fields", S::kAttributes, "Fields of a map."},
             {"stored", S::kStored, "false, or the spellings of true and false."},
             {"keep_null", S::kFlag, "null is stored as NULL, not removed."},
             {"immutable", S::kFlag, "A change is refused."},
             {"hidden", S::kFlag, "Never leaves the server."},
             {"json", S::kChoice, "An epoch as a number in the API.", false, {}, {"number"}},
             {"open", S::kFlag, "A map that keeps fields it does not name."},
         }},
        {"pattern",
         "One read.",
         {
             {"get", S::kName, "Entity of the one item."},
             {"query", S::kNameOrNames, "Entity or entities of the list."},
             {"index", S::kName, "Index that serves it; else the table."},
             {"by", S::kNames, "Attributes the caller gives."},
             {"fixed", S::kExpressions, "Attributes with a constant, or caller."},
             {"range", S::kName, "Next sort variable, with from and to."},
             {"prefix", S::kName, "Next sort variable, by its beginning."},
             {"merge", S::kNames, "Partition variables nobody gives: one Query per value."},
             {"only", S::kExpression, "Constant filter."},
             {"load", S::kItem, "Item to fetch for each result."},
             {"within", S::kItem, "Item a result belongs to: only who sees it sees the result."},
             {"distinct", S::kName, "One result for each value of this attribute."},
             {"one", S::kFlag, "A single answer, or 404."},
             {"count", S::kFlag, "Only the number."},
             {"all_pages", S::kFlag, "Everything at once."},
             {"sort", S::kName, "Attribute to sort by, with all_pages or merge."},
             {"order", S::kChoice, "Direction.", false, {}, {"asc", "desc", "either"}},
             {"limit", S::kInteger, "Most items of a page."},
             {"max_range", S::kDuration, "Longest range of times."},
             {"return", S::kNames, "Attributes to answer; else all."},
             {"consistent", S::kFlag, "Strongly consistent read."},
             {"absent",
              S::kChoice,
              "Answer defaults when there is no item.",
              false,
              {},
              {"defaults"}},
             {"unfiltered", S::kFlag, "Without `visible`; needs a role."},
             {"allow", S::kAccess, "Who may call.", true},
             {"route", S::kRoutes, "GET /path."},
             {"doc", S::kText, "Row of the design document."},
         }},
        {"operation",
         "Bounded reads and one transaction.",
         {
             {"allow", S::kAccess, "Who may call.", true},
             {"route", S::kRoutes, "METHOD /path name=value; without one it is internal."},
             {"idempotency", S::kChoice, "A key is demanded.", false, {}, {"required"}},
             {"input", S::kAttributes, "Inputs: attributes, or Entity.attribute."},
             {"read", S::kItems, "Items read consistently."},
             {"loose", S::kNames, "Reads that are not pinned."},
             {"let", S::kExpressions, "Names for values."},
             {"require", S::kExpressions, "Outcome to condition, before writing."},
             {"write", S::kConstructList, "Steps of the transaction.", false, "step"},
             {"return", S::kExpression, "The answer."},
             {"status", S::kInteger, "HTTP status of success, such as 202."},
             {"native", S::kFlag, "C++ runs it: it has no read, let, require, write or return."},
             {"body", S::kChoice, "C++ reads the bytes itself.", false, {}, {"raw"}},
             {"rest", S::kName, "Open map input that takes the fields of the body no input names."},
             {"raises", S::kNames, "Errors that a native operation can answer with."},
             {"answer", S::kAttributes, "Fields that a native operation answers with."},
             {"answer_item", S::kName, "Entity that a native operation answers with."},
             {"answer_list", S::kName, "Entity whose items a native operation lists."},
             {"doc", S::kText, "Row of the design document."},
         }},
        {"step",
         "A write.",
         {
             {"put", S::kName, "Entity of the new item."},
             {"update", S::kItem, "Item that must exist."},
             {"upsert", S::kItem, "Item that may exist."},
             {"delete", S::kItem, "Item to delete."},
             {"check", S::kItem, "Item whose condition must hold."},
             {"for", S::kLoop, "Once for each element."},
             {"when", S::kExpression, "Left out when this does not hold."},
             {"if", S::kExpressions, "Outcome to condition on the item."},
             {"set", S::kExpressionsOrInput, "New values, or input."},
             {"add", S::kExpressions, "Numbers to add."},
             {"append", S::kExpressions, "Lists to append."},
             {"copy", S::kNames, "Short for a: $a."},
             {"spread", S::kExpression, "A map whose members become attributes."},
             {"as", S::kName, "Name of the new item."},
         }},
        {"job",
         "An operation for each item of a pattern.",
         {
             {"allow", S::kAccess, "Who may start it.", true},
             {"route", S::kRoutes, "METHOD /path."},
             {"every", S::kDuration, "How often it runs by itself."},
             {"input", S::kAttributes, "Inputs."},
             {"for", S::kLoop, "Once for each element."},
             {"each", S::kItem, "pattern(args) or scan(Entity).", true},
             {"when", S::kExpression, "Items to take."},
             {"run", S::kItem, "operation(args).", true},
         }},
    };
}

}  // namespace

const Property* Construct::find(std::string_view property) const {
    for (const auto& one : properties) {
        if (one.name == property) {
            return &one;
        }
    }
    return nullptr;
}

std::vector<std::string> Construct::names() const {
    std::vector<std::string> found;
    for (const auto& one : properties) {
        found.emplace_back(one.name);
    }
    return found;
}

const std::vector<Construct>& constructs() {
    static const auto kConstructs = make_constructs();
    return kConstructs;
}

const Construct& construct(std::string_view name) {
    const auto& all = constructs();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    GATELEG_CHECK(found != all.end());
    return *found;
}

const std::vector<std::string>& type_words() {
    static const std::vector<std::string> kWords = {
        "string",
        "integer",
        "number",
        "boolean",
        "timestamp",
        "epoch_s",
        "epoch_ms",
        "ulid",
        "uuid",
        "list",
        "map",
        "set",
        "binary",
        "any"};
    return kWords;
}

}  // namespace gateleg::model
