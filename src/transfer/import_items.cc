#include "transfer/import_items.h"

#include <chrono>

#include "base/json_writer.h"
#include "transfer/byte_file.h"
#include "transfer/item_reader.h"
#include "transfer/json_members.h"
#include "transfer/table_writer.h"
#include "value/item_size.h"

namespace gateleg::transfer {
namespace {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kGroupItems = 200;
constexpr std::int64_t kGroupBytes = std::int64_t{8} << 20;
constexpr std::size_t kMostProblems = 100;
constexpr std::chrono::milliseconds kBetweenSaves{300};

class Importer {
public:
    Importer(
        dynamo::Dynamo& dynamo,
        const ImportSource& source,
        const ImportOptions& options,
        const Control& control
    )
        : dynamo_(dynamo),
          source_(source),
          options_(options),
          control_(control),
          units_(options.max_write_units),
          items_(options.max_items) {}

    Result<ImportReport> run() {
        GATELEG_TRY_ASSIGN(const auto shape, read_table_shape(dynamo_, options_.table));
        lines_ = {
            .format = source_.format,
            .delimiter = options_.delimiter,
            .header = options_.header,
            .key_types = key_types_of(shape.table)};
        GATELEG_TRY(restore());
        const WriteTable request{
            .table = options_.table,
            .key_schema = shape.table.key_schema,
            .overwrite = options_.overwrite,
            .units = units_,
            .items = items_};
        TableWriter writer(dynamo_, request, control_);
        while (file_ < source_.files.size() && !control_.is_stopped()) {
            GATELEG_TRY_ASSIGN(const bool whole, import_file(writer));
            if (!whole) {
                break;
            }
            ++file_;
            done_ = 0;
            if (control_.is_stopped()) {
                GATELEG_TRY(save());
            }
        }
        report_.finished = file_ == source_.files.size();
        report_.write_units = units_.spent();
        if (!options_.state.empty() && report_.finished) {
            std::error_code ignored;
            fs::remove(options_.state, ignored);
        }
        return report_;
    }

private:
    // What waits to be written together.
    struct Group {
        std::vector<value::EncodedItem> items;
        std::vector<std::string> places;
        std::int64_t records = 0;
        std::int64_t bytes = 0;
    };

    // False if it was stopped on the way.
    Result<bool> import_file(TableWriter& writer) {
        const auto& file = source_.files[file_];
        GATELEG_TRY_ASSIGN(
            const auto reader,
            ItemReader::open(file.path, file.compression, file.path.string(), lines_)
        );
        for (std::int64_t i = 0; i < done_; ++i) {
            GATELEG_TRY_ASSIGN(const auto skipped, reader->next());
            if (!skipped) {
                return validation_error(
                    file.path.string() + ": has less records than " + options_.state.string() +
                    " says are done"
                );
            }
        }
        for (;;) {
            Group group;
            std::vector<std::string> bad;
            bool ended = false;
            while (group.items.size() < kGroupItems && group.bytes < kGroupBytes && !ended) {
                auto read = reader->next();
                if (!read) {
                    GATELEG_TRY(write(writer, group));
                    GATELEG_TRY(save());
                    return read.error();
                }
                auto& record = *read;
                if (!record) {
                    ended = true;
                } else if (record->problem) {
                    // What stands before it is written first, so that the count is right.
                    GATELEG_TRY(write(writer, group));
                    group = {};
                    GATELEG_TRY(complain(*record->problem));
                    ++done_;
                    ++report_.records;
                } else {
                    ++group.records;
                    group.bytes += static_cast<std::int64_t>(value::item_size(record->item.view()));
                    group.places.push_back(std::move(record->place));
                    group.items.push_back(std::move(record->item));
                }
            }
            GATELEG_TRY(write(writer, group));
            const bool stopped = control_.is_stopped();
            if (stopped || Steady::now() - saved_ > kBetweenSaves) {
                GATELEG_TRY(save());
            }
            show();
            if (ended || stopped) {
                return ended;
            }
        }
    }

