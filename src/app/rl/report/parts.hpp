#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lockstep/formats/records/output_metadata.hpp"
#include "lockstep/io/page.hpp"

#include "app/rl/subject.hpp"

namespace lockstep::app {

/// The report of an output directory: of its training, or else of its solution.
io::Page rl_report(const std::filesystem::path& output);

/// What is known of the states, however it was found.
struct StateValues {
    std::vector<double> value;                        ///< [states]
    std::vector<std::vector<double>> best;            ///< [states], actions that are as good
    std::function<std::string(std::int32_t)> remark;  ///< of a state, for who points at it
};

/// Boards of values and best actions where states lie on one; a table of states else.
void add_policy(io::Page& page, const Subject& subject, const StateValues& values);

/// With what the run was made and how to make it again.
void add_run(io::Page& page,
             const formats::OutputMetadata& metadata,
             const formats::rl::EnvironmentRecord& environment,
             const std::string& digest);

void add_solution(io::Page& page, const std::filesystem::path& output);
void add_training(io::Page& page,
                  const std::filesystem::path& output,
                  const formats::OutputMetadata& metadata);

}  // namespace lockstep::app
