#include "value/attribute_value.h"

#include <string_view>
#include <utility>

#include "base/check.h"
#include "value/value_writer.h"

namespace gateleg::value {
namespace {

// Encodes each alternative of AttributeValue. Maps and sets of the tree are in the order that the
// binary form asks for.
class Encoder {
public:
    explicit Encoder(std::string& out) : out_(out), writer_(out) {}

    void operator()(const std::string& text) { writer_.string(text); }
    void operator()(const Number& number) { writer_.number(number.to_text()); }
    void operator()(const Binary& binary) { writer_.binary(binary.bytes); }
    void operator()(bool value) { writer_.boolean(value); }
    void operator()(Null) { writer_.null(); }

    void operator()(const List& list) {
        const auto mark = writer_.begin_list(list.size());
        for (const auto& element : list) {
            append_encoded(out_, element);
        }
        writer_.end(mark);
    }

    void operator()(const Map& map) {
        const auto mark = writer_.begin_map(map.size());
        for (const auto& [name, value] : map) {
            writer_.name(name);
            append_encoded(out_, value);
        }
        writer_.end(mark);
    }

    void operator()(const StringSet& set) {
        const std::vector<std::string_view> members(set.begin(), set.end());
        writer_.set(Type::kStringSet, members);
    }

    void operator()(const NumberSet& set) {
        std::vector<std::string> texts;
        texts.reserve(set.size());
        for (const auto& number : set) {
            texts.push_back(number.to_text());
        }
        const std::vector<std::string_view> members(texts.begin(), texts.end());
        writer_.set(Type::kNumberSet, members);
    }

    void operator()(const BinarySet& set) {
        std::vector<std::string_view> members;
        members.reserve(set.size());
        for (const auto& binary : set) {
            members.emplace_back(binary.bytes);
        }
        writer_.set(Type::kBinarySet, members);
    }

private:
    std::string& out_;
    ValueWriter writer_;
};

Number decode_number(std::string_view text) {
    const auto number = Number::parse(text);
    GATELEG_CHECK(number.has_value());
    return *number;
}

List decode_list(ValueView list) {
    List decoded;
    decoded.reserve(list.count());
    for (const auto element : list.elements()) {
        decoded.push_back(decode(element));
    }
    return decoded;
}

template <class Set, class Read>
Set decode_set(ValueView set, Read read) {
    Set decoded;
    for (const auto member : set.members()) {
        decoded.insert(decoded.end(), read(member));
    }
    return decoded;
}

}  // namespace

bool AttributeValue::operator==(const AttributeValue& other) const {
    return data == other.data;
}

void append_encoded(std::string& out, const AttributeValue& value) {
    std::visit(Encoder(out), value.data);
}

std::string encode(const AttributeValue& value) {
    std::string bytes;
    append_encoded(bytes, value);
    return bytes;
}

EncodedItem encode_item(const Item& item) {
    std::string bytes;
    Encoder encoder(bytes);
    encoder(item);
    return EncodedItem(std::move(bytes));
}

AttributeValue decode(ValueView value) {
    switch (value.type()) {
        case Type::kString:
            return {std::string(value.text())};
        case Type::kNumber:
            return {decode_number(value.text())};
        case Type::kBinary:
            return {Binary{std::string(value.text())}};
        case Type::kBool:
            return {value.boolean()};
        case Type::kNull:
            return {Null{}};
        case Type::kList:
            return {decode_list(value)};
        case Type::kMap:
            return {decode_item(value)};
        case Type::kStringSet:
            return {decode_set<StringSet>(value, [](auto text) { return std::string(text); })};
        case Type::kNumberSet:
            return {decode_set<NumberSet>(value, decode_number)};
        case Type::kBinarySet:
            return {
                decode_set<BinarySet>(value, [](auto text) { return Binary{std::string(text)}; })};
    }
    GATELEG_CHECK(!"a value has one of the ten types");
    return {};
}

Item decode_item(ValueView map) {
    Item item;
    for (const auto& [name, value] : map.entries()) {
        item.emplace_hint(item.end(), std::string(name), decode(value));
    }
    return item;
}

}  // namespace gateleg::value
