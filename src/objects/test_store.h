// For tests: a store of their own, and short names for what they do with it.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "objects/store.h"

namespace gateleg::objects {

// 2025-03-01T00:00:00Z
inline constexpr std::int64_t kTestTime = 1'740'787'200'000;

inline ObjectStoreOptions in_memory() {
    ObjectStoreOptions options;
    options.in_memory = true;
    options.sweep_in_background = false;
    options.block_cache_bytes = std::size_t{1} << 20;
    return options;
}

inline ObjectStoreOptions on_disk(const std::filesystem::path& directory) {
    auto options = in_memory();
    options.in_memory = false;
    options.directory = directory;
    return options;
}

inline Result<Written> put(
    ObjectStore& store,
    std::string_view bucket,
    std::string_view key,
    std::string_view body,
    const FinishUpload& finish = {},
    UploadOptions options = {}
) {
    GATELEG_TRY_ASSIGN(auto upload, store.begin_put(bucket, key, std::move(options)));
    GATELEG_TRY(upload.append(body));
    return upload.finish(finish);
}

inline Result<std::string> read_all(ObjectReader& reader) {
    std::string body(reader.info().size, '\0');
    GATELEG_TRY_ASSIGN(const auto got, reader.read(0, body));
    body.resize(got);
    return body;
}

inline Result<std::string> get(
    const ObjectStore& store, std::string_view bucket, std::string_view key
) {
    GATELEG_TRY_ASSIGN(auto reader, store.open(bucket, key));
    return read_all(reader);
}

// Why it failed; nothing if it did not, or for a reason of another module.
template <class T>
std::optional<Reason> reason(const Result<T>& result) {
    return result ? std::nullopt : reason_of(result.error());
}

// A store in memory with one bucket, "pictures".
class StoreTest : public testing::Test {
protected:
    StoreTest() {
        clock_.freeze_at(kTestTime);
        store_ = std::make_unique<ObjectStore>(in_memory(), clock_);
        EXPECT_TRUE(store_->create_bucket("pictures"));
    }

    SettableClock clock_;
    std::unique_ptr<ObjectStore> store_;
};

}  // namespace gateleg::objects
