#include "lockstep/app/sddp/validate.hpp"

#include <algorithm>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/sddp/train.hpp"

#include "app/sddp/prepare.hpp"

namespace lockstep::app {
namespace {

void check_options(const Prepared& prepared, Problems& problems) {
    try {
        sddp::require_fit(prepared.problem, prepared.input.config.train);
    } catch (const InputError& error) {
        problems.add(ProblemKind::business_rule_violation, "config.json", "", error.what());
    }
}

std::vector<std::pair<std::string, int>> counts_of(const Prepared& prepared) {
    const auto& system = prepared.problem.system;
    const auto size = [](const auto& items) { return static_cast<int>(items.size()); };
    auto openings = 0;
    for (const auto count : prepared.problem.process.tree.count) {
        openings += count;
    }
    return {{"stages", prepared.problem.stage_count()},
            {"openings", openings},
            {"buses", size(system.buses)},
            {"lines", size(system.lines)},
            {"thermals", size(system.thermals)},
            {"hydros", size(system.hydros)},
            {"non-controllables", size(system.sources)},
            {"contracts", size(system.contracts)},
            {"pumping stations", size(system.pumping_stations)},
            {"batteries", size(system.batteries)},
            {"generic constraints", size(system.constraints)},
            {"inflow lags", prepared.problem.process.inflow.lags},
            {"state variables", prepared.problem.state_size()}};
}

void add_to(InflowComparison& sum, const sddp::InflowMomentCheck& check) {
    sum.record_years = std::min(sum.record_years, check.record_years);
    sum.observed_mean_m3s += check.observed_mean_m3s;
    sum.observed_std_m3s += check.observed_std_m3s;
    sum.model_mean_m3s += check.model_mean_m3s;
    sum.model_std_m3s += check.model_std_m3s;
}

// Means over the stages, plant by plant: checks come by plant.
std::vector<InflowComparison> compare_inflows(const sddp::Problem& problem) {
    std::vector<InflowComparison> plants;
    const auto& checks = problem.process.moments;
    for (auto first = checks.begin(); first != checks.end();) {
        const auto& hydro = problem.system.hydros[at(first->hydro)];
        auto& plant = plants.emplace_back(
            InflowComparison{hydro.id, hydro.name, first->record_years, 0, 0, 0, 0});
        auto last = first;
        for (; last != checks.end() && last->hydro == first->hydro; ++last) {
            add_to(plant, *last);
        }
        for (double* sum : {&plant.observed_mean_m3s,
                            &plant.observed_std_m3s,
                            &plant.model_mean_m3s,
                            &plant.model_std_m3s}) {
            *sum /= static_cast<double>(last - first);
        }
        first = last;
    }
    return plants;
}

}  // namespace

Validation validate_case(const std::filesystem::path& directory,
                         const std::vector<formats::Setting>& settings) {
    Validation validation;
    const auto prepared = prepare(directory, settings, validation.problems);
    if (!validation.problems.has_errors()) {
        check_options(prepared, validation.problems);
    }
    if (!validation.problems.has_errors()) {
        validation.counts = counts_of(prepared);
        validation.inflows = compare_inflows(prepared.problem);
        validation.numbers =
            sddp::number_ranges(prepared.problem, prepared.input.config.train.speed);
        validation.input_digest = to_string(prepared.input.input_digest);
    }
    return validation;
}

}  // namespace lockstep::app
