#include "systems/gallery/migrations.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <stdexcept>
#include <vector>

#include "base/ids.h"
#include "systems/gallery/walk.h"

namespace gateleg::systems::gallery {

using model::Arguments;
using model::CallError;
using model::CallResult;
using model::text;
using model::text_of;
using value::AttributeValue;

namespace {

constexpr int kNotFound = 404;
constexpr std::int64_t kItemsAtOnce = 1000;

const std::vector<std::string_view>& jobs_of(const std::string& migration) {
    static const std::map<std::string_view, std::vector<std::string_view>> kJobs = {
        {"backfill-isPublic", {"show-albums", "show-media"}},
        {"backfill-gsi4-albums", {"index-albums"}},
        {"backfill-gsi5-user-psc-earned", {"index-users"}},
        {"media-v2", {"split-media"}},
    };
    return kJobs.at(migration);
}

const model::Job& find_job(const model::Model& model, std::string_view name) {
    const auto found = std::find_if(model.jobs.begin(), model.jobs.end(), [&](const auto& job) {
        return job.name == name;
    });
    if (found == model.jobs.end()) {
        throw std::invalid_argument("the model has no job " + std::string(name));
    }
    return *found;
}

// "<job>:<its cursor>"
std::optional<std::pair<std::size_t, std::optional<std::string>>> parse_place(
    std::string_view place, std::size_t jobs
) {
    std::size_t job = 0;
    const auto [end, error] = std::from_chars(place.data(), place.data() + place.size(), job);
    const auto colon = static_cast<std::size_t>(end - place.data());
    if (error != std::errc() || job >= jobs || colon >= place.size() || place[colon] != ':') {
        return std::nullopt;
    }
    const auto cursor = place.substr(colon + 1);
    return std::pair(job, cursor.empty() ? std::nullopt : std::optional(std::string(cursor)));
}

model::OperationReply changed_reply(bool changed) {
    model::OperationReply reply;
    reply.changed = changed;
    return reply;
}

}  // namespace

Migrations::Reply Migrations::run(const model::NativeCall& call) {
    const auto name = call.text("name");
    const bool dry = call.flag("dryRun");
    const auto runner = random_uuid();
    Part start;
    auto place = call.text("cursor");
    if (!dry) {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto claimed,
            gallery::run(
                runtime_, "claimMigration", {{"name", text(name)}, {"runner", text(runner)}}
            )
        );
        if (place.empty() && !member(claimed, "cursor").empty()) {
            place = member(claimed, "cursor");
        }
    }
    auto part = CallResult<Part>(start);
    if (!place.empty()) {
        const auto parsed = parse_place(place, jobs_of(name).size());
        if (parsed) {
            start.job = parsed->first;
            start.cursor = parsed->second;
        } else {
            part = CallError{400, "InvalidCursor", "The cursor is not one of this work.", "cursor"};
        }
    }
    if (part) {
        part = walk_jobs(call, start);
    }
    if (!dry) {
        // Also after a failure: the next call goes on from the same place.
        const auto& kept = part ? *part : start;
        Arguments saved = {
            {"name", text(name)},
            {"runner", text(runner)},
            {"scanned", model::number(kept.scanned)},
            {"changed", model::number(kept.changed)},
            {"skipped", model::number(kept.skipped)},
            {"done", model::boolean(kept.done)}};
        if (!kept.done && (part || !place.empty())) {
            saved["cursor"] =
                text(std::to_string(kept.job) + ":" + kept.cursor.value_or(std::string()));
        }
        if (auto done = gallery::run(runtime_, "saveMigration", std::move(saved)); !done) {
            return done;
        }
    }
    return part ? answer(*part) : Reply(part.error());
}

CallResult<Migrations::Part> Migrations::walk_jobs(const model::NativeCall& call, Part part) {
    const auto& jobs = jobs_of(call.text("name"));
    auto left = call.integer("limit").value_or(kItemsAtOnce);
    while (part.job < jobs.size() && left > 0) {
        const auto& job = find_job(runtime_.model(), jobs[part.job]);
        model::JobCall one;
        one.cursor = part.cursor;
        one.max_items = left;
        if (!job.inputs.empty()) {
            one.arguments["dryRun"] = model::boolean(call.flag("dryRun"));
        } else {
            one.dry_run = call.flag("dryRun");
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto report, runtime_.run_job(job, one, model::internal_caller())
        );
        part.scanned += report.scanned;
        part.changed += report.changed;
        part.skipped += report.skipped + report.failed;
        left -= report.scanned;
        part.cursor = report.cursor;
        if (!report.done) {
            return part;
        }
        ++part.job;
    }
    part.done = part.job == jobs.size();
    return part;
}

Migrations::Reply Migrations::answer(const Part& part) const {
    value::Map body;
    body["scanned"] = model::number(part.scanned);
    body["changed"] = model::number(part.changed);
    body["skipped"] = model::number(part.skipped);
    body["done"] = model::boolean(part.done);
    body["cursor"] = part.done ? AttributeValue{value::Null{}}
                               : text(std::to_string(part.job) + ":" + part.cursor.value_or(""));
    model::OperationReply reply;
    reply.body = AttributeValue{std::move(body)};
    return reply;
}

Migrations::Reply Migrations::backfill_album(const model::NativeCall& call) {
    const auto id = call.text("id");
    const auto found = runtime_.get("album", {{"id", text(id)}}, model::internal_caller());
    if (!found) {
        return found.error().status == kNotFound ? Reply(changed_reply(false)) : found.error();
    }
    const auto creator = text_of(found->item, "createdBy");
    const auto created = text_of(found->item, "createdAt");
    if (creator.empty() || created.empty()) {
        return CallError{409, "CreatorUnknown", "Album " + id + " has no createdBy or createdAt."};
    }
    bool listed = false;
    const Arguments place = {
        {"createdBy", text(creator)}, {"from", text(created)}, {"to", text(created)}};
    auto walked = walk(runtime_, "albumsByCreator", place, [&](const value::Item& album) {
        listed |= text_of(album, "id") == id;
        return CallResult<model::Nothing>(model::Nothing{});
    });
    if (!walked) {
        return walked.error();
    }
    if (listed || call.flag("dryRun")) {
        return changed_reply(!listed);
    }
    return gallery::run(runtime_, "indexAlbum", {{"id", text(id)}});
}

Migrations::Reply Migrations::backfill_user(const model::NativeCall& call) {
    const auto id = call.text("userId");
    const auto found = runtime_.get("user", {{"userId", text(id)}}, model::internal_caller());
    if (!found) {
        return found.error().status == kNotFound ? Reply(changed_reply(false)) : found.error();
    }
    const auto earned = found->item.find("pscTotalEarned");
    bool listed = false;
    if (earned != found->item.end()) {
        const auto place = runtime_.get(
            "leaderboardAt",
            {{"pscTotalEarned", earned->second}, {"userId", text(id)}},
            model::internal_caller()
        );
        if (!place && place.error().status != kNotFound) {
            return place.error();
        }
        listed = place.has_value();
    }
    if (listed || call.flag("dryRun")) {
        return changed_reply(!listed);
    }
    return gallery::run(runtime_, "indexUser", {{"userId", text(id)}});
}

}  // namespace gateleg::systems::gallery
