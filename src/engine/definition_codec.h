// Members of the definitions of tables and streams on disk: items in the binary value form, so that
// a later version can add members and an older one can be read.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "dynamo/schema.h"
#include "value/attribute_value.h"

namespace gateleg::engine::definition {

inline value::AttributeValue text(std::string string) {
    return {std::move(string)};
}
inline value::AttributeValue number(std::int64_t integer) {
    return {value::Number::from_int(integer)};
}
inline value::AttributeValue flag(bool truth) {
    return {truth};
}

// Reading: absent members give the fallback, as a definition of an older version may lack them.
class Members {
public:
    explicit Members(const value::Item& item) : item_(item) {}

    std::string text(std::string_view name) const {
        const auto* found = find<std::string>(name);
        return found == nullptr ? std::string() : *found;
    }
    std::int64_t number(std::string_view name, std::int64_t fallback = 0) const {
        const auto* found = find<value::Number>(name);
        if (found == nullptr) {
            return fallback;
        }
        return std::strtoll(found->to_text().c_str(), nullptr, 10);
    }
    bool flag(std::string_view name) const {
        const auto* found = find<bool>(name);
        return found != nullptr && *found;
    }
    bool has(std::string_view name) const { return item_.contains(name); }
    const value::List& list(std::string_view name) const {
        static const value::List kNone;
        const auto* found = find<value::List>(name);
        return found == nullptr ? kNone : *found;
    }
    const value::Item& map(std::string_view name) const {
        static const value::Item kNone;
        const auto* found = find<value::Item>(name);
        return found == nullptr ? kNone : *found;
    }

private:
    template <class T>
    const T* find(std::string_view name) const {
        const auto found = item_.find(name);
        return found == item_.end() ? nullptr : std::get_if<T>(&found->second.data);
    }

    const value::Item& item_;
};

inline value::List encode_schema(const dynamo::KeySchema& schema) {
    value::List list;
    for (const auto& element : schema) {
        list.push_back({value::Item{
            {"name", text(element.attribute)},
            {"hash", flag(element.role == dynamo::KeyRole::kHash)},
        }});
    }
    return list;
}

inline dynamo::KeySchema decode_schema(const value::List& list) {
    dynamo::KeySchema schema;
    for (const auto& each : list) {
        const Members members(std::get<value::Item>(each.data));
        schema.push_back(
            {members.text("name"),
             members.flag("hash") ? dynamo::KeyRole::kHash : dynamo::KeyRole::kRange}
        );
    }
    return schema;
}

}  // namespace gateleg::engine::definition
