#include "lockstep/app/sddp/validate.hpp"

#include "lockstep/base/digest.hpp"

#include "app/sddp/prepare.hpp"

namespace lockstep::app {
namespace {

std::vector<std::pair<std::string, int>> counts_of(const Prepared& prepared) {
    const auto& system = prepared.problem.system;
    const auto size = [](const auto& items) { return static_cast<int>(items.size()); };
    auto openings = 0;
    for (const auto count : prepared.problem.process.tree.count)
        openings += count;
    return {{"stages", prepared.problem.stage_count()},
            {"openings", openings},
            {"buses", size(system.buses)},
            {"lines", size(system.lines)},
            {"thermals", size(system.thermals)},
            {"hydros", size(system.hydros)},
            {"non-controllables", size(system.sources)},
            {"generic constraints", size(system.constraints)},
            {"inflow lags", prepared.problem.process.inflow.lags},
            {"state variables", prepared.problem.state_size()}};
}

}  // namespace

Validation validate_case(const std::filesystem::path& directory,
                         const std::vector<formats::Setting>& settings) {
    Validation validation;
    const auto prepared = prepare(directory, settings, validation.problems);
    if (!validation.problems.has_errors()) {
        validation.counts = counts_of(prepared);
        validation.input_digest = to_string(prepared.input.input_digest);
    }
    return validation;
}

}  // namespace lockstep::app
