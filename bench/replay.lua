-- Replays prepared requests with wrk and prints one JSON line. What is sent is made in Python; nothing but a number
-- is put in while the clock runs, so that the client is not what is measured.
--
--   BENCH_REQUESTS  a file with one request a line: method, path, body, then headers of its own, divided by tabs
--   BENCH_HEADERS   headers of all of them, one a line
--   BENCH_RUN       four digits, another in each run
--   BENCH_RANDOM    random numbers lie below this
--
-- In a request ~run-unique~ stands for twelve digits that come once, ~random~ for a random number of eight digits.

local UNIQUE, RANDOM = "~run%-unique~", "~random~"
local requests, position, made = {}, 0, 0
local run, below = os.getenv("BENCH_RUN") or "0000", tonumber(os.getenv("BENCH_RANDOM") or "1")

local function add_header(headers, line)
    local name, value = line:match("^([^:]+): (.*)$")
    headers[name] = value
end

-- Two markers have the length of what they stand for, so the length of a body stays true.
local function prepare(line)
    local fields = {}
    for field in (line .. "\t"):gmatch("([^\t]*)\t") do
        fields[#fields + 1] = field
    end
    local headers = {}
    for common in (os.getenv("BENCH_HEADERS") or ""):gmatch("[^\n]+") do
        add_header(headers, common)
    end
    for at = 4, #fields do
        add_header(headers, fields[at])
    end
    local text = wrk.format(fields[1], fields[2], headers, fields[3] ~= "" and fields[3] or nil)
    local marked = text:find(UNIQUE) ~= nil or text:find(RANDOM, 1, true) ~= nil
    return { text = text, marked = marked }
end

function init()
    for line in io.lines(os.getenv("BENCH_REQUESTS")) do
        requests[#requests + 1] = prepare(line)
    end
    -- Another start each run: two rounds do not touch the same keys in the same order.
    math.randomseed(os.time())
    position = math.random(0, #requests - 1)
end

function request()
    position = position % #requests + 1
    local one = requests[position]
    if not one.marked then
        return one.text
    end
    made = made + 1
    local text = one.text:gsub(UNIQUE, string.format("%s%08d", run, made))
    return (text:gsub(RANDOM, string.format("%08d", math.random(0, below - 1))))
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        'RESULT {"requests":%d,"seconds":%.6f,"p50_ms":%.4f,"p99_ms":%.4f,"bad_status":%d,"bad_socket":%d,"bytes":%d}\n',
        summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        errors.status, errors.connect + errors.read + errors.write + errors.timeout, summary.bytes))
end
