// Random identifiers. Thread-safe; each thread has its own generator, seeded by the system.

#pragma once

#include <string>

namespace gateleg {

// 52 characters of 0-9A-V, the form of DynamoDB's x-amzn-RequestId. Unique, but guessable from
// earlier ones: never a secret.
std::string random_request_id();

// A version 4 UUID in lower case, straight from the system's random source.
std::string random_uuid();

}  // namespace gateleg
