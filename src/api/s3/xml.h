// As much XML as S3 needs: elements and text, no attributes that mean anything.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gateleg::api::s3 {

// Writes a document with the declaration and S3's namespace on its root.
class XmlWriter {
public:
    explicit XmlWriter(std::string_view root, bool with_namespace = true);

    XmlWriter& open(std::string_view name);
    XmlWriter& close(std::string_view name);
    XmlWriter& element(std::string_view name, std::string_view text);
    XmlWriter& number(std::string_view name, std::uint64_t value);
    XmlWriter& boolean(std::string_view name, bool value);
    XmlWriter& raw(std::string_view xml);

    // Closes the root.
    std::string finish() &&;

private:
    std::string out_;
    std::string root_;
};

// Characters that XML cannot hold become references, as S3 writes them.
void append_escaped(std::string& out, std::string_view text);

struct XmlNode {
    std::string name;  // without a prefix
    std::string text;  // all character data directly in it
    std::vector<XmlNode> children;

    const XmlNode* find(std::string_view child) const;
    // Empty if there is no such child.
    std::string text_of(std::string_view child) const;
};

// 400 MalformedXML for what is not well-formed, has a document type, is deeper than any request of
// S3 or has more elements.
Result<XmlNode> parse_xml(std::string_view text);
Error malformed_xml();

}  // namespace gateleg::api::s3
