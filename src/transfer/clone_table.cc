#include "transfer/clone_table.h"

#include <mutex>

#include "base/ids.h"
#include "base/json_writer.h"
#include "transfer/byte_file.h"
#include "transfer/json_members.h"
#include "transfer/table_reader.h"
#include "transfer/table_shape.h"
#include "transfer/table_writer.h"

namespace gateleg::transfer {
namespace {

namespace fs = std::filesystem;

class Cloner {
public:
    Cloner(
        dynamo::Dynamo& source,
        dynamo::Dynamo& target,
        const CloneOptions& options,
        const Control& control
    )
        : source_(source),
          target_(target),
          options_(options),
          control_(control),
          read_units_(options.max_read_units),
          write_units_(options.max_write_units),
          items_(options.max_items) {}

    Result<CloneReport> run() {
        GATELEG_TRY_ASSIGN(shape_, read_table_shape(source_, options_.table));
        GATELEG_TRY(check_rules(options_.rules, shape_.table));
        GATELEG_TRY(options_.resume ? restore() : begin());
        GATELEG_TRY(copy());
        report_.finished = true;
        for (const auto& position : positions_) {
            report_.items += position.items;
            report_.finished = report_.finished && position.finished;
        }
        report_.created = created_;
        if (report_.finished && !control_.is_stopped()) {
            GATELEG_TRY(finish());
        } else {
            report_.finished = false;
        }
        report_.read_units = read_units_.spent();
        report_.write_units = write_units_.spent();
        return report_;
    }

private:
    Result<void> begin() {
        const auto existing = read_table_shape(target_, options_.new_table);
        if (existing && !options_.into_existing) {
            return resource_in_use(
                "there is a table " + options_.new_table + " in " + options_.target_name +
                " already; --as names another one, --into-existing copies into it"
            );
        }
        if (!existing && existing.error().code != ErrorCode::kResourceNotFound) {
            return existing.error();
        }
        positions_.resize(options_.segments);
        secret_ = options_.secret.empty() ? random_uuid() : options_.secret;
        created_ = !existing;
        GATELEG_TRY(save());
        if (created_) {
            GATELEG_TRY(create_table(target_, shape_, options_.new_table));
        }
        return {};
    }

    Result<void> restore() {
        GATELEG_TRY_ASSIGN(const auto text, read_whole_file(options_.state));
        const auto read = [&]() -> Result<void> {
            GATELEG_TRY_ASSIGN(const auto members, JsonMembers::parse(text));
            GATELEG_TRY_ASSIGN(const auto from, members.required_text("from"));
            GATELEG_TRY_ASSIGN(const auto to, members.required_text("to"));
            GATELEG_TRY_ASSIGN(const auto id, members.required_text("tableId"));
            if (from != options_.source_name + " " + options_.table ||
                to != options_.target_name + " " + options_.new_table) {
                return validation_error("is the state of a clone from " + from + " to " + to);
            }
            if (id != shape_.table.id) {
                return validation_error(
                    "the table " + options_.table + " was made anew since that clone began"
                );
            }
            GATELEG_TRY_ASSIGN(secret_, members.required_text("secret"));
            GATELEG_TRY_ASSIGN(created_, members.required_flag("created"));
            GATELEG_TRY_ASSIGN(const auto segments, members.required_list("segments"));
            for (const auto& each : segments) {
                GATELEG_TRY_ASSIGN(auto position, parse_position(each));
                positions_.push_back(std::move(position));
            }
            return {};
        }();
        if (!read) {
            return validation_error(options_.state.string() + ": " + read.error().message);
        }
        // It may have ended before the table was made.
        const auto existing = read_table_shape(target_, options_.new_table);
        if (!existing && existing.error().code == ErrorCode::kResourceNotFound) {
            for (auto& position : positions_) {
                position = {};
            }
            return create_table(target_, shape_, options_.new_table);
        }
        return existing ? Result<void>() : existing.error();
    }

    Result<void> copy() {
        const auto count = static_cast<std::uint32_t>(positions_.size());
        const ReadTable reading{
            .table = options_.table,
            .segments = count,
            .consistent = options_.consistent,
            .units = read_units_,
            .items = items_};
        Budget unbounded(0);
        const WriteTable writing{
            .table = options_.new_table,
            .key_schema = shape_.table.key_schema,
            .units = write_units_,
            .items = unbounded};
        const Anonymiser anonymiser(options_.rules, secret_);
        return read_segments(
            source_,
            reading,
            positions_,
            control_,
            [&](std::uint32_t at, const dynamo::PageReply& page, const SegmentPosition& after
            ) -> Result<void> {
                std::vector<value::EncodedItem> items;
                for (const auto item : page.items.items()) {
                    items.push_back(
                        anonymiser.idle() ? value::EncodedItem(std::string(item.bytes()))
                                          : anonymiser.apply(item)
                    );
                }
                TableWriter writer(target_, writing, control_);
                GATELEG_TRY_ASSIGN(const auto outcome, writer.write(items));
                if (!outcome.refused.empty()) {
                    return validation_error(
                        "the target does not take an item: " + outcome.refused.front().message
                    );
                }
                const std::lock_guard lock(mutex_);
                positions_[at] = after;
                GATELEG_TRY(save());
                show();
                return {};
            }
        );
    }

    Result<void> finish() {
        const ReadTable counting{
            .table = options_.new_table,
            .consistent = true,
            .units = write_count_,
            .items = items_};
        GATELEG_TRY_ASSIGN(report_.counted, count_items(target_, counting, control_));
        GATELEG_TRY(enable_ttl(target_, shape_, options_.new_table));
        std::error_code ignored;
        fs::remove(options_.state, ignored);
        return {};
    }

    void show() {
        if (!control_.progress) {
            return;
        }
        std::int64_t items = 0;
        for (const auto& position : positions_) {
            items += position.items;
        }
        control_.progress(
            {.items = items,
             .total = shape_.table.item_count,
             .read_units = read_units_.spent(),
             .write_units = write_units_.spent()}
        );
    }

    Result<void> save() {
        std::string out;
        JsonWriter json(out);
        json.begin_object();
        json.member("from", options_.source_name + " " + options_.table);
        json.member("to", options_.target_name + " " + options_.new_table);
        json.member("tableId", shape_.table.id);
        json.member("secret", secret_);
        json.member("created", created_);
        json.key("segments");
        json.begin_array();
        for (const auto& position : positions_) {
            json.begin_object();
            write_position(json, position);
            json.end_object();
        }
        json.end_array();
        json.end_object();
        return replace_file(options_.state, out + "\n");
    }

    dynamo::Dynamo& source_;
    dynamo::Dynamo& target_;
    const CloneOptions& options_;
    const Control& control_;
    Budget read_units_;
    Budget write_units_;
    Budget items_;
    Budget write_count_{0};
    TableShape shape_;
    std::string secret_;
    bool created_ = false;
    std::mutex mutex_;  // positions_, once segments are read
    std::vector<SegmentPosition> positions_;
    CloneReport report_;
};

}  // namespace

Result<CloneReport> clone_table(
    dynamo::Dynamo& source,
    dynamo::Dynamo& target,
    const CloneOptions& options,
    const Control& control
) {
    return Cloner(source, target, options, control).run();
}

}  // namespace gateleg::transfer
