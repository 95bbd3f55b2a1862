#include "model/yaml_loader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace gateleg::model {
namespace {

Position position_of(const YAML::Mark& mark) {
    return {mark.line + 1, mark.column + 1};
}

// Ends the parse; what was wrong is already among the diagnostics.
struct Refused {};

// Builds the tree from yaml-cpp's events: its own node graph keeps no positions of keys and joins
// aliases silently.
class TreeBuilder final : public YAML::EventHandler {
public:
    explicit TreeBuilder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    Node take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++documents_ > 1) {
            refuse(position_of(mark), "a model file is one YAML document");
        }
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        add({Node::Kind::kNull, position_of(mark), "null"}, "", anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
        refuse(position_of(mark), "aliases are not part of the language: write the value again");
    }
    void OnScalar(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        const std::string& value
    ) override {
        Node node{Node::Kind::kScalar, position_of(mark), value};
        node.quoted = tag == "!";
        add(std::move(node), tag, anchor);
    }
    void OnSequenceStart(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        YAML::EmitterStyle::value /*style*/
    ) override {
        open({Node::Kind::kList, position_of(mark)}, tag, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        YAML::EmitterStyle::value /*style*/
    ) override {
        open({Node::Kind::kMap, position_of(mark)}, tag, anchor);
    }
    void OnMapEnd() override { close(); }

private:
    [[noreturn]] void refuse(Position at, const std::string& why) {
        diagnostics_.error("Y02", at, why);
        throw Refused{};
    }

    void inspect(const Node& node, const std::string& tag, YAML::anchor_t anchor) {
        if (++nodes_ > kMaxModelNodes) {
            refuse(node.position, "the file has more than 30,000 values");
        }
        if (anchor != 0) {
            refuse(node.position, "anchors are not part of the language");
        }
        if (tag.size() > 1) {
            refuse(node.position, "tags such as " + tag + " are not part of the language");
        }
    }

    void open(Node node, const std::string& tag, YAML::anchor_t anchor) {
        inspect(node, tag, anchor);
        stack_.push_back(std::move(node));
        keys_.emplace_back();
    }

    void close() {
        auto node = std::move(stack_.back());
        stack_.pop_back();
        keys_.pop_back();
        place(std::move(node));
    }

    void add(Node node, const std::string& tag, YAML::anchor_t anchor) {
        inspect(node, tag, anchor);
        place(std::move(node));
    }

    // Puts a finished node into what it belongs to. In a map every other one is a key.
    void place(Node node) {
        if (stack_.empty()) {
            root_ = std::move(node);
            return;
        }
        auto& parent = stack_.back();
        if (parent.is_list()) {
            parent.elements.push_back(std::move(node));
            return;
        }
        auto& key = keys_.back();
        if (!key) {
            if (node.is_list() || node.is_map()) {
                refuse(node.position, "a property name must be a word");
            }
            key = std::move(node);
            return;
        }
        parent.members.emplace_back(std::move(*key), std::move(node));
        key.reset();
    }

    Diagnostics& diagnostics_;
    Node root_;
    std::vector<Node> stack_;
    std::vector<std::optional<Node>> keys_;  // of each open map: the key that waits for its value
    std::size_t nodes_ = 0;
    int documents_ = 0;
};

// Opening brackets less closing ones, outside of texts.
int open_brackets(std::string_view text) {
    int open = 0;
    bool in_text = false;
    for (const char c : text) {
        if (c == '\'') {
            in_text = !in_text;
        } else if (!in_text) {
            open += c == '(' ? 1 : c == ')' ? -1 : 0;
        }
    }
    return open;
}

bool is_bare_value(const Node& key) {
    if (key.quoted) {
        return false;
    }
    std::string lower = key.text;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return key.is_null() || lower.empty() || lower == "null" || lower == "~" || lower == "true" ||
           lower == "false";
}

// Looks for what YAML accepts and a model file must not hold.
class TreeCheck {
public:
    explicit TreeCheck(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    void run(Node& node) {
        if (node.is_map()) {
            join_cut_calls(node);
            check_keys(node);
            for (auto& member : node.members) {
                run(member.second);
            }
        }
        if (node.is_list()) {
            join_cut_elements(node);
            for (auto& element : node.elements) {
                run(element);
            }
        }
    }

private:
    void check_keys(const Node& map) {
        std::set<std::string_view> seen;
        for (const auto& [key, value] : map.members) {
            if (is_bare_value(key)) {
                diagnostics_.error(
                    "Y01",
                    key.position,
                    "YAML reads the name '" + key.text + "' as a value",
                    "quote it"
                );
            } else if (!seen.insert(key.text).second) {
                diagnostics_.error("Y01", key.position, "'" + key.text + "' is there twice");
            }
        }
    }

    void report_cut(const Node& scalar) {
        diagnostics_.error(
            "O07",
            scalar.position,
            "YAML has cut the expression '" + scalar.text + "' at a comma",
            "quote it"
        );
    }

    // { update: Node(a, b) } reaches us as update: "Node(a" and a member "b)" without a value. The
    // pieces are taken out after the report, so that nothing else is said about them.
    void join_cut_calls(Node& map) {
        for (std::size_t at = 0; at < map.members.size(); ++at) {
            const auto& value = map.members[at].second;
            int open = value.is_scalar() && !value.quoted ? open_brackets(value.text) : 0;
            if (open <= 0) {
                continue;
            }
            report_cut(value);
            auto end = at + 1;
            while (end < map.members.size() && open > 0 && map.members[end].second.is_null()) {
                open += open_brackets(map.members[end].first.text);
                ++end;
            }
            map.members.erase(
                map.members.begin() + static_cast<std::ptrdiff_t>(at),
                map.members.begin() + static_cast<std::ptrdiff_t>(end)
            );
            --at;
        }
    }

    void join_cut_elements(Node& list) {
        for (std::size_t at = 0; at < list.elements.size(); ++at) {
            const auto& element = list.elements[at];
            int open = element.is_scalar() && !element.quoted ? open_brackets(element.text) : 0;
            if (open <= 0) {
                continue;
            }
            report_cut(element);
            auto end = at + 1;
            while (end < list.elements.size() && open > 0 && list.elements[end].is_scalar()) {
                open += open_brackets(list.elements[end].text);
                ++end;
            }
            list.elements.erase(
                list.elements.begin() + static_cast<std::ptrdiff_t>(at),
                list.elements.begin() + static_cast<std::ptrdiff_t>(end)
            );
            --at;
        }
    }

    Diagnostics& diagnostics_;
};

}  // namespace

const Node* Node::find(std::string_view key) const {
    for (const auto& [name, value] : members) {
        if (name.text == key) {
            return &value;
        }
    }
    return nullptr;
}

Position Node::text_position() const {
    return {position.line, position.column + (quoted ? 1 : 0)};
}

std::string_view node_kind_name(Node::Kind kind) {
    switch (kind) {
        case Node::Kind::kNull:
            return "nothing";
        case Node::Kind::kScalar:
            return "a value";
        case Node::Kind::kList:
            return "a list";
        case Node::Kind::kMap:
            return "a map";
    }
    return "";
}

std::optional<Node> load_yaml(std::string_view text, Diagnostics& diagnostics) {
    if (text.size() > kMaxModelBytes) {
        diagnostics.error("Y02", {1, 1}, "the file is larger than 1 MB");
        return std::nullopt;
    }
    TreeBuilder builder(diagnostics);
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const Refused&) {
        return std::nullopt;
    } catch (const YAML::Exception& error) {
        std::string suggestion;
        if (error.msg.find("map") != std::string::npos ||
            error.msg.find("scalar") != std::string::npos) {
            suggestion = "a value with ': ', ' #' or a leading sign needs quotes";
        }
        diagnostics.error("Y02", position_of(error.mark), "no YAML: " + error.msg, suggestion);
        return std::nullopt;
    }
    auto root = builder.take();
    TreeCheck(diagnostics).run(root);
    return root;
}

}  // namespace gateleg::model
