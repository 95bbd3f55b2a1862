// For fuzz_engine: queries and scans made from bytes, and what they should find.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine_world.h"

namespace gateleg::fuzz {

// A query or a scan with everything that it can have, and what it must find.
class Reading {
public:
    Reading(Source& source, bool is_query) : is_query_(is_query) {
        const auto which = source.byte() % (shapes().size() + 1);
        shape_ = which == 0 ? &whole() : &shapes()[which - 1];
        filter_ = source.byte() % 5;
        projection_ = source.byte() % 4;
        select_ = static_cast<dynamo::Select>(source.byte() % 5);
        const auto limit = source.byte() % 8;
        const auto flags = source.byte();
        hash_ = source.byte() % 4;
        range_op_ = source.byte() % 7;
        bound_ = source.byte() % 5;
        start_ = source.byte() % 8;
        bad_ = source.byte() % 16;
        page_.table = table();
        if (which != 0) {
            page_.index = shape_->name;
        }
        if (limit != 0) {
            page_.limit = limit;
        }
        page_.select = select_;
        page_.consistent_read = (flags & 1) != 0;
        page_.return_capacity = capacity_of(flags / 2);
        forward_ = (flags & 8) == 0;
        segments_ = is_query_ ? 1 : 1 + flags / 16 % 3;
        if (bad_ >= 5 && bad_ <= 7) {  // a start key, which lies in one segment only
            segments_ = 1;
            range_op_ = 0;
        }
        set_expressions();
        set_damage();
    }

    void run(const Model& model) const {
        std::vector<Item> found;
        std::int64_t count = 0;
        for (std::uint32_t segment = 0; segment < segments_; ++segment) {
            auto page = page_;
            for (;;) {
                auto reply = read(page, segment);
                GATELEG_CHECK(reply.has_value() == is_good());
                if (!reply) {
                    return;
                }
                check_page(*reply);
                count += reply->count;
                for (const auto each : reply->items.items()) {
                    found.push_back(value::decode_item(each));
                }
                if (!reply->last_evaluated_key) {
                    break;
                }
                page.exclusive_start_key = std::move(reply->last_evaluated_key);
            }
        }
        check_all(model, std::move(found), count);
    }

private:
    void set_key_condition(Item& values) {
        condition_ = std::string(shape_->hash) + " = :h";
        values[":h"] = text(hash_);
        range_op_ = shape_->range == nullptr ? 0 : range_op_;
        if (range_op_ != 0) {
            constexpr std::array kOperators = {"", " = ", " < ", " <= ", " > ", " >= "};
            condition_ += " AND " + std::string(shape_->range) +
                          (range_op_ == 6 ? " BETWEEN :l AND :u" : kOperators[range_op_]) +
                          (range_op_ == 6 ? "" : ":l");
            values[":l"] = count(bound_);
            if (range_op_ == 6) {
                values[":u"] = count(bound_ + 1);
            }
        }
    }

    void set_expressions() {
        Item values;
        std::vector<std::pair<std::string, std::string>> names;
        constexpr std::array kFilters = {
            "", "attribute_exists(#p)", "attribute_not_exists(n)", "#g = :f", "sk < :f"};
        if (filter_ != 0) {
            page_.filter = kFilters[filter_];
        }
        if (filter_ == 3 || filter_ == 4) {
            values[":f"] = filter_ == 3 ? text(bound_) : count(2);
        }
        constexpr std::array kProjections = {"", "pk, sk", "#g, #p", "n, #p"};
        if (projection_ != 0) {
            page_.projection = kProjections[projection_];
        }
        if (filter_ == 3 || projection_ == 2) {
            names.emplace_back("#g", "g");
        }
        if (filter_ == 1 || projection_ >= 2) {
            names.emplace_back("#p", "pad");  // a reserved word
        }
        if (is_query_) {
            set_key_condition(values);
        }
        if (bad_ == 1) {
            names.emplace_back("#unused", "x");
        } else if (bad_ == 2) {
            values[":unused"] = text(1);
        }
        if (!names.empty()) {
            page_.placeholders.names = std::move(names);
        }
        if (!values.empty()) {
            page_.placeholders.values = value::encode_item(values);
        }
    }

    // Indexes that are not there, and keys to start behind that cannot be.
    void set_damage() {
        if (bad_ == 3) {
            page_.index = "none";
        } else if (bad_ == 4) {
            page_.exclusive_start_key = value::encode_item({{"pk", text(0)}});
        } else if (bad_ >= 5 && bad_ <= 7) {
            const auto outside =
                bad_ == 5 ? text(7) : value::AttributeValue{std::string(bad_ == 6 ? "" : "a")};
            auto start = key(start_);
            start["pk"] = bad_ == 6 ? text(hash_) : outside;
            for (const auto* name : {shape_->hash, shape_->range}) {
                if (name != nullptr && std::string_view(name) == "g") {
                    start["g"] = outside;
                } else if (name != nullptr && std::string_view(name) == "n") {
                    start["n"] = count(1);
                }
            }
            page_.exclusive_start_key = value::encode_item(start);
        }
    }

    bool lacks_projected() const {
        switch (projection_) {
            case 1:
                return false;
            case 2:
                return !shape_->projects("g") || !shape_->projects("pad");
            case 3:
                return !shape_->projects("n") || !shape_->projects("pad");
            default:
                return false;
        }
    }

