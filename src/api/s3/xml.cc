#include "api/s3/xml.h"

#include <charconv>

#include <simdjson.h>

#include "auth/s3_error.h"

namespace gateleg::api::s3 {
namespace {

constexpr int kMaxDepth = 8;
// A thousand objects to delete with four elements each, and some room.
constexpr std::size_t kMaxElements = 60'000;

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_name_character(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == ':';
}

void append_utf8(std::string& out, std::uint32_t point) {
    if (point < 0x80) {
        out.push_back(static_cast<char>(point));
    } else if (point < 0x800) {
        out.push_back(static_cast<char>(0xc0 | point >> 6));
        out.push_back(static_cast<char>(0x80 | (point & 0x3f)));
    } else if (point < 0x10000) {
        out.push_back(static_cast<char>(0xe0 | point >> 12));
        out.push_back(static_cast<char>(0x80 | (point >> 6 & 0x3f)));
        out.push_back(static_cast<char>(0x80 | (point & 0x3f)));
    } else {
        out.push_back(static_cast<char>(0xf0 | point >> 18));
        out.push_back(static_cast<char>(0x80 | (point >> 12 & 0x3f)));
        out.push_back(static_cast<char>(0x80 | (point >> 6 & 0x3f)));
        out.push_back(static_cast<char>(0x80 | (point & 0x3f)));
    }
}

class Parser {
public:
    explicit Parser(std::string_view text) : rest_(text) {}

    bool parse(XmlNode& root) {
        if (rest_.starts_with("\xef\xbb\xbf")) {
            rest_.remove_prefix(3);
        }
        return skip_misc() && parse_element(root, 0) && skip_misc() && rest_.empty();
    }

private:
    bool take(std::string_view wanted) {
        if (!rest_.starts_with(wanted)) {
            return false;
        }
        rest_.remove_prefix(wanted.size());
        return true;
    }
    void skip_blanks() {
        while (!rest_.empty() && is_blank(rest_.front())) {
            rest_.remove_prefix(1);
        }
    }
    bool skip_past(std::string_view end) {
        const auto found = rest_.find(end);
        if (found == std::string_view::npos) {
            return false;
        }
        rest_.remove_prefix(found + end.size());
        return true;
    }
    // Blanks, comments and processing instructions. A document type is none of them.
    bool skip_misc() {
        for (;;) {
            skip_blanks();
            if (take("<!--")) {
                if (!skip_past("-->")) {
                    return false;
                }
            } else if (take("<?")) {
                if (!skip_past("?>")) {
                    return false;
                }
            } else {
                return true;
            }
        }
    }
    bool take_name(std::string_view& name) {
        std::size_t end = 0;
        while (end < rest_.size() && is_name_character(rest_[end])) {
            ++end;
        }
        name = rest_.substr(0, end);
        rest_.remove_prefix(end);
        return end != 0;
    }
    bool skip_attributes() {
        for (;;) {
            skip_blanks();
            if (rest_.starts_with('>') || rest_.starts_with('/')) {
                return true;
            }
            std::string_view name;
            if (!take_name(name)) {
                return false;
            }
            skip_blanks();
            if (!take("=")) {
                return false;
            }
            skip_blanks();
            if (rest_.empty() || (rest_.front() != '"' && rest_.front() != '\'')) {
                return false;
            }
            const char quote = rest_.front();
            rest_.remove_prefix(1);
            const auto end = rest_.find(quote);
            if (end == std::string_view::npos || rest_.find('<') < end) {
                return false;
            }
            rest_.remove_prefix(end + 1);
        }
    }
    bool take_reference(std::string& out) {
        constexpr std::size_t kLongest = 10;
        const auto end = rest_.find(';');
        if (end == std::string_view::npos || end > kLongest) {
            return false;
        }
        const auto name = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        if (name == "amp" || name == "lt" || name == "gt" || name == "quot" || name == "apos") {
            out.push_back(
                name == "amp"    ? '&'
                : name == "lt"   ? '<'
                : name == "gt"   ? '>'
                : name == "quot" ? '"'
                                 : '\''
            );
            return true;
        }
        if (!name.starts_with('#') || name.size() < 2) {
            return false;
        }
        const bool hex = name[1] == 'x';
        const auto digits = name.substr(hex ? 2 : 1);
        std::uint32_t point = 0;
        const auto* last = digits.data() + digits.size();
        const auto parsed = std::from_chars(digits.data(), last, point, hex ? 16 : 10);
        if (parsed.ec != std::errc() || parsed.ptr != last || point > 0x10ffff ||
            (point >= 0xd800 && point < 0xe000)) {
            return false;
        }
        append_utf8(out, point);
        return true;
    }
    bool parse_element(XmlNode& node, int depth) {
        std::string_view name;
        if (depth >= kMaxDepth || ++elements_ > kMaxElements || !take("<") || !take_name(name) ||
            !skip_attributes()) {
            return false;
        }
        node.name = name.substr(name.rfind(':') + 1);
        if (take("/>")) {
            return true;
        }
        return take(">") && parse_content(node, name, depth);
    }
    bool parse_content(XmlNode& node, std::string_view name, int depth) {
        for (;;) {
            const auto end = rest_.find_first_of("<&");
            if (end == std::string_view::npos) {
                return false;
            }
            node.text.append(rest_.substr(0, end));
            rest_.remove_prefix(end);
            if (take("&")) {
                if (!take_reference(node.text)) {
                    return false;
                }
            } else if (take("</")) {
                std::string_view closing;
                const bool named = take_name(closing);
                skip_blanks();
                return named && closing == name && take(">");
            } else if (take("<!--")) {
                if (!skip_past("-->")) {
                    return false;
                }
            } else if (take("<![CDATA[")) {
                const auto close = rest_.find("]]>");
                if (close == std::string_view::npos) {
                    return false;
                }
                node.text.append(rest_.substr(0, close));
                rest_.remove_prefix(close + 3);
            } else if (!parse_element(node.children.emplace_back(), depth + 1)) {
                return false;
            }
        }
    }

