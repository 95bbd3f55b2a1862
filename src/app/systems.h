// The models of --systems and --model: each loaded, checked, with its table in place and a runtime
// to call.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/config.h"
#include "app/object_house.h"
#include "base/clock.h"
#include "dynamo/dynamo.h"
#include "jobs/deliveries.h"
#include "model/runtime.h"
#include "model/schema.h"
#include "systems/registry.h"
#include "systems/services.h"

namespace gateleg::app {

// Models on their way: reading them is most of what a start computes, so it begins before the
// database is opened and waits for the disk, on a thread for each processor.
class ModelLoading {
public:
    // Throws ConfigError for a name that no system has.
    explicit ModelLoading(const Config& config);
    ~ModelLoading();

private:
    friend class Systems;
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

// Immutable once made. The database and the clock outlive it.
class Systems {
public:
    // Throws ConfigError: what is wrong with a model as file:line:col, or which table does not fit.
    Systems(
        const Config& config,
        ModelLoading& loading,
        const std::string& secret,
        dynamo::Dynamo& dynamo,
        const Clock& clock,
        const Clock& real_clock,
        const ObjectHouse& objects
    );
    ~Systems();

    // One model to serve.
    struct Source {
        std::string file = {};  // of --model, or systems/<name>/model.yaml of one that is built in
        const systems::SystemFiles* system = nullptr;  // that is built in
        std::string text = {};                         // of one that is not
        std::string catalog = {};                      // takes the place of the one it has

        std::string_view model_text() const;
        std::string_view catalog_text() const;
    };

    // In the order of the command line.
    std::vector<model::Runtime*> runtimes() const;
    const systems::Services& services() const { return services_; }
    systems::SessionSource& sessions() const { return *sessions_; }
    // The files they were loaded from, in the same order; they live as long as this does.
    struct Text {
        std::string_view model;
        std::string_view catalog;  // empty if there is none
    };
    std::vector<Text> texts() const;

    // Rows by which one system calls another, as far as both are served.
    void add_calls(jobs::Deliveries& deliveries) const;

private:
    struct System {
        Source source;
        std::unique_ptr<model::Model> model;
        std::unique_ptr<model::Runtime> runtime;
    };
    void load_demos();

    std::vector<System> systems_;
    systems::Services services_;
    systems::InstalledServices installed_;
    std::unique_ptr<systems::SessionSource> sessions_;
};

// Random bytes that stay the same for one data directory: made at the first start, in a file that
// only its owner may read, whichever store it has. With --memory, or without a model, they are new
// each time.
std::string load_server_secret(const Config& config);

}  // namespace gateleg::app
