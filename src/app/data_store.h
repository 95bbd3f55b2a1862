// The data a command works on, wherever it is: behind a running server, in the directory of a
// stopped one, or in a store over the network.

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/clock.h"
#include "dynamo/dynamo.h"

namespace gateleg::app {

struct DataLocation {
    std::filesystem::path data = "gateleg-data";
    std::string endpoint = {};  // set: a store over the network instead
    std::string region = "us-east-1";
};

// What to do about a data directory that does not exist.
enum class WhenMissing : std::uint8_t {
    kRefuse,
    kCreate,
    kPretend,  // as if there were an empty one
};

// The clock outlives it; calls have ended before it is destroyed.
class DataStore {
public:
    // Throws ConfigError, storage::StoreOpenError, or std::runtime_error if a remote store does not
    // answer.
    DataStore(const DataLocation& location, WhenMissing when_missing, const Clock& clock);
    ~DataStore();
    DataStore(const DataStore&) = delete;
    DataStore& operator=(const DataStore&) = delete;

    dynamo::Dynamo& dynamo();
    // For messages: "http://127.0.0.1:8000", "gateleg-data", "the server of gateleg-data".
    const std::string& name() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gateleg::app
