#include "storage/internal/memtable.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

#include "storage/internal/slabs.h"

namespace gateleg::storage::internal {
namespace {

using rocksdb::Slice;

constexpr int kMaxHeight = 12;
// One node in so many reaches the next height.
constexpr std::uint32_t kBranching = 4;
// Behind the user's key in RocksDB's: sequence number and type, the newest first.
constexpr std::size_t kTrailerBytes = 8;
constexpr std::size_t kHeadBytes = 16;
constexpr std::size_t kAlignment = Slabs::kAlignment;
constexpr std::array<char, kTrailerBytes> kNoTrailer{};
// Whoever walks backwards collects what lies behind a node of this level, one in 16, and keeps so
// many.
constexpr std::size_t kGatherLevel = 2;
constexpr std::size_t kGathered = 32;

static_assert(std::endian::native == std::endian::little);

std::uint64_t big_endian(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return __builtin_bswap64(word);
}

// A key to search for, or to insert.
struct Target {
    explicit Target(Slice internal)
        : user(internal.data(), internal.size() - kTrailerBytes),
          trailer(internal.data() + user.size()) {
        std::array<char, kHeadBytes> start{};
        const char* from = user.data();
        if (user.size() < kHeadBytes) {
            user.copy(start.data(), user.size());
            from = start.data();
        }
        head = {big_endian(from), big_endian(from + 8)};
    }

    // What the head does not hold.
    std::string_view tail() const { return user.substr(std::min(user.size(), kHeadBytes)); }

    std::string_view user;
    const char* trailer;
    std::array<std::uint64_t, 2> head{};  // filled up with zeroes
};

std::uint64_t version(const char* trailer) {
    std::uint64_t packed = 0;
    std::memcpy(&packed, trailer, sizeof packed);
    return packed;
}

Slice internal_key(const char* entry) {
    std::size_t size = 0;
    for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(*entry++);
        size |= static_cast<std::size_t>(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return {entry, size};
        }
    }
}

// What a search reads. Nodes lie close together and apart from the entries, whose values would
// push them out of the processor's caches. Behind one stand its links, the lowest first, and then
// the rest of its key.
struct Node {
    std::array<std::uint64_t, 2> head;
    const char* entry;  // as RocksDB encodes key and value
    std::uint32_t user_bytes;
    std::int32_t height;

    std::atomic<Node*>& link(int level) {
        return std::launder(reinterpret_cast<std::atomic<Node*>*>(this + 1))[level];
    }
    Node* next(int level) { return link(level).load(std::memory_order_acquire); }

    // What follows the head in the user's key, and then the trailer.
    char* rest() { return reinterpret_cast<char*>(this + 1) + link_bytes(height); }
    std::string_view tail() {
        return {rest(), user_bytes - std::min<std::size_t>(user_bytes, kHeadBytes)};
    }
    const char* trailer() { return rest() + tail().size(); }

    static std::size_t link_bytes(int height) {
        return static_cast<std::size_t>(height) * sizeof(std::atomic<Node*>);
    }
    static std::size_t bytes(int height, const Target& target) {
        return sizeof(Node) + link_bytes(height) + target.tail().size() + kTrailerBytes;
    }
};

// Heads are alike. Then one key begins with all of the other up to its end, or both go on.
bool is_before_behind_head(Node& node, const Target& target) {
    const int order = node.tail().compare(target.tail());
    if (order != 0) {
        return order < 0;
    }
    if (node.user_bytes != target.user.size()) {
        return node.user_bytes < target.user.size();
    }
    return version(node.trailer()) > version(target.trailer);
}

bool is_before(Node& node, const Target& target) {
    if (node.head[0] != target.head[0]) {
        return node.head[0] < target.head[0];
    }
    if (node.head[1] != target.head[1]) {
        return node.head[1] < target.head[1];
    }
    return is_before_behind_head(node, target);
}

// Gives memory of an arena, whose class is RocksDB's own: the base class knows how to ask it.
class ArenaMemory final : public rocksdb::MemTableRep {
public:
    explicit ArenaMemory(rocksdb::Allocator* allocator) : MemTableRep(allocator) {}
    void* aligned(std::size_t bytes) {
        auto space = bytes + kAlignment - 1;
        char* start = nullptr;
        MemTableRep::Allocate(space, &start);
        void* place = start;
        return std::align(kAlignment, bytes, place, space);
    }
    void Insert(rocksdb::KeyHandle /*handle*/) override {}
    bool Contains(const char* /*key*/) const override { return false; }
    std::size_t ApproximateMemoryUsage() override { return 0; }
    Iterator* GetIterator(rocksdb::Arena* /*arena*/) override { return nullptr; }
};

class Memtable final : public rocksdb::MemTableRep {
public:
    Memtable(rocksdb::Allocator* allocator, const std::shared_ptr<SlabPool>& slabs)
        : MemTableRep(allocator),
          nodes_(slabs),
          entries_(slabs),
          first_(&make_node(kMaxHeight, Target(Slice(kNoTrailer.data(), kTrailerBytes)))) {}

