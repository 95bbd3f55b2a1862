#include "metrics/exposition.h"

#include <array>
#include <charconv>
#include <cmath>

namespace gateleg::metrics {
namespace {

// Each is one of kBounds.
constexpr std::array<std::uint32_t, 18> kExposedBounds = {
    50,
    100,
    200,
    500,
    1'000,
    2'000,
    5'000,
    10'000,
    20'000,
    50'000,
    100'000,
    200'000,
    500'000,
    1'000'000,
    2'000'000,
    5'000'000,
    10'000'000,
    30'000'000};
constexpr double kMicros = 1e6;

void append_number(std::string& out, double value) {
    if (std::isinf(value)) {
        out.append(value > 0 ? "+Inf" : "-Inf");
        return;
    }
    std::array<char, 64> text{};
    // Plain digits where they are not too many: bounds are compared as texts by some readers.
    const auto size = std::abs(value);
    const bool plain = size == 0 || (size >= 1e-6 && size < 1e18);
    const auto end = std::to_chars(
                         text.data(),
                         text.data() + text.size(),
                         value,
                         plain ? std::chars_format::fixed : std::chars_format::general
    )
                         .ptr;
    out.append(text.data(), static_cast<std::size_t>(end - text.data()));
}

std::string number_text(double value) {
    std::string text;
    append_number(text, value);
    return text;
}

// Of a label's value, or of a help text, in which quotes stay as they are.
void append_escaped(std::string& out, std::string_view text, bool quoted) {
    for (const char c : text) {
        if (c == '\\') {
            out.append("\\\\");
        } else if (c == '\n') {
            out.append("\\n");
        } else if (c == '"' && quoted) {
            out.append("\\\"");
        } else {
            out.push_back(c);
        }
    }
}

}  // namespace

void Exposition::family(std::string_view name, std::string_view type, std::string_view help) {
    out_.append("# HELP ").append(name).append(" ");
    append_escaped(out_, help, false);
    out_.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
}

void Exposition::sample(std::string_view name, const Labels& labels, double value) {
    out_.append(name);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        out_.append(i == 0 ? "{" : ",").append(labels[i].first).append("=\"");
        append_escaped(out_, labels[i].second, true);
        out_.append("\"");
    }
    out_.append(labels.empty() ? " " : "} ");
    append_number(out_, value);
    out_.append("\n");
}

namespace {

void expose_durations(Exposition& out, const TotalsByOperation& totals) {
    constexpr std::string_view kName = "gateleg_request_duration_seconds";
    const std::string bucket = std::string(kName) + "_bucket";
    out.family(kName, "histogram", "Time from the whole request to its reply");
    for (const auto& [name, each] : totals) {
        const Exposition::Labels labels = {
            {"face", face_name(name.face)}, {"operation", name.operation}};
        std::uint64_t below = 0;
        std::size_t at = 0;
        for (const auto bound : kExposedBounds) {
            while (at < kBounds.size() && kBounds[at] <= bound) {
                below += each.buckets[at++];
            }
            auto with_bound = labels;
            const auto le = number_text(bound / kMicros);
            with_bound.emplace_back("le", le);
            out.sample(bucket, with_bound, static_cast<double>(below));
        }
        for (; at < kBuckets; ++at) {
            below += each.buckets[at];
        }
        auto with_bound = labels;
        with_bound.emplace_back("le", "+Inf");
        out.sample(bucket, with_bound, static_cast<double>(below));
        out.sample(std::string(kName) + "_sum", labels, static_cast<double>(each.micros) / kMicros);
        out.sample(std::string(kName) + "_count", labels, static_cast<double>(below));
    }
}

void expose_bytes(
    Exposition& out,
    const TotalsByOperation& totals,
    std::string_view name,
    std::string_view help,
    std::uint64_t Totals::*member
) {
    out.family(name, "counter", help);
    for (const auto& [of, each] : totals) {
        out.sample(
            name,
            {{"face", face_name(of.face)}, {"operation", of.operation}},
            static_cast<double>(each.*member)
        );
    }
}

}  // namespace

void expose_requests(Exposition& out, const TotalsByOperation& totals) {
    out.family("gateleg_requests_total", "counter", "Requests answered, by operation and status");
    for (const auto& [name, each] : totals) {
        for (const auto& [status, count] : each.by_status) {
            const auto text = std::to_string(status);
            out.sample(
                "gateleg_requests_total",
                {{"face", face_name(name.face)}, {"operation", name.operation}, {"status", text}},
                static_cast<double>(count)
            );
        }
    }
    expose_durations(out, totals);
    expose_bytes(
        out, totals, "gateleg_request_bytes_total", "Bytes of request bodies", &Totals::bytes_in
    );
    expose_bytes(
        out, totals, "gateleg_response_bytes_total", "Bytes of reply bodies", &Totals::bytes_out
    );
}

void expose_gauges(Exposition& out, const std::vector<Gauge>& gauges) {
    for (const auto& gauge : gauges) {
        out.family(gauge.name, gauge.counter ? "counter" : "gauge", gauge.help);
        out.sample(gauge.name, {}, gauge.value);
    }
}

}  // namespace gateleg::metrics
