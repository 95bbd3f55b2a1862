// T4: power is cut at any call to the disk. What was synced is there, of the rest any part; files
// that were made, renamed or deleted after the last sync of their folder may or may not be so.
// Whatever the image, it opens without an operator and holds every acknowledged batch, and of the
// one on its way all or nothing. GATELEG_IMAGES says how many are tried, 100 otherwise, and
// GATELEG_CRASH_SEED draws others.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "storage/internal/hooks.h"
#include "storage/internal/power_loss_fs.h"
#include "storage/internal/test_directory.h"
#include "storage/store.h"

namespace gateleg::storage {
namespace {

namespace fs = std::filesystem;

constexpr int kImagesALife = 20;
constexpr int kBatches = 60;
constexpr int kKeys = 40;
constexpr const char* kCounter = "counter";

int setting(const char* name, int otherwise) {
    const char* told = std::getenv(name);
    return told == nullptr ? otherwise : std::atoi(told);  // NOLINT: a test's own setting
}

using Rows = std::map<std::string, std::string>;

struct Image {
    fs::path path;
    int acknowledged;  // so many batches when the power went
    int begun;
};

// One life of a store, and what cuts during it would have left.
class Life {
public:
    Life(const fs::path& folder, std::uint32_t seed, Durability durability)
        : folder_(folder), random_(seed), durability_(durability), states_{{}} {
        fs::create_directories(folder / "side");
        file_system_ = std::make_shared<internal::PowerLossFs>(
            folder / "data" / "db", folder / "side", seed + 1
        );
        file_system_->before_call = [this] { maybe_cut(); };
    }

    void live() {
        auto store = open(folder_ / "data", file_system_);
        while (begun_ < kBatches) {
            write(*store);
            if (random_() % 9 == 0) {
                ASSERT_TRUE(store->flush());
            }
            if (random_() % 25 == 0) {
                store.reset();
                store = open(folder_ / "data", file_system_);
            }
        }
    }

    // How the image fails to be what it must; empty if it does not.
    std::string judge(const Image& image, bool live_on) {
        try {
            auto store = open(image.path, nullptr);
            auto complaint = compare(*store, image);
            if (complaint.empty() && live_on) {
                WriteBatch batch;
                batch.put("after", "the cut");
                if (!store->write(batch) || !store->flush()) {
                    return "takes no write";
                }
                store.reset();
                store = open(image.path, nullptr);
                std::string value;
                const auto found = store->get("after", value);
                return found && *found ? "" : "has lost the write after the cut";
            }
            return complaint;
        } catch (const StoreOpenError& error) {
            return error.what();
        }
    }

    const std::vector<Image>& images() const { return images_; }
    const internal::PowerLosses& losses() const { return file_system_->losses(); }

private:
    std::unique_ptr<Store> open(
        const fs::path& data, std::shared_ptr<rocksdb::FileSystem> file_system
    ) const {
        auto hooks = std::make_shared<internal::Hooks>();
        hooks->file_system = std::move(file_system);
        hooks->tick = std::chrono::milliseconds(5);
        StoreOptions options;
        options.directory = data;
        options.durability = durability_;
        options.hooks = hooks;
        return Store::open(options);
    }

    void write(Store& store) {
        auto rows = states_.back();
        WriteBatch batch;
        const int number = begun_ + 1;
        for (auto left = random_() % 5; left > 0; --left) {
            const auto key = "key" + std::to_string(random_() % kKeys);
            if (random_() % 4 == 0) {
                batch.erase(key);
                rows.erase(key);
            } else {
                const auto size = random_() % 20 == 0 ? 60'000 : random_() % 900;
                rows[key] = std::to_string(number) + std::string(size, 'v');
                batch.put(key, rows[key]);
            }
        }
        rows[kCounter] = std::to_string(number);
        batch.put(kCounter, rows[kCounter]);
        states_.push_back(std::move(rows));
        begun_ = number;
        ASSERT_TRUE(store.write(batch));
        acknowledged_ = number;
    }

