// A user's stories as the native operations see them: calls of the model's patterns and operations
// in that user's name.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/runtime.h"
#include "systems/services.h"

namespace gateleg::systems::stories {

// Orders have gaps, so that a node between two others rarely moves them.
inline constexpr std::int64_t kOrderStep = 1024;
inline constexpr std::int64_t kMaxNodes = 1000;
inline constexpr std::size_t kMaxNodeBytes = 300 * 1024;

// Made for one call; one thread at a time. The runtime outlives it.
class StoryBook {
public:
    StoryBook(model::Runtime& runtime, std::string user)
        : runtime_(runtime), user_(std::move(user)), caller_(model::internal_caller(user_)) {}

    // StoryNotFound also for a copy that is not complete yet.
    model::CallResult<value::Item> story(const std::string& id) const;
    // In their order; ties by id.
    model::CallResult<std::vector<value::Item>> nodes(const std::string& story_id) const;
    model::CallResult<model::OperationReply> run(
        std::string_view operation,
        model::Arguments arguments,
        const model::OperationCall* behind = nullptr
    ) const;

    // Stored items as the API shows them to their owner.
    value::AttributeValue shown(std::string_view entity, const value::Item& item) const;

    // Deletes nodes, link and story, whatever was done of it before. The story is in the trash.
    model::CallResult<model::Nothing> purge(const std::string& id) const;

    const std::string& user() const { return user_; }

private:
    model::Runtime& runtime_;
    std::string user_;
    model::Caller caller_;
};

// Every item of a pattern, page after page.
model::CallResult<std::vector<value::Item>> read_all(
    model::Runtime& runtime, std::string_view pattern, const model::Arguments& arguments
);

// Fails with PayloadTooLarge if a node would be larger than a story may hold.
model::CallResult<model::Nothing> check_node_size(const value::AttributeValue& node);

model::OperationReply reply_with(value::AttributeValue body, int status = 0);
model::OperationReply changed_reply(bool changed);

// The native operations, by what they are about.
void install_nodes(model::Runtime& runtime);
void install_copies(model::Runtime& runtime, std::string secret);
void install_shares(model::Runtime& runtime);
void install_care(model::Runtime& runtime);
// The services outlive what is installed.
void install_generation(model::Runtime& runtime, const Services& services);

}  // namespace gateleg::systems::stories
