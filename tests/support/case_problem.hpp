#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/sddp/problem.hpp"

#include "support/places.hpp"

namespace lockstep::test {

/// A case, read and ready to be trained.
struct CaseProblem {
    formats::cobre::Config config;
    sddp::Problem problem;
};

/// @param settings  changes to config.json
inline CaseProblem case_problem_at(const std::filesystem::path& directory,
                                   const std::vector<formats::Setting>& settings = {}) {
    Problems problems;
    auto [facts, study] = formats::cobre::read_case(directory, settings, problems);
    problems.throw_if_errors(directory.string());
    auto process = sddp::build_process(study.calendar, study.system, study.process, problems);
    pin_nodes(study.graph,
              study.calendar,
              study.system,
              study.process.external_inflow,
              process,
              problems);
    problems.throw_if_errors(directory.string());
    return {facts.config,
            {std::move(study.calendar),
             std::move(study.system),
             std::move(process),
             std::move(study.graph)}};
}

/// @param name  folder below cases/sddp
inline CaseProblem case_problem(const std::string& name,
                                const std::vector<formats::Setting>& settings = {}) {
    return case_problem_at(test::source_dir() / "cases/sddp" / name, settings);
}

}  // namespace lockstep::test
