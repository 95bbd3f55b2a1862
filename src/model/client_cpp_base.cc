#include "model/client_base.h"

namespace gateleg::model {

const std::string_view kCppBase = R"BASE(
// --- JSON

// A number with every digit it came with.
class Number {
public:
    Number() = default;
    Number(std::int64_t value) : text_(std::to_string(value)) {}  // NOLINT: implicit
    Number(int value) : text_(std::to_string(value)) {}           // NOLINT: implicit
    explicit Number(std::string text) : text_(std::move(text)) {}
    const std::string& text() const { return text_; }
    double to_double() const { return std::strtod(text_.c_str(), nullptr); }
    std::int64_t to_integer() const { return std::strtoll(text_.c_str(), nullptr, 10); }
    bool operator==(const Number&) const = default;

private:
    std::string text_ = "0";
};

class Json {
public:
    using Array = std::vector<Json>;
    using Object = std::map<std::string, Json>;

    Json() = default;
    Json(std::nullptr_t) {}                                  // NOLINT: implicit
    Json(bool value) : value_(value) {}                      // NOLINT: implicit
    Json(Number value) : value_(std::move(value)) {}         // NOLINT: implicit
    Json(int value) : value_(Number(value)) {}               // NOLINT: implicit
    Json(std::int64_t value) : value_(Number(value)) {}      // NOLINT: implicit
    Json(std::string value) : value_(std::move(value)) {}    // NOLINT: implicit
    Json(const char* value) : value_(std::string(value)) {}  // NOLINT: implicit
    Json(Array value) : value_(std::make_shared<const Array>(std::move(value))) {}    // NOLINT
    Json(Object value) : value_(std::make_shared<const Object>(std::move(value))) {}  // NOLINT

    bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
    const bool* boolean() const { return std::get_if<bool>(&value_); }
    const Number* number() const { return std::get_if<Number>(&value_); }
    const std::string* string() const { return std::get_if<std::string>(&value_); }
    const Array* array() const {
        const auto* found = std::get_if<std::shared_ptr<const Array>>(&value_);
        return found == nullptr ? nullptr : found->get();
    }
    const Object* object() const {
        const auto* found = std::get_if<std::shared_ptr<const Object>>(&value_);
        return found == nullptr ? nullptr : found->get();
    }
    // The member of an object; null if there is none.
    Json operator[](const std::string& name) const {
        const auto* members = object();
        const auto found = members == nullptr ? Object::const_iterator() : members->find(name);
        return members == nullptr || found == members->end() ? Json() : found->second;
    }

    std::string dump() const {
        std::string out;
        dump(out);
        return out;
    }
    static std::optional<Json> parse(std::string_view text);

private:
    static void dump_text(std::string& out, const std::string& text) {
        out += '"';
        for (const char c : text) {
            if (c == '"' || c == '\\') {
                out += '\\';
                out += c;
            } else if (static_cast<unsigned char>(c) < 0x20) {
                static constexpr char kDigits[] = "0123456789abcdef";
                out += "\\u00";
                out += kDigits[(c >> 4) & 15];
                out += kDigits[c & 15];
            } else {
                out += c;
            }
        }
        out += '"';
    }
    void dump(std::string& out) const {
        if (const auto* flag = boolean()) {
            out += *flag ? "true" : "false";
        } else if (const auto* value = number()) {
            out += value->text();
        } else if (const auto* text = string()) {
            dump_text(out, *text);
        } else if (const auto* elements = array()) {
            out += '[';
            for (const auto& element : *elements) {
                out += out.back() == '[' && &element == elements->data() ? "" : ",";
                element.dump(out);
            }
            out += ']';
        } else if (const auto* members = object()) {
            out += '{';
            bool first = true;
            for (const auto& [name, member] : *members) {
                out += first ? "" : ",";
                first = false;
                dump_text(out, name);
                out += ':';
                member.dump(out);
            }
            out += '}';
        } else {
            out += "null";
        }
    }

    std::variant<
        std::monostate,
        bool,
        Number,
        std::string,
        std::shared_ptr<const Array>,
        std::shared_ptr<const Object>>
        value_;
};

namespace detail {

class JsonParser {
public:
    explicit JsonParser(std::string_view text) : text_(text) {}