    Result<void> write(TableWriter& writer, const Group& group) {
        if (group.items.empty()) {
            return {};
        }
        auto outcome = writer.write(group.items);
        if (!outcome) {
            GATELEG_TRY(save());
            return outcome.error();
        }
        const auto& refused = outcome->refused;
        const auto allowed = static_cast<std::size_t>(options_.max_errors - report_.failed);
        if (refused.size() > allowed) {
            // The group is done again when the import goes on.
            GATELEG_TRY(save());
            const auto& first = refused[allowed];
            return validation_error(group.places[first.index] + ": " + first.message);
        }
        for (const auto& each : refused) {
            GATELEG_TRY(complain(group.places[each.index] + ": " + each.message));
        }
        report_.written += outcome->written;
        report_.existing += outcome->existing;
        report_.bytes += group.bytes;
        done_ += group.records;
        report_.records += group.records;
        return {};
    }

    // Ends the import, with its state kept, at one problem too many.
    Result<void> complain(const std::string& problem) {
        if (report_.failed >= options_.max_errors) {
            GATELEG_TRY(save());
            return validation_error(problem);
        }
        ++report_.failed;
        if (report_.problems.size() < kMostProblems) {
            report_.problems.push_back(problem);
        }
        return {};
    }

    void show() {
        if (control_.progress) {
            control_.progress(
                {.items = report_.records,
                 .total = source_.item_count,
                 .write_units = units_.spent()}
            );
        }
    }

    Result<void> save() {
        saved_ = Steady::now();
        if (options_.state.empty()) {
            return {};
        }
        std::string out;
        JsonWriter json(out);
        json.begin_object();
        json.member("table", options_.table);
        json.member("source", source_.name);
        json.member("fingerprint", source_.fingerprint);
        json.member("file", file_);
        json.member("done", done_);
        json.member("records", report_.records);
        json.member("written", report_.written);
        json.member("existing", report_.existing);
        json.member("failed", report_.failed);
        json.member("bytes", report_.bytes);
        json.end_object();
        return replace_file(options_.state, out + "\n");
    }

    Result<void> restore() {
        if (!options_.resume) {
            return save();
        }
        const auto name = options_.state.string() + ": ";
        GATELEG_TRY_ASSIGN(const auto text, read_whole_file(options_.state));
        const auto read = [&]() -> Result<void> {
            GATELEG_TRY_ASSIGN(const auto members, JsonMembers::parse(text));
            GATELEG_TRY_ASSIGN(const auto table, members.required_text("table"));
            GATELEG_TRY_ASSIGN(const auto source, members.required_text("source"));
            GATELEG_TRY_ASSIGN(const auto print, members.required_text("fingerprint"));
            if (table != options_.table || source != source_.name) {
                return validation_error(
                    "is the state of an import of " + source + " into the table " + table
                );
            }
            if (print != source_.fingerprint) {
                return validation_error(source + " has changed since that import began");
            }
            GATELEG_TRY_ASSIGN(const auto file, members.required_count("file"));
            file_ = static_cast<std::size_t>(file);
            GATELEG_TRY_ASSIGN(done_, members.required_count("done"));
            GATELEG_TRY_ASSIGN(report_.records, members.required_count("records"));
            GATELEG_TRY_ASSIGN(report_.written, members.required_count("written"));
            GATELEG_TRY_ASSIGN(report_.existing, members.required_count("existing"));
            GATELEG_TRY_ASSIGN(report_.failed, members.required_count("failed"));
            GATELEG_TRY_ASSIGN(report_.bytes, members.required_count("bytes"));
            return {};
        }();
        return read ? Result<void>() : validation_error(name + read.error().message);
    }

    dynamo::Dynamo& dynamo_;
    const ImportSource& source_;
    const ImportOptions& options_;
    const Control& control_;
    Budget units_;
    Budget items_;
    LineOptions lines_;
    std::size_t file_ = 0;
    std::int64_t done_ = 0;  // records of that file
    Steady::time_point saved_{};
    ImportReport report_;
};

}  // namespace

Result<ImportReport> import_items(
    dynamo::Dynamo& dynamo,
    const ImportSource& source,
    const ImportOptions& options,
    const Control& control
) {
    return Importer(dynamo, source, options, control).run();
}

}  // namespace gateleg::transfer
