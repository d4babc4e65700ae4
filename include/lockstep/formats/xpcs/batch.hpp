#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/formats/xpcs/records.hpp"

namespace lockstep::formats::xpcs {

enum class BatchStatus {
    done,
    kept,         ///< by --resume: done before, from the same input
    ended_early,  ///< by a signal; what there is stands in its folder
    not_begun,    ///< a signal came first
    failed,
};
std::string_view to_string(BatchStatus status) noexcept;

/// What a stage of a dataset took.
struct StageSpan {
    std::string stage;  ///< "load", "fit", "sample", "write"
    double begin = 0;   ///< [s] since the batch began
    double end = 0;
};

/// Mean and standard deviation of a posterior.
struct DrawnRecord {
    std::string name;
    double mean = 0;
    double sd = 0;
};

/// One dataset of a batch.
struct BatchEntry {
    std::string name;  ///< of its folder in the output
    std::string configuration;
    std::string data_file;  ///< empty: as the configuration says
    BatchStatus status = BatchStatus::not_begun;
    std::string message{};         ///< why it failed, or has no posterior
    std::string options_digest{};  ///< of what was asked for beside the input
    std::string input_digest{};
    std::string fit_digest{};        ///< empty: no fit
    std::string posterior_digest{};  ///< empty: no posterior
    bool is_converged = false;
    std::optional<double> chi_squared{};
    std::optional<std::int64_t> degrees_of_freedom{};
    std::string error_method{};
    std::vector<ValueRecord> values{};
    std::vector<DrawnRecord> posterior{};
    std::vector<StageSpan> stages{};
    int rank = 0;

    /// nullptr: there is none of this name.
    [[nodiscard]] const ValueRecord* value(std::string_view name) const noexcept;
};

/// A batch: OUTPUT/batch.json, and OUTPUT/timeline.json with the stages' times.
struct BatchRecord {
    static constexpr const char* file_name = "batch.json";

    std::vector<BatchEntry> datasets{};  ///< in the order of the input
    int ahead = 0;                       ///< datasets that may be loaded beside the one in work
    int ranks = 1;
    double seconds = 0;

    [[nodiscard]] int count(BatchStatus status) const noexcept;
};

/// @throws IoError  a file cannot be written
void write_batch(const std::filesystem::path& output, const BatchRecord& record);
/// With the stages' times.
/// @throws IoError  a file is missing; InputError  it is damaged, and how
BatchRecord read_batch(const std::filesystem::path& output);
io::Json to_json(const BatchRecord& record);

/// For messages between ranks.
std::string entries_text(const std::vector<BatchEntry>& entries);
std::vector<BatchEntry> parse_entries(std::string_view text);

}  // namespace lockstep::formats::xpcs
