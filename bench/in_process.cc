// What the engine costs over the store under it, without HTTP and JSON: 100,000 items of 1 KB, one
// thread that asks. Prints one JSON line with operations per second.
//
//     in_process DIRECTORY [ITEMS] [SECONDS]

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <string>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "storage/store.h"
#include "value/attribute_value.h"

namespace {

using namespace gateleg;
using value::AttributeValue;
using value::Item;

constexpr std::size_t kNoteBytes = 900;
constexpr std::size_t kPerPartition = 50;
constexpr std::size_t kInFlight = 64;

std::string note(std::mt19937& random) {
    std::string text(kNoteBytes, ' ');
    for (auto& c : text) {
        c = static_cast<char>('a' + random() % 26);
    }
    return text;
}

Item key_of(std::size_t number) {
    return {
        {"pk", AttributeValue{"customer#" + std::to_string(number / kPerPartition)}},
        {"sk", AttributeValue{"order#" + std::to_string(number % kPerPartition)}}};
}

template <class Work>
double rate(double seconds, Work work) {
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    std::size_t done = 0;
    double passed = 0;
    do {
        for (int i = 0; i < 1000; ++i) {
            work();
        }
        done += 1000;
        passed = std::chrono::duration<double>(Clock::now() - began).count();
    } while (passed < seconds);
    return static_cast<double>(done) / passed;
}

[[noreturn]] void fail(const std::string& why) {
    std::cerr << "in_process: " << why << '\n';
    std::exit(1);
}

// Writes that are under way: the caller waits only when there are many.
class Window {
public:
    void enter() {
        std::unique_lock lock(mutex_);
        free_.wait(lock, [this] { return under_way_ < kInFlight; });
        ++under_way_;
    }
    void leave() {
        const std::lock_guard lock(mutex_);
        if (under_way_-- == kInFlight) {
            free_.notify_one();
        }
        if (under_way_ == 0) {
            empty_.notify_one();
        }
    }
    void drain() {
        std::unique_lock lock(mutex_);
        empty_.wait(lock, [this] { return under_way_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable free_;
    std::condition_variable empty_;
    std::size_t under_way_ = 0;
};

struct Rates {
    double get = 0;
    double put = 0;
};

Rates measure_engine(const std::string& directory, std::size_t items, double seconds) {
    const SystemClock clock;
    storage::StoreOptions options;
    options.directory = directory;
    options.durability = storage::Durability::kProcess;
    const auto store = storage::Store::open(options);
    engine::Engine engine(*store, clock, {});
    dynamo::CreateTableRequest create;
    create.table = "orders";
    create.attributes = {{"pk"}, {"sk"}};
    create.key_schema = {{"pk", dynamo::KeyRole::kHash}, {"sk", dynamo::KeyRole::kRange}};
    create.billing_mode = dynamo::BillingMode::kPayPerRequest;
    Window window;
    window.enter();
    engine.create_table(std::move(create), [&](auto) { window.leave(); });
    window.drain();

    std::mt19937 random(1);
    const auto put = [&](std::size_t number) {
        auto item = key_of(number);
        item["note"] = AttributeValue{note(random)};
        dynamo::PutItemRequest request;
        request.write.table = "orders";
        request.item = value::encode_item(item);
        window.enter();
        engine.put_item(std::move(request), [&](auto reply) {
            if (!reply) {
                fail(reply.error().message);
            }
            window.leave();
        });
    };
    for (std::size_t i = 0; i < items; ++i) {
        put(i);
    }
    window.drain();
    Rates rates;
    rates.get = rate(seconds, [&] {
        dynamo::GetItemRequest request;
        request.table = "orders";
        request.key = value::encode_item(key_of(random() % items));
        engine.get_item(std::move(request), [](auto reply) {
            if (!reply || !reply->item || value::decode_item(reply->item->view()).empty()) {
                fail("an item is missing");
            }
        });
    });
    rates.put = rate(seconds, [&] { put(random() % items); });
    window.drain();
    return rates;
}

Rates measure_rocksdb(const std::string& directory, std::size_t items, double seconds) {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = rocksdb::NewLRUCache(std::size_t{256} << 20);
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    rocksdb::Options options;
    options.create_if_missing = true;
    options.compression = rocksdb::kLZ4Compression;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::DB* opened = nullptr;
    if (const auto status = rocksdb::DB::Open(options, directory, &opened); !status.ok()) {
        fail(status.ToString());
    }
    const std::unique_ptr<rocksdb::DB> database(opened);
    std::mt19937 random(1);
    const auto key = [](std::size_t number) {
        return "customer#" + std::to_string(number / kPerPartition) + "#order#" +
               std::to_string(number % kPerPartition);
    };
    const auto put = [&](std::size_t number) {
        if (!database->Put({}, key(number), note(random)).ok()) {
            fail("a put failed");
        }
    };
    for (std::size_t i = 0; i < items; ++i) {
        put(i);
    }
    Rates rates;
    std::string value;
    rates.get = rate(seconds, [&] {
        if (!database->Get({}, key(random() % items), &value).ok()) {
            fail("a value is missing");
        }
    });
    rates.put = rate(seconds, [&] { put(random() % items); });
    return rates;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        std::cerr << "usage: in_process DIRECTORY [ITEMS] [SECONDS]\n";
        return 2;
    }
    const std::filesystem::path root(arguments[1]);
    const auto items = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 100'000;
    const auto seconds = count > 3 ? std::strtod(arguments[3], nullptr) : 3.0;
    std::filesystem::create_directories(root);
    const auto ours = measure_engine((root / "engine").string(), items, seconds);
    const auto raw = measure_rocksdb((root / "rocksdb").string(), items, seconds);
    std::cout << "{\"get\":" << ours.get << ",\"put\":" << ours.put << ",\"raw_get\":" << raw.get
              << ",\"raw_put\":" << raw.put << "}\n";
}
