#include "objects/store_check.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <sys/stat.h>

#include "objects/internal/store_impl.h"
#include "objects/store.h"

namespace gateleg::objects {

using namespace internal;  // NOLINT: this is their only user

namespace {

constexpr std::size_t kMaxMissingNamed = 1000;

using Visit = std::function<Result<void>(std::string_view key, std::string_view value)>;

Result<void> for_each(const storage::Store& records, const KeyRange& range, const Visit& visit) {
    const auto cursor =
        records.cursor({.lower_bound = range.begin, .upper_bound = range.end, .fill_cache = false});
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
        GATELEG_TRY(visit(cursor->key(), cursor->value()));
    }
    return cursor->status();
}

// What is wrong with the file of a segment; empty if nothing is.
std::string problem_of(const BodyFiles& bodies, const Segment& segment) {
    struct stat status {};
    if (::stat(bodies.path_of(segment.body).c_str(), &status) != 0) {
        return "no file";
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size != segment.size) {
        return std::to_string(size) + " bytes instead of " + std::to_string(segment.size);
    }
    return {};
}

// The segments that an object's or a part's record names, whichever it is.
std::vector<Segment> segments_in(std::string_view key, std::string_view value) {
    if (parse_object_key(key)) {
        auto record = decode_object(value);
        return record ? std::move(record->segments) : std::vector<Segment>{};
    }
    const auto part = decode_part(value);
    return part ? std::vector<Segment>{part->segment} : std::vector<Segment>{};
}

bool names(const storage::Store& records, std::string_view owner, std::string_view body) {
    const auto value = read_record(records, owner);
    if (!value || !*value) {
        return false;
    }
    const auto segments = segments_in(owner, **value);
    return std::any_of(segments.begin(), segments.end(), [&](const Segment& segment) {
        return segment.body == body;
    });
}

}  // namespace

// The store may be in use, so a cursor is older than the files it is compared with. Whatever looks
// wrong is looked at again in the newest state.
Result<StoreCheck> ObjectStore::check(bool repair) {
    StoreCheck found;
    const auto& records = *impl_->records;
    const auto check_segments = [&](std::string_view key, std::string_view value) -> Result<void> {
        const auto segments = segments_in(key, value);
        if (segments.empty()) {
            ++found.loose_records;
        }
        for (const auto& segment : segments) {
            auto problem = problem_of(impl_->bodies, segment);
            if (!problem.empty() && names(records, key, segment.body)) {
                ++found.missing_count;
                if (found.missing.size() < kMaxMissingNamed) {
                    const auto object = parse_object_key(key);
                    found.missing.push_back(
                        {object ? std::string(object->bucket) : "(part of an upload)",
                         object ? std::string(object->key) : "",
                         std::move(problem)}
                    );
                }
            }
            GATELEG_TRY_ASSIGN(const auto owner, read_record(records, body_key(segment.body)));
            if (owner != std::optional<std::string>(key) && names(records, key, segment.body)) {
                ++found.loose_records;
            }
        }
        return {};
    };
    GATELEG_TRY(for_each(records, all_buckets(), [&](auto, auto) -> Result<void> {
        ++found.buckets;
        return {};
    }));
    GATELEG_TRY(for_each(records, all_objects(), [&](auto key, auto value) -> Result<void> {
        ++found.objects;
        return check_segments(key, value);
    }));
    GATELEG_TRY(for_each(records, all_parts(), check_segments));
    const auto check_owner = [&](std::string_view key, std::string_view owner) -> Result<void> {
        const auto body = parse_body_key(key);
        if (body && !names(records, owner, *body)) {
            GATELEG_TRY_ASSIGN(const auto still, read_record(records, key));
            if (still && !names(records, *still, *body)) {
                ++found.loose_records;
            }
        }
        return {};
    };
    GATELEG_TRY(for_each(records, all_bodies(), check_owner));
    impl_->bodies.for_each([&](const BodyName& body, std::uint64_t size) {
        if (!impl_->is_orphan(body)) {
            ++found.bodies;
            found.bytes += size;
            return true;
        }
        ++found.orphans;
        found.orphan_bytes += size;
        if (repair) {
            impl_->bodies.remove(body);
            ++found.orphans_removed;
        }
        return true;
    });
    return found;
}

}  // namespace gateleg::objects
