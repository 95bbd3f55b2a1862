#include <cstring>

#include "objects/internal/records.h"

namespace gateleg::objects::internal {

namespace {

// Written to disk: the first byte of every value. Fields are only ever added at the end.
constexpr char kForm = 1;
// More than any record has; a count beyond it is damage, not a reason to reserve memory.
constexpr std::uint64_t kMaxCount = 100'000;

class Writer {
public:
    Writer() : out_(1, kForm) {}

    void number(std::uint64_t value) {
        while (value >= 0x80) {
            out_ += static_cast<char>(value | 0x80);
            value >>= 7;
        }
        out_ += static_cast<char>(value);
    }
    void time(std::int64_t millis) { number(static_cast<std::uint64_t>(millis)); }
    void text(std::string_view bytes) {
        number(bytes.size());
        out_ += bytes;
    }
    void texts(const std::vector<std::string>& list) {
        number(list.size());
        for (const auto& entry : list) {
            text(entry);
        }
    }
    void pairs(const std::vector<NamedText>& list) {
        number(list.size());
        for (const auto& [name, value] : list) {
            text(name);
            text(value);
        }
    }
    void checksum(const std::optional<Checksum>& value) {
        number(value ? 1 : 0);
        if (value) {
            number(static_cast<std::uint64_t>(value->algorithm));
            number(static_cast<std::uint64_t>(value->type));
            text(value->value);
        }
    }
    void metadata(const ObjectMetadata& value) {
        text(value.content_type);
        text(value.content_encoding);
        text(value.content_disposition);
        text(value.content_language);
        text(value.cache_control);
        text(value.expires);
        pairs(value.user);
    }
    void segment(const Segment& value) {
        text(value.body);
        number(value.size);
    }
    std::string take() { return std::move(out_); }

private:
    std::string out_;
};

// Reads what Writer wrote. Past the end or against a bound, everything is empty and good() false.
class Reader {
public:
    explicit Reader(std::string_view bytes) : left_(bytes) {
        good_ = !left_.empty() && left_.front() == kForm;
        if (good_) {
            left_.remove_prefix(1);
        }
    }

    bool good() const { return good_; }
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (!good_ || left_.empty()) {
                break;
            }
            const auto byte = static_cast<unsigned char>(left_.front());
            left_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if (byte < 0x80) {
                return value;
            }
        }
        good_ = false;
        return 0;
    }
    std::int64_t time() { return static_cast<std::int64_t>(number()); }
    std::uint64_t count() {
        const auto value = number();
        good_ = good_ && value <= kMaxCount;
        return good_ ? value : 0;
    }
    template <class Enum>
    Enum one_of(Enum last) {
        const auto value = number();
        good_ = good_ && value <= static_cast<std::uint64_t>(last);
        return good_ ? static_cast<Enum>(value) : Enum{};
    }
    std::string text() {
        const auto size = number();
        if (!good_ || size > left_.size()) {
            good_ = false;
            return {};
        }
        std::string out(left_.substr(0, size));
        left_.remove_prefix(size);
        return out;
    }
    std::vector<std::string> texts() {
        std::vector<std::string> out;
        for (auto n = count(); n > 0 && good_; --n) {
            out.push_back(text());
        }
        return out;
    }
    std::vector<NamedText> pairs() {
        std::vector<NamedText> out;
        for (auto n = count(); n > 0 && good_; --n) {
            auto name = text();
            out.emplace_back(std::move(name), text());
        }
        return out;
    }
    std::optional<Checksum> checksum() {
        if (number() == 0) {
            return std::nullopt;
        }
        Checksum out;
        out.algorithm = one_of(ChecksumAlgorithm::kSha256);
        out.type = one_of(ChecksumType::kComposite);
        out.value = text();
        return out;
    }
    ObjectMetadata metadata() {
        ObjectMetadata out;
        out.content_type = text();
        out.content_encoding = text();
        out.content_disposition = text();
        out.content_language = text();
        out.cache_control = text();
        out.expires = text();
        out.user = pairs();
        return out;
    }
    Segment segment() {
        Segment out;
        out.body = text();
        out.size = number();
        return out;
    }

private:
    std::string_view left_;
    bool good_ = false;
};

