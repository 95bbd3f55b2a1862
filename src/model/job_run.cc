#include "model/job_run.h"

#include <algorithm>
#include <chrono>

#include "model/access.h"
#include "model/cursor.h"
#include "model/item_codec.h"
#include "model/pattern_run.h"
#include "model/recognise.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;

constexpr std::int64_t kScanPage = 500;
constexpr std::int64_t kListPage = 50;
constexpr int kServerFault = 500;

// Where a job is: the turn of its loop, and the place in that turn's source.
struct Place {
    std::size_t turn = 0;
    // When the job began: bounds such as `to: now` must not move from page to page, for the
    // cursor of a list holds for one set of parameters only.
    std::int64_t began_millis = 0;
    std::optional<std::string> list_cursor = {};
    std::optional<Item> scan_key = {};

    void next_turn() {
        ++turn;
        list_cursor.reset();
        scan_key.reset();
    }
};

class JobRun {
public:
    JobRun(
        Shared& shared,
        const Job& job,
        const JobCall& call,
        const Caller& caller,
        const RunOperation& run
    )
        : shared_(shared),
          model_(shared.model),
          job_(job),
          call_(call),
          caller_(caller),
          run_(run),
          inner_(caller),
          database_(shared.model.table, shared.dynamo, nullptr),
          environment_(make_environment(shared.model, caller, shared.clock.now_millis())),
          deadline_(Steady::now() + std::chrono::milliseconds(call.max_millis)),
          reads_left_(call.max_reads) {
        inner_.internal = true;
    }

    CallResult<JobReport> run() {
        if (auto denied = find_denial(job_.allow, caller_)) {
            return *denied;
        }
        if (auto read = read_inputs(); !read) {
            return read.error();
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto turns, loop_turns());
        GATELEG_CALL_TRY_ASSIGN_CALL(place_, start_place(turns.size()));
        while (place_.turn < turns.size()) {
            if (is_spent()) {
                report_.cursor = render_place();
                return std::move(report_);
            }
            if (job_.loop) {
                environment_.variables[job_.loop->variable] = turns[place_.turn];
            }
            GATELEG_CALL_TRY_ASSIGN_CALL(
                const bool ended, job_.scan ? walk_scan_page() : walk_list_page()
            );
            if (ended) {
                place_.next_turn();
            }
        }
        report_.done = true;
        return std::move(report_);
    }

private:
    using Steady = std::chrono::steady_clock;

    bool is_spent() const {
        return report_.scanned >= call_.max_items || reads_left_ <= 0 || Steady::now() >= deadline_;
    }

    // --- before the first item

    CallResult<Nothing> read_inputs() {
        FieldErrors errors;
        const auto find_input = [&](std::string_view name) {
            return std::find_if(job_.inputs.begin(), job_.inputs.end(), [&](const Input& input) {
                return input.attribute.name == name;
            });
        };
        for (const auto& [name, value] : call_.arguments) {
            if (find_input(name) == job_.inputs.end()) {
                errors.unknown(name);
            }
        }
        for (const auto& input : job_.inputs) {
            const auto& attribute = input.attribute;
            const auto given = call_.arguments.find(attribute.name);
            if (given != call_.arguments.end() && !is_null(given->second)) {
                auto stored =
                    read_value(attribute, given->second, Spelling::kText, attribute.name, errors);
                if (stored) {
                    environment_.variables[attribute.name] = from_stored(*stored, &attribute);
                }
            } else if (attribute.default_value) {
                GATELEG_CALL_TRY_ASSIGN(
                    environment_.variables[attribute.name],
                    evaluate(*attribute.default_value, environment_)
                );
            } else if (attribute.required) {
                errors.invalid(attribute.name, "is required");
            } else {
                environment_.variables[attribute.name] = null_value();
            }
        }
        if (!errors.empty()) {
            return errors.to_error();
        }
        return Nothing{};
    }

    // One turn without meaning for a job without a loop.
    CallResult<value::List> loop_turns() {
        if (!job_.loop) {
            return value::List(1, AttributeValue{value::Null{}});
        }
        GATELEG_CALL_TRY_ASSIGN(const auto list, evaluate(job_.loop->list, environment_));
        auto stored = to_stored(list, nullptr);
        auto* turns = std::get_if<value::List>(&stored.data);
        return turns != nullptr ? std::move(*turns) : value::List();
    }

    // --- the cursor

    std::string binding() const {
        const value::Map arguments(call_.arguments.begin(), call_.arguments.end());
        return "job " + job_.name + "\n" +
               (caller_.user ? "user " + *caller_.user : std::string("nobody")) + "\n" +
               value::encode(AttributeValue{arguments});
    }

    std::string render_place() const {
        Item where;
        where["began"] = AttributeValue{value::Number::from_int(place_.began_millis)};
        if (place_.list_cursor) {
            where["list"] = AttributeValue{*place_.list_cursor};
        }
        if (place_.scan_key) {
            where["key"] = AttributeValue{*place_.scan_key};
        }
        return render_cursor(shared_.key, binding(), {place_.turn, {std::move(where)}});
    }

