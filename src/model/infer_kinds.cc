#include <algorithm>
#include <cctype>
#include <set>

#include "model/client_surface.h"
#include "model/infer_draft.h"
#include "model/infer_keys.h"

namespace gateleg::model {
namespace {

using value::Item;

// More different words than this, and more than a tenth of the items: they are data.
constexpr std::size_t kManyWords = 20;
constexpr std::size_t kMaxMarkers = 64;

// Keys that every model has, of what the server keeps for itself (docs/model-language.md).
bool is_kept_by_server(const std::string& partition, const std::string& sort) {
    static const std::map<std::string, std::size_t, std::less<>> kOwn = {
        {"EVENT", 3},
        {"OUTBOX", 2},
        {"OUTBOXDONE", 2},
        {"OUTBOXDEAD", 2},
        {"SCHEDULE", 2},
        {"SHARDS", 2},
        {"AUDIT", 2}};
    const auto parts = split_key(partition, '#');
    if (parts.front() == "IDEMP") {
        return sort == "META";
    }
    const auto found = kOwn.find(parts.front());
    if (found == kOwn.end() || parts.size() != found->second) {
        return false;
    }
    const bool is_dated = parts.front().starts_with("OUTBOX") || parts.front() == "AUDIT";
    return is_dated || sort == "META";
}

class Kinds {
public:
    Kinds(Draft& draft, const std::vector<Item>& items) : draft_(draft), items_(items) {}

    void run() {
        find_marker();
        make_groups();
    }

private:
    // An attribute of the usual names that holds an identifier in every item that has it.
    void find_marker() {
        static constexpr std::string_view kNames[] = {
            "entityType",
            "EntityType",
            "entity",
            "Entity",
            "itemType",
            "ItemType",
            "_type",
            "__type",
            "_et",
            "__edb_e__",
            "type",
            "Type",
            "kind",
            "Kind"};
        for (const auto name : kNames) {
            std::set<std::string> values;
            std::size_t having = 0;
            bool usable = !draft_.is_table_key(name) && !draft_.is_index_key(name);
            for (const auto& item : items_) {
                if (item.contains(name)) {
                    values.insert(text_in(item, std::string(name)));
                    ++having;
                }
            }
            usable = usable && having * 2 > items_.size() && values.size() <= kMaxMarkers &&
                     std::all_of(values.begin(), values.end(), is_plain_identifier);
            if (usable) {
                draft_.marker = name;
                return;
            }
        }
    }

    // Words at the places where prefixes stand; "*" for what is data.
    std::vector<std::string> shape(const std::string& text, bool is_sort, bool words_are_data)
        const {
        const auto parts = split_key(text, draft_.separator);
        std::vector<std::string> out;
        for (std::size_t at = 0; at < parts.size(); ++at) {
            const auto& part = parts[at];
            const bool word = at % 2 == 0 && !words_are_data &&
                              (is_upper_word(part) ||
                               (at == 0 && is_key_word(part) && (is_sort || parts.size() > 1)));
            out.push_back(word ? part : "*");
        }
        return out;
    }

    bool are_words_data(const std::string& key) const {
        std::set<std::string> words;
        for (const auto& item : items_) {
            const auto first = split_key(text_in(item, key), draft_.separator).front();
            if (is_key_word(first)) {
                words.insert(first);
            }
        }
        return words.size() > kManyWords && words.size() * 10 > items_.size();
    }

    void make_groups() {
        const bool partition_data = are_words_data(draft_.keys.partition);
        const bool sort_data = !draft_.keys.sort.empty() && are_words_data(draft_.keys.sort);
        std::map<std::vector<std::string>, std::vector<Item>> groups;
        std::size_t kept_by_server = 0;
        for (const auto& item : items_) {
            if (is_kept_by_server(
                    text_in(item, draft_.keys.partition), text_in(item, draft_.keys.sort)
                )) {
                ++kept_by_server;
                continue;
            }
            std::vector<std::string> group = {
                draft_.marker.empty() ? "" : text_in(item, draft_.marker)};
            for (auto& part : shape(text_in(item, draft_.keys.partition), false, partition_data)) {
                group.push_back(std::move(part));
            }
            group.emplace_back();
            if (!draft_.keys.sort.empty()) {
                for (auto& part : shape(text_in(item, draft_.keys.sort), true, sort_data)) {
                    group.push_back(std::move(part));
                }
            }
            groups[std::move(group)].push_back(item);
        }
        if (kept_by_server > 0) {
            draft_.notes.push_back(
                std::to_string(kept_by_server) +
                " items have keys of entities that every model has (Event, Outbox, Audit and what "
                "belongs to them); they are left out."
            );
        }
        std::set<std::string> names = {
            "Event", "Outbox", "OutboxDone", "OutboxDead", "Audit", "Schedule", "Shards"};
        for (auto& [group, items] : groups) {
            DraftedEntity entity;
            entity.marker = group.front();
            entity.name = claim_name(names, name_of(group));
            entity.items = std::move(items);
            draft_.entities.push_back(std::move(entity));
        }
    }

    static std::string name_of(const std::vector<std::string>& group) {
        if (!group.front().empty()) {
            return pascal_case(group.front());
        }
        static const std::set<std::string> kHeads = {
            "META", "METADATA", "INFO", "PROFILE", "ROOT", "DETAILS", "DATA", "A"};
        std::string upper;
        std::vector<std::string> partition;
        std::vector<std::string> sort;
        bool behind = false;
        for (std::size_t at = 1; at < group.size(); ++at) {
            if (group[at].empty()) {
                behind = true;
            } else if (group[at] != "*") {
                (behind ? sort : partition).push_back(group[at]);
            }
        }
        const auto pascal = [](std::string word) {
            if (is_upper_word(word)) {
                std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) {
                    return static_cast<char>(std::tolower(c));
                });
            }
            return pascal_case(word);
        };
        upper = sort.empty() ? std::string() : sort.back();
        std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) {
            return static_cast<char>(std::toupper(c));
        });
        const auto head = partition.empty() ? std::string() : pascal(partition.back());
        const bool is_item = group.back() == "*";
        if (sort.empty() || (!head.empty() && kHeads.contains(upper))) {
            return head.empty() ? "Item" : head;
        }
        return is_item ? pascal(sort.back()) : head + pascal(sort.back());
    }

    Draft& draft_;
    const std::vector<Item>& items_;
};

}  // namespace

void find_kinds(Draft& draft, const std::vector<Item>& items) {
    Kinds(draft, items).run();
}

}  // namespace gateleg::model
