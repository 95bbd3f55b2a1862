#include "api/dynamodb/local_words.h"

#include <array>
#include <set>
#include <utility>

#include <simdjson.h>

#include "api/dynamodb/operations.h"
#include "api/dynamodb/respond.h"
#include "base/json_writer.h"

namespace gateleg::api::dynamodb {
namespace {

namespace dom = simdjson::dom;
using Names = std::set<std::string_view>;

// What is not as it should be counts as absent: the operation itself complains about it.
std::string_view text_of(dom::element json, std::string_view name) {
    std::string_view text;
    return json[name].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

template <class Use>
void for_each_in(dom::element json, std::string_view name, Use use) {
    dom::array list;
    if (json[name].get(list) == simdjson::SUCCESS) {
        for (const dom::element each : list) {
            use(each);
        }
    }
}

Names key_names(dom::element json) {
    Names names;
    for_each_in(json, "KeySchema", [&](dom::element element) {
        names.insert(text_of(element, "AttributeName"));
    });
    return names;
}

Names index_key_names(dom::element json, std::string_view member) {
    Names names;
    for_each_in(json, member, [&](dom::element index) { names.merge(key_names(index)); });
    return names;
}

// The object with the list `name` written anew, element by element.
template <class Write>
std::string with_list(dom::element json, std::string_view name, Write write) {
    std::string out;
    dom::object members;
    if (json.get(members) != simdjson::SUCCESS) {
        return out;
    }
    JsonWriter writer(out);
    writer.begin_object();
    for (const auto member : members) {
        writer.key(member.key);
        if (member.key == name) {
            writer.begin_array();
            for_each_in(json, name, [&](dom::element each) { write(writer, each); });
            writer.end_array();
        } else {
            writer.raw(simdjson::minify(member.value));
        }
    }
    writer.end_object();
    return out;
}

// The same refusal in DynamoDB Local's words; empty if it has these.
std::string_view local_message(std::string_view message) {
    constexpr std::array<std::string_view, 2> kBelowOne = {
        " at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to "
        "1",
        " at 'limit' failed to satisfy constraint: Member must have value greater than or equal to "
        "1"};
    if (message.starts_with("1 validation error detected: Value") &&
        (message.ends_with(kBelowOne[0]) || message.ends_with(kBelowOne[1]))) {
        return "Limit must be greater than or equal to 1";
    }
    if (message.starts_with("Attribute Name is duplicated: ")) {
        return "Cannot have two attributes with the same name";
    }
    return {};
}

std::string with_message(dom::element json, std::string_view message) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object();
    writer.member("__type", text_of(json, "__type"));
    writer.member("message", message);
    writer.end_object();
    return out;
}

// DynamoDB Local ends the sentence for a ConditionCheck, and for nothing else.
std::string with_full_stops(dom::element json, const std::vector<bool>& checks) {
    std::size_t at = 0;
    return with_list(json, "CancellationReasons", [&](JsonWriter& writer, dom::element reason) {
        dom::object members;
        const bool is_check = at < checks.size() && checks[at];
        ++at;
        if (!is_check || text_of(reason, "Code") != "ConditionalCheckFailed" ||
            reason.get(members) != simdjson::SUCCESS) {
            writer.raw(simdjson::minify(reason));
            return;
        }
        writer.begin_object();
        for (const auto member : members) {
            writer.key(member.key);
            if (member.key == "Message") {
                writer.string(std::string(text_of(reason, "Message")) + ".");
            } else {
                writer.raw(simdjson::minify(member.value));
            }
        }
        writer.end_object();
    });
}

class LocalWords final : public http::ExchangeTarget {
public:
    LocalWords(http::Exchange exchange, std::vector<bool> checks)
        : exchange_(std::move(exchange)), checks_(std::move(checks)) {
        trace = exchange_.trace();
    }

    const http::Request& request() const override { return exchange_.request(); }
    std::string take_body_buffer() override { return exchange_.take_buffer(); }
    std::string take_header_buffer() override { return exchange_.take_header_buffer(); }

    void reply(http::Response&& response) override {
        if (response.status == 400) {
            if (auto body = local_error(response.body, checks_)) {
                replace_body(response, *std::move(body));
            }
        }
        exchange_.trace() = std::move(trace);
        exchange_.reply(std::move(response));
    }
    // The exchange behind it ends with this one.
    void reply_missing() override { exchange_.trace() = std::move(trace); }

private:
    http::Exchange exchange_;
    std::vector<bool> checks_;
};

}  // namespace

std::optional<std::string> without_overlooked_definitions(std::string_view body) {
    dom::parser parser;
    dom::element json;
    if (parser.parse(body.data(), body.size()).get(json) != simdjson::SUCCESS) {
        return std::nullopt;
    }
    // It adds up what table and local indexes use and what global ones use beside the table's key:
    // an attribute of both kinds of indexes counts twice, and so as many others go unnoticed.
    const auto local = index_key_names(json, "LocalSecondaryIndexes");
    const auto global = index_key_names(json, "GlobalSecondaryIndexes");
    auto used = key_names(json);
    std::size_t twice = 0;
    for (const auto name : global) {
        twice += local.contains(name) && !used.contains(name) ? 1 : 0;
    }
    used.insert(local.begin(), local.end());
    used.insert(global.begin(), global.end());
    const auto is_used = [&](dom::element definition) {
        return used.contains(text_of(definition, "AttributeName"));
    };
    std::size_t unused = 0;
    for_each_in(json, "AttributeDefinitions", [&](dom::element definition) {
        unused += is_used(definition) ? 0 : 1;
    });
    if (unused == 0 || unused > twice) {
        return std::nullopt;
    }
    auto kept =
        with_list(json, "AttributeDefinitions", [&](JsonWriter& writer, dom::element definition) {
            if (is_used(definition)) {
                writer.raw(simdjson::minify(definition));
            }
        });
    return kept.append(kBodyPadding, ' ');
}

std::vector<bool> condition_checks(std::string_view body) {
    std::vector<bool> checks;
    dom::parser parser;
    dom::element json;
    if (parser.parse(body.data(), body.size()).get(json) == simdjson::SUCCESS) {
        for_each_in(json, "TransactItems", [&](dom::element action) {
            checks.push_back(action["ConditionCheck"].error() == simdjson::SUCCESS);
        });
    }
    return checks;
}

std::optional<std::string> local_error(std::string_view body, const std::vector<bool>& checks) {
    dom::parser parser;
    dom::element json;
    if (parser.parse(body.data(), body.size()).get(json) != simdjson::SUCCESS) {
        return std::nullopt;
    }
    if (const auto message = local_message(text_of(json, "message")); !message.empty()) {
        return with_message(json, message);
    }
    if (!checks.empty() && text_of(json, "__type").ends_with("#TransactionCanceledException")) {
        return with_full_stops(json, checks);
    }
    return std::nullopt;
}

http::Exchange in_local_words(http::Exchange exchange, std::vector<bool> checks) {
    return http::Exchange(std::make_shared<LocalWords>(std::move(exchange), std::move(checks)));
}

}  // namespace gateleg::api::dynamodb
