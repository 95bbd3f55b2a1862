// What is wrong with a model file, and where: collected, sorted, printed for people or for
// programs.

#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gateleg::model {

// Counted from one; zero when it is not known.
struct Position {
    int line = 0;
    int column = 0;
    auto operator<=>(const Position&) const = default;
};

enum class Severity : std::uint8_t { kError, kWarning, kInfo };
std::string_view severity_name(Severity severity);

struct Diagnostic {
    std::string file;
    Position position;
    Severity severity = Severity::kError;
    std::string id;  // "K02"; docs/model-language.md lists them
    std::string message;
    std::string suggestion = {};
};

// Diagnostics of one file, or of several after merge(). One thread at a time.
class Diagnostics {
public:
    explicit Diagnostics(std::string file = {}) : file_(std::move(file)) {}

    void error(std::string_view id, Position at, std::string message, std::string suggestion = {});
    void warning(
        std::string_view id, Position at, std::string message, std::string suggestion = {}
    );
    void info(std::string_view id, Position at, std::string message, std::string suggestion = {});
    void merge(const Diagnostics& other);

    bool has_errors() const { return count(Severity::kError) > 0; }
    std::size_t count(Severity severity) const;
    bool contains(std::string_view id) const;

    // By file, then by place, errors first; the same finding twice counts once.
    std::vector<Diagnostic> sorted() const;

    // "file:line:col: error K02: message (suggestion)", a line each.
    std::string to_text() const;
    // {"diagnostics":[{"file","line","column","severity","id","message","suggestion"?}], "errors",
    // "warnings", "infos"}
    std::string to_json() const;

private:
    void add(
        Severity severity,
        std::string_view id,
        Position at,
        std::string message,
        std::string suggestion
    );

    std::string file_;
    std::vector<Diagnostic> found_;
};

// The candidate a typing error away from `name`, or an empty text.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);
// "did you mean 'x'?", or an empty text.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace gateleg::model