void read_summary(Reader& reader, ObjectInfo& info) {
    info.size = reader.number();
    info.etag = reader.text();
    info.modified_millis = reader.time();
    info.checksum = reader.checksum();
    info.parts = static_cast<int>(reader.count());
}

template <class Record>
std::optional<Record> if_good(const Reader& reader, Record record) {
    return reader.good() ? std::optional(std::move(record)) : std::nullopt;
}

}  // namespace

std::string encode(const BucketRecord& record) {
    Writer out;
    out.time(record.created_millis);
    out.number(record.cors.size());
    for (const auto& rule : record.cors) {
        out.text(rule.id);
        out.texts(rule.origins);
        out.texts(rule.methods);
        out.texts(rule.headers);
        out.texts(rule.exposed_headers);
        out.number(rule.max_age_seconds ? 1 : 0);
        if (rule.max_age_seconds) {
            out.time(*rule.max_age_seconds);
        }
    }
    return out.take();
}

std::string encode(const ObjectRecord& record) {
    Writer out;
    out.number(record.info.size);
    out.text(record.info.etag);
    out.time(record.info.modified_millis);
    out.checksum(record.info.checksum);
    out.number(static_cast<std::uint64_t>(record.info.parts));
    out.metadata(record.info.metadata);
    out.pairs(record.info.tags);
    out.text(record.upload_id);
    out.number(record.segments.size());
    for (const auto& segment : record.segments) {
        out.segment(segment);
    }
    return out.take();
}

std::string encode(const UploadRecord& record) {
    Writer out;
    out.time(record.info.created_millis);
    out.metadata(record.info.metadata);
    out.pairs(record.info.tags);
    out.number(record.info.algorithm ? 1 : 0);
    if (record.info.algorithm) {
        out.number(static_cast<std::uint64_t>(*record.info.algorithm));
        out.number(static_cast<std::uint64_t>(record.info.checksum_type));
    }
    return out.take();
}

std::string encode(const PartRecord& record) {
    Writer out;
    out.segment(record.segment);
    out.text(record.md5);
    out.time(record.modified_millis);
    out.checksum(record.checksum);
    return out.take();
}

std::optional<BucketRecord> decode_bucket(std::string_view bytes) {
    Reader in(bytes);
    BucketRecord record;
    record.created_millis = in.time();
    for (auto n = in.count(); n > 0 && in.good(); --n) {
        CorsRule rule;
        rule.id = in.text();
        rule.origins = in.texts();
        rule.methods = in.texts();
        rule.headers = in.texts();
        rule.exposed_headers = in.texts();
        if (in.number() != 0) {
            rule.max_age_seconds = in.time();
        }
        record.cors.push_back(std::move(rule));
    }
    return if_good(in, std::move(record));
}

std::optional<ObjectRecord> decode_object(std::string_view bytes) {
    Reader in(bytes);
    ObjectRecord record;
    read_summary(in, record.info);
    record.info.metadata = in.metadata();
    record.info.tags = in.pairs();
    record.upload_id = in.text();
    for (auto n = in.count(); n > 0 && in.good(); --n) {
        record.segments.push_back(in.segment());
    }
    return if_good(in, std::move(record));
}

std::optional<ObjectInfo> decode_summary(std::string_view bytes) {
    Reader in(bytes);
    ObjectInfo info;
    read_summary(in, info);
    return if_good(in, std::move(info));
}

std::optional<UploadRecord> decode_upload(std::string_view bytes) {
    Reader in(bytes);
    UploadRecord record;
    record.info.created_millis = in.time();
    record.info.metadata = in.metadata();
    record.info.tags = in.pairs();
    if (in.number() != 0) {
        record.info.algorithm = in.one_of(ChecksumAlgorithm::kSha256);
        record.info.checksum_type = in.one_of(ChecksumType::kComposite);
    }
    return if_good(in, std::move(record));
}

std::optional<PartRecord> decode_part(std::string_view bytes) {
    Reader in(bytes);
    PartRecord record;
    record.segment = in.segment();
    record.md5 = in.text();
    record.modified_millis = in.time();
    record.checksum = in.checksum();
    return if_good(in, std::move(record));
}

}  // namespace gateleg::objects::internal
