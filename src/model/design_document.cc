#include "model/design_document.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace gateleg::model {
namespace {

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return out;
}

bool is_design_id(std::string_view word) {
    std::size_t at = 0;
    const auto skip = [&](bool (*wanted)(char)) {
        const auto start = at;
        while (at < word.size() && wanted(word[at])) {
            ++at;
        }
        return at - start;
    };
    if (skip(is_letter) == 0 || at >= word.size() || word[at] != '-') {
        return false;
    }
    ++at;
    skip(is_letter);
    return skip(is_digit) > 0 && at == word.size();
}

// "AP-07" -> "ap-": rows that count the same thing.
std::string family(std::string_view id) {
    return lower(id.substr(0, id.find_first_of("0123456789")));
}

std::string_view trimmed(std::string_view text) {
    const auto from = text.find_first_not_of(" \t\r`*");
    if (from == std::string_view::npos) {
        return {};
    }
    return text.substr(from, text.find_last_not_of(" \t\r`*") - from + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
    std::vector<std::string_view> cells;
    const auto start = line.find('|');
    if (start == std::string_view::npos || !trimmed(line.substr(0, start)).empty()) {
        return cells;
    }
    for (std::size_t at = start + 1; at < line.size();) {
        const auto end = std::min(line.find('|', at), line.size());
        cells.push_back(trimmed(line.substr(at, end - at)));
        at = end + 1;
    }
    return cells;
}

bool says_table(std::string_view cell) {
    static const std::set<std::string> kWords = {
        "", "-", "table", "base", "base table", "main", "main table", "primary", "none"};
    return kWords.contains(lower(cell));
}

void compare_index(
    const Model& model, const Pattern& pattern, const DesignRow& row, Diagnostics& diagnostics
) {
    const bool table = says_table(row.index);
    if (row.index.empty() || (!table && model.table.find_index(row.index) == nullptr) ||
        (table ? pattern.index.empty() : pattern.index == row.index)) {
        return;
    }
    diagnostics.error(
        "D01",
        pattern.position,
        "pattern " + pattern.name + ": " + row.id + " uses " + row.index +
            " in the document, and " + (pattern.index.empty() ? "the table" : pattern.index) +
            " here"
    );
}

}  // namespace

std::vector<std::string> design_ids(std::string_view text) {
    std::vector<std::string> ids;
    std::string word;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        const char c = at < text.size() ? text[at] : ' ';
        if (is_letter(c) || is_digit(c) || c == '-') {
            word += c;
            continue;
        }
        if (is_design_id(word)) {
            ids.push_back(word);
        }
        word.clear();
    }
    return ids;
}

std::vector<DesignRow> read_design_rows(std::string_view markdown) {
    std::vector<DesignRow> rows;
    std::size_t index_column = 0;  // the first cell is the id's: zero is none
    int number = 0;
    for (std::size_t at = 0; at < markdown.size();) {
        const auto end = std::min(markdown.find('\n', at), markdown.size());
        const auto cells = cells_of(markdown.substr(at, end - at));
        at = end + 1;
        ++number;
        if (cells.empty()) {
            index_column = 0;
            continue;
        }
        const auto ids = design_ids(cells.front());
        if (ids.size() == 1 && lower(ids.front()) == lower(cells.front())) {
            const bool has_index = index_column > 0 && index_column < cells.size();
            rows.push_back({ids.front(), std::string(has_index ? cells[index_column] : ""), number}
            );
            continue;
        }
        for (std::size_t column = 1; column < cells.size(); ++column) {
            const auto title = lower(cells[column]);
            if (title == "index" || title == "gsi" || title == "table/index") {
                index_column = column;
            }
        }
    }
    return rows;
}

void check_document(
    const Model& model,
    const std::vector<DesignRow>& rows,
    Diagnostics& diagnostics,
    Diagnostics& document
) {
    std::set<std::string> served;
    std::set<std::string> families;
    for (const auto& pattern : model.patterns) {
        for (const auto& id : design_ids(pattern.doc)) {
            served.insert(lower(id));
            // What only C++ asks for often serves a rule, not a row of the table of patterns.
            if (pattern.allow.kind != Access::Kind::kInternal) {
                families.insert(family(id));
            }
            const auto row = std::find_if(rows.begin(), rows.end(), [&](const DesignRow& one) {
                return lower(one.id) == lower(id);
            });
            if (row == rows.end()) {
                diagnostics.error(
                    "D01",
                    pattern.position,
                    "pattern " + pattern.name + ": the document has no row " + id
                );
            } else {
                compare_index(model, pattern, *row, diagnostics);
            }
        }
    }
    for (const auto& row : rows) {
        // Documents number rules and tests as well: only what patterns speak of is asked for.
        if (families.contains(family(row.id)) && !served.contains(lower(row.id))) {
            document.error(
                "D01",
                {row.line, 1},
                row.id + " is in the document, and no pattern of " + model.name + " serves it",
                "doc: " + row.id
            );
        }
    }
}

}  // namespace gateleg::model
