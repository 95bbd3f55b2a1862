// T7: memory runs out at the Nth allocation of a request, for every N. That request gets 500 or
// 503, never another's answer or a complaint about itself; nothing is half written, and the next
// request works.

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include "api/dynamodb/face.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "http/handler.h"
#include "http/request_parser.h"
#include "storage/store.h"

namespace {

// Counts down on the thread that sets it; the allocation that reaches 0 fails, and so do those
// behind it if `all_fail`.
thread_local long allocations_left = -1;
thread_local bool all_fail = false;
thread_local long failures = 0;

bool is_refused() {
    if (allocations_left < 0 || (allocations_left > 0 && allocations_left-- != 1)) {
        return false;
    }
    if (!all_fail) {
        allocations_left = -1;
    }
    ++failures;
    return true;
}

}  // namespace

// NOLINTBEGIN: what the language calls
void* operator new(std::size_t size) {
    void* memory = is_refused() ? nullptr : std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}
void* operator new[](std::size_t size) {
    return operator new(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return is_refused() ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t& no_throw) noexcept {
    return operator new(size, no_throw);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
// NOLINTEND

namespace gateleg::app {
namespace {

// A request as a connection would hand it out, and its answer.
class Recorder final : public http::ExchangeTarget {
public:
    Recorder(const std::string& operation, std::string body) : body_(std::move(body)) {
        head_text_ = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810." +
                     operation + "\r\nContent-Length: " + std::to_string(body_.size()) + "\r\n\r\n";
        http::RequestParser parser;
        EXPECT_EQ(parser.feed(head_text_, request_.head), http::RequestParser::State::kComplete);
        const auto size = body_.size();
        body_.append(http::kBodyPadding, '\0');
        request_.body = std::string_view(body_).substr(0, size);
        request_.remote_address = "127.0.0.1";
    }

    const http::Request& request() const override { return request_; }
    std::string take_body_buffer() override { return {}; }
    std::string take_header_buffer() override { return {}; }
    void reply(http::Response&& response) override {
        const std::lock_guard lock(mutex_);
        status_ = response.status;
        text_ = std::move(response.body);
        answered_.notify_all();
    }
    void reply_missing() override {
        const std::lock_guard lock(mutex_);
        status_ = 500;
        answered_.notify_all();
    }

    int wait() {
        std::unique_lock lock(mutex_);
        answered_.wait_for(lock, std::chrono::seconds(60), [this] { return status_ != 0; });
        return status_;
    }
    const std::string& text() const { return text_; }

private:
    std::string head_text_;
    std::string body_;
    http::Request request_;
    std::mutex mutex_;
    std::condition_variable answered_;
    int status_ = 0;
    std::string text_;
};

class OutOfMemoryTest : public testing::Test {
protected:
    OutOfMemoryTest() {
        EXPECT_EQ(
            call(
                "CreateTable",
                R"({"TableName":"things","BillingMode":"PAY_PER_REQUEST",
                    "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
                    "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
                                            {"AttributeName":"g","AttributeType":"S"}],
                    "GlobalSecondaryIndexes":[{"IndexName":"byG","Projection":{"ProjectionType":"ALL"},
                        "KeySchema":[{"AttributeName":"g","KeyType":"HASH"}]}]})"
            ),
            200
        );
    }

    int call(const std::string& operation, const std::string& body, std::string* text = nullptr) {
        const auto recorder = std::make_shared<Recorder>(operation, body);
        face.handle(http::Exchange(recorder));
        const auto status = recorder->wait();
        EXPECT_EQ(status, 200) << recorder->text();
        if (text != nullptr) {
            *text = recorder->text();
        }
        return status;
    }

    // The status with memory that ends at the nth allocation; 0 if there were not so many.
    int call_short_of_memory(const std::string& operation, const std::string& body, long nth) {
        const auto recorder = std::make_shared<Recorder>(operation, body);
        failures = 0;
        allocations_left = nth;
        try {
            face.handle(http::Exchange(recorder));
        } catch (const std::exception&) {
            // As a connection does; the exchange has answered when it was dropped.
        }
        allocations_left = -1;
        const auto status = recorder->wait();
        last_text = recorder->text();
        return failures == 0 ? 0 : status;
    }

    std::unique_ptr<storage::Store> store = storage::Store::open({.in_memory = true});
    SystemClock clock;
    engine::Engine engine{*store, clock, {}};
    api::dynamodb::Face face{engine, clock, {}};
    std::string last_text;
};

struct Case {
    const char* operation;
    const char* body;
};
// Those that decide on the calling thread and write on another: storage itself is not starved.
constexpr Case kCases[] = {
    {"ListTables", "{}"},
    {"DescribeTable", R"({"TableName":"things"})"},
    {"PutItem",
     R"({"TableName":"things","Item":{"pk":{"S":"a"},"g":{"S":"x"},"l":{"L":[{"N":"1"},{"M":{"k":{"S":"v"}}}]},
         "ns":{"NS":["3","1","2"]},"b":{"B":"AAEC"}},"ReturnValues":"ALL_OLD"})"},
    {"UpdateItem",
     R"({"TableName":"things","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET #n = if_not_exists(#n, :zero) + :one REMOVE l[0]",
         "ConditionExpression":"attribute_exists(pk) OR #n < :one","ExpressionAttributeNames":{"#n":"n"},
         "ExpressionAttributeValues":{":zero":{"N":"0"},":one":{"N":"1"}},"ReturnValues":"ALL_NEW"})"},
    {"BatchWriteItem",
     R"({"RequestItems":{"things":[{"PutRequest":{"Item":{"pk":{"S":"b"},"g":{"S":"y"}}}},
         {"DeleteRequest":{"Key":{"pk":{"S":"c"}}}}]}})"},
    {"TransactWriteItems",
     R"({"ClientRequestToken":"one","TransactItems":[
         {"Put":{"TableName":"things","Item":{"pk":{"S":"d"},"g":{"S":"z"}},"ConditionExpression":"attribute_not_exists(pk) OR g = :g",
          "ExpressionAttributeValues":{":g":{"S":"z"}}}},{"Delete":{"TableName":"things","Key":{"pk":{"S":"e"}}}}]})"},
    {"DeleteItem", R"({"TableName":"things","Key":{"pk":{"S":"a"}},"ReturnValues":"ALL_OLD"})"},
};

