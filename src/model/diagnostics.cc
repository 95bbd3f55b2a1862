#include "model/diagnostics.h"

#include <algorithm>
#include <tuple>

#include "base/json_writer.h"

namespace gateleg::model {
namespace {

auto rank(const Diagnostic& diagnostic) {
    return std::tie(
        diagnostic.file, diagnostic.position, diagnostic.severity, diagnostic.id, diagnostic.message
    );
}

// Levenshtein, one row at a time.
// Letters to add, take away, change or swap with their neighbour.
std::size_t edit_distance(std::string_view left, std::string_view right) {
    std::vector<std::size_t> before;
    std::vector<std::size_t> above;
    std::vector<std::size_t> row(right.size() + 1);
    for (std::size_t j = 0; j <= right.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= left.size(); ++i) {
        before = std::move(above);
        above = row;
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t changed = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, changed});
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
    }
    return row.back();
}

}  // namespace

std::string_view severity_name(Severity severity) {
    switch (severity) {
        case Severity::kError:
            return "error";
        case Severity::kWarning:
            return "warning";
        case Severity::kInfo:
            return "info";
    }
    return "";
}

void Diagnostics::error(
    std::string_view id, Position at, std::string message, std::string suggestion
) {
    add(Severity::kError, id, at, std::move(message), std::move(suggestion));
}

void Diagnostics::warning(
    std::string_view id, Position at, std::string message, std::string suggestion
) {
    add(Severity::kWarning, id, at, std::move(message), std::move(suggestion));
}

void Diagnostics::info(
    std::string_view id, Position at, std::string message, std::string suggestion
) {
    add(Severity::kInfo, id, at, std::move(message), std::move(suggestion));
}

void Diagnostics::add(
    Severity severity, std::string_view id, Position at, std::string message, std::string suggestion
) {
    found_.push_back(
        {file_, at, severity, std::string(id), std::move(message), std::move(suggestion)}
    );
}

void Diagnostics::merge(const Diagnostics& other) {
    found_.insert(found_.end(), other.found_.begin(), other.found_.end());
}

std::size_t Diagnostics::count(Severity severity) const {
    const auto all = sorted();
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& one) {
        return one.severity == severity;
    }));
}

bool Diagnostics::contains(std::string_view id) const {
    return std::any_of(found_.begin(), found_.end(), [&](const auto& one) { return one.id == id; });
}

std::vector<Diagnostic> Diagnostics::sorted() const {
    auto all = found_;
    std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
        return rank(left) < rank(right);
    });
    const auto same = [](const auto& left, const auto& right) { return rank(left) == rank(right); };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
    return all;
}

std::string Diagnostics::to_text() const {
    std::string out;
    for (const auto& one : sorted()) {
        out += one.file + ":";
        // Line 0 is the file as a whole.
        if (one.position.line > 0) {
            out +=
                std::to_string(one.position.line) + ":" + std::to_string(one.position.column) + ":";
        }
        out += " ";
        out += severity_name(one.severity);
        out += " " + one.id + ": " + one.message;
        if (!one.suggestion.empty()) {
            out += " (" + one.suggestion + ")";
        }
        out += "\n";
    }
    return out;
}

std::string Diagnostics::to_json() const {
    std::string out;
    JsonWriter json(out);
    json.begin_object();
    json.key("diagnostics");
    json.begin_array();
    for (const auto& one : sorted()) {
        json.begin_object();
        json.member("file", one.file);
        json.member("line", one.position.line);
        json.member("column", one.position.column);
        json.member("severity", severity_name(one.severity));
        json.member("id", one.id);
        json.member("message", one.message);
        if (!one.suggestion.empty()) {
            json.member("suggestion", one.suggestion);
        }
        json.end_object();
    }
    json.end_array();
    json.member("errors", count(Severity::kError));
    json.member("warnings", count(Severity::kWarning));
    json.member("infos", count(Severity::kInfo));
    json.end_object();
    return out;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
    // A third of the letters may differ: more is another word.
    std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
    std::string found;
    for (const auto& candidate : candidates) {
        const auto distance = edit_distance(name, candidate);
        if (distance < best) {
            best = distance;
            found = candidate;
        }
    }
    return found;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
    const auto near = nearest_name(name, candidates);
    return near.empty() ? near : "did you mean '" + near + "'?";
}

}  // namespace gateleg::model
