#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/sddp/problem.hpp"

#include "support/places.hpp"

namespace lockstep::test {

/// A bundled case, read and ready to be trained.
struct CaseProblem {
    formats::cobre::Config config;
    sddp::Problem problem;
};

/// @param name      folder below cases/sddp
/// @param settings  changes to config.json
inline CaseProblem case_problem(const std::string& name,
                                const std::vector<formats::Setting>& settings = {}) {
    Problems problems;
    auto [facts, study] =
        formats::cobre::read_case(test::source_dir() / "cases/sddp" / name, settings, problems);
    problems.throw_if_errors(name);
    auto process = sddp::build_process(study.calendar, study.system, study.process, problems);
    problems.throw_if_errors(name);
    return {facts.config, {std::move(study.calendar), std::move(study.system), std::move(process)}};
}

}  // namespace lockstep::test
