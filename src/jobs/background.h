// Everything that runs beside the requests: outbox workers and the scheduler of the systems.

#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "jobs/config.h"
#include "jobs/deliveries.h"
#include "jobs/object_access.h"
#include "model/runtime.h"
#include "outbound/client.h"

namespace gateleg::jobs {

struct BackgroundOptions {
    // No other server uses the tables: leases that are found are left-overs of a crash.
    bool only_server = false;
    // False under a clock of tests: jobs then run by their routes only.
    bool schedules = true;
    std::size_t delivery_threads = 8;
};

// Runtimes, configuration, client and clock outlive it. Without systems it has no
// threads.
class Background {
public:
    Background(
        std::vector<model::Runtime*> systems,
        const Config& config,
        outbound::Client& client,
        const Clock& real_clock,
        BackgroundOptions options
    );
    ~Background();

    // For code of systems that delivers or hears of deliveries itself; before start().
    Deliveries& deliveries();

    void start();
    // Nothing new begins; what is under way is cut off, with everything else that the client is
    // doing, and put back.
    void stop();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gateleg::jobs
