-- Puts or gets objects of one size, each under a key of its own. BENCH_METHOD, BENCH_BYTES, BENCH_KEYS, BENCH_AUTH, BENCH_DATE.
local method = os.getenv("BENCH_METHOD")
local keys = tonumber(os.getenv("BENCH_KEYS"))
local headers = {
  ["Authorization"] = os.getenv("BENCH_AUTH"),
  ["X-Amz-Date"] = os.getenv("BENCH_DATE"),
  ["X-Amz-Content-Sha256"] = "UNSIGNED-PAYLOAD",
}
local body = method == "PUT" and string.rep("x", tonumber(os.getenv("BENCH_BYTES"))) or nil
local at = 0

function request()
  at = at % keys + 1
  return wrk.format(method, "/bench/" .. os.getenv("BENCH_BYTES") .. "-" .. at, headers, body)
end

function done(summary)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format('RESULT {"requests": %d, "seconds": %.6f, "errors": %d}\n',
    summary.requests, summary.duration / 1e6, failed + summary.errors.status))
end
