// Reads the items of a list in its order: group after group, the queries of a group merged, and
// where a cursor says. What they are and who sees them is not decided here.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/cursor.h"
#include "model/database.h"
#include "model/item_form.h"
#include "model/pattern_plan.h"
#include "model/schema.h"
#include "model/stored_item.h"

namespace gateleg::model {

// The bytes of an item, and what keeps them.
struct RawItem {
    StoredItem item;  // the layout of the memory has read it, until the reader's next one
    std::shared_ptr<const dynamo::PageReply> page;
    std::size_t place = 0;  // how many were read before it
};

// One thread at a time; what it is given outlives it.
class ListReader {
public:
    struct Options {
        bool forward = true;
        std::int64_t page_size = 0;  // 0: as much as fits into a reply
        std::int64_t budget = 0;     // the most items it reads, about
    };
    ListReader(
        Database& database,
        const ItemMarks& marks,
        ListMemory& memory,
        std::string partition,  // the attribute whose values tell the queries of a group apart
        QueryPlan plan,
        Options options
    );
    ~ListReader();
    ListReader(const ListReader&) = delete;
    ListReader& operator=(const ListReader&) = delete;

    // Goes on where a cursor says; false if it is not one of this list. Before the first item.
    bool resume(const CursorPosition& position);

    // Nothing: the list is at its end, or the budget is.
    Result<std::optional<RawItem>> next();
    bool is_done() const { return done_; }
    bool is_out_of_budget() const { return budget_ <= 0; }

    // How many items were read.
    std::size_t count() const { return taken_.size(); }
    // Where the list goes on behind so many.
    EncodedPosition position_after(std::size_t count) const;

private:
    // One query, read page by page as its items are wanted.
    class Stream;
    // A raw item that was taken from its query.
    struct Taken {
        std::size_t group;
        std::size_t stream;
        const char* item;  // in kept_; null: its key was written down
        std::size_t key;   // its place in keys_
    };

    void open(std::size_t group);
    bool keep(const std::shared_ptr<const dynamo::PageReply>& page);
    void remember(const RawItem& raw, std::size_t stream);
    Result<std::size_t> find_next();
    bool is_late(std::size_t stream, const StoredItem& item) const;

    Database& database_;
    const ItemMarks& marks_;
    ListMemory& memory_;
    std::string partition_;
    QueryPlan plan_;
    Options options_;
    std::int64_t budget_;
    EncodedPosition start_;
    std::optional<value::EncodedItem> last_;  // what the list showed last, in the group of start_

    bool opened_ = false;
    std::size_t group_ = 0;
    std::vector<Stream> streams_;
    bool done_ = false;
    std::vector<Taken> taken_;
    std::string keys_;  // of taken_, one behind the other
    // Only the last item of a page is asked for its key: while pages are small they stay, and
    // the key is made then.
    std::vector<std::shared_ptr<const dynamo::PageReply>> kept_;
    std::size_t kept_bytes_ = 0;
};

}  // namespace gateleg::model