    std::string_view rest_;
    std::size_t elements_ = 0;
};

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
    for (const char c : text) {
        switch (c) {
            case '&':
                out.append("&amp;");
                break;
            case '<':
                out.append("&lt;");
                break;
            case '>':
                out.append("&gt;");
                break;
            case '"':
                out.append("&quot;");
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') {
                    constexpr std::string_view kHex = "0123456789abcdef";
                    out.append("&#x");
                    if (c >= 0x10) {
                        out.push_back('1');
                    }
                    out.push_back(kHex[c & 15]);
                    out.push_back(';');
                } else {
                    out.push_back(c);
                }
        }
    }
}

XmlWriter::XmlWriter(std::string_view root, bool with_namespace) : root_(root) {
    out_.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<").append(root);
    if (with_namespace) {
        out_.append(" xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"");
    }
    out_.append(">");
}

XmlWriter& XmlWriter::open(std::string_view name) {
    out_.append("<").append(name).append(">");
    return *this;
}

XmlWriter& XmlWriter::close(std::string_view name) {
    out_.append("</").append(name).append(">");
    return *this;
}

XmlWriter& XmlWriter::element(std::string_view name, std::string_view text) {
    open(name);
    append_escaped(out_, text);
    return close(name);
}

XmlWriter& XmlWriter::number(std::string_view name, std::uint64_t value) {
    return element(name, std::to_string(value));
}

XmlWriter& XmlWriter::boolean(std::string_view name, bool value) {
    return element(name, value ? "true" : "false");
}

XmlWriter& XmlWriter::raw(std::string_view xml) {
    out_.append(xml);
    return *this;
}

std::string XmlWriter::finish() && {
    close(root_);
    return std::move(out_);
}

const XmlNode* XmlNode::find(std::string_view child) const {
    for (const auto& node : children) {
        if (node.name == child) {
            return &node;
        }
    }
    return nullptr;
}

std::string XmlNode::text_of(std::string_view child) const {
    const auto* node = find(child);
    return node == nullptr ? std::string() : node->text;
}

Error malformed_xml() {
    return auth::s3_error(
        400,
        "MalformedXML",
        "The XML you provided was not well-formed or did not validate against our published schema"
    );
}

Result<XmlNode> parse_xml(std::string_view text) {
    XmlNode root;
    if (!simdjson::validate_utf8(text.data(), text.size()) || !Parser(text).parse(root)) {
        return malformed_xml();
    }
    return root;
}

}  // namespace gateleg::api::s3
