// A group of changes that the store applies together or not at all.

#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace gateleg::storage {

// One thread at a time. Later changes of a key win over earlier ones of the same batch.
// Cleared, it keeps its memory, so a writer that reuses one does not allocate.
class WriteBatch {
public:
    WriteBatch();
    ~WriteBatch();
    WriteBatch(WriteBatch&&) noexcept;
    WriteBatch& operator=(WriteBatch&&) noexcept;

    void put(std::string_view key, std::string_view value);
    void erase(std::string_view key);
    // Every key in [begin, end). Meant for dropping whole tables: reads near it get slower until it
    // is compacted away.
    void erase_range(std::string_view begin, std::string_view end);
    void clear();

    std::size_t bytes() const;
    bool empty() const;

private:
    friend class Store;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gateleg::storage
