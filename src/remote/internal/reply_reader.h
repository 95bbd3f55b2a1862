// Reads the members of a reply's JSON and remembers the first that is not what it should be.
//
// Brings simdjson in, so only the decode_*.cc files should include it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "base/result.h"
#include "dynamo/replies.h"
#include "value/value_view.h"

namespace gateleg::remote::internal {

namespace dom = simdjson::dom;

// The first thing that was wrong, if anything.
class Complaint {
public:
    void add(std::string_view member, std::string_view wanted);
    void add(Error error);
    Result<void> check() const;

private:
    std::optional<Error> first_;
};

// The members of one JSON object. Absent and null are the same. Refers to its Complaint.
class ReplyReader {
public:
    ReplyReader(Complaint& complaint, dom::element json, std::string_view name);

    Complaint& complaint() const { return *complaint_; }

    std::optional<dom::element> find(std::string_view name) const;
    bool has(std::string_view name) const { return find(name).has_value(); }

    std::optional<std::string> text(std::string_view name) const;
    std::optional<std::int64_t> integer(std::string_view name) const;
    std::optional<double> number(std::string_view name) const;
    std::optional<bool> boolean(std::string_view name) const;
    std::optional<ReplyReader> object(std::string_view name) const;
    std::vector<ReplyReader> objects(std::string_view name) const;
    std::vector<std::string> texts(std::string_view name) const;
    std::optional<value::EncodedItem> item(std::string_view name) const;

    // Calls `use(key, element)` for each member of the map.
    template <class Use>
    void each_of_map(std::string_view name, Use use) const {
        const auto found = find(name);
        dom::object map;
        if (found && found->get_object().get(map) != simdjson::SUCCESS) {
            complaint_->add(name, "an object");
        } else if (found) {
            for (const auto& [key, element] : map) {
                use(key, element);
            }
        }
    }
    // Calls `use(element)` for each element of the list.
    template <class Use>
    void each_of_list(std::string_view name, Use use) const {
        const auto found = find(name);
        dom::array list;
        if (found && found->get_array().get(list) != simdjson::SUCCESS) {
            complaint_->add(name, "a list");
        } else if (found) {
            for (const auto element : list) {
                use(element);
            }
        }
    }

private:
    Complaint* complaint_;
    std::optional<dom::object> members_;
};

// Calls `use` with the members at the root of `body`, and gives what was wrong with them.
Result<void> read_reply(std::string_view body, void (*use)(const ReplyReader&, void*), void* state);
template <class Use>
Result<void> read_reply(std::string_view body, Use use) {
    return read_reply(
        body, [](const ReplyReader& in, void* state) { (*static_cast<Use*>(state))(in); }, &use
    );
}

// Parts that several replies share.
std::optional<value::EncodedItem> decode_item(Complaint& complaint, dom::element json);
void decode_next_item(Complaint& complaint, dom::element json, dynamo::ItemBuffer& items);
std::optional<dynamo::ConsumedCapacity> decode_capacity(const ReplyReader& in);
std::vector<dynamo::ConsumedCapacity> decode_capacities(const ReplyReader& in);
dynamo::ItemCollectionMetrics decode_metrics(const ReplyReader& in);

}  // namespace gateleg::remote::internal
