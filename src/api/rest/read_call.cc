#include "api/rest/read_call.h"

#include <algorithm>
#include <charconv>

#include "api/rest/problem.h"
#include "base/time_text.h"
#include "value/json_tree.h"

namespace gateleg::api::rest {
namespace {

using model::CallError;
using model::CallResult;
using model::Endpoint;
using model::Parameter;

constexpr int kMaxLimit = 100;
constexpr std::size_t kMaxIdempotencyKey = 128;
constexpr std::size_t kMaxCursorBytes = 4096;
constexpr std::int64_t kDayMillis = std::int64_t{24} * 60 * 60 * 1000;

value::AttributeValue text_value(std::string_view text) {
    return {std::string(text)};
}

template <class Integer>
std::optional<Integer> parse_integer(std::string_view text) {
    Integer number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

// Every field that is wrong, in one error; the first of them in `field`.
class FieldErrors {
public:
    void add(std::string_view field, std::string_view message) {
        details_.emplace_back(field, message);
    }
    bool empty() const { return details_.empty(); }
    CallError take(std::string_view code = "ValidationFailed") {
        CallError error{.status = 400, .code = std::string(code)};
        error.field = details_.front().first;
        error.message = details_.front().first + " " + details_.front().second;
        error.details = std::move(details_);
        return error;
    }

private:
    std::vector<std::pair<std::string, std::string>> details_;
};

// A moment as a caller would have written it for that attribute.
std::string written_time(const model::Attribute* attribute, std::int64_t millis) {
    if (attribute != nullptr && attribute->json_number) {
        const bool seconds = attribute->type == model::AttributeType::kEpochSeconds;
        return std::to_string(seconds ? millis / 1000 : millis);
    }
    return render_rfc3339(millis);
}

// Path variables and inputs that the route fixes.
model::Arguments given_by_route(const Endpoint& endpoint, const CallParts& parts) {
    model::Arguments arguments;
    std::size_t next = 0;
    for (const auto& parameter : endpoint.parameters) {
        if (parameter.place == Parameter::Place::kPath && next < parts.variables.size()) {
            arguments.insert_or_assign(parameter.argument, text_value(parts.variables[next++]));
        }
    }
    for (const auto& [name, text] : endpoint.fixed) {
        arguments.insert_or_assign(name, text_value(text));
    }
    return arguments;
}

const Parameter* find_query_parameter(const Endpoint& endpoint, std::string_view name) {
    const auto* parameter = endpoint.find_parameter(name);
    return parameter != nullptr && parameter->place == Parameter::Place::kQuery ? parameter
                                                                                : nullptr;
}

void take_day(
    const Parameter& parameter,
    std::string_view text,
    model::Arguments& arguments,
    FieldErrors& errors
) {
    std::string date(text);
    if (date.size() == 8 && date.find('-') == std::string::npos) {
        date.insert(6, "-").insert(4, "-");  // as in keys: 20250301
    }
    const auto start = parse_rfc3339_millis(date + "T00:00:00Z");
    if (!start) {
        errors.add(parameter.name, "must be a date such as 2025-03-01");
        return;
    }
    arguments.insert_or_assign("from", text_value(written_time(parameter.attribute, *start)));
    arguments.insert_or_assign(
        "to", text_value(written_time(parameter.attribute, *start + kDayMillis - 1))
    );
}

// A time that the API writes as a number is read as one only.
bool is_number(const Parameter& parameter) {
    return parameter.attribute != nullptr && parameter.attribute->json_number;
}

void take_query(
    const Endpoint& endpoint,
    const QueryParameters& query,
    model::Arguments& arguments,
    FieldErrors& errors
) {
    for (const auto& [name, text] : query) {
        const auto* parameter = find_query_parameter(endpoint, name);
        if (parameter == nullptr) {
            errors.add(name, "is not a parameter of this request");
        } else if (parameter->whole_day) {
            take_day(*parameter, text, arguments, errors);
        } else if (is_number(*parameter) && !parse_integer<std::int64_t>(text)) {
            errors.add(name, "must be a whole number");
        } else {
            arguments.insert_or_assign(parameter->argument, text_value(text));
        }
    }
    for (const auto& parameter : endpoint.parameters) {
        if (parameter.required && parameter.place == Parameter::Place::kQuery &&
            !arguments.contains(parameter.argument)) {
            errors.add(parameter.name, "is required");
        }
    }
}

// limit, cursor and order leave the query.
void take_paging(
    const Endpoint& endpoint, QueryParameters& query, model::PatternCall& call, FieldErrors& errors
) {
    const auto take = [&](std::string_view name) -> std::optional<std::string> {
        const auto found = query.find(name);
        if (found == query.end() || find_query_parameter(endpoint, name) != nullptr) {
            return std::nullopt;
        }
        auto text = std::move(found->second);
        query.erase(found);
        return text;
    };
    if (endpoint.is_paged()) {
        if (const auto text = take("limit")) {
            call.limit = parse_integer<int>(*text);
            if (!call.limit || *call.limit < 1 || *call.limit > kMaxLimit) {
                errors.add("limit", "must be a whole number from 1 to 100");
            }
        }
        call.cursor = take("cursor");
    }
    if (endpoint.is_list() && endpoint.pattern->order == model::Pattern::Order::kEither) {
        if (const auto text = take("order")) {
            call.descending = *text == "desc";
            if (*text != "asc" && *text != "desc") {
                errors.add("order", "must be asc or desc");
            }
        }
    }
}

bool is_json_type(std::string_view content_type) {
    const auto end = content_type.find(';');
    auto type = content_type.substr(0, end);
    while (type.ends_with(' ') || type.ends_with('\t')) {
        type.remove_suffix(1);
    }
    std::string lower(type);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lower == "application/json";
}

CallResult<value::Map> read_body(const CallParts& parts) {
    if (parts.body.empty()) {
        return value::Map{};
    }
    if (!parts.content_type || !is_json_type(*parts.content_type)) {
        return CallError{
            .status = 415,
            .code = "UnsupportedMediaType",
            .message = "Send the body as Content-Type: application/json"};
    }
    auto tree = value::parse_json(parts.body);
    if (!tree && tree.error().code == ErrorCode::kValidation) {
        return validation_failed("", tree.error().message);
    }
    if (!tree) {
        return CallError{.status = 400, .code = "MalformedJson", .message = tree.error().message};
    }
    auto* object = std::get_if<value::Map>(&(*tree).data);
    if (object == nullptr) {
        return validation_failed("", "The body must be a JSON object");
    }
    return std::move(*object);
}

// Fields to the inputs they name, the others into the open map if the operation has one.
void take_body(
    const Endpoint& endpoint, value::Map body, model::Arguments& arguments, FieldErrors& unknown
) {
    value::Map rest;
    for (auto& [name, given] : body) {
        const bool by_route = arguments.contains(name);
        const auto* parameter = endpoint.find_parameter(name);
        if (by_route) {
            unknown.add(name, "is given by the path and cannot be set");
        } else if (parameter != nullptr && parameter->place != Parameter::Place::kPath) {
            arguments.insert_or_assign(parameter->argument, std::move(given));
        } else if (!endpoint.rest.empty()) {
            rest.insert_or_assign(name, std::move(given));
        } else {
            unknown.add(name, "is not a field of this request");
        }
    }
    if (!endpoint.rest.empty()) {
        arguments.insert_or_assign(endpoint.rest, value::AttributeValue{std::move(rest)});
    }
}

bool is_idempotency_key(std::string_view text) {
    return !text.empty() && text.size() <= kMaxIdempotencyKey &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-';
           });
}

// X-R9: the version may stand in the body as well.
CallResult<std::optional<std::int64_t>> take_expected_version(
    const Endpoint& endpoint, value::Map& body
) {
    const auto found = body.find("expectedVersion");
    if (found == body.end() || endpoint.find_parameter("expectedVersion") != nullptr) {
        return std::optional<std::int64_t>();
    }
    const auto* number = std::get_if<value::Number>(&found->second.data);
    const auto version = number != nullptr ? parse_integer<std::int64_t>(number->to_text())
                                           : std::optional<std::int64_t>();
    if (!version) {
        return validation_failed("expectedVersion", "must be a whole number");
    }
    body.erase(found);
    return version;
}

}  // namespace

