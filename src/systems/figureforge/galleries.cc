// Deleting a gallery: more images than fit into one transaction may be in it.

#include "systems/figureforge/parts.h"

namespace gateleg::systems::figureforge {
namespace {

using model::NativeCall;
using model::text;

// The gallery is closed first, so that nothing is added behind our back; whoever is interrupted
// begins again and finds less to do.
Reply delete_gallery(model::Runtime& runtime, const NativeCall& call) {
    const auto id = call.text("gallery_id");
    const auto run = [&](std::string_view operation, model::Arguments arguments) {
        return runtime.run(operation, {.arguments = std::move(arguments)}, acting(call));
    };
    if (auto closed = run("closeGallery", {{"gallery_id", text(id)}}); !closed) {
        return closed;
    }
    const model::PatternCall first{.arguments = {{"gallery_id", text(id)}}, .limit = 100};
    for (;;) {
        const auto edges = runtime.query("galleryEdges", first, model::internal_caller());
        if (!edges) {
            return edges.error();
        }
        for (const auto& edge : edges->items) {
            auto removed =
                run("removeFromGallery",
                    {{"gallery_id", text(id)}, {"image_id", text(model::text_of(edge, "image_id"))}}
                );
            if (!removed && removed.error().status != 404) {
                return removed;
            }
        }
        if (edges->items.empty()) {
            return run("dropGallery", {{"gallery_id", text(id)}});
        }
    }
}

}  // namespace

void install_galleries(model::Runtime& runtime) {
    runtime.install("deleteGallery", [&runtime](const auto& call) {
        return delete_gallery(runtime, call);
    });
}

}  // namespace gateleg::systems::figureforge