    std::optional<Json> parse() {
        Json value;
        skip();
        const bool good = read_value(value, 0);
        skip();
        return good && at_ == text_.size() ? std::optional(std::move(value)) : std::nullopt;
    }

private:
    static constexpr int kMaxDepth = 64;

    void skip() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' ||
                                      text_[at_] == '\r' || text_[at_] == '\t')) {
            ++at_;
        }
    }
    bool take(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) {
            return false;
        }
        at_ += word.size();
        return true;
    }
    bool read_value(Json& out, int depth) {
        if (at_ >= text_.size() || depth > kMaxDepth) {
            return false;
        }
        switch (text_[at_]) {
            case '{':
                return read_object(out, depth);
            case '[':
                return read_array(out, depth);
            case '"': {
                std::string text;
                const bool good = read_text(text);
                out = Json(std::move(text));
                return good;
            }
            case 't':
                out = Json(true);
                return take("true");
            case 'f':
                out = Json(false);
                return take("false");
            case 'n':
                out = Json();
                return take("null");
            default:
                return read_number(out);
        }
    }
    bool read_number(Json& out) {
        const auto start = at_;
        while (at_ < text_.size() &&
               (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '-' ||
                text_[at_] == '+' || text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E')) {
            ++at_;
        }
        out = Json(Number(std::string(text_.substr(start, at_ - start))));
        return at_ > start;
    }
    bool read_array(Json& out, int depth) {
        Json::Array elements;
        ++at_;
        skip();
        if (!take("]")) {
            do {
                skip();
                Json element;
                if (!read_value(element, depth + 1)) {
                    return false;
                }
                elements.push_back(std::move(element));
                skip();
            } while (take(","));
            if (!take("]")) {
                return false;
            }
        }
        out = Json(std::move(elements));
        return true;
    }
    bool read_object(Json& out, int depth) {
        Json::Object members;
        ++at_;
        skip();
        if (!take("}")) {
            do {
                skip();
                std::string name;
                if (at_ >= text_.size() || text_[at_] != '"' || !read_text(name)) {
                    return false;
                }
                skip();
                if (!take(":")) {
                    return false;
                }
                skip();
                Json member;
                if (!read_value(member, depth + 1)) {
                    return false;
                }
                members.insert_or_assign(std::move(name), std::move(member));
                skip();
            } while (take(","));
            if (!take("}")) {
                return false;
            }
        }
        out = Json(std::move(members));
        return true;
    }
    bool read_text(std::string& out) {
        for (++at_; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (c == '"') {
                ++at_;
                return true;
            }
            if (c != '\\') {
                out += c;
                continue;
            }
            if (++at_ >= text_.size() || !read_escape(out)) {
                return false;
            }
        }
        return false;
    }
    bool read_escape(std::string& out) {
        static constexpr std::string_view kFrom = "\"\\/bfnrt";
        static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
        if (const auto found = kFrom.find(text_[at_]); found != std::string_view::npos) {
            out += kTo[found];
            return true;
        }
        std::uint32_t code = 0;
        if (text_[at_] != 'u' || !read_hex(code)) {
            return false;
        }
        std::uint32_t low = 0;
        if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_ + 1, 2) == "\\u") {
            at_ += 2;
            if (!read_hex(low)) {
                return false;
            }
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        append_utf8(out, code);
        return true;
    }
    // Four digits behind the 'u' that at_ stands on; at_ then stands on the last of them.
    bool read_hex(std::uint32_t& code) {
        if (at_ + 4 >= text_.size()) {
            return false;
        }
        code = 0;
        for (int i = 0; i < 4; ++i) {
            const char c = text_[++at_];
            const auto digit = std::string_view("0123456789abcdef")
                                   .find(static_cast<char>(c >= 'A' && c <= 'F' ? c + 32 : c));
            if (digit == std::string_view::npos) {
                return false;
            }
            code = code * 16 + static_cast<std::uint32_t>(digit);
        }
        return true;
    }
    static void append_utf8(std::string& out, std::uint32_t code) {
        const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
        if (code < 0x80) {
            add(code);
        } else if (code < 0x800) {
            add(0xC0 | (code >> 6));
            add(0x80 | (code & 0x3F));
        } else if (code < 0x10000) {
            add(0xE0 | (code >> 12));
            add(0x80 | ((code >> 6) & 0x3F));
            add(0x80 | (code & 0x3F));
        } else {
            add(0xF0 | ((code >> 18) & 0x07));
            add(0x80 | ((code >> 12) & 0x3F));
            add(0x80 | ((code >> 6) & 0x3F));
            add(0x80 | (code & 0x3F));
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace detail

inline std::optional<Json> Json::parse(std::string_view text) {
    return detail::JsonParser(text).parse();
}

// read() and write() between JSON and values; each struct below has its own pair.

inline void read(const Json& json, Json& out) {
    out = json;
}
inline void read(const Json& json, bool& out) {
    out = json.boolean() != nullptr && *json.boolean();
}
inline void read(const Json& json, Number& out) {
    out = json.number() ? *json.number() : Number();
}
inline void read(const Json& json, std::int64_t& out) {
    out = json.number() != nullptr ? json.number()->to_integer() : 0;
}
inline void read(const Json& json, std::string& out) {
    out = json.string() != nullptr ? *json.string() : std::string();
}
// Enums have to_text() and from_text().
template <class T>
    requires std::is_enum_v<T>
void read(const Json& json, T& out) {
    from_text(json.string() != nullptr ? std::string_view(*json.string()) : std::string_view(), out);
}
template <class T>
void read(const Json& json, std::optional<T>& out) {
    out.reset();
    if (!json.is_null()) {
        read(json, out.emplace());
    }
}
template <class T>
void read(const Json& json, std::vector<T>& out) {
    out.clear();
    if (const auto* elements = json.array()) {
        for (const auto& element : *elements) {
            T value{};
            read(element, value);
            out.push_back(std::move(value));
        }
    }
}
template <class T>
void read(const Json& json, std::map<std::string, T>& out) {
    out.clear();
    if (const auto* members = json.object()) {
        for (const auto& [name, member] : *members) {
            read(member, out[name]);
        }
    }
}

inline void write(Json& out, const Json& value) {
    out = value;
}
inline void write(Json& out, bool value) {
    out = Json(value);
}
inline void write(Json& out, const Number& value) {
    out = Json(value);
}
inline void write(Json& out, std::int64_t value) {
    out = Json(value);
}
inline void write(Json& out, const std::string& value) {
    out = Json(value);
}
template <class T>
    requires std::is_enum_v<T>
void write(Json& out, T value) {
    out = Json(std::string(to_text(value)));
}
template <class T>
void write(Json& out, const std::vector<T>& values) {
    Json::Array elements(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        write(elements[i], static_cast<const T&>(values[i]));
    }
    out = Json(std::move(elements));
}
template <class T>
void write(Json& out, const std::map<std::string, T>& values) {
    Json::Object members;
    for (const auto& [name, value] : values) {
        write(members[name], value);
    }
    out = Json(std::move(members));
}
template <class T>
void put(Json::Object& out, const char* name, const T& value) {
    write(out[name], value);
}
template <class T>
void put(Json::Object& out, const char* name, const std::optional<T>& value) {
    if (value) {
        write(out[name], *value);
    }
}

// --- transport

struct Request {
    std::string method;
    std::string target;  // path and query
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
};
struct Response {
    int status = 0;
    std::string body;
};

// Thrown by a transport that got no answer.
struct TransportError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Carries requests to the service: an HTTP library, or the server in the same process.
class Transport {
public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;
    virtual Response send(const Request& request) = 0;
};

class ApiError : public std::runtime_error {
public:
    ApiError(
        int the_status, std::string the_code, const std::string& message, std::string the_field = {}
    )
        : std::runtime_error(message),
          status(the_status),
          code(std::move(the_code)),
          field(std::move(the_field)) {}
    int status;
    std::string code;  // one of Errors, or BadAnswer
    std::string field;
};

struct CallOptions {
    // Made for every call that takes one, and kept when the call is repeated.
    std::string idempotency_key = {};
    // The version the item must still have.
    std::optional<std::int64_t> if_match = {};
    // Fields of the body to send as null, which takes their values away.
    std::vector<std::string> nulls = {};
};

template <class T>
struct Page {
    std::vector<T> items;
    std::optional<std::string> cursor;  // leads to the next page
};

namespace detail {

inline std::string escaped(std::string_view text) {
    static constexpr char kDigits[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x80 && std::isalnum(byte) != 0) || c == '-' || c == '_' || c == '.' ||
            c == '~') {
            out += c;
        } else {
            out += '%';
            out += kDigits[byte >> 4];
            out += kDigits[byte & 15];
        }
    }
    return out;
}

inline std::string as_text(const std::string& value) {
    return value;
}
inline std::string as_text(bool value) {
    return value ? "true" : "false";
}
inline std::string as_text(std::int64_t value) {
    return std::to_string(value);
}
inline std::string as_text(const Number& value) {
    return value.text();
}
template <class T>
std::string as_text(const T& value) {
    if constexpr (std::is_enum_v<T>) {
        return std::string(to_text(value));
    } else {
        Json json;
        write(json, value);
        return json.dump();
    }
}

template <class T>
std::string segment(const char* name, const T& value) {
    const auto text = as_text(value);
    if (text.empty() || text == "." || text == "..") {
        throw ApiError(
            400, "ValidationFailed", std::string(name) + " cannot be part of a path", name
        );
    }
    return escaped(text);
}

template <class T>
void add_query(std::string& target, const char* name, const T& value) {
    target += target.find('?') == std::string::npos ? '?' : '&';
    target += escaped(name) + "=" + escaped(as_text(value));
}
template <class T>
void add_query(std::string& target, const char* name, const std::optional<T>& value) {
    if (value) {
        add_query(target, name, *value);
    }
}

inline std::string new_key() {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::random_device random;
    std::string key;
    for (int i = 0; i < 32; ++i) {
        key += kDigits[random() & 15U];
    }
    return key;
}

}  // namespace detail

