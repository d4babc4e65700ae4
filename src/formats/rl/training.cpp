#include "lockstep/formats/rl/training.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "formats/records/field_writer.hpp"
#include "formats/records/record_file.hpp"
#include "formats/rl/bounded_fields.hpp"
#include "formats/rl/environment_fields.hpp"

namespace lockstep::formats::rl {
namespace {

namespace fs = std::filesystem;

constexpr int format_version = 1;
constexpr int indent = 2;

struct RecordFields {
    int version = format_version;
    TrainingRecord record;
    EnvironmentFields environment;
    std::optional<BoundedFields> value;
    std::optional<BoundedFields> optimum;

    template <typename Fields>
    void fields(Fields& f) {
        auto& r = record;
        f.required("format_version", version, {"Of this file", "1"}, {1, format_version});
        f.required("environment", environment, {"What was learned"});
        f.required("options", r.options, {"All that decide the result"});
        f.required("reproducible", r.is_reproducible, {"Whether every run has these bits", "true"});
        f.required("ending", r.ending, {"done or stopped", "done"});
        f.required("transitions", r.transitions, {"Steps of all workers", "1000000"});
        f.required("episodes", r.episodes, {"That have ended", "1000"});
        f.required("rounds", r.rounds, {"After which workers exchanged", "7"});
        f.required("seconds", r.seconds, {"Time", "1.5"});
        f.required("steps_per_second", r.steps_per_second, {"Over the whole run", "1e7"});
        f.required("touched", r.touched, {"Pairs that were visited", "64"});
        f.optional("return_mean", r.return_mean, {"Of the last episodes", "0.7"});
        f.required("td_error", r.td_error, {"Mean of |target - value|, the last", "0.01"});
        f.optional("value", value, {"Of the greedy policy at the start"});
        f.optional("optimum", optimum, {"The best there is"});
        f.optional("exploitability", r.exploitability, {"What the best opponent gains", "0.1"});
        f.required("digest", r.digest, {"Of the table", ""});
    }
};

fs::path metrics_file(const fs::path& output) {
    return output / "training" / "metrics.jsonl";
}

fs::path record_file(const fs::path& output) {
    return output / "training" / "metadata.json";
}

}  // namespace

void write_training_record(const fs::path& output, const TrainingRecord& record) {
    io::write_file(record_file(output), io::to_text(to_json(record), indent) + "\n");
}

TrainingRecord read_training_record(const fs::path& output) {
    auto file = records::read_record<RecordFields>(record_file(output));
    file.record.environment = std::move(file.environment);
    file.record.value = file.value;
    file.record.optimum = file.optimum;
    return std::move(file.record);
}

io::Json to_json(const TrainingRecord& record) {
    RecordFields file;
    file.record = record;
    file.environment = {record.environment};
    if (record.value) {
        file.value = BoundedFields{*record.value};
    }
    if (record.optimum) {
        file.optimum = BoundedFields{*record.optimum};
    }
    return records::written(file);
}

void append_metrics(const fs::path& output, const io::Json& line) {
    const auto file = metrics_file(output);
    io::make_folder(file.parent_path());
    std::ofstream stream(file, std::ios::app);
    stream << io::to_text(line) << '\n';
    stream.flush();
    if (!stream) {
        throw IoError(fmt::format("{} cannot be written: {}", file.string(), std::strerror(errno)),
                      IoError::Direction::write);
    }
}

void cut_metrics(const fs::path& output, std::int64_t round) {
    std::string kept;
    for (const auto& line : read_metrics(output)) {
        const auto* number = line.find("round");
        if (number != nullptr && number->if_integer() != nullptr &&
            *number->if_integer() <= round) {
            kept += io::to_text(line) + "\n";
        }
    }
    io::write_file(metrics_file(output), kept);
}

std::vector<io::Json> read_metrics(const fs::path& output) {
    const auto file = metrics_file(output);
    if (!io::is_there(file)) {
        return {};
    }
    const auto text = io::read_file(file, io::largest_text);
    std::vector<io::Json> lines;
    for (std::size_t begin = 0, end = text.find('\n'); end != std::string::npos;
         begin = end + 1, end = text.find('\n', begin)) {
        lines.push_back(
            io::parse_json(std::string_view(text).substr(begin, end - begin),
                           fmt::format("{}, line {}", file.string(), lines.size() + 1)));
    }
    return lines;
}

}  // namespace lockstep::formats::rl
