// Example data of a system: calls of its own operations, so that every rule, key and counter holds.
//
//   - { as: ann, run: createStory, with: { title: The door }, keep: story }
//   - { as: ann, run: addNode, with: { storyId: $story.id, prompt: You stand before it. } }
//
// `as` is the caller, with `roles: [..]` if it needs any; without `as` the system itself calls.
// `keep` names the answer; $name.field in `with` and `as` is a part of it. `get: pattern` reads
// instead of writing, to keep what no answer shows.

#pragma once

#include <cstdint>
#include <string_view>

#include "model/call.h"
#include "model/runtime.h"

namespace gateleg::model {

// Runs the calls in order and gives their number. Fails at the first that does, naming its line.
CallResult<std::int64_t> load_demo(std::string_view text, Runtime& runtime);

}  // namespace gateleg::model
