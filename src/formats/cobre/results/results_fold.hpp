#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "lockstep/formats/cobre/simulation_summary.hpp"

#include "formats/cobre/results/results_scenarios.hpp"

namespace lockstep::formats::cobre::out {

/// A column of a table that becomes a spread of each entity.
struct FoldedColumn {
    const char* name;
    bool by_hours;  ///< a mean over blocks; else of the stage, told on every block row
    double factor = 1;
};

/// What else a scenario's rows are good for, and which columns it looks at beside those that are
/// folded.
struct Also {
    std::vector<std::string> columns;
    /// (place of the scenario, rows, stage of each row)
    std::function<void(
        std::size_t scenario, const ScenarioTable& rows, const std::vector<std::size_t>& stage)>
        visit;
};

/// How much is kept at a time, and of which scenarios the paths.
struct FoldLimits {
    std::size_t memory_bytes;
    std::vector<std::size_t> singles;  ///< places of scenarios
};

/// Spreads [columns][entities] of a table. Reads it as often as the samples need memory for; `also`
/// hears of each scenario once.
std::vector<std::vector<Spread>> fold(const Scenarios& scenarios,
                                      const std::string& table,
                                      const char* id_column,
                                      const EntityIndex& entities,
                                      const std::vector<FoldedColumn>& columns,
                                      const FoldLimits& limits,
                                      const Also& also);

}  // namespace lockstep::formats::cobre::out
