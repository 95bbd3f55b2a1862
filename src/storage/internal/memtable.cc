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

namespace gateleg::storage::internal {
namespace {

using rocksdb::Slice;

constexpr int kMaxHeight = 12;
// One node in so many reaches the next height.
constexpr std::uint32_t kBranching = 4;
// Behind the user's key in RocksDB's: sequence number and type, the newest first.
constexpr std::size_t kTrailerBytes = 8;
constexpr std::size_t kHeadBytes = 16;
constexpr std::size_t kAlignment = 8;
// Nodes are taken from memory so large.
constexpr std::size_t kSlabBytes = std::size_t{16} << 10;

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

    std::string_view user;
    const char* trailer;
    std::array<std::uint64_t, 2> head{};  // filled up with zeroes
};

std::uint64_t version(const char* trailer) {
    std::uint64_t packed = 0;
    std::memcpy(&packed, trailer, sizeof packed);
    return packed;
}

// What a search reads. Nodes lie close together and apart from the entries, whose values would
// push them out of the processor's caches. Its links stand behind it, the lowest first.
struct Node {
    std::array<std::uint64_t, 2> head;
    char* entry;  // as RocksDB encodes key and value

    std::atomic<Node*>& link(int level) {
        return std::launder(reinterpret_cast<std::atomic<Node*>*>(this + 1))[level];
    }
    Node* next(int level) { return link(level).load(std::memory_order_acquire); }

    static std::size_t bytes(int height) {
        return sizeof(Node) + static_cast<std::size_t>(height) * sizeof(std::atomic<Node*>);
    }
};

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

bool is_before_whole(Node& node, const Target& target) {
    const Target own(internal_key(node.entry));
    const int order = own.user.compare(target.user);
    return order < 0 || (order == 0 && version(own.trailer) > version(target.trailer));
}

bool is_before(Node& node, const Target& target) {
    if (node.head[0] != target.head[0]) {
        return node.head[0] < target.head[0];
    }
    if (node.head[1] != target.head[1]) {
        return node.head[1] < target.head[1];
    }
    return is_before_whole(node, target);
}

// Gives memory of an arena, whose class is RocksDB's own: the base class knows how to ask it.
class ArenaMemory final : public rocksdb::MemTableRep {
public:
    explicit ArenaMemory(rocksdb::Allocator* allocator) : MemTableRep(allocator) {}
    char* any(std::size_t bytes) {
        char* start = nullptr;
        MemTableRep::Allocate(bytes, &start);
        return start;
    }
    void* aligned(std::size_t bytes) {
        auto space = bytes + kAlignment - 1;
        void* place = any(space);
        return std::align(kAlignment, bytes, place, space);
    }
    void Insert(rocksdb::KeyHandle /*handle*/) override {}
    bool Contains(const char* /*key*/) const override { return false; }
    std::size_t ApproximateMemoryUsage() override { return 0; }
    Iterator* GetIterator(rocksdb::Arena* /*arena*/) override { return nullptr; }
};

class Memtable final : public rocksdb::MemTableRep {
public:
    explicit Memtable(rocksdb::Allocator* allocator)
        : MemTableRep(allocator), memory_(allocator), first_(make_node(kMaxHeight)) {}

    rocksdb::KeyHandle Allocate(std::size_t bytes, char** entry) override {
        const int height = random_height();
        Node* node = make_node(height);
        node->head[0] = static_cast<std::uint64_t>(height);  // until it is inserted
        node->entry = memory_.any(bytes);
        *entry = node->entry;
        return node;
    }

    void Insert(rocksdb::KeyHandle handle) override {
        auto& node = *static_cast<Node*>(handle);
        const int height = static_cast<int>(node.head[0]);
        const Target target(internal_key(node.entry));
        node.head = target.head;
        std::array<Node*, kMaxHeight> before{};
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

    std::size_t ApproximateMemoryUsage() override { return 0; }  // all is the allocator's

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
    class Walk : public Iterator {
    public:
        Walk() = default;
        explicit Walk(const Memtable& table) : table_(&table) {}
        void look_into(const Memtable& table) {
            table_ = &table;
            node_ = nullptr;
        }

        bool Valid() const override { return node_ != nullptr; }
        const char* key() const override { return node_->entry; }
        void Next() override { node_ = node_->next(0); }
        void Prev() override { node_ = table_->last_before(Target(internal_key(node_->entry))); }
        void Seek(const Slice& key, const char* /*entry*/) override {
            node_ = table_->find(Target(key), nullptr);
        }
        void SeekForPrev(const Slice& key, const char* /*entry*/) override {
            const Target target(key);
            node_ = table_->find(target, nullptr);
            if (node_ == nullptr || internal_key(node_->entry) != key) {
                node_ = table_->last_before(target);
            }
        }
        void SeekToFirst() override { node_ = table_->first_->next(0); }
        void SeekToLast() override { node_ = table_->last(); }

    private:
        const Memtable* table_ = nullptr;
        Node* node_ = nullptr;
    };
    // Stays alive whether or not it is deleted.
    class Lookup final : public Walk {
    public:
        static void operator delete(void* /*memory*/) {}
    };

    Node* make_node(int height) {
        const auto bytes = Node::bytes(height);
        if (slab_left_ < bytes) {
            slab_ = static_cast<char*>(memory_.aligned(kSlabBytes));
            slab_left_ = kSlabBytes;
        }
        auto* node = new (slab_) Node{};
        slab_ += bytes;
        slab_left_ -= bytes;
        for (int level = 0; level < height; ++level) {
            new (&node->link(level)) std::atomic<Node*>(nullptr);
        }
        return node;
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

    Node* last_before(const Target& target) const {
        std::array<Node*, kMaxHeight> before{};
        find(target, before.data());
        return before[0] == first_ ? nullptr : before[0];
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

    ArenaMemory memory_;
    char* slab_ = nullptr;  // where the next node goes
    std::size_t slab_left_ = 0;
    Node* const first_;  // before all others, without a key
    std::atomic<int> height_{1};
    std::uint64_t random_ = 0x9E3779B97F4A7C15U;
};

class Factory final : public rocksdb::MemTableRepFactory {
public:
    using MemTableRepFactory::CreateMemTableRep;
    rocksdb::MemTableRep* CreateMemTableRep(
        const rocksdb::MemTableRep::KeyComparator& /*order*/,
        rocksdb::Allocator* allocator,
        const rocksdb::SliceTransform* /*prefix*/,
        rocksdb::Logger* /*logger*/
    ) override {
        return new Memtable(allocator);
    }
    const char* Name() const override { return "gateleg.Memtable"; }
};

}  // namespace

std::shared_ptr<rocksdb::MemTableRepFactory> make_memtable_factory() {
    return std::make_shared<Factory>();
}

}  // namespace gateleg::storage::internal
