#include "systems/gallery/chores.h"

#include "base/log.h"
#include "base/time_text.h"
#include "systems/gallery/walk.h"

namespace gateleg::systems::gallery {

using model::Arguments;
using model::CallResult;
using model::Nothing;
using model::text;
using model::text_of;
using value::Item;

namespace {

constexpr int kNotFound = 404;
constexpr std::string_view kNobody = "deleted user";

}  // namespace

CallResult<bool> Chores::run(const std::string& chore_id) {
    const auto found =
        runtime_.get("chore", {{"choreId", text(chore_id)}}, model::internal_caller());
    if (!found) {
        return found.error().status == kNotFound ? CallResult<bool>(false) : found.error();
    }
    if (auto done = perform(text_of(found->item, "kind"), text_of(found->item, "target")); !done) {
        return done.error();
    }
    if (auto done = step("endChore", {{"choreId", text(chore_id)}}); !done) {
        return done.error();
    }
    return true;
}

CallResult<model::OperationReply> Chores::run_with_chore(
    std::string_view operation, const model::NativeCall& call
) {
    auto inner = call.original;
    inner.behind = &call.original;
    inner.arguments = call.arguments;
    GATELEG_CALL_TRY_ASSIGN_CALL(auto reply, runtime_.run(operation, inner, call.caller));
    const auto chore = member(reply, "choreId");
    if (!chore.empty()) {
        if (const auto done = run(chore); !done) {
            log_warn("a chore is left for later", {{"chore", chore}, {"why", done.error().code}});
        }
    }
    reply.body = value::AttributeValue{value::Map{{"changed", model::boolean(reply.changed)}}};
    reply.created = false;
    return reply;
}

Chores::Done Chores::step(std::string_view operation, Arguments arguments) {
    const auto done = gallery::run(runtime_, operation, std::move(arguments));
    if (!done && done.error().status != kNotFound) {
        return done.error();
    }
    return Nothing{};
}

Chores::Done Chores::perform(const std::string& kind, const std::string& target) {
    if (kind == "album_gone") {
        return clear_album(target);
    }
    if (kind == "media_gone") {
        return clear_media(target);
    }
    if (kind == "comment_gone") {
        return clear_comment(target);
    }
    if (kind == "user_gone") {
        return clear_user(target);
    }
    if (kind == "user_hidden" || kind == "user_shown") {
        return hide_user(target, kind == "user_hidden");
    }
    return rename_user(target);
}

Chores::Done Chores::clear_album(const std::string& album) {
    auto done = walk(runtime_, "albumEdges", {{"albumId", text(album)}}, [&](const Item& edge) {
        return step(
            "dropEdge", {{"albumId", text(album)}, {"mediaId", text(text_of(edge, "mediaId"))}}
        );
    });
    if (!done) {
        return done;
    }
    done = clear_comments("album", album);
    return done ? clear_interactions(album) : done;
}

Chores::Done Chores::clear_media(const std::string& media) {
    auto done = walk(runtime_, "edgesOfMedia", {{"mediaId", text(media)}}, [&](const Item& edge) {
        return step(
            "removeEdge", {{"albumId", text(text_of(edge, "albumId"))}, {"mediaId", text(media)}}
        );
    });
    if (!done) {
        return done;
    }
    const Arguments cover = {{"coverImageMediaId", text(media)}};
    done = walk(runtime_, "albumsByCover", cover, [&](const Item& album) {
        return step(
            "clearCover", {{"albumId", text(text_of(album, "id"))}, {"mediaId", text(media)}}
        );
    });
    if (!done) {
        return done;
    }
    if (done = clear_comments("media", media); !done) {
        return done;
    }
    done = clear_interactions(media);
    return done ? step("dropMedia", {{"id", text(media)}}) : done;
}

Chores::Done Chores::clear_comment(const std::string& comment) {
    return clear_interactions(comment);
}

Chores::Done Chores::clear_comments(const std::string& target_type, const std::string& target) {
    const Arguments of_target = {{"targetType", text(target_type)}, {"targetId", text(target)}};
    return walk(runtime_, "comments", of_target, [&](const Item& comment) {
        const auto id = text_of(comment, "id");
        auto done = clear_interactions(id);
        return done ? step("dropComment", {{"id", text(id)}}) : done;
    });
}

Chores::Done Chores::clear_interactions(const std::string& target) {
    for (const auto* type : {"like", "bookmark"}) {
        const Arguments of_target = {{"interactionType", text(type)}, {"targetId", text(target)}};
        auto done = walk(runtime_, "interactionsOf", of_target, [&](const Item& one) {
            return step(
                "dropInteraction",
                {{"userId", text(text_of(one, "userId"))},
                 {"interactionType", text(type)},
                 {"targetId", text(target)}}
            );
        });
        if (!done) {
            return done;
        }
    }
    return Nothing{};
}

// Content first, then what the user has left with others, then the account itself.
Chores::Done Chores::clear_user(const std::string& user) {
    const Arguments mine = {{"createdBy", text(user)}};
    auto done = walk(runtime_, "userAlbums", mine, [&](const Item& album) -> Done {
        const auto id = text_of(album, "id");
        auto gone = gallery::run_as(runtime_, "removeAlbum", {{"id", text(id)}}, user);
        if (!gone && gone.error().status != kNotFound) {
            return gone.error();
        }
        auto cleared = gone ? run(member(*gone, "choreId")) : CallResult<bool>(false);
        return cleared ? Done(Nothing{}) : Done(cleared.error());
    });
    if (!done) {
        return done;
    }
    done = walk(runtime_, "userMedia", mine, [&](const Item& media) -> Done {
        const auto id = text_of(media, "id");
        auto gone = gallery::run_as(runtime_, "removeMedia", {{"id", text(id)}}, user);
        if (!gone && gone.error().status != kNotFound) {
            return gone.error();
        }
        auto cleared = gone ? run(member(*gone, "choreId")) : CallResult<bool>(false);
        return cleared ? Done(Nothing{}) : Done(cleared.error());
    });
    if (!done) {
        return done;
    }
    if (done = leave_others(user); !done) {
        return done;
    }
    if (done = name_comments(user, std::string(kNobody)); !done) {
        return done;
    }
    done = walk(runtime_, "sessionsOf", {{"userId", text(user)}}, [&](const Item& session) {
        return step("dropSession", {{"sessionId", text(text_of(session, "sessionId"))}});
    });
    if (!done) {
        return done;
    }
    done = walk(runtime_, "notificationsOf", {{"targetUserId", text(user)}}, [&](const Item& one) {
        return step("dropNotification", {{"notificationId", text(text_of(one, "notificationId"))}});
    });
    return done ? step("dropUser", {{"userId", text(user)}}) : done;
}

// Likes, bookmarks and follows, with their counts.
Chores::Done Chores::leave_others(const std::string& user) {
    const auto as_user = [&](std::string_view operation, Arguments arguments) -> Done {
        const auto left = gallery::run_as(runtime_, operation, std::move(arguments), user);
        return left || left.error().status == kNotFound ? Done(Nothing{}) : Done(left.error());
    };
    auto done =
        walk(runtime_, "interactionsByUser", {{"userId", text(user)}}, [&](const Item& one) {
            const auto type = text_of(one, "interactionType");
            const auto target_type = text_of(one, "targetType");
            const auto target = text_of(one, "targetId");
            if (target_type == "comment") {
                return as_user(
                    "unlikeComment", {{"id", text(target)}, {"interactionType", text(type)}}
                );
            }
            return as_user(
                "unlike",
                {{"targetType", text(target_type)},
                 {"targetId", text(target)},
                 {"interactionType", text(type)}}
            );
        });
    if (!done) {
        return done;
    }
    done = walk(runtime_, "followingEdges", {{"followerId", text(user)}}, [&](const Item& edge) {
        return as_user("unfollow", {{"followedId", text(text_of(edge, "followedId"))}});
    });
    if (!done) {
        return done;
    }
    return walk(runtime_, "followerEdges", {{"followedId", text(user)}}, [&](const Item& edge) {
        return as_user("removeFollower", {{"followerId", text(text_of(edge, "followerId"))}});
    });
}

Chores::Done Chores::hide_user(const std::string& user, bool hide) {
    // An account that was enabled again meanwhile keeps what it shows.
    const auto found = runtime_.get("user", {{"userId", text(user)}}, model::internal_caller());
    if (found && model::flag_of(found->item, "isActive") == hide) {
        return Nothing{};
    }
    const auto mark = [&](std::string_view operation) {
        return [this, operation, hide](const Item& item) {
            Arguments arguments = {{"id", text(text_of(item, "id"))}};
            if (hide) {
                arguments["hiddenAt"] = text(render_rfc3339(runtime_.clock().now_millis()));
            }
            return step(operation, std::move(arguments));
        };
    };
    const Arguments mine = {{"createdBy", text(user)}};
    auto done = walk(runtime_, "userAlbums", mine, mark("hideAlbum"));
    if (!done) {
        return done;
    }
    if (done = walk(runtime_, "userMedia", mine, mark("hideMedia")); !done) {
        return done;
    }
    return walk(runtime_, "commentsByUser", {{"userId", text(user)}}, mark("hideComment"));
}

Chores::Done Chores::rename_user(const std::string& user) {
    const auto found = runtime_.get("user", {{"userId", text(user)}}, model::internal_caller());
    if (!found) {
        return found.error().status == kNotFound ? Done(Nothing{}) : Done(found.error());
    }
    if (auto done = name_comments(user, text_of(found->item, "username")); !done) {
        return done;
    }
    const auto email = text_of(found->item, "email");
    return walk(runtime_, "sessionsOf", {{"userId", text(user)}}, [&](const Item& session) {
        return step(
            "mailSession",
            {{"sessionId", text(text_of(session, "sessionId"))}, {"userEmail", text(email)}}
        );
    });
}

Chores::Done Chores::name_comments(const std::string& user, const std::string& name) {
    return walk(runtime_, "commentsByUser", {{"userId", text(user)}}, [&](const Item& comment) {
        return step(
            "nameComment", {{"id", text(text_of(comment, "id"))}, {"username", text(name)}}
        );
    });
}

}  // namespace gateleg::systems::gallery
