#include "transfer/item_reader.h"

#include <algorithm>

namespace gateleg::transfer {
namespace {

// An item has at most 400 KB; escapes and base64 make it longer, never this long.
constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Lines out of pieces. One thread at a time.
class LineCutter {
public:
    LineCutter(std::unique_ptr<ByteReader> bytes, std::string name)
        : bytes_(std::move(bytes)), name_(std::move(name)) {}

    // Valid until the next call. Nothing at the end.
    Result<std::optional<std::string_view>> next() {
        for (;;) {
            const auto end = buffer_.find('\n', seen_);
            if (end != std::string::npos) {
                const auto line = std::string_view(buffer_).substr(at_, end - at_);
                at_ = seen_ = end + 1;
                ++number_;
                return std::optional(line);
            }
            if (ended_) {
                if (at_ == buffer_.size()) {
                    return std::optional<std::string_view>();
                }
                const auto line = std::string_view(buffer_).substr(at_);
                at_ = seen_ = buffer_.size();
                ++number_;
                return std::optional(line);
            }
            buffer_.erase(0, at_);
            at_ = 0;
            seen_ = buffer_.size();
            if (buffer_.size() > kMaxLineBytes) {
                return validation_error(
                    name_ + ":" + std::to_string(number_ + 1) +
                    ":1: a line of more than 16 MiB; no item is that large"
                );
            }
            GATELEG_TRY_ASSIGN(const bool more, bytes_->read(buffer_));
            ended_ = !more;
        }
    }

    std::int64_t number() const { return number_; }

private:
    std::unique_ptr<ByteReader> bytes_;
    std::string name_;
    std::string buffer_;
    std::size_t at_ = 0;
    std::size_t seen_ = 0;  // no line's end before this
    std::int64_t number_ = 0;
    bool ended_ = false;
};

class JsonItems final : public ItemReader {
public:
    JsonItems(std::unique_ptr<ByteReader> bytes, std::string name, Format format)
        : lines_(std::move(bytes), name), name_(std::move(name)), parser_(format) {}

    Result<std::optional<ReadItem>> next() override {
        for (;;) {
            GATELEG_TRY_ASSIGN(const auto line, lines_.next());
            if (!line) {
                return std::optional<ReadItem>();
            }
            if (is_blank(*line)) {
                continue;
            }
            ReadItem read;
            LineProblem problem;
            read.place = name_ + ":" + std::to_string(lines_.number());
            if (!parser_.parse(*line, read.item, problem)) {
                read.problem =
                    read.place + ":" + std::to_string(problem.column) + ": " + problem.message;
            }
            return std::optional(std::move(read));
        }
    }

private:
    LineCutter lines_;
    std::string name_;
    LineParser parser_;
};

class CsvItems final : public ItemReader {
public:
    CsvItems(std::unique_ptr<ByteReader> bytes, std::string name, LineOptions options)
        : bytes_(std::move(bytes)),
          name_(std::move(name)),
          options_(std::move(options)),
          cutter_(options_.delimiter),
          header_(options_.header) {}

    Result<std::optional<ReadItem>> next() override {
        for (;;) {
            std::vector<CsvField> record;
            GATELEG_TRY_ASSIGN(const auto got, next_record(record));
            if (got == CsvCutter::Got::kMore) {
                return std::optional<ReadItem>();
            }
            if (header_.empty()) {
                GATELEG_TRY(read_header(got, record));
                continue;
            }
            ReadItem read;
            if (got == CsvCutter::Got::kBroken) {
                read.problem = name_ + ":" + cutter_.problem();
                return std::optional(std::move(read));
            }
            read.place = name_ + ":" + std::to_string(record.front().line);
            auto item = csv_item(header_, record, options_.key_types);
            if (item) {
                read.item = *std::move(item);
            } else {
                read.problem = name_ + ":" + item.error().message;
            }
            return std::optional(std::move(read));
        }
    }

private:
    Result<CsvCutter::Got> next_record(std::vector<CsvField>& record) {
        for (;;) {
            const auto got = cutter_.take(rest_, record);
            if (got != CsvCutter::Got::kMore) {
                return got;
            }
            piece_.clear();
            GATELEG_TRY_ASSIGN(const bool more, bytes_->read(piece_));
            rest_ = piece_;
            if (first_) {
                first_ = false;
                constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
                rest_.remove_prefix(rest_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
            }
            if (!more) {
                return cutter_.finish(record);
            }
        }
    }

    Result<void> read_header(CsvCutter::Got got, const std::vector<CsvField>& record) {
        if (got == CsvCutter::Got::kBroken) {
            return validation_error(name_ + ":" + cutter_.problem());
        }
        auto header = csv_header(record);
        if (!header) {
            return validation_error(name_ + ":" + header.error().message);
        }
        header_ = *std::move(header);
        return {};
    }

    std::unique_ptr<ByteReader> bytes_;
    std::string name_;
    LineOptions options_;
    CsvCutter cutter_;
    std::vector<std::string> header_;
    std::string piece_;
    std::string_view rest_;
    bool first_ = true;
};

}  // namespace

Result<std::unique_ptr<ItemReader>> ItemReader::open(
    const std::filesystem::path& path,
    Compression compression,
    std::string name,
    LineOptions options
) {
    GATELEG_TRY_ASSIGN(auto bytes, open_bytes(path, compression, name));
    std::unique_ptr<ItemReader> reader;
    if (options.format == Format::kCsv) {
        reader = std::make_unique<CsvItems>(std::move(bytes), std::move(name), std::move(options));
    } else {
        reader = std::make_unique<JsonItems>(std::move(bytes), std::move(name), options.format);
    }
    return reader;
}

Result<std::int64_t> count_lines(
    const std::filesystem::path& path, Compression compression, const std::string& name
) {
    GATELEG_TRY_ASSIGN(auto bytes, open_bytes(path, compression, name));
    LineCutter lines(std::move(bytes), name);
    std::int64_t count = 0;
    for (;;) {
        GATELEG_TRY_ASSIGN(const auto line, lines.next());
        if (!line) {
            return count;
        }
        count += is_blank(*line) ? 0 : 1;
    }
}

}  // namespace gateleg::transfer
