#include "lockstep/formats/xpcs/batch.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "formats/records/field_writer.hpp"
#include "formats/records/record_file.hpp"
#include "formats/xpcs/value_fields.hpp"

namespace lockstep::formats::xpcs {
namespace {

constexpr int format_version = 1;
constexpr int indent = 2;
constexpr auto timeline_name = "timeline.json";

constexpr std::array<std::pair<BatchStatus, std::string_view>, 5> status_names{
    {{BatchStatus::done, "done"},
     {BatchStatus::kept, "kept"},
     {BatchStatus::ended_early, "ended_early"},
     {BatchStatus::not_begun, "not_begun"},
     {BatchStatus::failed, "failed"}}};

BatchStatus status_of(const std::string& text) {
    for (const auto& [status, name] : status_names) {
        if (name == text) {
            return status;
        }
    }
    throw InputError(
        fmt::format("status is '{}': must be done, kept, ended_early, not_begun or failed", text));
}

struct SpanFields : StageSpan {
    template <typename Fields>
    void fields(Fields& f) {
        f.required(
            "stage",
            stage,
            {"load, fit, deal (shards, beside the errors of the fit), sample or write", "fit"});
        f.required("begin", begin, {"Since the batch began [s]", "1.5"});
        f.required("end", end, {"Since the batch began [s]", "1.7"});
    }
};

struct DrawnFields : DrawnRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("name", name, {"Of the parameter", "D0"});
        f.required("mean", mean, {"Of the draws", "12000"}, records::computed);
        f.required("sd", sd, {"Of the draws", "100"}, records::computed);
    }
};

struct SecondsFields {
    std::string stage;
    double seconds = 0;

    template <typename Fields>
    void fields(Fields& f) {
        f.required(
            "stage",
            stage,
            {"load, fit, deal (shards, beside the errors of the fit), sample or write", "fit"});
        f.required("seconds", seconds, {"That it took", "0.2"});
    }
};

struct EntryFields {
    BatchEntry entry;
    std::string status;
    std::vector<ValueFields> values;
    std::vector<DrawnFields> posterior;
    std::vector<SecondsFields> stages;

    template <typename Fields>
    void fields(Fields& f) {
        auto& e = entry;
        f.required("name", e.name, {"Of its folder", "scan_001"});
        f.required("configuration", e.configuration, {"That was read", "config.yaml"});
        f.required("data_file", e.data_file, {"In place of the configuration's", "scan_001.h5"});
        f.required("status", status, {"done, kept, ended_early, not_begun or failed", "done"});
        f.required("message", e.message, {"Why it failed", ""});
        f.required("options_digest", e.options_digest, {"Of what was asked for", ""});
        f.required("input_digest", e.input_digest, {"Of configuration and measurement", ""});
        f.required("fit_digest", e.fit_digest, {"As in fit.json", ""});
        f.required("posterior_digest", e.posterior_digest, {"As in posterior.json", ""});
        f.required("converged", e.is_converged, {"Whether the fit is a minimum", "true"});
        f.optional(
            "chi_squared", e.chi_squared, {"Each pair of frames once", "11718"}, records::computed);
        f.optional("degrees_of_freedom", e.degrees_of_freedom, {"Pairs less values", "11699"});
        f.required("error_method", e.error_method, {"speckle, blocks or classical", "speckle"});
        f.required("values", values, {"That were fitted"});
        f.required("posterior", posterior, {"Mean and standard deviation"});
        f.required("stages", stages, {"What each took"});
        f.required("rank", e.rank, {"That worked on it", "0"});
    }
};

struct BatchFields {
    int version = format_version;
    BatchRecord record;
    std::vector<EntryFields> datasets;

    template <typename Fields>
    void fields(Fields& f) {
        f.required("format_version", version, {"Of this file", "1"}, {1, format_version});
        f.required("ahead", record.ahead, {"Datasets loaded beside the one in work", "2"});
        f.required("ranks", record.ranks, {"That shared the datasets", "1"});
        f.required("seconds", record.seconds, {"Of the batch", "12"});
        f.required("datasets", datasets, {"In the order of the input"});
    }
};

struct TimelineEntryFields {
    std::string dataset;
    int rank = 0;
    std::vector<SpanFields> stages;

