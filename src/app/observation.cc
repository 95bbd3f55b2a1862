#include "app/observation.h"

#include "engine/engine.h"
#include "metrics/exposition.h"
#include "model/blocking_call.h"

namespace gateleg::app {
namespace {

// More would make the answer long; the first by name are shown then.
constexpr std::size_t kMostTables = 100;
constexpr std::int64_t kMicrosPerMilli = 1'000;

double to_double(std::uint64_t number) {
    return static_cast<double>(number);
}

void append_store(std::vector<metrics::Gauge>& gauges, const storage::Store& store) {
    const auto figures = store.figures();
    const auto add =
        [&](std::string_view name, std::string_view help, std::string_view short_name, double value
        ) {
            gauges.push_back({name, help, short_name, value, false});
        };
    add("gateleg_storage_up",
        "1 while the store takes writes and has no complaint",
        "",
        store.health() == storage::Health::kOk ? 1 : 0);
    add("gateleg_storage_disk_bytes",
        "Sorted files and logs, about",
        "diskBytes",
        to_double(figures.disk_bytes));
    add("gateleg_storage_memtable_bytes",
        "Written and not yet in sorted files",
        "memtableBytes",
        to_double(figures.memtable_bytes));
    add("gateleg_storage_cache_bytes",
        "Blocks held in the cache",
        "cacheBytes",
        to_double(figures.cache_bytes));
    add("gateleg_storage_pending_compaction_bytes",
        "What compaction has still to rewrite, about",
        "pendingCompactionBytes",
        to_double(figures.pending_compaction_bytes));
    add("gateleg_storage_running_compactions",
        "Compactions at work",
        "compactions",
        to_double(figures.running_compactions));
    add("gateleg_storage_running_flushes",
        "Flushes at work",
        "flushes",
        to_double(figures.running_flushes));
    add("gateleg_storage_writes_stopped",
        "1 while writes wait for compaction",
        "writesStopped",
        figures.writes_stopped ? 1 : 0);
    gauges.push_back(
        {"gateleg_storage_sequence_total",
         "Changes of keys since the data directory was made",
         "",
         to_double(store.last_sequence()),
         true}
    );
}

void append_engine(std::vector<metrics::Gauge>& gauges, const engine::Engine& engine) {
    const auto figures = engine.figures();
    gauges.push_back(
        {"gateleg_engine_queued_writes",
         "Writes that wait for the commit thread",
         "queuedWrites",
         to_double(figures.writes_queued),
         false}
    );
    gauges.push_back(
        {"gateleg_engine_commits_total",
         "Batches of writes",
         "commits",
         to_double(figures.commits),
         true}
    );
    gauges.push_back(
        {"gateleg_engine_writes_total",
         "Writes in those batches",
         "writes",
         to_double(figures.writes),
         true}
    );
    gauges.push_back(
        {"gateleg_engine_clock_trusted",
         "0 while nothing expires because the clock has jumped ahead",
         "",
         figures.clock_trusted ? 1.0 : 0.0,
         false}
    );
}

void expose_tables(metrics::Exposition& out, dynamo::Dynamo& dynamo) {
    const auto list = model::blocking_call(
        dynamo, &dynamo::Dynamo::list_tables, dynamo::ListTablesRequest{.limit = kMostTables}
    );
    if (!list) {
        return;
    }
    std::vector<dynamo::TableDescription> tables;
    for (const auto& name : list->names) {
        auto described = model::blocking_call(
            dynamo, &dynamo::Dynamo::describe_table, dynamo::DescribeTableRequest{.table = name}
        );
        if (described) {
            tables.push_back(std::move(described->table));
        }
    }
    out.family("gateleg_table_items", "gauge", "Items of a table");
    for (const auto& table : tables) {
        out.sample(
            "gateleg_table_items", {{"table", table.name}}, static_cast<double>(table.item_count)
        );
    }
    out.family("gateleg_table_bytes", "gauge", "Size of a table's items, as DynamoDB counts it");
    for (const auto& table : tables) {
        out.sample(
            "gateleg_table_bytes", {{"table", table.name}}, static_cast<double>(table.size_bytes)
        );
    }
}

}  // namespace

Observation::Observation(
    const Config& config,
    Backend& backend,
    const Clock& real_clock,
    std::function<std::size_t()> connections,
    std::function<std::size_t()> event_streams
)
    : backend_(backend),
      version_(config.version),
      connections_(std::move(connections)),
      event_streams_(std::move(event_streams)),
      meters_{recorder_, requests_, config.slow_millis * kMicrosPerMilli},
      history_(recorder_, real_clock, [this] { return gauges(); }) {}

std::vector<metrics::Gauge> Observation::gauges() const {
    std::vector<metrics::Gauge> gauges;
    metrics::append_process_gauges(gauges);
    gauges.push_back(
        {"gateleg_http_connections",
         "Open connections of all faces",
         "connections",
         to_double(connections_()),
         false}
    );
    gauges.push_back(
        {"gateleg_event_streams",
         "Clients that follow the changes of a table",
         "eventStreams",
         to_double(event_streams_()),
         false}
    );
    if (const auto* store = backend_.store()) {
        append_store(gauges, *store);
    }
    if (const auto* engine = backend_.engine()) {
        append_engine(gauges, *engine);
    }
    return gauges;
}

std::string Observation::render() const {
    metrics::Exposition out;
    out.family("gateleg_build_info", "gauge", "The version that runs");
    out.sample("gateleg_build_info", {{"version", version_}}, 1);
    metrics::expose_requests(out, recorder_.totals());
    metrics::expose_gauges(out, gauges());
    // The embedded engine answers at once; another store would have to be asked over the network.
    if (backend_.engine() != nullptr) {
        expose_tables(out, backend_.dynamo());
    }
    return std::move(out).take();
}

}  // namespace gateleg::app