    // The entry is filled in before it is inserted; only then is there a key to make a node of.
    rocksdb::KeyHandle Allocate(std::size_t bytes, char** entry) override {
        *entry = entries_.take(bytes);
        return *entry;
    }

    void Insert(rocksdb::KeyHandle handle) override {
        const auto* entry = static_cast<const char*>(handle);
        const Target target(internal_key(entry));
        const int height = random_height();
        Node& node = make_node(height, target);
        node.entry = entry;
        Path before{};
        const int known = height_.load(std::memory_order_relaxed);
        find(target, before.data());
        if (height > known) {
            std::fill(before.begin() + known, before.begin() + height, first_);
            // A reader that sees it before the links finds nothing up there.
            height_.store(height, std::memory_order_relaxed);
        }
        for (int level = 0; level < height; ++level) {
            node.link(level).store(
                before[static_cast<std::size_t>(level)]->next(level), std::memory_order_relaxed
            );
            before[static_cast<std::size_t>(level)]->link(level).store(
                &node, std::memory_order_release
            );
        }
    }

    bool Contains(const char* key) const override {
        const Target target(internal_key(key));
        auto* found = find(target, nullptr);
        return found != nullptr && internal_key(found->entry) == internal_key(key);
    }

    // The allocator knows nothing of it.
    std::size_t ApproximateMemoryUsage() override { return nodes_.bytes() + entries_.bytes(); }

    void Get(const rocksdb::LookupKey& key, void* argument, bool (*take)(void*, const char*))
        override {
        // The base class reads the key, which is of a class of RocksDB's own, and asks for the
        // iterator below.
        MemTableRep::Get(key, argument, take);
    }

    Iterator* GetIterator(rocksdb::Arena* arena) override {
        if (arena == nullptr) {
            return new Walk(*this);
        }
        // An arena is first of all an allocator.
        ArenaMemory memory(reinterpret_cast<rocksdb::Allocator*>(arena));
        return new (memory.aligned(sizeof(Walk))) Walk(*this);
    }

    // Only Get() asks for it without an arena. It does not give it back, so each thread has one.
    Iterator* GetDynamicPrefixIterator(rocksdb::Arena* arena) override {
        if (arena != nullptr) {
            return GetIterator(arena);
        }
        thread_local Lookup lookup;
        lookup.look_into(*this);
        return &lookup;
    }

private:
    using Path = std::array<Node*, kMaxHeight>;

    class Walk : public Iterator {
    public:
        Walk() = default;
        explicit Walk(const Memtable& table) : table_(&table) {}
        void look_into(const Memtable& table) {
            table_ = &table;
            go_to(nullptr);
        }

        bool Valid() const override { return node_ != nullptr; }
        const char* key() const override { return node_->entry; }
        void Next() override { go_to(node_->next(0)); }
        void Prev() override {
            if (gathered_ == 0) {
                Path path{};
                table_->find(Target(internal_key(node_->entry)), path.data());
                gather(path);
            }
            step_back();
        }
        void Seek(const Slice& key, const char* /*entry*/) override {
            go_to(table_->find(Target(key), nullptr));
        }
        void SeekForPrev(const Slice& key, const char* /*entry*/) override {
            Path path{};
            Node* found = table_->find(Target(key), path.data());
            if (found != nullptr && internal_key(found->entry) == key) {
                go_to(found);
                return;
            }
            gather(path);
            step_back();
        }
        void SeekToFirst() override { go_to(table_->first_->next(0)); }
        void SeekToLast() override { go_to(table_->last()); }

