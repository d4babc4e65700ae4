#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/formats/records/setting.hpp"
#include "lockstep/formats/rl/bounded_value.hpp"
#include "lockstep/formats/rl/environment_record.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::formats::rl {

/// What was asked of a training and what came out, without the table.
struct TrainingRecord {
    EnvironmentRecord environment;
    std::vector<Setting> options;  ///< all that decide the result, by the names of the command line
    bool is_reproducible = true;   ///< false: another run may end with other bits
    std::string ending;            ///< "done", "stopped"
    std::int64_t transitions = 0;
    std::int64_t episodes = 0;
    std::int64_t rounds = 0;
    double seconds = 0;
    double steps_per_second = 0;           ///< over the whole run
    std::int64_t touched = 0;              ///< pairs that were visited
    std::optional<double> return_mean;     ///< of the last episodes; none: no episode has ended
    double td_error = 0;                   ///< the last
    std::optional<BoundedValue> value;     ///< of the greedy policy at the start
    std::optional<BoundedValue> optimum;   ///< the best there is
    std::optional<double> exploitability;  ///< of games: what the best opponent gains on average
    std::string digest;
};

/// The files of an output directory, relative to it.
inline constexpr std::array<const char*, 4> training_files = {"training/metadata.json",
                                                              "training/q_table.parquet",
                                                              "training/q_table.npy",
                                                              "training/metrics.jsonl"};

/// @throws IoError  the file cannot be written
void write_training_record(const std::filesystem::path& output, const TrainingRecord& record);
/// @throws IoError  the file is missing; InputError  it is damaged, and how
TrainingRecord read_training_record(const std::filesystem::path& output);
io::Json to_json(const TrainingRecord& record);

/// training/metrics.jsonl: a line a report, appended while the training runs.
/// @throws IoError  it cannot be written
void append_metrics(const std::filesystem::path& output, const io::Json& line);
/// Lines of rounds up to `round` stay.
/// @throws IoError  it cannot be written
void cut_metrics(const std::filesystem::path& output, std::int64_t round);
/// All whole lines; none where there is no such file. A line that a killed run has left half
/// written is not there.
/// @throws IoError  it cannot be read; InputError  a line is damaged: which one
std::vector<io::Json> read_metrics(const std::filesystem::path& output);

}  // namespace lockstep::formats::rl
