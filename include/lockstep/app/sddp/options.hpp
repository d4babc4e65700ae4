#pragma once

#include "lockstep/app/option.hpp"
#include "lockstep/app/sddp/evaluate.hpp"
#include "lockstep/app/sddp/run.hpp"

namespace lockstep::app {

/// What a training and a simulation of a case may be told beside its config.json.
OptionTable<CaseRequest> case_options();
/// The same and what a training alone may be told.
OptionTable<CaseRequest> run_case_options();
OptionTable<SimulateRequest> simulate_case_options();
/// set: values of config.json.
OptionTable<RunRequest> case_settings();

/// What is looked at in a policy.
struct PolicyQuestion {
    PolicyPlace place;
    PolicyState state;
    std::vector<std::string> grid;  ///< plants
    int points = 25;
    std::filesystem::path table, plot, cuts;  ///< files to write; empty: none
};
OptionTable<PolicyQuestion> policy_options();

}  // namespace lockstep::app
