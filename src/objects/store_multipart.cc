#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/base64.h"
#include "base/ids.h"
#include "objects/internal/conditions.h"
#include "objects/internal/names.h"
#include "objects/internal/open_bodies.h"
#include "objects/internal/store_impl.h"
#include "objects/store.h"

namespace gateleg::objects {

using namespace internal;  // NOLINT: this is their only user

namespace {

using NumberedPart = std::pair<int, PartRecord>;

Result<ChecksumType> checksum_type_of(const CreateMultipart& request) {
    const bool full_only = request.algorithm == ChecksumAlgorithm::kCrc64Nvme;
    const auto type = request.checksum_type.value_or(
        full_only ? ChecksumType::kFullObject : ChecksumType::kComposite
    );
    const bool has_crc = request.algorithm != ChecksumAlgorithm::kSha1 &&
                         request.algorithm != ChecksumAlgorithm::kSha256;
    const bool exists = type == ChecksumType::kFullObject ? has_crc : !full_only;
    if (request.algorithm && !exists) {
        return object_error(
            Reason::kInvalidRequest,
            "The " + std::string(to_text(type)) + " checksum type cannot be used with the " +
                std::string(to_text(*request.algorithm)) + " checksum algorithm."
        );
    }
    return type;
}

// The parts that the client names, out of those there are.
Result<std::vector<const PartRecord*>> choose_parts(
    const std::vector<CompletePart>& wanted, const std::vector<NumberedPart>& there
) {
    if (wanted.empty()) {
        return object_error(Reason::kInvalidRequest, "You must specify at least one part");
    }
    std::vector<const PartRecord*> chosen;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (i > 0 && wanted[i].number <= wanted[i - 1].number) {
            return object_error(Reason::kInvalidPartOrder);
        }
        const auto found = std::lower_bound(
            there.begin(),
            there.end(),
            wanted[i].number,
            [](const NumberedPart& part, int number) { return part.first < number; }
        );
        if (found == there.end() || found->first != wanted[i].number ||
            hex_of(found->second.md5) != wanted[i].etag) {
            return object_error(Reason::kInvalidPart);
        }
        const auto& given = wanted[i].checksum;
        const auto& kept = found->second.checksum;
        if (given && kept && given->algorithm == kept->algorithm && given->value != kept->value) {
            return object_error(Reason::kInvalidPart);
        }
        chosen.push_back(&found->second);
    }
    for (std::size_t i = 0; i + 1 < chosen.size(); ++i) {
        if (chosen[i]->segment.size < kMinPartBytes) {
            return object_error(Reason::kEntityTooSmall);
        }
    }
    return chosen;
}

Result<std::optional<Checksum>> checksum_of(
    const MultipartInfo& upload, const std::vector<const PartRecord*>& parts
) {
    if (!upload.algorithm) {
        return std::optional<Checksum>();
    }
    std::vector<PartDigest> digests;
    for (const auto* part : parts) {
        std::string digest;
        if (!part->checksum || part->checksum->algorithm != *upload.algorithm ||
            !append_decoded_base64(digest, part->checksum->value)) {
            return damaged_record();
        }
        digests.push_back({std::move(digest), part->segment.size});
    }
    return combine_checksums(*upload.algorithm, upload.checksum_type, digests);
}

Result<ObjectRecord> assemble(
    const CompleteMultipart& request,
    const MultipartInfo& upload,
    const std::vector<const PartRecord*>& parts
) {
    ObjectRecord record;
    std::vector<std::string> md5s;
    for (const auto* part : parts) {
        record.info.size += part->segment.size;
        record.segments.push_back(part->segment);
        md5s.push_back(part->md5);
    }
    record.info.parts = static_cast<int>(parts.size());
    record.info.etag = multipart_etag(md5s);
    record.info.metadata = upload.metadata;
    record.info.tags = upload.tags;
    record.upload_id = upload.upload_id;
    GATELEG_TRY_ASSIGN(record.info.checksum, checksum_of(upload, parts));
    if (request.size && *request.size != record.info.size) {
        return object_error(
            Reason::kInvalidRequest,
            "The provided 'x-amz-mp-object-size' header does not match what was computed."
        );
    }
    const auto& made = record.info.checksum;
    if (request.checksum && made && request.checksum->algorithm == made->algorithm) {
        // Some clients leave away the number of parts at the end of a composite one.
        const auto plain = made->value.substr(0, made->value.find('-'));
        if (request.checksum->value != made->value && request.checksum->value != plain) {
            return object_error(Reason::kBadDigest);
        }
    }
    return record;
}

}  // namespace

Result<MultipartInfo> ObjectStore::create_multipart(
    std::string_view bucket, std::string_view key, const CreateMultipart& request
) {
    GATELEG_TRY(check_key(key));
    GATELEG_TRY(check_metadata(request.metadata));
    GATELEG_TRY(check_tags(request.tags));
    GATELEG_TRY(impl_->check_room());
    UploadRecord record;
    GATELEG_TRY_ASSIGN(record.info.checksum_type, checksum_type_of(request));
    record.info.key = key;
    record.info.upload_id = random_uuid();
    std::erase(record.info.upload_id, '-');
    record.info.created_millis = impl_->clock.now_millis();
    record.info.metadata = request.metadata;
    record.info.tags = request.tags;
    record.info.algorithm = request.algorithm;
    const auto decide = [&](Change& change) -> Result<void> {
        GATELEG_TRY_ASSIGN(const auto bucket_value, change.get(bucket_key(bucket)));
        if (!bucket_value) {
            return object_error(Reason::kNoSuchBucket);
        }
        change.put(upload_key(bucket, key, record.info.upload_id), encode(record));
        return {};
    };
    GATELEG_TRY(impl_->writer.commit(decide));
    return record.info;
}