    void maybe_cut() {
        // About four hundred calls a life; the first of them make the database.
        if (images_.size() >= kImagesALife || cut_random_() % 12 != 0) {
            return;
        }
        // In this order: neither the count nor the mark may be newer than the files.
        Image image{folder_ / ("image" + std::to_string(images_.size())), acknowledged_, 0};
        fs::create_directories(image.path);
        fs::permissions(image.path, fs::perms::owner_all);
        for (const char* name : {"FORMAT", "MARK"}) {
            fs::copy_file(folder_ / "data" / name, image.path / name);
        }
        file_system_->write_image(image.path / "db");
        image.begun = begun_;
        images_.push_back(image);
    }

    std::string compare(const Store& store, const Image& image) const {
        Rows rows;
        const auto cursor = store.cursor({});
        for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
            rows.emplace(cursor->key(), cursor->value());
        }
        if (!cursor->status()) {
            return "cannot be read";
        }
        const int count = rows.contains(kCounter) ? std::stoi(rows[kCounter]) : 0;
        if (count < image.acknowledged || count > image.begun) {
            return "has " + std::to_string(count) + " batches; " +
                   std::to_string(image.acknowledged) + " were acknowledged, " +
                   std::to_string(image.begun) + " begun";
        }
        return rows == states_[static_cast<std::size_t>(count)] ? "" : "has other rows";
    }

    fs::path folder_;
    std::mt19937 random_;
    std::mt19937 cut_random_{random_()};
    Durability durability_;
    std::shared_ptr<internal::PowerLossFs> file_system_;
    std::vector<Rows> states_;  // after each batch
    std::atomic<int> begun_{0};
    std::atomic<int> acknowledged_{0};
    std::vector<Image> images_;
};

TEST(PowerLossTest, EveryImageOpensWithAllThatWasAcknowledged) {
    internal::PowerLosses all;
    const int wanted = setting("GATELEG_IMAGES", 100);
    // Far apart, so that two runs have no life in common.
    auto seed = static_cast<std::uint32_t>(setting("GATELEG_CRASH_SEED", 0)) * 1000 + 1;
    for (; all.images < wanted && !testing::Test::HasFailure(); ++seed) {
        const internal::TestDirectory directory;
        Life life(directory / "life", seed, Durability::kFsync);
        life.live();
        for (const auto& image : life.images()) {
            EXPECT_EQ(life.judge(image, image.begun % 5 == 0), "") << "seed " << seed;
        }
        ASSERT_GT(life.losses().images, 0);
        all.images += life.losses().images;
        all.files_torn += life.losses().files_torn;
        all.files_dropped += life.losses().files_dropped;
        all.files_back += life.losses().files_back;
        all.renames_undone += life.losses().renames_undone;
    }
    std::printf(
        "     counts power-loss images=%d files_torn=%d files_dropped=%d files_back=%d "
        "renames_undone=%d\n",
        all.images,
        all.files_torn,
        all.files_dropped,
        all.files_back,
        all.renames_undone
    );
    EXPECT_GT(all.files_torn, 0);
    EXPECT_GT(all.files_dropped, 0);
    EXPECT_GT(all.files_back, 0);
    EXPECT_GT(all.renames_undone, 0);
}

// Otherwise the images above would prove nothing.
TEST(PowerLossTest, WithoutSyncsAnImageLosesWhatWasAcknowledged) {
    int lost = 0;
    for (std::uint32_t seed = 1; seed < 5 && lost == 0; ++seed) {
        const internal::TestDirectory directory;
        Life life(directory / "life", seed, Durability::kProcess);
        life.live();
        for (const auto& image : life.images()) {
            lost += life.judge(image, false).empty() ? 0 : 1;
        }
    }
    EXPECT_GT(lost, 0);
}

}  // namespace
}  // namespace gateleg::storage
