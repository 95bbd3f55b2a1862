-- Replays prepared requests with wrk and prints one JSON line. What is sent is made by workloads.py; nothing
-- is composed here while the clock runs, so that the client is not what is measured.
--
--   BENCH_REQUESTS  a file with one request body a line      BENCH_TARGET  the DynamoDB operation

local requests, position = {}, 0

function init()
    local headers = {
        ["Content-Type"] = "application/x-amz-json-1.0",
        ["X-Amz-Target"] = "DynamoDB_20120810." .. os.getenv("BENCH_TARGET"),
        ["X-Amz-Date"] = "20260101T000000Z",
        ["Authorization"] = "AWS4-HMAC-SHA256 Credential=bench/20260101/us-east-1/dynamodb/aws4_request, "
            .. "SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=" .. ("0"):rep(64),
    }
    for body in io.lines(os.getenv("BENCH_REQUESTS")) do
        requests[#requests + 1] = wrk.format("POST", "/", headers, body)
    end
    -- Another start each run: two rounds do not touch the same keys in the same order.
    math.randomseed(os.time())
    position = math.random(0, #requests - 1)
end

function request()
    position = position % #requests + 1
    return requests[position]
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        'RESULT {"requests":%d,"seconds":%.6f,"p50_ms":%.4f,"p99_ms":%.4f,"bad_status":%d,"bad_socket":%d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
