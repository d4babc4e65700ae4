#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/formats/rl/bounded_value.hpp"
#include "lockstep/formats/rl/environment_record.hpp"
#include "lockstep/formats/rl/names.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/rl/solve.hpp"

namespace lockstep::formats::rl {

/// What solve() was asked and what came out, without the values of the states.
struct SolutionRecord {
    EnvironmentRecord environment;
    std::string criterion;  ///< "total", "horizon", "average"
    std::string method;
    double discount_factor = 1;
    int horizon = 0;  ///< steps; 0: none
    double tolerance = 0;
    double tie_tolerance = 0;
    std::string ending;
    std::int64_t sweeps = 0;
    double half_width = 0;              ///< of the bounds in the worst state
    std::optional<BoundedValue> start;  ///< mean over the starts; none: there are none
    std::int64_t choices = 0;           ///< states with two legal actions or more
    std::int64_t ties = 0;              ///< of these, with two best actions or more
    std::int64_t undefined = 0;         ///< states without a finite value, which no episode reaches
    double seconds = 0;
    std::string digest;
};

/// The files of an output directory:
///
///     solution/metadata.json      the record
///     solution/values.parquet     state, value, lower, upper, bias (average), action (absent: no
///                                 legal one), best: all best actions; state_name, action_name
///                                 where there are names
///     solution/decisions.parquet  with a horizon: steps_to_go, state, action
///
/// @throws IoError  a file cannot be written
void write_solution(const std::filesystem::path& output,
                    const SolutionRecord& record,
                    const lockstep::rl::Solution& solution,
                    const Names& names = {});
/// What it may write, relative to the output directory.
inline constexpr std::array<const char*, 3> solution_files = {
    "solution/metadata.json", "solution/values.parquet", "solution/decisions.parquet"};

/// Of values, bounds, actions and ties.
Digest digest_of(const lockstep::rl::Solution& solution);

/// @throws IoError  the file is missing; InputError  it is damaged, and how
SolutionRecord read_solution_record(const std::filesystem::path& output);

/// What solution/values.parquet holds.
struct SolutionValues {
    std::vector<double> value;  ///< [states]
    std::vector<double> lower;
    std::vector<double> upper;
    std::vector<std::int32_t> action;       ///< -1: none
    std::vector<std::vector<double>> best;  ///< actions
};
/// @throws IoError, InputError  as above
SolutionValues read_solution_values(const std::filesystem::path& output);

io::Json to_json(const SolutionRecord& record);

}  // namespace lockstep::formats::rl