CallResult<model::PatternCall> read_pattern_call(const Endpoint& endpoint, const CallParts& parts) {
    model::PatternCall call;
    FieldErrors errors;
    auto query = parts.query;
    call.arguments = given_by_route(endpoint, parts);
    take_paging(endpoint, query, call, errors);
    take_query(endpoint, query, call.arguments, errors);
    if (!errors.empty()) {
        return errors.take();
    }
    if (call.cursor && (call.cursor->empty() || call.cursor->size() > kMaxCursorBytes)) {
        return CallError{
            .status = 400,
            .code = "InvalidCursor",
            .message = "The cursor is not one of this list",
            .field = "cursor"};
    }
    return call;
}

CallResult<model::OperationCall> read_operation_call(
    const Endpoint& endpoint, const CallParts& parts
) {
    model::OperationCall call;
    call.route = endpoint.method + " " + endpoint.path;
    if (parts.idempotency_key && !is_idempotency_key(*parts.idempotency_key)) {
        return validation_failed(
            "Idempotency-Key", "must be 1 to 128 characters of A-Z a-z 0-9 _ -"
        );
    }
    if (endpoint.takes_idempotency_key() && parts.idempotency_key) {
        call.idempotency_key = std::string(*parts.idempotency_key);
    }
    if (endpoint.operation->idempotency_required && !call.idempotency_key) {
        return CallError{
            .status = 428,
            .code = "IdempotencyKeyRequired",
            .message = "Send an Idempotency-Key: this request must not happen twice",
            .field = "Idempotency-Key"};
    }
    if (parts.if_match) {
        auto version = parse_if_match(*parts.if_match);
        if (!version) {
            return std::move(version).error();
        }
        call.if_match = *version;
    }
    const bool raw = endpoint.operation->raw_body;
    if (raw) {
        call.raw_body = parts.body;
    }
    call.request = &parts.facts;
    auto body = raw ? value::Map{} : read_body(parts);
    if (!body) {
        return std::move(body).error();
    }
    auto expected = take_expected_version(endpoint, *body);
    if (!expected) {
        return std::move(expected).error();
    }
    if (*expected) {
        call.if_match = *expected;
    }
    FieldErrors errors;
    call.arguments = given_by_route(endpoint, parts);
    FieldErrors unknown;
    take_body(endpoint, *std::move(body), call.arguments, unknown);
    if (!unknown.empty()) {
        return unknown.take("UnknownField");
    }
    take_query(endpoint, parts.query, call.arguments, errors);
    if (!errors.empty()) {
        return errors.take();
    }
    return call;
}

