#include "objects/internal/conditions.h"

#include <algorithm>

#include "objects/types.h"

namespace gateleg::objects {

namespace {

bool names(const std::vector<std::string>& etags, const std::string& etag) {
    return std::any_of(etags.begin(), etags.end(), [&](const std::string& given) {
        return given == "*" || given == etag;
    });
}

}  // namespace

// RFC 9110 section 13.2.2: an entity tag, where there is one, takes the place of the time.
ReadVerdict judge(const ReadCondition& condition, const ObjectInfo& info) {
    const auto modified = info.modified_millis / 1000;
    if (!condition.if_match.empty()) {
        if (!names(condition.if_match, info.etag)) {
            return ReadVerdict::kPreconditionFailed;
        }
    } else if (condition.if_unmodified_since && modified > *condition.if_unmodified_since) {
        return ReadVerdict::kPreconditionFailed;
    }
    if (!condition.if_none_match.empty()) {
        if (names(condition.if_none_match, info.etag)) {
            return ReadVerdict::kNotModified;
        }
    } else if (condition.if_modified_since && modified <= *condition.if_modified_since) {
        return ReadVerdict::kNotModified;
    }
    return ReadVerdict::kProceed;
}

namespace internal {

Result<void> check_write(const WriteCondition& condition, const std::string* etag) {
    if (condition.if_match) {
        if (etag == nullptr) {
            return object_error(Reason::kNoSuchKey);
        }
        if (*condition.if_match != "*" && *condition.if_match != *etag) {
            return object_error(Reason::kPreconditionFailed);
        }
    }
    if (condition.if_none_match && etag != nullptr &&
        (*condition.if_none_match == "*" || *condition.if_none_match == *etag)) {
        return object_error(Reason::kPreconditionFailed);
    }
    return {};
}

Result<void> check_copy_source(const ReadCondition& condition, const ObjectInfo& info) {
    if (judge(condition, info) != ReadVerdict::kProceed) {
        return object_error(Reason::kPreconditionFailed);
    }
    return {};
}

}  // namespace internal

}  // namespace gateleg::objects
