#include "app/sddp/prepare.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/convert.hpp"
#include "lockstep/formats/cobre/own_scenarios.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"
#include "lockstep/sddp/numbers.hpp"
#include "lockstep/sddp/own_scenarios.hpp"
#include "lockstep/sddp/process.hpp"
#include "lockstep/sddp/subject.hpp"

namespace lockstep::app {
namespace {

// Runs `body` and notes how long it took.
template <typename F>
auto timed(Prepared& prepared, const char* phase, F&& body) {
    const auto start = std::chrono::steady_clock::now();
    auto result = body();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    prepared.setup_seconds.emplace_back(phase, seconds.count());
    return result;
}

bool check_numbers(const Prepared& prepared, Problems& problems) {
    Problems found;
    const auto& train = prepared.input.config.train;
    sddp::check_numbers(prepared.problem, train.speed, train.tolerances, found);
    formats::cobre::add_located(found, problems);
    return found.all().empty();
}

sddp::Problem problem_of(const formats::cobre::CaseFacts& facts,
                         formats::cobre::Study study,
                         Problems& problems) {
    Problems found;
    auto process = sddp::build_process(study.calendar, study.system, study.process, found);
    sddp::pin_nodes(
        study.graph, study.calendar, study.system, study.process.external_inflow, process, found);
    if (!found.has_errors()) {
        sddp::give_nodes_inflows(study.graph, study.calendar, study.system, process, found);
    }
    formats::cobre::add_located(found, problems);
    if (!found.has_errors()) {
        formats::cobre::check_declared_ratios(facts, study, process, problems);
    }
    return {std::move(study.calendar),
            std::move(study.system),
            std::move(process),
            std::move(study.graph),
            {}};
}

}  // namespace

Prepared prepare(const std::filesystem::path& directory,
                 const std::vector<formats::Setting>& settings,
                 Problems& problems) {
    Prepared prepared;
    formats::cobre::Case read = timed(
        prepared, "read", [&] { return formats::cobre::read_case(directory, settings, problems); });
    prepared.input = std::move(read.facts);
    if (problems.has_errors()) {
        return prepared;
    }
    prepared.problem = timed(prepared, "process", [&] {
        return problem_of(prepared.input, std::move(read.study), problems);
    });
    const auto& config = prepared.input.config;
    if (!problems.has_errors() && !config.boundary_path.empty()) {
        prepared.problem.boundary = formats::cobre::read_boundary(directory / config.boundary_path,
                                                                  config.is_boundary_strict,
                                                                  directory,
                                                                  prepared.problem,
                                                                  problems);
    }
    if (!problems.has_errors()) {
        timed(prepared, "numbers", [&] { return check_numbers(prepared, problems); });
    }
    return prepared;
}

void take_scenarios(const std::string& from, Prepared& prepared, Problems& problems) {
    const sddp::Problem& problem = prepared.problem;
    const auto& history = problem.process.resolved.history;
    Problems found;
    const sddp::OwnScenarios scenarios =
        from == "history"
            ? sddp::recorded_scenarios(problem.calendar,
                                       problem.system,
                                       history.value_or(std::vector<sddp::InflowObservation>()),
                                       {})
            : formats::cobre::read_scenarios(from, problem.calendar, problem.system, found);
    const int count = sddp::scenario_count(problem.calendar, scenarios);
    if (count == 0 && !found.has_errors()) {
        found.add(ProblemKind::business_rule_violation,
                  sddp::subject::inflow_history,
                  "",
                  "no year of the record covers the seasons of the study for every plant");
    }
    if (!found.has_errors()) {
        prepared.input.config.simulate.scenarios = count;
        prepared.problem = sddp::with_scenarios(std::move(prepared.problem), scenarios, found);
    }
    formats::cobre::add_located(found, problems);
}

std::string case_name(const std::filesystem::path& directory) {
    auto path = std::filesystem::absolute(directory).lexically_normal();
    if (!path.has_filename()) {
        path = path.parent_path();
    }
    return path.filename().string();
}

std::string stage_name(const sddp::Calendar& calendar, int stage) {
    const auto& entry = calendar.stages[at(stage)];
    const std::chrono::year_month_day day(entry.start);
    return fmt::format("stage {} ({:04}-{:02}-{:02})",
                       entry.id,
                       static_cast<int>(day.year()),
                       static_cast<unsigned>(day.month()),
                       static_cast<unsigned>(day.day()));
}

}  // namespace lockstep::app