// What every client does the same. The transport outlives it.
class ClientBase {
public:
    explicit ClientBase(Transport& transport) : transport_(transport) {}

    void set_token(std::string token) { token_ = std::move(token); }
    // How often a read, or a write with an idempotency key, is repeated after a failure.
    void set_retries(int retries) { retries_ = retries; }

protected:
    Json call(
        const char* method,
        const std::string& target,
        std::optional<Json::Object> body,
        bool keyed,
        const CallOptions& options,
        bool any = false
    ) {
        Request request{method, target, {{"accept", "application/json"}}, {}};
        if (!token_.empty()) {
            request.headers.emplace_back("authorization", "Bearer " + token_);
        }
        if (body) {
            for (const auto& name : options.nulls) {
                (*body)[name] = Json();
            }
            request.headers.emplace_back("content-type", "application/json");
            request.body = Json(*std::move(body)).dump();
        }
        if (keyed) {
            request.headers.emplace_back(
                "idempotency-key",
                options.idempotency_key.empty() ? detail::new_key() : options.idempotency_key
            );
        }
        if (options.if_match) {
            request.headers.emplace_back(
                "if-match", "\"" + std::to_string(*options.if_match) + "\""
            );
        }
        const int attempts = keyed || request.method == "GET" ? 1 + retries_ : 1;
        for (int attempt = 1;; ++attempt) {
            try {
                const auto response = transport_.send(request);
                if (attempt >= attempts || !is_passing(response.status)) {
                    return answer(response, any);
                }
            } catch (const TransportError&) {
                if (attempt >= attempts) {
                    throw;
                }
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(50 << std::min(attempt, 5)));
        }
    }

private:
    static bool is_passing(int status) {
        return status == 429 || status == 502 || status == 503 || status == 504;
    }
    static Json answer(const Response& response, bool any) {
        auto json = Json::parse(response.body);
        if (response.status >= 200 && response.status < 300 && (json || any)) {
            return json ? *std::move(json) : Json(response.body);
        }
        const auto error = json ? (*json)["error"] : Json();
        const auto code = error["code"];
        if (code.string() == nullptr) {
            throw ApiError(response.status, "BadAnswer", "the answer is not one of this service");
        }
        std::string message;
        std::string field;
        read(error["message"], message);
        read(error["field"], field);
        throw ApiError(response.status, *code.string(), message, field);
    }

    Transport& transport_;
    std::string token_;
    int retries_ = 3;
};
)BASE";

}  // namespace gateleg::model