    bool is_good() const {
        using dynamo::Select;
        constexpr std::array kFiltered = {"", "pad", "n", "g", "sk"};
        if (bad_ >= 1 && bad_ <= 4) {
            return false;
        }
        // Outside of what is asked for; a scan looks everywhere, in its one segment.
        if ((bad_ == 5 || bad_ == 7) && is_query_) {
            return false;
        }
        if (bad_ == 6 && std::string_view(shape_->hash) == "g") {
            return false;
        }
        if (projection_ != 0 && select_ != Select::kUnset &&
            select_ != Select::kSpecificAttributes) {
            return false;
        }
        if ((projection_ == 0 && select_ == Select::kSpecificAttributes) ||
            (shape_ == &whole() && select_ == Select::kAllProjectedAttributes)) {
            return false;
        }
        if (shape_->global && page_.consistent_read) {
            return false;
        }
        if (shape_->global && !shape_->projected.empty() &&
            (select_ == Select::kAllAttributes || lacks_projected())) {
            return false;
        }
        return !is_query_ || filter_ == 0 || !shape_->has_key(kFiltered[filter_]);
    }

    gateleg::Result<dynamo::PageReply> read(const dynamo::ReadPage& page, std::uint32_t segment)
        const {
        if (is_query_) {
            return call(&Dynamo::query, dynamo::QueryRequest{page, condition_, forward_});
        }
        return call(&Dynamo::scan, dynamo::ScanRequest{page, segment, segments_});
    }

    void check_page(const dynamo::PageReply& reply) const {
        GATELEG_CHECK(!page_.limit || reply.scanned_count <= *page_.limit);
        GATELEG_CHECK(reply.count <= reply.scanned_count);
        GATELEG_CHECK(reply.count_only == (select_ == dynamo::Select::kCount));
        GATELEG_CHECK(
            static_cast<std::int64_t>(reply.items.size()) == (reply.count_only ? 0 : reply.count)
        );
        GATELEG_CHECK(
            reply.capacity.has_value() == (page_.return_capacity != dynamo::ReturnCapacity::kNone)
        );
    }

    bool passes(const Item& item) const {
        switch (filter_) {
            case 1:
                return item.contains("pad");
            case 2:
                return !item.contains("n");
            case 3:
                return item.contains("g") && item.at("g") == text(bound_);
            case 4:
                return number(item, "sk") < 2;
            default:
                return true;
        }
    }
    static unsigned long number(const Item& item, const char* name) {
        return std::stoul(std::get<value::Number>(item.at(name).data).to_text());
    }
    bool is_selected(const Item& item) const {
        if (!is_query_) {
            return true;
        }
        if (item.at(shape_->hash) != text(hash_)) {
            return false;
        }
        const auto at = shape_->range == nullptr ? 0 : number(item, shape_->range);
        switch (range_op_) {
            case 1:
                return at == bound_;
            case 2:
                return at < bound_;
            case 3:
                return at <= bound_;
            case 4:
                return at > bound_;
            case 5:
                return at >= bound_;
            case 6:
                return at >= bound_ && at <= bound_ + 1;
            default:
                return true;
        }
    }
    Item shown(Item item) const {
        if (projection_ == 0) {
            return item;
        }
        std::erase_if(item, [&](const auto& entry) {
            const auto& name = entry.first;
            return projection_ == 1   ? name != "pk" && name != "sk"
                   : projection_ == 2 ? name != "g" && name != "pad"
                                      : name != "n" && name != "pad";
        });
        return item;
    }

    // What a reply shows of an item; nothing if it is not among the answers.
    std::optional<Item> answer(const Item& item) const {
        if (!shape_->holds(item) || !is_selected(item)) {
            return std::nullopt;
        }
        // A local index looks the rest up in its table, if it is asked for.
        const auto seen = shape_->global ? shape_->of(item) : item;
        if (!passes(seen)) {
            return std::nullopt;
        }
        if (projection_ != 0 || select_ == dynamo::Select::kAllAttributes) {
            return shown(seen);
        }
        return shape_->of(item);
    }

    void check_all(const Model& model, std::vector<Item> found, std::int64_t count) const {
        std::vector<Item> expected;
        for (const auto& [name, item] : model) {
            if (auto seen = answer(item)) {
                expected.push_back(*std::move(seen));
            }
        }
        if (page_.exclusive_start_key) {
            GATELEG_CHECK(count <= static_cast<std::int64_t>(expected.size()));
            return;
        }
        GATELEG_CHECK(count == static_cast<std::int64_t>(expected.size()));
        if (select_ == dynamo::Select::kCount) {
            return;
        }
        if (is_query_ && projection_ == 0 && shape_->range != nullptr) {
            for (std::size_t i = 1; i < found.size(); ++i) {
                const auto one = number(found[i - 1], shape_->range);
                const auto two = number(found[i], shape_->range);
                GATELEG_CHECK(forward_ ? one <= two : one >= two);
            }
        }
        const auto bytes = [](const std::vector<Item>& items) {
            std::vector<std::string> all;
            all.reserve(items.size());
            for (const auto& item : items) {
                all.push_back(value::encode_item(item).bytes());
            }
            std::sort(all.begin(), all.end());
            return all;
        };
        GATELEG_CHECK(bytes(found) == bytes(expected));
    }

    bool is_query_;
    const Shape* shape_;
    unsigned filter_;
    unsigned projection_;
    dynamo::Select select_;
    bool forward_;
    std::uint32_t segments_;
    unsigned hash_;
    unsigned range_op_;
    unsigned bound_;
    unsigned start_;
    unsigned bad_;
    dynamo::ReadPage page_;
    std::string condition_;
};

}  // namespace gateleg::fuzz
