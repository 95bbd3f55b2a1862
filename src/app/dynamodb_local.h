// The command line of DynamoDB Local, understood as one of `gateleg serve`: where a script or a
// container started `java -jar DynamoDBLocal.jar -inMemory`, `gateleg -jar ...` takes its place.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/config.h"

namespace gateleg::app {

// `arguments` are those behind the program's name. Nothing if they are not DynamoDB Local's: it has
// options with one dash, such as -jar and -inMemory. Those with two dashes are ours and are passed
// on. In a container the server listens on all addresses, as DynamoDB Local does. Throws
// ConfigError for an option that is neither.
std::optional<std::vector<std::string>> translate_dynamodb_local(
    const std::vector<std::string>& arguments, bool in_container = false
);

// What DynamoDB Local prints before it serves; some tools wait for its first line.
std::string dynamodb_local_banner(const Config& config);

}  // namespace gateleg::app
