#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "objects/internal/store_impl.h"
#include "objects/store.h"

namespace gateleg::objects {

using namespace internal;  // NOLINT: this is their only user

// A list is a sequence of entries in the order of their bytes. An entry is a key, or the common
// prefix that stands for all keys that share it. A page starts at the first entry after the last
// one of the page before, so that prefixes are skipped with one seek and never seen twice.

namespace {

constexpr char kTokenForm = '1';

std::string make_token(const std::string& last) {
    return encode_base64(kTokenForm + last);
}

Result<std::string> read_token(const std::string& token) {
    std::string text;
    if (!append_decoded_base64(text, token) || text.empty() || text.front() != kTokenForm) {
        return object_error(
            Reason::kInvalidArgument, "The continuation token provided is incorrect"
        );
    }
    return text.substr(1);
}

// The prefix up to and with the first delimiter after `prefix`, or nothing.
std::optional<std::string_view> common_prefix(
    std::string_view key, std::string_view prefix, std::string_view delimiter
) {
    if (delimiter.empty() || !key.starts_with(prefix)) {
        return std::nullopt;
    }
    const auto at = key.find(delimiter, prefix.size());
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    return key.substr(0, at + delimiter.size());
}

}  // namespace

Result<ListPage> ObjectStore::list(std::string_view bucket, const ListRequest& request) const {
    GATELEG_TRY(impl_->get_bucket(bucket));
    auto after = request.start_after;
    if (!request.token.empty()) {
        GATELEG_TRY_ASSIGN(after, read_token(request.token));
    }
    ListPage page;
    const auto max_keys = std::min(request.max_keys, kMaxListed);
    if (max_keys == 0) {
        return page;
    }
    const auto lower = object_key(bucket, request.prefix);
    auto start = lower;
    if (!after.empty()) {
        const auto shared = common_prefix(after, request.prefix, request.delimiter);
        start = std::max(
            lower,
            shared ? after_prefix(object_key(bucket, *shared)) : object_key(bucket, after) + '\0'
        );
    }
    const auto cursor =
        impl_->records->cursor({.lower_bound = lower, .upper_bound = after_prefix(lower)});
    cursor->seek(start);
    std::string last;
    while (cursor->valid()) {
        if (page.objects.size() + page.common_prefixes.size() == max_keys) {
            page.truncated = true;
            page.next_marker = last;
            page.next_token = make_token(last);
            break;
        }
        const auto parsed = parse_object_key(cursor->key());
        if (!parsed) {
            return damaged_record();
        }
        if (const auto shared = common_prefix(parsed->key, request.prefix, request.delimiter)) {
            last = *shared;
            page.common_prefixes.push_back(last);
            cursor->seek(after_prefix(object_key(bucket, last)));
            continue;
        }
        auto info = decode_summary(cursor->value());
        if (!info) {
            return damaged_record();
        }
        last = parsed->key;
        info->key = last;
        page.objects.push_back(*std::move(info));
        cursor->next();
    }
    GATELEG_TRY(cursor->status());
    return page;
}

Result<UploadPage> ObjectStore::list_multiparts(std::string_view bucket, const ListUploads& request)
    const {
    GATELEG_TRY(impl_->get_bucket(bucket));
    UploadPage page;
    const auto max_uploads = std::min(request.max_uploads, kMaxListed);
    if (max_uploads == 0) {
        return page;
    }
    const auto lower = uploads_prefix(bucket, request.prefix);
    auto start = lower;
    if (!request.key_marker.empty()) {
        const auto& marker = request.key_marker;
        const auto shared = common_prefix(marker, request.prefix, request.delimiter);
        if (shared) {
            start = after_prefix(uploads_prefix(bucket, *shared));
        } else if (!request.upload_id_marker.empty()) {
            start = upload_key(bucket, marker, request.upload_id_marker) + '\0';
        } else {
            start = uploads_after(bucket, marker);
        }
        start = std::max(lower, start);
    }
    const auto cursor =
        impl_->records->cursor({.lower_bound = lower, .upper_bound = after_prefix(lower)});
    cursor->seek(start);
    std::string last_key;
    std::string last_id;
    while (cursor->valid()) {
        if (page.uploads.size() + page.common_prefixes.size() == max_uploads) {
            page.truncated = true;
            page.next_key_marker = last_key;
            page.next_upload_id_marker = last_id;
            break;
        }
        const auto name = parse_upload_key(cursor->key());
        if (!name) {
            return damaged_record();
        }
        if (const auto shared = common_prefix(name->key, request.prefix, request.delimiter)) {
            last_key = *shared;
            last_id.clear();
            page.common_prefixes.push_back(last_key);
            cursor->seek(after_prefix(uploads_prefix(bucket, last_key)));
            continue;
        }
        auto record = decode_upload(cursor->value());
        if (!record) {
            return damaged_record();
        }
        last_key = name->key;
        last_id = name->upload_id;
        record->info.key = last_key;
        record->info.upload_id = last_id;
        page.uploads.push_back(std::move(record->info));
        cursor->next();
    }
    GATELEG_TRY(cursor->status());
    return page;
}

}  // namespace gateleg::objects
