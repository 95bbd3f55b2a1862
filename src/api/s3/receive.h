// A request with a body on its way through: pieces come from the connection's I/O thread, and each
// is taken by a worker. While one is being taken the client is held up, so memory stays constant.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/s3/body.h"
#include "api/s3/call.h"
#include "api/s3/operations.h"
#include "objects/upload.h"

namespace gateleg::api::s3 {

// What a Receiver needs of the face.
class Desk {
public:
    virtual ~Desk() = default;
    // Runs `job` on a worker. When too many wait it answers `call` with 503 instead.
    virtual void submit(std::shared_ptr<Call> call, UniqueFunction<void()> job) = 0;
    // The origin of a page must be allowed before anything happens; sets Call::cors.
    virtual Result<void> admit_page(Call& call) = 0;
    virtual const Context& context() const = 0;
    virtual void answer(Call& call, Answer answer) = 0;
    virtual void upload_began() = 0;
    virtual void upload_ended() = 0;
};

// One body; owned by whoever will call it next. The desk outlives it.
class Receiver : public std::enable_shared_from_this<Receiver> {
public:
    Receiver(Desk& desk, std::shared_ptr<Call> call, const Operation& operation);
    ~Receiver();
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    // On the I/O thread.
    void start();

private:
    void prepare_then_read();
    void read_more();
    void on_piece(http::Exchange exchange, http::BodyRead read);
    void take(http::BodyRead read);

    // On a worker.
    Result<void> prepare();
    Result<void> begin_upload();
    Result<void> take_bytes(std::string_view bytes);
    Result<void> sink(std::string_view piece);
    Answer finish();
    Answer finish_upload(const std::vector<objects::Checksum>& trailers);
    void fail(const Error& error);

    Desk& desk_;
    std::shared_ptr<Call> call_;
    const Operation& operation_;
    bool prepared_ = false;
    std::vector<char> buffer_;
    BodyPromises promises_;
    std::optional<BodyDecoder> decoder_;
    std::optional<objects::Upload> upload_;
    std::vector<objects::NamedText> tags_;
    std::string whole_;
};

}  // namespace gateleg::api::s3
