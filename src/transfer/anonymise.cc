#include "transfer/anonymise.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace gateleg::transfer {
namespace {

constexpr std::array kFirstNames = {"Ada",   "Ben",  "Cleo", "Dora", "Emil", "Fay",  "Gus",  "Hana",
                                    "Ivo",   "June", "Kai",  "Lena", "Milo", "Nora", "Otto", "Pia",
                                    "Quinn", "Rosa", "Sven", "Tess", "Udo",  "Vera", "Wim",  "Zoe"};
constexpr std::array kLastNames = {"Abel",  "Berg", "Cruz",   "Dahl",  "Eng",  "Falk",   "Gray",
                                   "Holm",  "Ito",  "Jansen", "Klein", "Lund", "Moreau", "Novak",
                                   "Okoro", "Park", "Reyes",  "Silva", "Toth", "Weber",  "Young"};

void mask(std::string& text) {
    for (auto& c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isdigit(byte) != 0) {
            c = '9';
        } else if (std::isalpha(byte) != 0) {
            c = 'x';
        }
    }
    // Letters beyond ASCII: one x each.
    std::string plain;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            plain += c;
        } else if (byte >= 0xC0) {
            plain += 'x';
        }
    }
    text = std::move(plain);
}

}  // namespace

Result<AnonymiseRule> parse_rule(std::string_view text) {
    const auto equals = text.rfind('=');
    const auto wrong = [&](std::string_view why) {
        return validation_error(
            "--anonymise " + std::string(text) + ": " + std::string(why) +
            "; it is FIELD=mask, FIELD=hash, FIELD=redact or FIELD=fake"
        );
    };
    if (equals == std::string_view::npos) {
        return wrong("there is no =");
    }
    AnonymiseRule rule;
    const auto how = text.substr(equals + 1);
    if (how == "mask") {
        rule.how = Disguise::kMask;
    } else if (how == "hash") {
        rule.how = Disguise::kHash;
    } else if (how == "redact") {
        rule.how = Disguise::kRedact;
    } else if (how == "fake") {
        rule.how = Disguise::kFake;
    } else {
        return wrong("there is no rule " + std::string(how));
    }
    auto path = text.substr(0, equals);
    for (;;) {
        const auto dot = path.find('.');
        rule.path.emplace_back(path.substr(0, dot));
        if (rule.path.back().empty()) {
            return wrong("a name is empty");
        }
        if (dot == std::string_view::npos) {
            return rule;
        }
        path.remove_prefix(dot + 1);
    }
}

Result<void> check_rules(
    const std::vector<AnonymiseRule>& rules, const dynamo::TableDescription& table
) {
    for (const auto& rule : rules) {
        for (const auto& element : table.key_schema) {
            if (rule.path.size() == 1 && rule.path[0] == element.attribute &&
                rule.how != Disguise::kHash) {
                return validation_error(
                    "--anonymise " + element.attribute +
                    ": a key of the table can only be hashed; anything else would make two items "
                    "one"
                );
            }
        }
    }
    return {};
}

std::string Anonymiser::digits_of(std::string_view text) const {
    std::string digits;
    for (const auto byte : key_.sign(text)) {
        digits += static_cast<char>('0' + byte % 10);
    }
    return digits;
}

void Anonymiser::disguise(value::AttributeValue& value, Disguise how) const {
    if (auto* text = std::get_if<std::string>(&value.data)) {
        if (how == Disguise::kMask) {
            mask(*text);
        } else if (how == Disguise::kHash) {
            *text = to_hex(key_.sign(*text)).substr(0, 32);
        } else {
            const auto digest = key_.sign(*text);
            const std::string first = kFirstNames[digest[0] % kFirstNames.size()];
            const std::string last = kLastNames[digest[1] % kLastNames.size()];
            *text = text->find('@') == std::string::npos
                        ? first + " " + last
                        : first + "." + last + std::to_string(digest[2]) + "@example.com";
        }
    } else if (auto* number = std::get_if<value::Number>(&value.data)) {
        auto written = number->to_text();
        if (how == Disguise::kMask) {
            mask(written);
        } else {
            // As many digits as before when faked, fifteen when hashed.
            auto digits = digits_of(written);
            const auto count = static_cast<std::size_t>(std::count_if(
                written.begin(), written.end(), [](unsigned char c) { return std::isdigit(c) != 0; }
            ));
            digits.resize(how == Disguise::kFake ? std::min<std::size_t>(count, 30) : 15);
            written = "1" + digits.substr(1);
        }
        if (auto parsed = value::Number::parse(written)) {
            *number = *parsed;
        }
    } else if (auto* binary = std::get_if<value::Binary>(&value.data)) {
        const auto digest = key_.sign(binary->bytes);
        binary->bytes = how == Disguise::kMask ? std::string(binary->bytes.size(), '\0')
                                               : std::string(digest.begin(), digest.end());
    } else {
        // Lists, maps, sets, truth: nothing of them is shown.
        value.data = value::Null{};
    }
}

value::EncodedItem Anonymiser::apply(value::ValueView item) const {
    auto tree = value::decode_item(item);
    for (const auto& rule : rules_) {
        auto* map = &tree;
        for (std::size_t i = 0; i < rule.path.size(); ++i) {
            const auto found = map->find(rule.path[i]);
            if (found == map->end()) {
                break;
            }
            if (i + 1 < rule.path.size()) {
                map = std::get_if<value::Map>(&found->second.data);
                if (map == nullptr) {
                    break;
                }
            } else if (rule.how == Disguise::kRedact) {
                map->erase(found);
            } else {
                disguise(found->second, rule.how);
            }
        }
    }
    return value::encode_item(tree);
}

}  // namespace gateleg::transfer
