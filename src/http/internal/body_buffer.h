// Where a large body is collected, and the stock of memory that all of them share.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace gateleg::http {

// Bytes out of a fixed stock. Thread-safe.
class BytePool {
public:
    explicit BytePool(std::size_t bytes) : free_(static_cast<std::int64_t>(bytes)) {}

    bool reserve(std::size_t bytes) {
        const auto wanted = static_cast<std::int64_t>(bytes);
        if (free_.fetch_sub(wanted, std::memory_order_relaxed) >= wanted) {
            return true;
        }
        free_.fetch_add(wanted, std::memory_order_relaxed);
        return false;
    }
    void give_back(std::size_t bytes) {
        free_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
    }

private:
    std::atomic<std::int64_t> free_;
};

// A body too large to stand behind its head. Grows with what arrives, not with what is announced.
class BodyBuffer {
public:
    explicit BodyBuffer(BytePool& pool) : pool_(pool) {}
    ~BodyBuffer() { free(); }
    BodyBuffer(const BodyBuffer&) = delete;
    BodyBuffer& operator=(const BodyBuffer&) = delete;

    // False if the pool has no more.
    bool ensure_capacity(std::size_t bytes);
    bool append(std::string_view bytes);
    void clear() { size_ = 0; }
    void free();

    char* free_space() { return data_.get() + size_; }
    std::size_t free_bytes() const { return capacity_ - size_; }
    void grew(std::size_t bytes) { size_ += bytes; }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    std::string_view view() const { return {data_.get(), size_}; }

private:
    BytePool& pool_;
    std::unique_ptr<char[]> data_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace gateleg::http
