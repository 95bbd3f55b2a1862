// The first byte picks the kind of expression, the rest is its text. The item and the values have
// every type.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "expr/condition.h"
#include "expr/key_condition.h"
#include "expr/projection.h"
#include "expr/update.h"
#include "value/attribute_value.h"

namespace {

using namespace gateleg;  // NOLINT: one file, no header

const value::EncodedItem& sample_item() {
    static const auto kItem = value::encode_item({
        {"a", {value::Number::from_int(1)}},
        {"b", {std::string("text")}},
        {"bs", {value::BinarySet{value::Binary{"x"}, value::Binary{"y"}}}},
        {"by", {value::Binary{"bytes"}}},
        {"l", {value::List{{std::string("x")}, {value::Map{{"m", {true}}}}}}},
        {"m", {value::Map{{"a", {value::Number::from_int(2)}}, {"l", {value::List{}}}}}},
        {"ns", {value::NumberSet{value::Number::from_int(1), value::Number::from_int(2)}}},
        {"s", {value::StringSet{"x", "y"}}},
        {"t", {true}},
        {"u", {std::string("\xc3\xa9\xf0\x9f\x98\x80")}},
        {"z", {value::Null{}}},
    });
    return kItem;
}

const value::EncodedItem& sample_values() {
    static const auto kValues = value::encode_item({
        {":all", {value::StringSet{"x", "y"}}},
        {":b", {value::Binary{"by"}}},
        {":bs", {value::BinarySet{value::Binary{"x"}}}},
        {":l", {value::List{{value::Null{}}}}},
        {":m", {value::Map{{"m", {true}}}}},
        {":n", {value::Number::from_int(3)}},
        {":ns", {value::NumberSet{value::Number::from_int(2)}}},
        {":one", {value::Number::from_int(1)}},
        {":s", {value::StringSet{"y", "z"}}},
        {":t", {true}},
        {":te", {std::string("te")}},
        {":v", {std::string("S")}},
        {":x", {std::string("x")}},
        {":z", {value::Null{}}},
    });
    return kValues;
}

void run(expr::Kind kind, std::string_view text) {
    const expr::Scope::Names names = {{"#a", "a"}, {"#m", "m"}};
    expr::Scope scope(&names, sample_values().view());
    expr::Cache cache(1);
    const auto item = sample_item().view();
    switch (kind) {
        case expr::Kind::kCondition:
        case expr::Kind::kFilter:
            if (const auto condition = expr::compile_condition(cache, kind, text, scope)) {
                expr::holds(*condition, item);
                expr::holds(*condition, std::nullopt);
                (void)expr::root_names(*condition);
                (void)expr::nested_root_names(*condition);
            }
            break;
        case expr::Kind::kKeyCondition:
            if (const auto condition = expr::compile_key_condition(cache, text, scope)) {
                (void)expr::key_predicates(*condition);
            }
            break;
        case expr::Kind::kProjection:
            if (const auto projection = expr::compile_projection(cache, text, scope)) {
                std::string out;
                expr::append_projected(out, *projection, item);
            }
            break;
        case expr::Kind::kUpdate:
            if (const auto update = expr::compile_update(cache, text, scope)) {
                (void)expr::apply_update(*update, item, {true, true});
                (void)expr::can_create_item(*update);
                (void)expr::root_names(*update);
            }
            break;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
    run(static_cast<gateleg::expr::Kind>(data[0] % 5), text);
    return 0;
}