    template <typename Fields>
    void fields(Fields& f) {
        f.required("dataset", dataset, {"Its name", "scan_001"});
        f.required("rank", rank, {"That worked on it", "0"});
        f.required("stages", stages, {"When each began and ended"});
    }
};

struct TimelineFields {
    int version = format_version;
    std::vector<TimelineEntryFields> datasets;

    template <typename Fields>
    void fields(Fields& f) {
        f.required("format_version", version, {"Of this file", "1"}, {1, format_version});
        f.required("datasets", datasets, {"In the order of the input"});
    }
};

/// An entry with its times, as one message.
struct MessageFields {
    EntryFields entry;
    std::vector<SpanFields> spans;

    template <typename Fields>
    void fields(Fields& f) {
        f.required("entry", entry, {"As in batch.json"});
        f.required("spans", spans, {"As in timeline.json"});
    }
};

struct MessagesFields {
    std::vector<MessageFields> entries;

    template <typename Fields>
    void fields(Fields& f) {
        f.required("entries", entries, {"Of a rank"});
    }
};

EntryFields fields_of(const BatchEntry& entry) {
    EntryFields fields{entry,
                       std::string(to_string(entry.status)),
                       as<ValueFields>(entry.values),
                       as<DrawnFields>(entry.posterior),
                       {}};
    for (const auto& span : entry.stages) {
        fields.stages.push_back({span.stage, span.end - span.begin});
    }
    return fields;
}

BatchEntry entry_of(EntryFields&& fields, const std::vector<SpanFields>& spans) {
    auto entry = std::move(fields.entry);
    entry.status = status_of(fields.status);
    entry.values = back<ValueRecord>(fields.values);
    entry.posterior = back<DrawnRecord>(fields.posterior);
    entry.stages = back<StageSpan>(spans);
    return entry;
}

TimelineFields timeline_of(const BatchRecord& record) {
    TimelineFields timeline;
    for (const auto& entry : record.datasets) {
        timeline.datasets.push_back({entry.name, entry.rank, as<SpanFields>(entry.stages)});
    }
    return timeline;
}

}  // namespace

std::string_view to_string(BatchStatus status) noexcept {
    return status_names[static_cast<std::size_t>(status)].second;
}

const ValueRecord* BatchEntry::value(std::string_view wanted) const noexcept {
    const auto found = std::ranges::find(values, wanted, &ValueRecord::name);
    return found == values.end() ? nullptr : &*found;
}

int BatchRecord::count(BatchStatus status) const noexcept {
    return static_cast<int>(std::ranges::count(datasets, status, &BatchEntry::status));
}

io::Json to_json(const BatchRecord& record) {
    BatchFields file;
    file.record = record;
    for (const auto& entry : record.datasets) {
        file.datasets.push_back(fields_of(entry));
    }
    return records::written(file);
}

void write_batch(const std::filesystem::path& output, const BatchRecord& record) {
    io::write_file(output / timeline_name,
                   io::to_text(records::written(timeline_of(record)), indent) + "\n");
    io::write_file(output / BatchRecord::file_name, io::to_text(to_json(record), indent) + "\n");
}

BatchRecord read_batch(const std::filesystem::path& output) {
    auto file = records::read_record<BatchFields>(output / BatchRecord::file_name);
    auto timeline = records::read_record<TimelineFields>(output / timeline_name);
    std::map<std::string, std::vector<SpanFields>> spans;
    for (auto& of : timeline.datasets) {
        spans[of.dataset] = std::move(of.stages);
    }
    for (auto& fields : file.datasets) {
        const auto name = fields.entry.name;
        file.record.datasets.push_back(entry_of(std::move(fields), spans[name]));
    }
    return std::move(file.record);
}

std::string entries_text(const std::vector<BatchEntry>& entries) {
    MessagesFields messages;
    for (const auto& entry : entries) {
        messages.entries.push_back({fields_of(entry), as<SpanFields>(entry.stages)});
    }
    return io::to_text(records::written(messages));
}

std::vector<BatchEntry> parse_entries(std::string_view text) {
    const std::string name = "message of a rank";
    auto messages = records::record_in<MessagesFields>(io::parse_json(text, name), name);
    std::vector<BatchEntry> entries;
    for (auto& message : messages.entries) {
        entries.push_back(entry_of(std::move(message.entry), message.spans));
    }
    return entries;
}

}  // namespace lockstep::formats::xpcs
