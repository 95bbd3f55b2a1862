// ST-O16: the next node, written by a provider.
//
// Credits lie in another table than stories, so that no transaction can hold both. They are
// reserved first; the outbox row that ends the generation settles or releases them. Whoever dies in
// between leaves a reservation that expires.

#include <array>

#include "base/ids.h"
#include "base/sha256.h"
#include "systems/stories/story_book.h"
#include "systems/webhooks.h"

namespace gateleg::systems::stories {
namespace {

using model::Arguments;
using model::CallError;
using model::CallResult;
using model::NativeCall;
using model::OperationReply;
using model::text;
using model::text_of;

constexpr int kServerFault = 500;
constexpr std::size_t kPreviousNodes = 5;  // that the provider gets to read
constexpr std::size_t kMaxPrevious = 4000;
constexpr std::size_t kMaxText = 100'000;
constexpr std::size_t kMaxMessage = 1000;

struct Reservation {
    std::string id;
    std::int64_t credits = 0;
};

// Thread-safe. Runtime and services outlive it.
class Generations {
public:
    Generations(model::Runtime& runtime, const Services& services)
        : runtime_(runtime), services_(services) {}

    CallResult<OperationReply> start(const NativeCall& call) const {
        if (!services_.find_setting("GATELEG_FAL_URL") &&
            !services_.find_setting("GATELEG_RUNPOD_URL")) {
            return CallError{
                503, "ProviderNotConfigured", "No provider of text is configured on this server."};
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(auto replay, runtime_.find_replay(call));
        if (replay) {
            return *std::move(replay);
        }
        const auto& user = *call.caller.user;
        const StoryBook book(runtime_, user);
        const auto story_id = call.text("id");
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto story, book.story(story_id));
        if (model::flag_of(story, "deleted")) {
            return CallError{409, "StoryDeleted", "The story is in the trash."};
        }
        if (model::integer_of(story, "nodeCount").value_or(0) >= kMaxNodes) {
            return CallError{409, "StoryFull", "A story has at most 1000 nodes."};
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(auto previous, previous_texts(book, story_id));
        const auto id = random_uuid();
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto held, reserve_for(call));
        Arguments arguments{
            {"storyId", text(story_id)},
            {"generationId", text(id)},
            {"prompt", text(call.text("prompt"))},
            {"credits", model::number(held.credits)},
            {"previous", {std::move(previous)}}};
        if (!held.id.empty()) {
            arguments["reservationId"] = text(held.id);
        }
        auto started = book.run("startGeneration", std::move(arguments), &call.original);
        // After a fault of ours the same request comes again, and finds what it has reserved.
        if (!started && started.error().status < kServerFault) {
            release(user, held);
        }
        return started;
    }

    CallResult<OperationReply> called_back(const NativeCall& call) const {
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto body, read_webhook(services_, signer(), "Webhook-Signature", call)
        );
        const auto found = runtime_.get(
            "generationToken", {{"token", text(call.text("token"))}}, model::internal_caller()
        );
        if (!found) {
            return CallError{404, "GenerationNotFound", "There is no such generation."};
        }
        auto event = body.text("eventId");
        if (event.empty()) {
            event = text_of(found->item, "generationId") + ":" + body.text("status");
        }
        if (!is_outside_id(event)) {
            return model::validation_failed("eventId", "must be 1 to 128 of A-Z a-z 0-9 _ . : -");
        }
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto done, apply(key_of(found->item), event, body));
        value::Map answer;
        answer["received"] = model::boolean(true);
        answer["applied"] = model::boolean(done.changed);
        return reply_with({std::move(answer)}, 200);
    }

    CallResult<OperationReply> asked(const NativeCall& call) const {
        const WebhookBody body{*call.find("answer")};
        const auto event = "poll:" + call.text("generationId") + ":" + body.text("status");
        if (body.text("status").empty() || !is_outside_id(event)) {
            return OperationReply{.changed = false};  // nobody knows
        }
        return apply(key_of({call.arguments.begin(), call.arguments.end()}), event, body);
    }

private:
    static Arguments key_of(const value::Item& item) {
        return {
            {"storyId", text(text_of(item, "storyId"))},
            {"generationId", text(text_of(item, "generationId"))}};
    }

    std::string constant_text(std::string_view name) const {
        const auto* found = runtime_.model().find_constant(name);
        return found != nullptr ? text_of({{"x", found->value}}, "x") : std::string();
    }
    std::int64_t cost() const {
        const auto* found = runtime_.model().find_constant("generationCredits");
        return found != nullptr ? model::integer_of({{"x", found->value}}, "x").value_or(0) : 0;
    }

    // Of whoever the calls go to.
    std::string signer() const {
        return constant_text("textProvider") == "runpod" ||
                       !services_.find_setting("GATELEG_FAL_URL")
                   ? "RUNPOD"
                   : "FAL";
    }

    static CallResult<value::List> previous_texts(
        const StoryBook& book, const std::string& story_id
    ) {
        GATELEG_CALL_TRY_ASSIGN_CALL(const auto nodes, book.nodes(story_id));
        value::List texts;
        const auto first = nodes.size() > kPreviousNodes ? nodes.size() - kPreviousNodes : 0;
        for (auto i = first; i < nodes.size(); ++i) {
            if (const auto prompt = text_of(nodes[i], "prompt");
                !prompt.empty() && prompt.size() <= kMaxPrevious) {
                texts.push_back(text(prompt));
            }
        }
        return texts;
    }