    private:
        void go_to(Node* node) {
            node_ = node;
            gathered_ = 0;
        }
        // Links lead one way, and a search finds one node: so what lies before the place that
        // `path` leads to is collected from some way before it on. What is inserted among that
        // later is newer than what this walk shows.
        void gather(const Path& path) {
            newest_ = 0;
            if (path[0] != table_->first_) {
                Node* at = path[kGatherLevel] != nullptr ? path[kGatherLevel] : table_->first_;
                if (at == table_->first_) {
                    at = at->next(0);
                }
                for (; at != path[0]; at = at->next(0)) {
                    before_[newest_++ % kGathered] = at;
                }
                before_[newest_++ % kGathered] = at;
            }
            gathered_ = std::min(newest_, kGathered);
        }
        void step_back() {
            node_ = nullptr;
            if (gathered_ != 0) {
                --gathered_;
                node_ = before_[--newest_ % kGathered];
            }
        }

        const Memtable* table_ = nullptr;
        Node* node_ = nullptr;
        // Nodes before the current one: that many, the last of them at the place before newest_.
        std::array<Node*, kGathered> before_{};
        std::size_t gathered_ = 0;
        std::size_t newest_ = 0;
    };
    // Stays alive whether or not it is deleted.
    class Lookup final : public Walk {
    public:
        static void operator delete(void* /*memory*/) {}
    };

    Node& make_node(int height, const Target& target) {
        auto* node = new (nodes_.take(Node::bytes(height, target))) Node{
            .head = target.head,
            .entry = nullptr,
            .user_bytes = static_cast<std::uint32_t>(target.user.size()),
            .height = height};
        for (int level = 0; level < height; ++level) {
            new (&node->link(level)) std::atomic<Node*>(nullptr);
        }
        target.tail().copy(node->rest(), target.tail().size());
        std::memcpy(node->rest() + target.tail().size(), target.trailer, kTrailerBytes);
        return *node;
    }

    int random_height() {
        int height = 1;
        while (height < kMaxHeight) {
            random_ = random_ * 6364136223846793005U + 1442695040888963407U;
            if ((random_ >> 33) % kBranching != 0) {
                break;
            }
            ++height;
        }
        return height;
    }

    // The first node that is not before `target`. Those before it, one a level, go to `before`.
    Node* find(const Target& target, Node** before) const {
        Node* node = first_;
        Node* behind = nullptr;  // known not to be before the target
        for (int level = height_.load(std::memory_order_relaxed) - 1;; --level) {
            Node* next = node->next(level);
            while (next != nullptr && next != behind) {
                __builtin_prefetch(next->next(level));
                if (!is_before(*next, target)) {
                    break;
                }
                node = next;
                next = node->next(level);
            }
            if (before != nullptr) {
                before[level] = node;
            }
            if (level == 0) {
                return next;
            }
            behind = next;
        }
    }

    Node* last() const {
        Node* node = first_;
        for (int level = height_.load(std::memory_order_relaxed) - 1; level >= 0; --level) {
            while (Node* next = node->next(level)) {
                node = next;
            }
        }
        return node == first_ ? nullptr : node;
    }

    Slabs nodes_;
    Slabs entries_;
    Node* const first_;  // before all others, without a key
    std::atomic<int> height_{1};
    std::uint64_t random_ = 0x9E3779B97F4A7C15U;
};

class Factory final : public rocksdb::MemTableRepFactory {
public:
    explicit Factory(std::shared_ptr<SlabPool> slabs) : slabs_(std::move(slabs)) {}

    using MemTableRepFactory::CreateMemTableRep;
    rocksdb::MemTableRep* CreateMemTableRep(
        const rocksdb::MemTableRep::KeyComparator& /*order*/,
        rocksdb::Allocator* allocator,
        const rocksdb::SliceTransform* /*prefix*/,
        rocksdb::Logger* /*logger*/
    ) override {
        return new Memtable(allocator, slabs_);
    }
    const char* Name() const override { return "gateleg.Memtable"; }

private:
    const std::shared_ptr<SlabPool> slabs_;
};

}  // namespace

std::shared_ptr<rocksdb::MemTableRepFactory> make_memtable_factory(std::shared_ptr<SlabPool> slabs
) {
    return std::make_shared<Factory>(std::move(slabs));
}

}  // namespace gateleg::storage::internal
