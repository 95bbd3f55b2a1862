#include "remote/internal/reply_reader.h"

#include "value/json_codec.h"

namespace gateleg::remote::internal {
namespace {

// Parsers keep their memory: one per thread for common bodies, and one just now for large ones.
constexpr std::size_t kCommonBodyBytes = 1 << 20;

Error unreadable(std::string reason) {
    return {ErrorCode::kInternal, std::move(reason)};
}

}  // namespace

void Complaint::add(std::string_view member, std::string_view wanted) {
    if (!first_) {
        first_ = unreadable(std::string(member) + " is not " + std::string(wanted));
    }
}

void Complaint::add(Error error) {
    if (!first_) {
        first_ = unreadable(std::move(error.message));
    }
}

Result<void> Complaint::check() const {
    return first_ ? Result<void>(*first_) : Result<void>();
}

ReplyReader::ReplyReader(Complaint& complaint, dom::element json, std::string_view name)
    : complaint_(&complaint) {
    dom::object object;
    if (json.get_object().get(object) == simdjson::SUCCESS) {
        members_ = object;
    } else {
        complaint_->add(name, "an object");
    }
}

std::optional<dom::element> ReplyReader::find(std::string_view name) const {
    dom::element found;
    if (!members_ || members_->at_key(name).get(found) != simdjson::SUCCESS || found.is_null()) {
        return std::nullopt;
    }
    return found;
}

std::optional<std::string> ReplyReader::text(std::string_view name) const {
    const auto found = find(name);
    std::string_view text;
    if (found && found->get_string().get(text) != simdjson::SUCCESS) {
        complaint_->add(name, "a string");
        return std::nullopt;
    }
    return found ? std::optional<std::string>(text) : std::nullopt;
}

std::optional<std::int64_t> ReplyReader::integer(std::string_view name) const {
    const auto found = find(name);
    std::int64_t number = 0;
    if (found && found->get_int64().get(number) != simdjson::SUCCESS) {
        complaint_->add(name, "a whole number");
        return std::nullopt;
    }
    return found ? std::optional(number) : std::nullopt;
}

std::optional<double> ReplyReader::number(std::string_view name) const {
    const auto found = find(name);
    double number = 0;
    if (found && found->get_double().get(number) != simdjson::SUCCESS) {
        complaint_->add(name, "a number");
        return std::nullopt;
    }
    return found ? std::optional(number) : std::nullopt;
}

std::optional<bool> ReplyReader::boolean(std::string_view name) const {
    const auto found = find(name);
    bool truth = false;
    if (found && found->get_bool().get(truth) != simdjson::SUCCESS) {
        complaint_->add(name, "true or false");
        return std::nullopt;
    }
    return found ? std::optional(truth) : std::nullopt;
}

std::optional<ReplyReader> ReplyReader::object(std::string_view name) const {
    const auto found = find(name);
    return found ? std::optional(ReplyReader(*complaint_, *found, name)) : std::nullopt;
}

std::vector<ReplyReader> ReplyReader::objects(std::string_view name) const {
    std::vector<ReplyReader> all;
    each_of_list(name, [&](dom::element element) { all.emplace_back(*complaint_, element, name); });
    return all;
}

std::vector<std::string> ReplyReader::texts(std::string_view name) const {
    std::vector<std::string> all;
    each_of_list(name, [&](dom::element element) {
        std::string_view text;
        if (element.get_string().get(text) == simdjson::SUCCESS) {
            all.emplace_back(text);
        } else {
            complaint_->add(name, "a list of strings");
        }
    });
    return all;
}

std::optional<value::EncodedItem> ReplyReader::item(std::string_view name) const {
    const auto found = find(name);
    return found ? decode_item(*complaint_, *found) : std::nullopt;
}

Result<void> read_reply(
    std::string_view body, void (*use)(const ReplyReader&, void*), void* state
) {
    thread_local dom::parser common_parser;
    dom::parser large_parser;
    auto& parser = body.size() <= kCommonBodyBytes ? common_parser : large_parser;
    dom::element root;
    const auto problem = parser.parse(body.data(), body.size(), true).get(root);
    if (problem == simdjson::MEMALLOC) {
        parser = dom::parser();  // what it has of its memory does not fit together any more
    }
    if (problem != simdjson::SUCCESS) {
        return unreadable(std::string("not valid JSON: ") + simdjson::error_message(problem));
    }
    Complaint complaint;
    use(ReplyReader(complaint, root, "the body"), state);
    return complaint.check();
}

std::optional<value::EncodedItem> decode_item(Complaint& complaint, dom::element json) {
    std::string bytes;
    if (auto read = value::append_map_of_values(bytes, json); !read) {
        complaint.add(std::move(read).error());
        return std::nullopt;
    }
    return value::EncodedItem(std::move(bytes));
}

void decode_next_item(Complaint& complaint, dom::element json, dynamo::ItemBuffer& items) {
    // A failure leaves the buffer a count too high, but then the whole reply is thrown away.
    if (auto read = value::append_map_of_values(items.bytes_for_next(), json); !read) {
        complaint.add(std::move(read).error());
    }
}

namespace {

using dynamo::ConsumedCapacity;

void decode_index_units(
    const ReplyReader& in, std::string_view member, std::map<std::string, double>& indexes
) {
    in.each_of_map(member, [&](std::string_view name, dom::element json) {
        const ReplyReader units(in.complaint(), json, member);
        indexes.emplace(name, units.number("CapacityUnits").value_or(0));
    });
}

ConsumedCapacity decode_one_capacity(const ReplyReader& in) {
    ConsumedCapacity capacity;
    capacity.table = in.text("TableName").value_or("");
    capacity.units = in.number("CapacityUnits").value_or(0);
    if (in.has("ReadCapacityUnits")) {
        capacity.kind = ConsumedCapacity::Kind::kTransactRead;
    } else if (in.has("WriteCapacityUnits")) {
        capacity.kind = ConsumedCapacity::Kind::kTransactWrite;
    }
    if (const auto table = in.object("Table")) {
        capacity.show_indexes = true;
        capacity.table_units = table->number("CapacityUnits").value_or(0);
    }
    decode_index_units(in, "GlobalSecondaryIndexes", capacity.global_indexes);
    decode_index_units(in, "LocalSecondaryIndexes", capacity.local_indexes);
    return capacity;
}

}  // namespace

std::optional<ConsumedCapacity> decode_capacity(const ReplyReader& in) {
    const auto found = in.object("ConsumedCapacity");
    return found ? std::optional(decode_one_capacity(*found)) : std::nullopt;
}

std::vector<ConsumedCapacity> decode_capacities(const ReplyReader& in) {
    std::vector<ConsumedCapacity> all;
    for (const auto& each : in.objects("ConsumedCapacity")) {
        all.push_back(decode_one_capacity(each));
    }
    return all;
}

dynamo::ItemCollectionMetrics decode_metrics(const ReplyReader& in) {
    dynamo::ItemCollectionMetrics metrics;
    metrics.key = in.item("ItemCollectionKey").value_or(value::EncodedItem());
    std::vector<double> range;
    in.each_of_list("SizeEstimateRangeGB", [&](dom::element element) {
        double bound = 0;
        if (element.get_double().get(bound) != simdjson::SUCCESS) {
            in.complaint().add("SizeEstimateRangeGB", "a list of numbers");
        }
        range.push_back(bound);
    });
    if (range.size() == 2) {
        metrics.size_gb_lower = range[0];
        metrics.size_gb_upper = range[1];
    }
    return metrics;
}

}  // namespace gateleg::remote::internal
