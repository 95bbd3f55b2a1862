#include "model/cursor.h"

#include <algorithm>

#include "base/base64.h"
#include "value/value_view.h"
#include "value/value_writer.h"

namespace gateleg::model {
namespace {

constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kMaxCursor = 64 * 1024;

std::string tag_of(const HmacKey& key, std::string_view binding, std::string_view bytes) {
    std::string message = "cursor\n";
    message += std::to_string(binding.size()) + "\n";
    message.append(binding).append(bytes);
    const auto digest = key.sign(message);
    return {reinterpret_cast<const char*>(digest.data()), kTagBytes};
}

bool same_bytes(std::string_view left, std::string_view right) {
    unsigned difference = left.size() == right.size() ? 0 : 1;
    for (std::size_t at = 0; at < left.size() && at < right.size(); ++at) {
        difference |= static_cast<unsigned char>(left[at]) ^ static_cast<unsigned char>(right[at]);
    }
    return difference == 0;
}

}  // namespace

EncodedPosition encode_position(const CursorPosition& position) {
    EncodedPosition encoded{.group = position.group};
    for (const auto& one : position.after) {
        encoded.after.push_back(one ? std::optional(value::encode_item(*one)) : std::nullopt);
    }
    return encoded;
}

std::string render_cursor(
    const HmacKey& key, std::string_view binding, const CursorPosition& position
) {
    return render_cursor(key, binding, encode_position(position));
}

std::string render_cursor(
    const HmacKey& key, std::string_view binding, const EncodedPosition& position
) {
    std::string bytes;
    value::ValueWriter writer(bytes);
    const auto map = writer.begin_map(2);
    writer.name("a");
    const auto after = writer.begin_list(position.after.size());
    for (const auto& one : position.after) {
        one ? writer.copy(one->view()) : writer.null();
    }
    writer.end(after);
    writer.name("g");
    writer.number(std::to_string(position.group));
    writer.end(map);
    bytes += tag_of(key, binding, bytes);
    auto text = encode_base64(bytes);
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
    text.erase(std::find(text.begin(), text.end(), '='), text.end());
    return text;
}

std::optional<CursorPosition> parse_cursor(
    const HmacKey& key, std::string_view binding, std::string_view text
) {
    if (text.size() > kMaxCursor || text.find_first_of("+/=") != std::string_view::npos) {
        return std::nullopt;
    }
    std::string base64(text);
    std::replace(base64.begin(), base64.end(), '-', '+');
    std::replace(base64.begin(), base64.end(), '_', '/');
    base64.append((4 - base64.size() % 4) % 4, '=');
    std::string bytes;
    if (!append_decoded_base64(bytes, base64) || bytes.size() <= kTagBytes) {
        return std::nullopt;
    }
    const auto tag = bytes.substr(bytes.size() - kTagBytes);
    bytes.resize(bytes.size() - kTagBytes);
    if (!same_bytes(tag, tag_of(key, binding, bytes))) {
        return std::nullopt;
    }
    // Ours, so its form is known.
    const auto value = value::decode(value::ValueView(bytes.data()));
    const auto& map = std::get<value::Map>(value.data);
    CursorPosition position;
    position.group = std::stoul(std::get<value::Number>(map.at("g").data).to_text());
    for (const auto& one : std::get<value::List>(map.at("a").data)) {
        const auto* item = std::get_if<value::Map>(&one.data);
        position.after.push_back(item != nullptr ? std::optional(*item) : std::nullopt);
    }
    return position;
}

}  // namespace gateleg::model
