// Puts the parts together in the order in which they need each other, and takes them apart again.

#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "app/config.h"

namespace gateleg::app {

// One thread at a time.
class Server {
public:
    // Opens the store and the ports. Throws ConfigError or storage::StoreOpenError.
    explicit Server(const Config& config);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // From here on requests are answered.
    void start();

    // "dynamodb=http://127.0.0.1:8000 http=http://127.0.0.1:8080 s3=http://127.0.0.1:9000"
    std::string faces() const;
    // The URL of the DynamoDB face; empty if it is off.
    std::string dynamodb_url() const;
    std::string s3_url() const;
    // Whether only known keys may call; otherwise any will do.
    bool asks_for_signatures() const;
    // A link that signs in to the console once; empty if that is off.
    std::string console_link();

    // The store can no longer promise to keep writes: the process should end.
    bool has_failed() const;

    // Finishes what is in flight, within a few seconds, and stops.
    void drain();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gateleg::app
