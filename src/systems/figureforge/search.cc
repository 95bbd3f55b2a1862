// Images by several tags, and which tags there are.
//
// The rows of a tag are sorted by image id, which is by time. The rows of all tags that can bring
// an image in are merged, newest first; the other demands are judged by the image itself.

#include <algorithm>
#include <set>

#include <re2/re2.h>

#include "auth/jwt.h"
#include "base/sha256.h"
#include "systems/figureforge/parts.h"

namespace gateleg::systems::figureforge {
namespace {

using model::CallError;
using model::CallResult;
using model::NativeCall;
using model::text;
using model::text_of;

constexpr std::size_t kMaxTerms = 10;
constexpr std::size_t kMaxTagsOfPrefix = 100;
constexpr int kDefaultLimit = 25;
constexpr std::size_t kMaxExamined = 3'000;
constexpr int kMaxNamePages = 20;

// "pose:standing", or all of a namespace: "pose:*".
struct Term {
    std::string text;
    bool whole_namespace = false;

    bool matches(std::string_view tag) const {
        return whole_namespace ? tag.starts_with(text) : tag == text;
    }
};

CallResult<std::vector<Term>> parse_terms(std::string tags) {
    static const re2::RE2 kForm("[a-z0-9_-]{1,32}:(?:[a-z0-9_-]{1,48}|\\*)");
    std::transform(tags.begin(), tags.end(), tags.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    std::vector<Term> terms;
    for (std::size_t at = 0; at <= tags.size();) {
        const auto end = std::min(tags.find(',', at), tags.size());
        auto term = tags.substr(at, end - at);
        term.erase(0, std::min(term.find_first_not_of(' '), term.size()));
        term.erase(term.find_last_not_of(' ') + 1);
        at = end + 1;
        if (!re2::RE2::FullMatch(term, kForm)) {
            return model::validation_failed("tags", "must be namespace:value, divided by commas");
        }
        const bool whole = term.ends_with('*');
        if (whole) {
            term.pop_back();
        }
        terms.push_back({std::move(term), whole});
    }
    if (terms.size() > kMaxTerms) {
        return model::validation_failed("tags", "has more than 10 entries");
    }
    return terms;
}

std::vector<std::string> tags_of(const value::Item& image) {
    std::vector<std::string> tags;
    const auto found = image.find("tags");
    const auto* list =
        found != image.end() ? std::get_if<value::List>(&found->second.data) : nullptr;
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        tags.push_back(text_of({{"x", (*list)[i]}}, "x"));
    }
    return tags;
}

bool has_match(const std::vector<std::string>& tags, const Term& term) {
    return std::any_of(tags.begin(), tags.end(), [&](const auto& tag) {
        return term.matches(tag);
    });
}

// The rows of one tag, newest first, a page at a time.
class TagRows {
public:
    TagRows(model::Runtime& runtime, std::string tag, const std::string& before)
        : runtime_(runtime) {
        call_.arguments["tag"] = text(std::move(tag));
        call_.limit = 100;
        if (!before.empty()) {
            call_.arguments["to"] = text(before);
        }
    }

    // Null at the end.
    CallResult<const std::string*> peek() {
        while (at_ >= ids_.size()) {
            if (ended_) {
                return nullptr;
            }
            const auto page = runtime_.query("tagRows", call_, model::internal_caller());
            if (!page) {
                return page.error();
            }
            ids_.clear();
            at_ = 0;
            for (const auto& row : page->items) {
                ids_.push_back(text_of(row, "image_id"));
            }
            call_.cursor = page->cursor;
            ended_ = !page->cursor;
        }
        return &ids_[at_];
    }
    void next() { ++at_; }

private:
    model::Runtime& runtime_;
    model::PatternCall call_;
    std::vector<std::string> ids_;
    std::size_t at_ = 0;
    bool ended_ = false;
};

// The greatest id any of them has next, taken from all of them; nothing at the end.
CallResult<std::optional<std::string>> take_newest(std::vector<TagRows>& sources) {
    std::optional<std::string> newest;
    for (auto& source : sources) {
        const auto id = source.peek();
        if (!id) {
            return id.error();
        }
        if (*id != nullptr && (!newest || **id > *newest)) {
            newest = **id;
        }
    }
    for (auto& source : sources) {
        const auto id = source.peek();
        if (id && *id != nullptr && newest && **id == *newest) {
            source.next();
        }
    }
    return newest;
}

// Thread-safe.
class Search {
public:
    Search(model::Runtime& runtime, const Services& services)
        : runtime_(runtime), key_(HmacKey(services.secret).sign("cursors of tag search")) {}

    Reply run(const NativeCall& call) {
        const auto terms = parse_terms(call.text("tags"));
        if (!terms) {
            return terms.error();
        }
        const bool all = call.text("mode") != "any";
        const auto question = call.text("tags") + "\n" + (all ? "all" : "any");
        std::string last;
        if (call.has("cursor")) {
            auto opened = open_cursor(call.text("cursor"), question);
            if (!opened) {
                return CallError{
                    400, "InvalidCursor", "The cursor is not one of this list", "cursor"};
            }
            last = *std::move(opened);
        }
        auto sources = find_sources(*terms, all, last);
        if (!sources) {
            return sources.error();
        }
        return fill_page(*sources, *terms, all, last, question, call);
    }

