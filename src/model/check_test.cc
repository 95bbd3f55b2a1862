// Every rule with a model that breaks it and one that does not.

#include "model/check.h"

#include <gtest/gtest.h>

#include "model/load.h"
#include "model/markdown.h"
#include "model/properties.h"

namespace gateleg::model {
namespace {

// Parts of a small model; what a case does not give stays as it is here.
struct Parts {
    std::string indexes = "";
    std::string entities = "";
    std::string patterns = "";
    std::string operations = "";
    std::string jobs = "";
    std::string marker = "kind";
    std::string thing =
        "a: string, n: { type: integer, min: 0, max: 999 }, s: [x, y], at: timestamp";
    std::string thing_keys = "";
    std::string thing_more = "";
};

std::string model_text(const Parts& parts) {
    return "model: { name: t, path: /t }\n"
           "table: { name: t, key: { PK: S, SK: S }, ttl: ttl, marker: " +
           parts.marker + ", indexes: {" + parts.indexes +
           "} }\n"
           "entities:\n"
           "  Thing:\n"
           "    keys: { PK: \"THING#{id}\", SK: \"META\"" +
           parts.thing_keys +
           " }\n"
           "    attributes: { id: { type: string!, immutable: true }, " +
           parts.thing +
           " }\n"
           "    visible: \"true\"\n" +
           parts.thing_more + parts.entities +
           (parts.patterns.empty() ? "" : "patterns:\n" + parts.patterns) +
           (parts.operations.empty() ? "" : "operations:\n" + parts.operations) +
           (parts.jobs.empty() ? "" : "jobs:\n" + parts.jobs);
}

std::string findings(const std::string& text) {
    Diagnostics diagnostics("t");
    const auto model = load_model(text, diagnostics);
    if (model && !diagnostics.has_errors()) {
        check_model(*model, diagnostics);
    }
    return diagnostics.to_text();
}

const char* const kG1 = " G1: { key: { g1: S, g2: S } } ";
const char* const kAskG1 = "  p: { query: Thing, index: G1, by: [a], allow: internal }\n";

Parts with_thing(std::string attributes, std::string keys = "") {
    Parts parts;
    parts.thing = std::move(attributes);
    parts.thing_keys = std::move(keys);
    return parts;
}
Parts indexed(std::string attributes, std::string g1, std::string g2, std::string pattern = "") {
    auto parts = with_thing(std::move(attributes), ", g1: \"" + g1 + "\", g2: \"" + g2 + "\"");
    parts.indexes = kG1;
    parts.patterns = std::move(pattern);
    return parts;
}
Parts with_pattern(std::string pattern) {
    Parts parts;
    parts.patterns = "  p: { " + std::move(pattern) + " }\n";
    return parts;
}
Parts with_entity(std::string entity, std::string more = "") {
    Parts parts;
    parts.entities = std::move(entity);
    parts.thing_more = std::move(more);
    return parts;
}
Parts with_steps(std::string steps, std::string before = "", std::string attributes = "") {
    Parts parts;
    if (!attributes.empty()) {
        parts.thing = std::move(attributes);
    }
    parts.operations =
        "  op:\n    allow: internal\n    input: { id: Thing.id, n: Thing.n, list: { type: list, "
        "of: string, max: 200 }, "
        "short: { type: list, of: string, max: 3 }, open: { type: list, of: string } }\n" +
        before + "    write:\n" + std::move(steps);
    return parts;
}

Parts with_operation(std::string rest) {
    Parts parts;
    parts.operations = "  op:\n    allow: internal\n" + std::move(rest);
    return parts;
}

struct Rule {
    const char* finding;  // "error K01"
    Parts bad;
    Parts good;
};

std::vector<Rule> rules() {
    const std::string row =
        "  Row: { keys: { PK: \"ROW#{r}\", SK: META }, attributes: { r: { type: string!, stored: "
        "false } } }\n";
    const auto two = [](std::string pk, std::string marker) {
        return "  Two: { keys: { PK: \"" + pk + "\", SK: META }, attributes: { k: string! }" +
               marker + " }\n";
    };
    auto two_alike = with_entity(two("THING#{k}", ""));
    two_alike.marker = "none";
    auto two_apart = with_entity(two("TWO#{k}", ""));
    two_apart.marker = "none";

    const auto in_g1 = [&](std::string g1, std::string pattern) {
        auto parts = indexed("a: string, s: [x, y]", "S#{s}", "{a}", pattern);
        parts.entities = "  Two: { keys: { PK: \"TWO#{k}\", SK: META, g1: \"" + g1 +
                         "\", g2: \"{k}\" }, attributes: { k: string! } }\n";
        return parts;
    };
    auto plain_extra = Parts();
    plain_extra.indexes = " I: { key: { s: S, at: S } } ";
    plain_extra.patterns = "  p: { query: Thing, index: I, by: [s], allow: internal }\n";
    auto plain_fine = plain_extra;
    plain_extra.entities =
        "  Two: { keys: { PK: \"TWO#{k}\", SK: META }, attributes: { k: string!, s: string, at: "
        "timestamp } }\n";
    auto half = with_thing("a: string", ", g1: \"A#{a}\"");
    half.indexes = kG1;
    half.patterns = "  q: { query: Thing, by: [id], allow: internal }\n";
    auto half_plain = with_thing("a: string, g2: string", ", g1: \"A#{a}\"");
    half_plain.indexes = kG1;
    half_plain.patterns = kAskG1;
    auto number_key = with_thing("a: string", ", g1: \"A#{a}\", g2: \"{a}\"");
    number_key.indexes = " G1: { key: { g1: S, g2: N } } ";
    number_key.patterns = kAskG1;
    auto number_fine = with_thing("a: string, n: integer", ", g1: \"A#{a}\", g2: \"{n}\"");
    number_fine.indexes = number_key.indexes;
    number_fine.patterns = kAskG1;
    auto narrow = indexed("a: string, s: [x, y]", "A#{a}", "{id}", kAskG1);
    narrow.indexes = " G1: { key: { g1: S, g2: S }, project: keys } ";
    auto narrow_load = narrow;
    narrow_load.patterns =
        "  p: { query: Thing, index: G1, by: [a], load: Thing, allow: internal }\n";
    auto filter = narrow;
    filter.patterns =
        "  p: { query: Thing, index: G1, by: [a], only: \"s = x\", return: [id], allow: internal "
        "}\n";
    auto filter_load = narrow_load;
    filter_load.patterns =
        "  p: { query: Thing, index: G1, by: [a], only: \"s = x\", load: Thing, allow: internal "
        "}\n";
    const auto counter = [&](std::string step) {
        auto parts = with_steps(
            std::move(step),
            "",
            "a: string, n: { type: integer, min: 0, max: 999 }, at: { type: timestamp, default: "
            "now }"
        );
        parts.thing_keys = ", g1: \"A#{a}\", g2: \"{n:03}#{at}\"";
        parts.indexes = kG1;
        parts.patterns = kAskG1;
        return parts;
    };
    const auto precise = [&](const char* precision) {
        return with_entity(
            std::string("  Row: { keys: { PK: \"ROW#{id}\", SK: META }, attributes: { id: string!, "
                        "at: { type: timestamp, precision: ") +
                precision + " } } }\n",
            "    rows: [{ put: Row, copy: [id, at] }]\n"
        );
    };
    const auto rows_of = [&](std::string rows, std::string attributes) {
        auto parts = with_entity(row, "    rows: [" + std::move(rows) + "]\n");
        parts.thing = std::move(attributes);
        return parts;
    };
    auto row_written = rows_of("{ put: Row, set: { r: a } }", "a: string");
    row_written.operations =
        "  op: { allow: internal, input: { r: string! }, write: [{ delete: Row($r) }] }\n";
    auto row_checked = row_written;
    row_checked.operations =
        "  op: { allow: internal, input: { r: string! }, write: [{ check: Row($r) }] }\n";
    const auto head = [](std::string order) {
        Parts parts;
        parts.entities =
            "  Part: { keys: { PK: \"THING#{id}\", SK: \"A#{part}\" }, attributes: { id: string!, "
            "part: string! } }\n";
        parts.patterns =
            "  p: { query: [Thing, Part], by: [id], " + std::move(order) + "allow: internal }\n";
        return parts;
    };
    const auto job = [&](std::string step) {
        auto parts = with_steps(std::move(step));
        parts.jobs = "  j: { allow: internal, each: scan(Thing), run: op($it.id) }\n";
        return parts;
    };
    const auto hidden_entity = [&](std::string visible) {
        auto parts = with_entity(two("TWO#{k}", std::move(visible)));
        parts.patterns = "  p: { get: Two, allow: anyone }\n";
        return parts;
    };
    const auto owned = [](std::string how) {
        auto parts = indexed("a: string", "A#{a}", "{id}");
        parts.entities =
            "  Mine: { keys: { PK: \"MINE#{id}\", SK: META, g1: \"MINE#{a}\", g2: \"{id}\" }, "
            "attributes: { id: string!, a: string!, owner: string! }, visible: \"" +
            std::string(how == "by: [a]" ? "owner" : "a") + " = caller and id <> 'x'\" }\n";
        parts.patterns = std::string(kAskG1) + "  q: { query: Mine, index: G1, " + how +
                         ", allow: signed_in }\n";
        return parts;
    };
    Parts many;
    for (int i = 0; i < 21; ++i) {
        many.indexes += (i == 0 ? " I" : ", I") + std::to_string(i) + ": { key: { s: S, at: S } }";
    }

    return {
        {"error K01", with_thing("a: string", ", g1: \"{missing}\""), Parts()},
        {"error K01: entity Thing: nothing parts",
         indexed("a: string, s: [x]", "{a}{s}", "m", ""),
         indexed(
             "a: string, s: [x]",
             "{a}#{s}",
             "m",
             "  p: { query: Thing, index: G1, by: [a, s], allow: internal }\n"
         )},
        {"error K01: entity Thing: {shard} needs",
         indexed("a: string", "A{shard}", "{a}", ""),
         indexed("a: string", "A", "{a}", "  p: { query: Thing, index: G1, allow: internal }\n")},
        {"error K02",
         indexed("s: [\"x#y\", z]", "S#{s}#", "{id}"),
         indexed(
             "s: [xy, z], a: string",
             "A#{a}#{s}",
             "{id}",
             "  p: { query: Thing, index: G1, by: [a, s], allow: internal }\n"
         )},
        {"error K02: entity Thing: '#' ends 'a' in 'A#{a}#x' and its pattern",
         indexed("a: { type: string, pattern: \"^.*$\" }", "A#{a}#x", "{id}"),
         indexed("a: { type: string, pattern: \"^[^#]+$\" }", "A#{a}#x", "{id}", kAskG1)},
        {"info K02",
         indexed("a: string", "A#{a}#x", "{id}", kAskG1),
         indexed("a: ulid", "A#{a}#x", "{id}", kAskG1)},
        {"error K03", two_alike, two_apart},
        {"info K03", with_entity(two("THING#{k}", "")), with_entity(two("TWO#{k}", ""))},
        {"error K04",
         indexed("n: integer", "N#{n:04}", "{id}"),
         indexed(
             "n: { type: integer, min: 0, max: 9999 }",
             "N#{n:04}",
             "{id}",
             "  p: { query: Thing, index: G1, by: [n], allow: internal }\n"
         )},
        {"error K05",
         with_steps("      - { update: Thing($id), set: { id: \"'x'\" } }\n"),
         with_steps("      - { update: Thing($id), set: { a: \"'x'\" } }\n")},
        {"warning K06",
         counter("      - { update: Thing($id), add: { n: 1 } }\n"),
         counter("      - { update: Thing($id), copy: [n] }\n")},
        {"warning K07",
         indexed("a: string", "ALL", "{a}", "  p: { query: Thing, index: G1, allow: internal }\n"),
         indexed("a: string", "A#{a}", "{id}", kAskG1)},
        {"warning K08",
         indexed(
             "a: string, s: [x, y]",
             "S#{s}",
             "{a}",
             "  p: { query: Thing, index: G1, by: [s], allow: internal }\n"
         ),
         indexed("a: string", "A#{a}", "{id}", kAskG1)},
        {"warning K09",
         counter("      - { update: Thing($id), set: { at: now } }\n"),
         counter("      - { update: Thing($id), copy: [n] }\n")},
        {"info K10",
         counter("      - { update: Thing($id), copy: [n] }\n"),
         with_steps("      - { update: Thing($id), copy: [n] }\n")},
        {"error K11", half, half_plain},
        {"warning K12", plain_extra, plain_fine},
        {"error K13",
         in_g1("S#x", "  p: { query: Thing, index: G1, by: [s], allow: internal }\n"),
         in_g1("T#x", "  p: { query: Thing, index: G1, by: [s], allow: internal }\n")},
        {"warning K14",
         indexed("a: string, n: integer", "A#{a}", "{n}", kAskG1),
         indexed("a: string, n: { type: integer, min: 100, max: 999 }", "A#{a}", "{n}", kAskG1)},
        {"error K15",
         indexed("n: { type: number, min: 0, max: 99 }", "N#{n:06.2}", "{id}"),
         indexed(
             "a: string, n: { type: number, decimals: 2, min: 0, max: 99 }",
             "A#{a}",
             "{n:06.2}",
             kAskG1
         )},
        {"error K16",
         indexed(
             "a: string, b: string",
             "A#{a}",
             "{b}",
             "  p: { query: Thing, index: G1, by: [a], range: b, allow: internal }\n"
         ),
         indexed(
             "a: string, at: timestamp",
             "A#{a}",
             "{at}",
             "  p: { query: Thing, index: G1, by: [a], range: at, allow: internal }\n"
         )},
        {"error K17", precise("s"), precise("ms")},
        {"error I01", number_key, number_fine},
        {"error I01: a table has at most 20", many, Parts()},
        {"error I02", narrow, narrow_load},
        {"warning I03",
         indexed("a: string", "A#{a}", "{id}"),
         indexed("a: string", "A#{a}", "{id}", kAskG1)},
        {"error I04",
         indexed(
             "a: string",
             "A#{a}",
             "{id}",
             "  p: { query: Thing, index: G1, by: [a], consistent: true, allow: internal }\n"
         ),
         with_pattern("query: Thing, by: [id], consistent: true, allow: internal")},
        {"warning P01",
         with_pattern("query: Thing, by: [id], only: \"s = x\", allow: internal"),
         with_pattern("query: Thing, by: [id], only: \"at <> null\", allow: internal")},
        {"warning P02", owned("by: [a]"), owned("fixed: { a: caller }")},
        {"error P03",
         with_pattern("query: Thing, allow: internal"),
         with_pattern("query: Thing, by: [id], allow: internal")},
        {"error P03: pattern p: 'a' cannot",
         with_pattern("query: Thing, by: [id, a], allow: internal"),
         with_pattern("get: Thing, allow: internal")},
        {"error P03: pattern p: 'at' is not the next",
         with_pattern("query: Thing, by: [id], range: at, allow: internal"),
         with_pattern("query: Thing, by: [id], allow: internal")},
        {"error P03: pattern p: merge over",
         with_pattern("query: Thing, merge: [id], allow: internal"),
         indexed(
             "s: [x, y], at: timestamp",
             "S#{s}",
             "{at}",
             "  p: { query: Thing, index: G1, merge: [s], range: at, allow: internal }\n"
         )},
        {"warning P04", head(""), head("order: desc, ")},
        {"error O01",
         with_steps("      - { update: Thing($x), for: x in $list, set: { a: $x } }\n"),
         with_steps("      - { update: Thing($x), for: x in $short, set: { a: $x } }\n")},
        {"error O02",
         with_steps("      - { update: Thing($id), set: { a: \"'x'\" } }\n      - { update: "
                    "Thing($id), set: { a: \"'y'\" } }\n"),
         with_steps("      - { update: Thing($id), set: { a: \"'x'\" } }\n      - { update: "
                    "Thing($id), copy: [n] }\n")},
        {"warning O03",
         with_steps("      - { put: Thing, copy: [id], if: { Bad: \"n = 1\" } }\n"),
         with_steps("      - { put: Thing, copy: [id], if: { Bad: absent } }\n")},
        {"warning O04",
         with_steps(
             "      - { update: $t, set: { n: \"$t.n + 1\" } }\n",
             "    read: { t: Thing($id) }\n    loose: [t]\n"
         ),
         with_steps(
             "      - { update: $t, set: { n: \"$t.n + 1\" }, if: { retry: \"n < 5\" } }\n",
             "    read: { t: Thing($id) }\n    loose: [t]\n"
         )},
        {"error O05",
         with_steps("      - { put: Thing, copy: [id], as: t, if: { skip: absent } }\n      - { "
                    "put: Outbox, set: { kind: \"'x'\", payload: $t } }\n"),
         with_steps("      - { put: Thing, copy: [id], as: t }\n      - { put: Outbox, set: { "
                    "kind: \"'x'\", payload: $t } }\n")},
        {"warning O06",
         with_steps("      - { update: Thing($id), add: { n: -1 } }\n"),
         with_steps("      - { update: Thing($id), add: { n: -1 }, if: { Poor: \"n >= 1\" } }\n")},
        {"error O07",
         with_steps("      - { update: Thing($id, $n), set: { a: \"'x'\" } }\n"),
         with_steps("      - { update: \"Thing($id)\", set: { a: \"'x'\" } }\n")},
        {"error O08",
         with_steps("      - { update: Thing($id), if: { Bad: \"n + 1 > 3\" } }\n"),
         with_steps("      - { update: Thing($id), if: { Bad: \"n > $n + 3\" } }\n")},
        {"error A01", with_thing("kind: string"), Parts()},
        {"error A01: Thing.b: 'now'",
         with_thing("now: timestamp, b: { is: \"now\", stored: false }"),
         with_thing("now: timestamp")},
        {"error A02",
         with_thing("x: string, s: [x, y], b: { is: \"s = x\" }"),
         with_thing("x: string, s: [x, y], b: { is: \"s = 'x'\" }")},
        {"error A03",
         with_thing("a: { type: string, stored: false }"),
         with_thing("a: { is: \"id\", stored: false }")},
        {"warning A04",
         with_thing("at: timestamp, b: { is: \"at < now\" }"),
         with_thing("at: timestamp, b: { is: \"at < now\", stored: false }")},
        {"error R01", row_written, row_checked},
        {"error R02",
         rows_of("{ put: Row, for: x in l, set: { r: $x } }", "l: { type: list, of: string }"),
         rows_of(
             "{ put: Row, for: x in l, set: { r: $x } }", "l: { type: list, of: string, max: 9 }"
         )},
        {"error R02",
         with_steps("      - { update: Thing($x), for: x in $open, set: { a: $x } }\n"),
         with_steps("      - { update: Thing($x), for: x in $short, set: { a: $x } }\n")},
        {"error R03",
         rows_of("{ put: Row, set: { r: a } }", "a: string, ttl: epoch_s"),
         rows_of("{ put: Row, set: { r: a } }", "a: string")},
        {"error R04",
         rows_of(
             "{ put: Row, set: { r: a } }, { put: Row, set: { r: b } }", "a: string, b: string"
         ),
         rows_of(
             "{ put: Row, when: \"s = x\", set: { r: a } }, { put: Row, when: \"s = y\", set: { r: "
             "b } }",
             "a: string, b: string, s: [x, y]"
         )},
        {"error V01", hidden_entity(""), hidden_entity(", visible: \"true\"")},
        {"error V02",
         with_pattern("get: Thing, unfiltered: true, allow: anyone"),
         with_pattern("get: Thing, unfiltered: true, allow: role(admin)")},
        {"error V02: pattern p: it filters", filter, filter_load},
        {"error T01", with_thing("ttl: epoch_ms"), with_thing("ttl: epoch_s")},
        {"error J01",
         job("      - { update: Thing($id), add: { n: 1 } }\n"),
         job("      - { update: Thing($id), set: { s: x }, if: { unchanged: \"s = y\" } }\n")},
        {"error N01",
         with_operation("    native: true\n    return: 1\n"),
         with_operation("    native: true\n    raises: [Broken]\n")},
        {"error N01",
         with_operation("    raises: [Broken]\n    write: [ { delete: Thing('1') } ]\n"),
         with_operation("    write: [ { delete: Thing('1') } ]\n")},
        {"error Y01", with_thing("a: string, a: string"), Parts()},
        {"error Y03: entity Thing has no property 'visibel' (did you mean 'visible'?)",
         with_entity("", "    visibel: \"true\"\n"),
         Parts()},
        {"error Y04", with_thing("a: strnig"), Parts()},
        {"error Y05", with_pattern("get: Thing"), with_pattern("get: Thing, allow: internal")},
        {"error E01", with_thing("a: { is: \"id +\" }"), Parts()},
        {"error E02", with_thing("a: { is: idd }"), with_thing("a: { is: id }")},
        {"error E03",
         with_thing("n: integer, b: { is: \"n = 'x'\" }"),
         with_thing("n: integer, b: { is: \"n = 1\" }")},
        {"error E04",
         with_thing("s: [x, y], b: { is: \"s = 'z'\" }"),
         with_thing("s: [x, y], b: { is: \"s = 'y'\" }")},
        {"error E05",
         with_thing("a: { is: b }, b: { is: a }"),
         with_thing("a: { is: b }, b: { is: id }")},
        {"error M01",
         with_pattern("get: Thnig, allow: internal"),
         with_pattern("get: Thing, allow: internal")},
    };
}

TEST(CheckTest, EveryRuleFindsItsModelAndLeavesTheOtherAlone) {
    for (const auto& rule : rules()) {
        const auto bad = findings(model_text(rule.bad));
        EXPECT_NE(bad.find(rule.finding), std::string::npos) << rule.finding << " is not found in\n"
                                                             << model_text(rule.bad) << bad;
        const auto good = findings(model_text(rule.good));
        EXPECT_EQ(good.find(rule.finding), std::string::npos) << rule.finding << " is found in\n"
                                                              << model_text(rule.good) << good;
        EXPECT_EQ(good.find(": error "), std::string::npos) << "for " << rule.finding << "\n"
                                                            << model_text(rule.good) << good;
    }
}

TEST(CheckTest, AnEmptyFileSaysWhatIsMissing) {
    const auto found = findings("{}");
    for (const auto* property : {"'model'", "'table'", "'entities'"}) {
        EXPECT_NE(found.find(property), std::string::npos) << found;
    }
    EXPECT_NE(findings("").find("Y04"), std::string::npos);
    EXPECT_NE(findings("- a").find("Y04"), std::string::npos);
}

TEST(CheckTest, MessagesNameThePlaceInTheFile) {
    const auto found = findings(model_text(with_thing("a: { is: \"idd = 'x'\" }")));
    EXPECT_EQ(
        found, "t:6:69: error E02: Thing.a: nothing is called 'idd' here (did you mean 'id'?)\n"
    );
}

TEST(MarkdownTest, ShowsKeysAndConditions) {
    Diagnostics diagnostics;
    auto parts = indexed(
        "a: string, at: timestamp",
        "A#{a}",
        "{at}#{id}",
        "  p: { query: Thing, index: G1, by: [a], range: at, order: desc, allow: anyone, doc: X-1 "
        "}\n"
    );
    const auto model = load_model(model_text(parts), diagnostics);
    ASSERT_EQ(diagnostics.to_text(), "");
    const auto text = to_markdown(*model);
    EXPECT_NE(
        text.find("| Thing | `Thing` | `THING#{id}` | `META` | G1: `A#{a}` / `{at}#{id}` |"),
        std::string::npos
    ) << text;
    EXPECT_NE(
        text.find("| p | X-1 | Thing | G1 | `g1 = A#{a} and g2 between {from} and {to}` | "
                  "descending | anyone |"),
        std::string::npos
    ) << text;
    EXPECT_NE(text.find("erDiagram"), std::string::npos);
}

TEST(JsonSchemaTest, NamesEveryProperty) {
    const auto schema = json_schema();
    for (const auto& one : constructs()) {
        for (const auto& property : one.properties) {
            EXPECT_NE(schema.find("\"" + std::string(property.name) + "\":"), std::string::npos)
                << property.name;
        }
    }
}

}  // namespace
}  // namespace gateleg::model