    CallResult<Place> start_place(std::size_t turns) const {
        Place place;
        place.began_millis = environment_.now_millis;
        if (!call_.cursor) {
            return place;
        }
        const auto position = parse_cursor(shared_.key, binding(), *call_.cursor);
        if (!position || position->group >= turns || position->after.size() != 1 ||
            !position->after.front()) {
            return CallError{400, "InvalidCursor", "The cursor is not one of this job.", "cursor"};
        }
        const auto& where = *position->after.front();
        place.turn = position->group;
        place.began_millis = std::stoll(std::get<value::Number>(where.at("began").data).to_text());
        if (const auto list = where.find("list"); list != where.end()) {
            place.list_cursor = std::get<std::string>(list->second.data);
        }
        if (const auto key = where.find("key"); key != where.end()) {
            place.scan_key = std::get<value::Map>(key->second.data);
        }
        return place;
    }

    // --- a page; true behind the last one of this turn

    CallResult<bool> walk_scan_page() {
        GATELEG_CALL_TRY_ASSIGN(
            const auto page, database_.scan(place_.scan_key, std::min(reads_left_, kScanPage))
        );
        for (const auto& raw : page.items) {
            if (is_spent()) {
                return false;
            }
            --reads_left_;
            const bool wanted = recognise(model_, raw) == job_.entity &&
                                !is_expired(model_.table, raw, environment_.now_millis);
            if (wanted) {
                if (auto done = visit(to_attributes(model_, *job_.entity, raw)); !done) {
                    return done.error();
                }
            }
            place_.scan_key = key_of(model_.table, raw);
        }
        place_.scan_key = page.next;
        return !page.next;
    }

    CallResult<bool> walk_list_page() {
        const auto& pattern = *job_.pattern;
        PatternCall list;
        list.cursor = place_.list_cursor;
        if (!pattern.all_pages && !pattern.get && !pattern.one) {
            list.limit = static_cast<int>(
                std::clamp<std::int64_t>(call_.max_items - report_.scanned, 1, kListPage)
            );
        }
        Environment began = environment_;
        began.now_millis = place_.began_millis;
        for (const auto& argument : job_.source_arguments) {
            GATELEG_CALL_TRY_ASSIGN(const auto value, evaluate(*argument.value, began));
            const auto* attribute = argument.value->type.attribute;
            list.arguments[argument.name] = value_to_api(attribute, to_stored(value, attribute));
        }
        auto page = run_query(shared_, database_, pattern, list, inner_);
        if (!page) {
            constexpr int kNotFound = 404;
            if (page.error().status == kNotFound) {
                return true;  // of a single item: it is not there
            }
            return page.error();
        }
        for (const auto& item : page->items) {
            --reads_left_;
            if (auto done = visit(item); !done) {
                return done.error();
            }
        }
        // A page without items has cost its reads as well.
        reads_left_ -= page->partial ? shared_.options.read_budget : 0;
        place_.list_cursor = page->cursor;
        return !page->cursor;
    }

    // --- an item

    CallResult<Nothing> visit(const Item& item) {
        ++report_.scanned;
        Environment environment = environment_;
        environment.variables["it"] = Value(AttributeValue{item});
        if (job_.when) {
            GATELEG_CALL_TRY_ASSIGN(const auto wanted, holds(*job_.when, environment));
            if (!wanted) {
                ++report_.skipped;
                return Nothing{};
            }
        }
        if (call_.dry_run) {
            ++report_.changed;
            return Nothing{};
        }
        OperationCall call;
        for (const auto& argument : job_.run_arguments) {
            GATELEG_CALL_TRY_ASSIGN(const auto value, evaluate(*argument.value, environment));
            const auto* input = job_.operation->find_input(argument.name);
            const auto* attribute = input != nullptr ? &input->attribute : nullptr;
            call.arguments[argument.name] = value_to_api(attribute, to_stored(value, attribute));
        }
        count(run_(*job_.operation, call, inner_));
        if (fatal_) {
            return *fatal_;
        }
        return Nothing{};
    }

    void count(const CallResult<OperationReply>& reply) {
        if (reply) {
            ++(reply->changed ? report_.changed : report_.skipped);
            return;
        }
        const auto& error = reply.error();
        if (error.status >= kServerFault) {
            fatal_ = error;
            return;
        }
        if (report_.failed++ == 0) {
            report_.first_failure = error.code + ": " + error.message;
        }
    }

    Shared& shared_;
    const Model& model_;
    const Job& job_;
    const JobCall& call_;
    const Caller& caller_;
    const RunOperation& run_;
    Caller inner_;
    Database database_;
    Environment environment_;
    Steady::time_point deadline_;
    std::int64_t reads_left_;
    Place place_;
    JobReport report_;
    std::optional<CallError> fatal_;
};

}  // namespace

CallResult<JobReport> run_job(
    Shared& shared,
    const Job& job,
    const JobCall& call,
    const Caller& caller,
    const RunOperation& run
) {
    return JobRun(shared, job, call, caller, run).run();
}

}  // namespace gateleg::model