CallResult<model::JobCall> read_job_call(const Endpoint& endpoint, const CallParts& parts) {
    auto body = read_body(parts);
    if (!body) {
        return std::move(body).error();
    }
    model::JobCall call;
    call.arguments = given_by_route(endpoint, parts);
    FieldErrors unknown;
    take_body(endpoint, *std::move(body), call.arguments, unknown);
    if (!unknown.empty()) {
        return unknown.take("UnknownField");
    }
    FieldErrors errors;
    take_query(endpoint, parts.query, call.arguments, errors);
    // Nothing if it is not given, or null.
    const auto take = [&](std::string_view name) -> std::optional<value::AttributeValue> {
        const auto found = call.arguments.find(name);
        if (found == call.arguments.end()) {
            return std::nullopt;
        }
        auto given = std::move(found->second);
        call.arguments.erase(found);
        return given.type() == value::Type::kNull ? std::nullopt : std::optional(std::move(given));
    };
    if (const auto given = take("dryRun")) {
        const auto* flag = std::get_if<bool>(&given->data);
        const auto* text = std::get_if<std::string>(&given->data);  // in a query
        if (flag == nullptr && (text == nullptr || (*text != "true" && *text != "false"))) {
            errors.add("dryRun", "must be true or false");
        }
        call.dry_run = flag != nullptr ? *flag : text != nullptr && *text == "true";
    }
    if (const auto given = take("cursor")) {
        const auto* text = std::get_if<std::string>(&given->data);
        if (text == nullptr) {
            errors.add("cursor", "must be a string");
        } else {
            call.cursor = *text;
        }
    }
    if (!errors.empty()) {
        return errors.take();
    }
    return call;
}

CallResult<std::optional<std::int64_t>> parse_if_match(std::string_view text) {
    if (text == "*") {
        return std::optional<std::int64_t>();
    }
    const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    const auto digits = quoted ? text.substr(1, text.size() - 2) : text;
    const auto version = parse_integer<std::int64_t>(digits);
    if (!version) {
        return CallError{
            .status = 412,
            .code = "VersionMismatch",
            .message = "If-Match names no version of this; read it again",
            .field = "If-Match"};
    }
    return version;
}

}  // namespace gateleg::api::rest
