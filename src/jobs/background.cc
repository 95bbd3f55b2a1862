#include "jobs/background.h"

#include "base/ids.h"
#include "base/worker_pool.h"
#include "jobs/hooks.h"
#include "jobs/outbox_worker.h"
#include "jobs/providers.h"
#include "jobs/scheduler.h"

namespace gateleg::jobs {
namespace {

constexpr std::size_t kMaxQueued = 256;

SchedulerOptions scheduler_options(const std::string& owner, const BackgroundOptions& options) {
    SchedulerOptions scheduling;
    scheduling.owner = owner;
    scheduling.only_server = options.only_server;
    return scheduling;
}

}  // namespace

// In the order of construction; destruction runs backwards, so that the threads of the pool end
// before what they use.
struct Background::Parts {
    Parts(
        std::vector<model::Runtime*> the_systems,
        const Config& config,
        outbound::Client& the_client,
        const Clock& real_clock,
        BackgroundOptions the_options
    )
        : systems(std::move(the_systems)),
          options(the_options),
          owner(random_uuid()),
          client(the_client),
          scheduler(
              options.schedules ? systems : std::vector<model::Runtime*>(),
              real_clock,
              scheduler_options(owner, options)
          ),
          pool(systems.empty() ? 0 : options.delivery_threads, kMaxQueued) {
        add_deliveries(deliveries, {config, client, real_clock});
        add_hooks(deliveries);
        for (auto* runtime : systems) {
            OutboxWorkerOptions work;
            work.owner = owner;
            work.only_server = options.only_server;
            workers.push_back(
                std::make_unique<OutboxWorker>(*runtime, deliveries, config, real_clock, pool, work)
            );
        }
    }

    const std::vector<model::Runtime*> systems;
    const BackgroundOptions options;
    const std::string owner;
    outbound::Client& client;
    Deliveries deliveries;
    Scheduler scheduler;
    WorkerPool pool;
    std::vector<std::unique_ptr<OutboxWorker>> workers;
};

Background::Background(
    std::vector<model::Runtime*> systems,
    const Config& config,
    outbound::Client& client,
    const Clock& real_clock,
    BackgroundOptions options
)
    : parts_(std::make_unique<Parts>(std::move(systems), config, client, real_clock, options)) {}

Background::~Background() {
    stop();
}

Deliveries& Background::deliveries() {
    return parts_->deliveries;
}

void Background::start() {
    for (const auto& worker : parts_->workers) {
        worker->start();
    }
    parts_->scheduler.start();
}

void Background::stop() {
    for (const auto& worker : parts_->workers) {
        worker->begin_stop();
    }
    parts_->client.stop();
    parts_->scheduler.stop();
    for (const auto& worker : parts_->workers) {
        worker->stop();
    }
}

}  // namespace gateleg::jobs