TEST_F(OutOfMemoryTest, EveryAllocationOfEveryRequestMayFail) {
    long tried = 0;
    for (const auto& [operation, body] : kCases) {
        long nth = 1;
        for (; nth < 10'000; ++nth) {
            const auto status = call_short_of_memory(operation, body, nth);
            if (status == 0) {
                break;
            }
            ++tried;
            ASSERT_TRUE(status == 200 || status == 500 || status == 503)
                << operation << " at allocation " << nth << ": " << status << " " << last_text;
        }
        EXPECT_GT(nth, 3) << operation << " allocates nothing?";
        EXPECT_LT(nth, 10'000);
        EXPECT_EQ(call(operation, body), 200) << operation << " afterwards";
    }
    EXPECT_GT(tried, 50);
    std::string items;
    std::string entries;
    EXPECT_EQ(call("Scan", R"({"TableName":"things","Select":"COUNT"})", &items), 200);
    EXPECT_EQ(
        call("Scan", R"({"TableName":"things","IndexName":"byG","Select":"COUNT"})", &entries), 200
    );
    EXPECT_EQ(items, entries) << "each item has a g";
}

TEST_F(OutOfMemoryTest, AllAllocationsFromOneOnMayFail) {
    for (const auto& [operation, body] : kCases) {
        for (long nth = 1; nth < 10'000; ++nth) {
            all_fail = true;
            const auto status = call_short_of_memory(operation, body, nth);
            all_fail = false;
            if (status == 0) {
                break;
            }
            ASSERT_TRUE(status == 200 || status == 500 || status == 503)
                << operation << " from allocation " << nth << ": " << status << " " << last_text;
        }
        EXPECT_EQ(call(operation, body), 200) << operation << " afterwards";
    }
}

}  // namespace
}  // namespace gateleg::app
