// Built by cpp_test.js with the generated header: stories_cpp PORT TOKEN.

#include "stories_client.h"

#include <algorithm>
#include <cstdio>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace gateleg_stories;  // NOLINT: one file, no header

// One request a connection, HTTP/1.1, loopback.
class SocketTransport final : public Transport {
public:
    explicit SocketTransport(int port) : port_(port) {}

    // The answers of the next requests are lost.
    int losses = 0;
    std::vector<std::string> keys;

    Response send(const Request& request) override {
        std::string head = request.method + " " + request.target +
                           " HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n";
        for (const auto& [name, value] : request.headers) {
            head += name + ": " + value + "\r\n";
            if (name == "idempotency-key") {
                keys.push_back(value);
            }
        }
        head += "content-length: " + std::to_string(request.body.size()) + "\r\n\r\n";
        const auto reply = exchange(head + request.body);
        if (losses > 0) {
            --losses;
            throw TransportError("lost");
        }
        const auto body = reply.find("\r\n\r\n");
        if (reply.size() < 12 || body == std::string::npos) {
            throw TransportError("no answer");
        }
        return {std::stoi(reply.substr(9, 3)), reply.substr(body + 4)};
    }

private:
    std::string exchange(const std::string& bytes) const {
        const int file = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port_));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        std::string reply;
        if (::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
            ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
            char part[4096];
            for (ssize_t got = 0; (got = ::read(file, part, sizeof part)) > 0;) {
                reply.append(part, static_cast<std::size_t>(got));
            }
        }
        ::close(file);
        return reply;
    }

    int port_;
};

void expect(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "does not hold: %s\n", what);
        std::exit(1);
    }
}

template <class Call>
std::string code_of(Call call) {
    try {
        call();
    } catch (const ApiError& error) {
        return error.code;
    }
    return "";
}

}  // namespace

int main(int argc, char** argv) {
    expect(argc == 3, "two arguments");
    SocketTransport transport(std::atoi(argv[1]));
    StoriesClient client(transport);
    client.set_token(argv[2]);

    const auto story = client.createStory({.title = "Ein \"Märchen\"\n"});
    expect(story.title == "Ein \"Märchen\"\n", "titles come back as they were");
    expect(story.userId == "cpp-1" && story.nodeCount == 0 && !story.startNodeId, "attributes");
    expect(
        client.renameStory({.id = story.id, .title = "Two"}, {.if_match = story.version}), "changed"
    );
    expect(
        code_of([&] {
            client.renameStory({.id = story.id, .title = "Three"}, {.if_match = story.version});
        }) == Errors::kVersionMismatch,
        "the version guards"
    );
    expect(code_of([&] { client.restoreStory({.id = story.id}); }) == Errors::kNotDeleted, "named");
    expect(
        code_of([&] { client.createStory({.title = ""}); }) == Errors::kValidationFailed,
        "validated"
    );
    expect(client.story({.id = story.id}).title == "Two", "read");

    transport.losses = 2;
    transport.keys.clear();
    client.createStory({.title = "Once"});
    expect(transport.keys.size() == 3 && transport.keys[0] == transport.keys[2], "one key");
    for (int i = 0; i < 3; ++i) {
        client.createStory({.title = std::to_string(i)});
    }
    std::vector<std::string> seen;
    client.iterateStories({.limit = 2}, [&](const StoryIndex& item) {
        seen.push_back(item.title);
    });
    // Ids that follow from a key have no order within a millisecond.
    std::sort(seen.begin(), seen.end());
    expect(seen == std::vector<std::string>({"0", "1", "2", "Once", "Two"}), "pages");

    expect(client.deleteStory({.id = story.id}) && !client.deleteStory({.id = story.id}), "once");
    const auto all = client.storyWithNodes({.id = story.id});
    expect(all.items.size() == 1 && std::get<Story>(all.items[0].value).deleted, "a variant");
    const auto newest =
        client.newestStories({.sort = NewestStoriesInputSort::kUpdated, .limit = 2});
    expect(newest.items.size() == 2, "an enum in a query");
    std::puts("done");
}
