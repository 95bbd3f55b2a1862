#include "model/packed_node.h"

#include <cstdint>

#include "base/check.h"

namespace gateleg::model {
namespace {

// A node is one byte of kind and quotes, line, column, and then a text, elements or members, with
// their number before them. Numbers are in groups of seven bits, the lowest first.
constexpr unsigned char kQuoted = 4;
constexpr unsigned char kMore = 0x80;

void append_number(std::string& out, std::uint64_t number) {
    for (; number >= kMore; number >>= 7U) {
        out.push_back(static_cast<char>((number & 0x7FU) | kMore));
    }
    out.push_back(static_cast<char>(number));
}

void append(std::string& out, const Node& node) {
    out.push_back(static_cast<char>(static_cast<unsigned>(node.kind) | (node.quoted ? kQuoted : 0U))
    );
    append_number(out, static_cast<std::uint64_t>(node.position.line));
    append_number(out, static_cast<std::uint64_t>(node.position.column));
    switch (node.kind) {
        case Node::Kind::kNull:
        case Node::Kind::kScalar:
            append_number(out, node.text.size());
            out += node.text;
            break;
        case Node::Kind::kList:
            append_number(out, node.elements.size());
            for (const auto& element : node.elements) {
                append(out, element);
            }
            break;
        case Node::Kind::kMap:
            append_number(out, node.members.size());
            for (const auto& [key, value] : node.members) {
                append(out, key);
                append(out, value);
            }
    }
}

class Unpacking {
public:
    explicit Unpacking(std::string_view packed) : rest_(packed) {}

    bool at_end() const { return rest_.empty(); }

    void read(Node& node) {
        const auto head = take_byte();
        node.kind = static_cast<Node::Kind>(head & (kQuoted - 1U));
        node.quoted = (head & kQuoted) != 0;
        node.position.line = static_cast<int>(take_number());
        node.position.column = static_cast<int>(take_number());
        const auto count = take_number();
        GATELEG_CHECK(count <= rest_.size());
        switch (node.kind) {
            case Node::Kind::kNull:
            case Node::Kind::kScalar:
                node.text = rest_.substr(0, count);
                rest_.remove_prefix(count);
                break;
            case Node::Kind::kList:
                node.elements.resize(count);
                for (auto& element : node.elements) {
                    read(element);
                }
                break;
            case Node::Kind::kMap:
                // Not resize(), which clang 14 refuses for pairs of nodes.
                node.members.reserve(count);
                while (node.members.size() < count) {
                    auto& [key, value] = node.members.emplace_back(Node(), Node());
                    read(key);
                    read(value);
                }
        }
    }

private:
    unsigned char take_byte() {
        GATELEG_CHECK(!rest_.empty());
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        return byte;
    }

    std::uint64_t take_number() {
        std::uint64_t number = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = take_byte();
            number |= std::uint64_t{byte & (kMore - 1U)} << shift;
            if (byte < kMore) {
                return number;
            }
        }
    }

    std::string_view rest_;
};

}  // namespace

std::string pack_node(const Node& node) {
    std::string packed;
    append(packed, node);
    return packed;
}

Node unpack_node(std::string_view packed) {
    Node node;
    Unpacking unpacking(packed);
    unpacking.read(node);
    GATELEG_CHECK(unpacking.at_end());
    return node;
}

}  // namespace gateleg::model