Result<Written> ObjectStore::copy_part(const CopyPart& request) {
    GATELEG_TRY_ASSIGN(auto source, open(request.source_bucket, request.source_key));
    GATELEG_TRY(check_copy_source(request.source_condition, source.info()));
    const auto size = source.info().size;
    const auto range = request.range.value_or(ByteRange{0, size});
    if (range.offset > size || range.size > size - range.offset) {
        return object_error(
            Reason::kInvalidArgument,
            "Range specified is not valid for source object of size: " + std::to_string(size)
        );
    }
    UploadOptions options;
    options.expected_bytes = range.size;
    GATELEG_TRY_ASSIGN(auto part, begin_part(request.upload, request.number, std::move(options)));
    std::vector<char> buffer(std::size_t{256} << 10);
    for (std::uint64_t done = 0; done < range.size;) {
        const auto want = std::min<std::uint64_t>(buffer.size(), range.size - done);
        GATELEG_TRY_ASSIGN(const auto got, source.read(range.offset + done, {buffer.data(), want}));
        GATELEG_TRY(part.append({buffer.data(), got}));
        done += got;
    }
    return part.finish({});
}

Result<Written> ObjectStore::complete_multipart(const CompleteMultipart& request) {
    const auto& name = request.upload;
    ObjectRecord record;
    std::vector<Segment> replaced;
    std::vector<Segment> unused;
    GATELEG_TRY(impl_->get_bucket(name.bucket));
    const auto decide = [&](Change& change) -> Result<void> {
        auto upload = impl_->get_upload(name);
        if (!upload) {
            // A client that repeats what has succeeded gets the same answer.
            auto made = impl_->get_object(name.bucket, name.key);
            if (!made || made->upload_id != name.upload_id) {
                return upload.error();
            }
            record = *std::move(made);
            return {};
        }
        GATELEG_TRY_ASSIGN(const auto there, impl_->parts_of(name.upload_id));
        GATELEG_TRY_ASSIGN(const auto chosen, choose_parts(request.parts, there));
        GATELEG_TRY_ASSIGN(record, assemble(request, upload->info, chosen));
        record.info.modified_millis = impl_->clock.now_millis();
        GATELEG_TRY(impl_->erase_upload(change, name, unused));
        std::unordered_set<std::string_view> used;
        for (const auto& segment : record.segments) {
            used.insert(segment.body);
        }
        std::erase_if(unused, [&](const Segment& segment) { return used.contains(segment.body); });
        return replace_object(change, name.bucket, name.key, record, request.condition, replaced);
    };
    GATELEG_TRY(impl_->writer.commit(decide, Company::kAlone));
    impl_->remove_bodies(unused);
    impl_->remove_bodies(replaced);
    return Written{
        record.info.etag, record.info.size, record.info.modified_millis, record.info.checksum};
}

Result<void> ObjectStore::abort_multipart(const UploadName& upload) {
    std::vector<Segment> unused;
    const auto decide = [&](Change& change) -> Result<void> {
        GATELEG_TRY(impl_->get_upload(upload));
        return impl_->erase_upload(change, upload, unused);
    };
    GATELEG_TRY(impl_->writer.commit(decide, Company::kAlone, storage::WriteClass::kShrinks));
    impl_->remove_bodies(unused);
    return {};
}

Result<MultipartInfo> ObjectStore::head_multipart(const UploadName& upload) const {
    GATELEG_TRY_ASSIGN(auto record, impl_->get_upload(upload));
    return std::move(record.info);
}

Result<PartPage> ObjectStore::list_parts(
    const UploadName& upload, int after_number, std::size_t max_parts
) const {
    PartPage page;
    GATELEG_TRY_ASSIGN(page.upload, head_multipart(upload));
    max_parts = std::min(max_parts, kMaxListed);
    const auto range = parts_of(upload.upload_id);
    const auto cursor =
        impl_->records->cursor({.lower_bound = range.begin, .upper_bound = range.end});
    const auto first = std::clamp(after_number, 0, kMaxParts) + 1;
    for (cursor->seek(part_key(upload.upload_id, first)); cursor->valid(); cursor->next()) {
        if (page.parts.size() == max_parts) {
            page.truncated = max_parts > 0;
            break;
        }
        const auto number = parse_part_key(cursor->key());
        const auto part = decode_part(cursor->value());
        if (!number || !part) {
            return damaged_record();
        }
        page.parts.push_back(
            {*number, part->segment.size, hex_of(part->md5), part->modified_millis, part->checksum}
        );
        page.next_number = *number;
    }
    GATELEG_TRY(cursor->status());
    return page;
}

}  // namespace gateleg::objects
