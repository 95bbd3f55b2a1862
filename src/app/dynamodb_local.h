// The command line of DynamoDB Local, understood as one of `gateleg serve`: where a script or a
// container started `java -jar DynamoDBLocal.jar -inMemory`, `gateleg -jar ...` takes its place.

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gateleg::app {

// `arguments` are those behind the program's name. Nothing if they are not DynamoDB Local's: it has
// options with one dash, such as -jar and -inMemory. Those with two dashes are ours and are passed
// on. Throws ConfigError for an option that is neither.
std::optional<std::vector<std::string>> translate_dynamodb_local(
    const std::vector<std::string>& arguments
);

}  // namespace gateleg::app
