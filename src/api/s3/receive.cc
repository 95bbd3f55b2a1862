#include "api/s3/receive.h"

#include <algorithm>

#include "objects/errors.h"

namespace gateleg::api::s3 {
namespace {

// What one read brings at most, and so what one upload holds in memory.
constexpr std::size_t kPieceBytes = std::size_t{128} * 1024;
// The XML of a thousand keys to delete, each of 1024 characters that must be escaped.
constexpr std::size_t kMaxWholeBytes = std::size_t{8} << 20;

}  // namespace

Receiver::Receiver(Desk& desk, std::shared_ptr<Call> call, const Operation& operation)
    : desk_(desk), call_(std::move(call)), operation_(operation) {
    desk_.upload_began();
}

Receiver::~Receiver() {
    desk_.upload_ended();
}

void Receiver::start() {
    const auto& head = call_->head();
    const auto announced = head.content_length();
    buffer_.resize(std::clamp<std::uint64_t>(announced.value_or(kPieceBytes), 1, kPieceBytes));
    // A small body is here already, or soon: taking it first saves a turn.
    const bool small =
        announced && *announced <= kPieceBytes && !head.expects_continue() && !head.find("origin");
    if (small) {
        read_more();
        return;
    }
    desk_.submit(call_, [self = shared_from_this()] { self->prepare_then_read(); });
}

void Receiver::prepare_then_read() {
    if (const auto ready = prepare(); !ready) {
        fail(ready.error());
        return;
    }
    read_more();
}

void Receiver::read_more() {
    auto exchange = std::move(call_->exchange);
    std::move(exchange).read_body(
        buffer_,
        [self = shared_from_this()](http::Exchange back, http::BodyRead read) {
            self->on_piece(std::move(back), read);
        }
    );
}

void Receiver::on_piece(http::Exchange exchange, http::BodyRead read) {
    call_->exchange = std::move(exchange);
    desk_.submit(call_, [self = shared_from_this(), read] { self->take(read); });
}

void Receiver::take(http::BodyRead read) {
    using State = http::BodyRead::State;
    switch (read.state) {
        case State::kGone:
        case State::kMalformed:
            fail(objects::object_error(objects::Reason::kIncompleteBody));
            return;
        case State::kTooSlow:
            fail(auth::s3_error(
                400,
                "RequestTimeout",
                "Your socket connection to the server was not read from or written to within the "
                "timeout period. Idle connections will be closed."
            ));
            return;
        case State::kMore:
        case State::kEnd:
            break;
    }
    auto taken = prepare();
    if (taken) {
        taken = take_bytes({buffer_.data(), read.bytes});
    }
    if (!taken) {
        fail(taken.error());
    } else if (read.state == State::kMore) {
        read_more();
    } else {
        desk_.answer(*call_, finish());
    }
}

Result<void> Receiver::prepare() {
    if (std::exchange(prepared_, true)) {
        return {};
    }
    GATELEG_TRY(desk_.admit_page(*call_));
    GATELEG_TRY_ASSIGN(promises_, read_promises(*call_));
    GATELEG_TRY_ASSIGN(decoder_, BodyDecoder::make(*call_));
    return operation_.body == BodyUse::kStream ? begin_upload() : Result<void>();
}

Result<void> Receiver::begin_upload() {
    objects::UploadOptions options;
    options.checksums = promises_.algorithms;
    options.payload_sha256 = promises_.payload_sha256.has_value();
    options.expected_bytes = promises_.bytes;
    auto& store = desk_.context().store;
    const auto& target = call_->target;
    if (target.query.has("uploadId")) {
        GATELEG_TRY_ASSIGN(const auto number, read_part_number(target.query));
        const objects::UploadName name{target.bucket, target.key, target.query.get("uploadId")};
        GATELEG_TRY_ASSIGN(auto upload, store.begin_part(name, number, std::move(options)));
        upload_.emplace(std::move(upload));
        return {};
    }
    GATELEG_TRY_ASSIGN(tags_, read_tagging(call_->header("x-amz-tagging")));
    GATELEG_TRY_ASSIGN(auto upload, store.begin_put(target.bucket, target.key, std::move(options)));
    upload_.emplace(std::move(upload));
    return {};
}

Result<void> Receiver::take_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
        GATELEG_TRY_ASSIGN(const auto piece, decoder_->next(bytes));
        if (!piece.empty()) {
            GATELEG_TRY(sink(piece));
        }
    }
    return {};
}

Result<void> Receiver::sink(std::string_view piece) {
    if (upload_) {
        return upload_->append(piece);
    }
    if (piece.size() > kMaxWholeBytes - whole_.size()) {
        return auth::s3_error(400, "MaxMessageLengthExceeded", "Your request was too big.");
    }
    whole_.append(piece);
    return {};
}

Answer Receiver::finish() {
    GATELEG_TRY_ASSIGN(const auto trailers, decoder_->finish());
    if (upload_) {
        return finish_upload(trailers);
    }
    GATELEG_TRY(check_promises(whole_, promises_, trailers));
    return operation_.run(desk_.context(), *call_, whole_);
}

Answer Receiver::finish_upload(const std::vector<objects::Checksum>& trailers) {
    objects::FinishUpload request;
    request.content_md5 = promises_.content_md5;
    request.checksums = promises_.checksums;
    request.checksums.insert(request.checksums.end(), trailers.begin(), trailers.end());
    request.payload_sha256 = promises_.payload_sha256;
    if (!call_->target.query.has("uploadId")) {
        request.metadata = read_metadata(call_->head());
        request.tags = tags_;
        request.condition = read_write_condition(*call_);
    }
    GATELEG_TRY_ASSIGN(const auto written, upload_->finish(request));
    auto response = empty_response();
    add_etag(response.headers, written.etag);
    if (written.checksum) {
        add_checksum(response.headers, *written.checksum);
    }
    return response;
}

void Receiver::fail(const Error& error) {
    upload_.reset();
    desk_.answer(*call_, error);
}

}  // namespace gateleg::api::s3
