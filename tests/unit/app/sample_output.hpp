#pragma once

#include <filesystem>

#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/sddp/problem.hpp"
#include "lockstep/sddp/train.hpp"

namespace lockstep::app {

/// The output of a run that never was: three monthly stages, one bus, two plants, one thermal, two
/// iterations of two cuts a stage, four scenarios. Tests change what they want before writing it.
struct SampleOutput {
    SampleOutput();

    /// Writes training/, policy/ and simulation/ as a run does.
    void write(const std::filesystem::path& directory) const;
    void write_training(const std::filesystem::path& directory) const;
    void write_simulation(const std::filesystem::path& directory) const;

    formats::cobre::CaseFacts input;
    sddp::Problem problem;
    sddp::TrainResult training;
    sddp::SimulateResult simulation;
    std::vector<sddp::ScenarioResult> scenarios;
    int threads = 1;
};

}  // namespace lockstep::app