    // Where membership is not served, nodes cost nothing. Requests with the same key and body share
    // what the first of them reserves.
    CallResult<Reservation> reserve_for(const NativeCall& call) const {
        auto* membership = services_.find("membership");
        if (membership == nullptr || cost() <= 0) {
            return Reservation{};
        }
        const auto& user = *call.caller.user;
        const auto& key = call.original.idempotency_key;
        if (!key) {
            return reserve(*membership, user, random_uuid());
        }
        const auto shared = to_hex(HmacKey(services_.secret)
                                       .sign(
                                           "generation\n" + user + "\n" + *key + "\n" +
                                           call.text("id") + "\n" + call.text("prompt")
                                       ));
        GATELEG_CALL_TRY_ASSIGN_CALL(auto held, reserve(*membership, user, shared));
        const auto found = membership->get(
            "reservationOf",
            {{"userId", text(user)}, {"reservationId", text(held.id)}},
            model::internal_caller()
        );
        if (found && text_of(found->item, "state") == "held") {
            return held;
        }
        // An earlier attempt has failed and given it back.
        return reserve(*membership, user, random_uuid());
    }

    CallResult<Reservation> reserve(
        model::Runtime& membership, const std::string& user, const std::string& key
    ) const {
        const model::OperationCall call{
            .arguments =
                {{"userId", text(user)},
                 {"amount", model::number(cost())},
                 {"reason", text("A node of a story")}},
            .idempotency_key = key};
        GATELEG_CALL_TRY_ASSIGN_CALL(
            const auto held, membership.run("reserve", call, model::internal_caller("stories"))
        );
        const auto* body = held.body ? std::get_if<value::Map>(&held.body->data) : nullptr;
        return Reservation{
            body != nullptr ? text_of(*body, "reservationId") : std::string(), cost()};
    }

    // What cannot be released now expires.
    void release(const std::string& user, const Reservation& held) const {
        auto* membership = services_.find("membership");
        if (membership == nullptr || held.id.empty()) {
            return;
        }
        static_cast<void>(membership->run(
            "releaseReservation",
            {.arguments = {{"userId", text(user)}, {"reservationId", text(held.id)}}},
            model::internal_caller("stories")
        ));
    }

    // Where the kinds of providers have the text.
    static std::string text_in(const WebhookBody& body) {
        constexpr std::array<const char*, 6> kPlaces = {
            "payload.output",
            "payload.text",
            "output.text",
            "output.output",
            "output",
            "output.0.choices.0.tokens.0"};
        for (const auto* place : kPlaces) {
            if (auto found = body.text(place); !found.empty()) {
                return found;
            }
        }
        return {};
    }

    CallResult<OperationReply> fail(
        Arguments arguments, const std::string& code, const std::string& message
    ) const {
        value::Map error;
        error["code"] = text(code);
        error["message"] = text(message.substr(0, kMaxMessage));
        arguments["error"] = {std::move(error)};
        return runtime_.run(
            "generationFailed", {.arguments = std::move(arguments)}, model::internal_caller()
        );
    }

    CallResult<OperationReply> apply(
        const Arguments& generation, const std::string& event, const WebhookBody& body
    ) const {
        const auto status = body.text("status");
        if (status == "ERROR" || status == "FAILED" || status == "CANCELLED" ||
            status == "TIMED_OUT") {
            auto message = body.text("error");
            message = message.empty() ? body.text("error.message") : message;
            return fail(
                generation, "ProviderFailed", message.empty() ? "The provider has failed" : message
            );
        }
        if (status != "OK" && status != "COMPLETED") {
            return OperationReply{.changed = false};
        }
        const auto written = text_in(body);
        if (written.empty() || written.size() > kMaxText) {
            return fail(generation, "NoText", "The provider sent no text that a node can hold");
        }
        value::Map node;
        node["type"] = text("text");
        node["prompt"] = text(written);
        node["generationId"] = generation.at("generationId");
        auto arguments = generation;
        arguments["eventId"] = text(event);
        arguments["node"] = {std::move(node)};
        auto saved = runtime_.run(
            "saveGenerated", {.arguments = std::move(arguments)}, model::internal_caller()
        );
        if (!saved && saved.error().status < kServerFault) {
            // The story has gone, or has no room: nobody pays for what is not kept.
            return fail(generation, saved.error().code, saved.error().message);
        }
        return saved;
    }

    model::Runtime& runtime_;
    const Services& services_;
};

}  // namespace

void install_generation(model::Runtime& runtime, const Services& services) {
    const auto generations = std::make_shared<Generations>(runtime, services);
    runtime.install("generateNode", [generations](const NativeCall& call) {
        return generations->start(call);
    });
    runtime.install("providerWebhook", [generations](const NativeCall& call) {
        return generations->called_back(call);
    });
    runtime.install("generationPolled", [generations](const NativeCall& call) {
        return generations->asked(call);
    });
}

}  // namespace gateleg::systems::stories
