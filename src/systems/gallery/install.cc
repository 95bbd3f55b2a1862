#include "systems/gallery/install.h"

#include <memory>

#include "systems/accounts/accounts.h"
#include "systems/gallery/chores.h"
#include "systems/gallery/digests.h"
#include "systems/gallery/lists.h"
#include "systems/gallery/migrations.h"
#include "systems/gallery/provider_events.h"
#include "systems/gallery/repair.h"
#include "systems/gallery/uploads.h"

namespace gateleg::systems {
namespace {

using model::NativeCall;

// A method of a part as the body of an operation; the operation keeps the part alive.
template <class Part, class Method>
void install(
    model::Runtime& runtime, std::string_view name, std::shared_ptr<Part> part, Method method
) {
    runtime.install(name, [part = std::move(part), method](const NativeCall& call) {
        return (*part.*method)(call);
    });
}

void install_chores(model::Runtime& runtime) {
    auto chores = std::make_shared<gallery::Chores>(runtime);
    const auto then_chore = [&](std::string_view name, std::string_view effect) {
        runtime.install(name, [chores, effect](const NativeCall& call) {
            return chores->run_with_chore(effect, call);
        });
    };
    then_chore("deleteAlbum", "removeAlbum");
    then_chore("deleteMedia", "removeMedia");
    then_chore("deleteComment", "removeComment");
    then_chore("setActive", "changeActive");
    then_chore("changeUsername", "applyUsername");
    then_chore("deleteAccount", "closeAccount");
    runtime.install("doChore", [chores](const NativeCall& call) {
        const auto done = chores->run(call.text("choreId"));
        model::OperationReply reply;
        reply.changed = done && *done;
        return done ? model::CallResult<model::OperationReply>(std::move(reply)) : done.error();
    });
}

}  // namespace

void install_gallery(model::Runtime& runtime, const Services& services) {
    install_accounts(runtime, services, kGalleryAccounts);
    install_chores(runtime);

    auto uploads = std::make_shared<gallery::Uploads>(runtime, services);
    install(runtime, "startUpload", uploads, &gallery::Uploads::start);
    install(runtime, "completeUpload", uploads, &gallery::Uploads::complete);
    install(runtime, "retryUpload", uploads, &gallery::Uploads::retry);
    install(runtime, "storageWebhook", uploads, &gallery::Uploads::stored);
    install(runtime, "mediaContent", uploads, &gallery::Uploads::content);

    auto lists = std::make_shared<gallery::Lists>(runtime, services);
    install(runtime, "homeFeed", lists, &gallery::Lists::home_feed);
    install(runtime, "interactionsWith", lists, &gallery::Lists::interactions_with);
    install(runtime, "searchUsers", lists, &gallery::Lists::search_users);
    install(runtime, "getVideoJob", lists, &gallery::Lists::video_job);
    install(runtime, "bulkMedia", lists, &gallery::Lists::bulk_media);

    auto events = std::make_shared<gallery::ProviderEvents>(runtime, services);
    install(runtime, "runpodWebhook", events, &gallery::ProviderEvents::video);
    install(runtime, "videoPolled", events, &gallery::ProviderEvents::video_asked);
    install(runtime, "paymentWebhook", events, &gallery::ProviderEvents::payment);

    auto migrations = std::make_shared<gallery::Migrations>(runtime);
    install(runtime, "migrate", migrations, &gallery::Migrations::run);
    install(runtime, "backfillAlbum", migrations, &gallery::Migrations::backfill_album);
    install(runtime, "backfillUser", migrations, &gallery::Migrations::backfill_user);

    auto repair = std::make_shared<gallery::Repair>(runtime, services);
    install(runtime, "repairCounters", repair, &gallery::Repair::run);
    runtime.install("digestUser", [&runtime](const NativeCall& call) {
        return gallery::send_digests(runtime, call);
    });
}

}  // namespace gateleg::systems