    Reply list_tags(const NativeCall& call) {
        const auto limit = static_cast<std::size_t>(call.integer("limit").value_or(kDefaultLimit));
        const auto counts = count_tags(call.text("prefix"), limit);
        if (!counts) {
            return counts.error();
        }
        value::List items;
        for (const auto& [tag, count] : *counts) {
            items.push_back({value::Map{
                {"tag", text(tag)}, {"count", model::number(static_cast<std::int64_t>(count))}}});
        }
        return reply_with({{"items", {std::move(items)}}});
    }

private:
    using Counts = std::map<std::string, std::size_t>;

    // How many images have each of the first `most` tags that begin so.
    CallResult<Counts> count_tags(const std::string& prefix, std::size_t most) {
        Counts counts;
        model::PatternCall page{.limit = 100};
        if (!prefix.empty()) {
            page.arguments["tag"] = text(prefix);
        }
        for (int pages = 0; pages < kMaxNamePages; ++pages) {
            const auto rows = runtime_.query("tagNames", page, model::internal_caller());
            if (!rows) {
                return rows.error();
            }
            for (const auto& row : rows->items) {
                const auto tag = text_of(row, "tag");
                if (counts.size() == most && !counts.contains(tag)) {
                    return counts;
                }
                ++counts[tag];
            }
            if (!rows->cursor) {
                break;
            }
            page.cursor = rows->cursor;
        }
        return counts;
    }

    // With `all`, every image has to match the first term, so its rows are enough.
    CallResult<std::vector<TagRows>> find_sources(
        const std::vector<Term>& terms, bool all, const std::string& last
    ) {
        std::set<std::string> tags;
        const auto exact = std::find_if(terms.begin(), terms.end(), [](const Term& term) {
            return !term.whole_namespace;
        });
        for (const auto& term : terms) {
            const auto& driver = exact != terms.end() ? *exact : terms.front();
            if (all && &term != &driver) {
                continue;
            }
            if (!term.whole_namespace) {
                tags.insert(term.text);
                continue;
            }
            const auto counts = count_tags(term.text, kMaxTagsOfPrefix);
            if (!counts) {
                return counts.error();
            }
            for (const auto& [tag, count] : *counts) {
                tags.insert(tag);
            }
        }
        std::vector<TagRows> sources;
        sources.reserve(tags.size());
        for (const auto& tag : tags) {
            sources.emplace_back(runtime_, tag, last);
        }
        return sources;
    }

    Reply fill_page(
        std::vector<TagRows>& sources,
        const std::vector<Term>& terms,
        bool all,
        std::string last,
        const std::string& question,
        const NativeCall& call
    ) {
        const auto limit = static_cast<std::size_t>(call.integer("limit").value_or(kDefaultLimit));
        const auto before = last;
        value::List items;
        bool ended = false;
        for (std::size_t examined = 0; examined < kMaxExamined && items.size() < limit;
             ++examined) {
            const auto id = take_newest(sources);
            if (!id) {
                return id.error();
            }
            ended = !*id;
            if (ended) {
                break;
            }
            if (**id == before) {  // the range of the rows includes its end
                continue;
            }
            last = **id;
            auto answer = show(last, terms, all, call.caller);
            if (!answer) {
                return answer.error();
            }
            if (*answer) {
                items.push_back(**std::move(answer));
            }
        }
        return reply_with(
            {{"items", {std::move(items)}},
             {"cursor",
              ended ? value::AttributeValue{value::Null{}} : text(make_cursor(last, question))}}
        );
    }

    // Nothing if the image is not for everybody to see, or lacks a tag.
    CallResult<std::optional<value::AttributeValue>> show(
        const std::string& id, const std::vector<Term>& terms, bool all, const model::Caller& caller
    ) {
        std::optional<value::AttributeValue> nothing;
        const auto image =
            runtime_.get("image", {{"image_id", text(id)}}, model::Caller{.viewer = caller.viewer});
        if (!image) {
            return image.error().status == 404
                       ? CallResult<std::optional<value::AttributeValue>>(nothing)
                       : image.error();
        }
        const auto tags = tags_of(image->item);
        const auto matches = [&](const Term& term) { return has_match(tags, term); };
        const bool good = all ? std::all_of(terms.begin(), terms.end(), matches)
                              : std::any_of(terms.begin(), terms.end(), matches);
        if (!good) {
            return nothing;
        }
        return std::optional(runtime_.to_api(*image->entity, image->item, caller));
    }

    std::string sign(const std::string& id, const std::string& question) const {
        return to_hex(key_.sign(question + "\n" + id)).substr(0, 32);
    }
    std::string make_cursor(const std::string& id, const std::string& question) const {
        return auth::encode_base64url(sign(id, question) + id);
    }
    std::optional<std::string> open_cursor(const std::string& cursor, const std::string& question)
        const {
        const auto content = auth::decode_base64url(cursor);
        if (!content || content->size() < 32) {
            return std::nullopt;
        }
        auto id = content->substr(32);
        return sign(id, question) == content->substr(0, 32) ? std::optional(std::move(id))
                                                            : std::nullopt;
    }

    model::Runtime& runtime_;
    HmacKey key_;
};

}  // namespace

void install_search(model::Runtime& runtime, const Services& services) {
    const auto search = std::make_shared<Search>(runtime, services);
    runtime.install("search", [search](const auto& call) { return search->run(call); });
    runtime.install("listTags", [search](const auto& call) { return search->list_tags(call); });
}

}  // namespace gateleg::systems::figureforge
