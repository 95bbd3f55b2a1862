// Where JSON is written from stored values: through a bare pointer into room that was made before.
// Half of the time of a Query is spent here.

#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "base/json_writer.h"

namespace gateleg::value {

// Appends to a string that it keeps longer than needed until it goes. One thread at a time.
class JsonSink {
public:
    // `expected`: how much will be written, about.
    JsonSink(std::string& out, std::size_t expected) : out_(out), used_(out.size()) {
        widen(expected);
    }
    ~JsonSink() { out_.resize(used()); }
    JsonSink(const JsonSink&) = delete;
    JsonSink& operator=(const JsonSink&) = delete;

    void put(char c) {
        make_room(1);
        *at_++ = c;
    }
    template <std::size_t kSize>
    void put(const char (&text)[kSize]) {
        make_room(kSize - 1);
        std::memcpy(at_, text, kSize - 1);
        at_ += kSize - 1;
    }
    // JSON as it is.
    void raw(std::string_view json) {
        make_room(json.size());
        std::memcpy(at_, json.data(), json.size());
        at_ += json.size();
    }
    // JSON of `size` bytes, at most kShort, with as many to read behind `json` whatever they are:
    // what is always as long is copied faster than what is not.
    static constexpr std::size_t kShort = 32;
    void raw_short(const char* json, std::size_t size) {
        make_room(kShort);
        std::memcpy(at_, json, kShort);
        at_ += size;
    }
    // Between quotes, without a look at what it holds.
    void quote(std::string_view text) {
        make_room(text.size() + 2);
        *at_++ = '"';
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
        *at_++ = '"';
    }
    // Between quotes; `escape`: it holds a character that must be escaped.
    void text(std::string_view text, bool escape) {
        if (escape) {
            pass_on([text](std::string& to) { append_json_string(to, text); });
        } else {
            quote(text);
        }
    }
    // How much was written, and what of it behind the first `size` bytes: until the next call.
    std::size_t size() const { return used(); }
    std::string_view written_behind(std::size_t size) const {
        return {out_.data() + size, used() - size};
    }
    // As base64 text.
    void binary(std::string_view bytes) {
        put('"');
        pass_on([bytes](std::string& to) { append_base64(to, bytes); });
        put('"');
    }

private:
    static constexpr std::size_t kStep = 512;

    // For what only knows how to append: `append(string)`.
    template <class Append>
    void pass_on(Append append) {
        used_ = used();
        out_.resize(used_);
        append(out_);
        used_ = out_.size();
        widen(kStep);
    }
    std::size_t used() const { return static_cast<std::size_t>(at_ - out_.data()); }
    void make_room(std::size_t bytes) {
        if (static_cast<std::size_t>(end_ - at_) < bytes) {
            used_ = used();
            widen(bytes + used_ / 2 + kStep);
        }
    }
    void widen(std::size_t bytes) {
        out_.resize(used_ + bytes);
        at_ = out_.data() + used_;
        end_ = out_.data() + out_.size();
    }

    std::string& out_;
    std::size_t used_;
    char* at_ = nullptr;
    const char* end_ = nullptr;
};

}  // namespace gateleg::value
