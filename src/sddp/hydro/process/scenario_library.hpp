#pragma once

#include <span>
#include <string>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/process.hpp"

namespace lockstep::sddp {

/// Scenarios of a class of entities, as the noise that brings them about.
struct NoiseLibrary {
    int scenarios = 0;
    int stages = 0;
    int width = 0;               ///< entities of the class in the noise vector
    std::vector<double> values;  ///< [scenarios][stages][width]

    [[nodiscard]] std::span<double> noise(int scenario, int stage) {
        return std::span(values).subspan(place(scenario, stage), static_cast<std::size_t>(width));
    }
    [[nodiscard]] std::span<const double> noise(int scenario, int stage) const {
        return std::span(values).subspan(place(scenario, stage), static_cast<std::size_t>(width));
    }

private:
    [[nodiscard]] std::size_t place(int scenario, int stage) const {
        return (static_cast<std::size_t>(scenario) * static_cast<std::size_t>(stages) +
                static_cast<std::size_t>(stage)) *
               static_cast<std::size_t>(width);
    }
};

/// How many ready-made scenarios each stage has, [stages]; 0 where it has none.
std::vector<int> external_counts(const Calendar& calendar, const std::vector<ExternalValue>& rows);

// Ready-made scenarios as noise. A stage with fewer of them than others repeats them. Every entity
// (of inflows: every plant) needs a value for each scenario of each stage, and where the model has
// no deviation the value must be the mean; what is not so is a problem of the class's file.

/// η = (z - b - Σ ψ a)/σ along each scenario, from the observed lags on.
NoiseLibrary external_inflows(const Calendar& calendar,
                              const System& system,
                              const Process& process,
                              const std::vector<ExternalValue>& rows,
                              Problems& problems);
/// η = (load - mean)/deviation of the stochastic buses; those without rows keep 0.
NoiseLibrary external_loads(const Calendar& calendar,
                            const System& system,
                            const NoiseLayout& layout,
                            const std::vector<ExternalValue>& rows,
                            Problems& problems);
/// The same for the availabilities of stochastic sources.
NoiseLibrary external_sources(const Calendar& calendar,
                              const System& system,
                              const NoiseLayout& layout,
                              const std::vector<ExternalValue>& rows,
                              Problems& problems);

/// The inflows of the record as scenarios, one for each year in which the study could have begun:
/// a stage has the mean inflow of its season in that year, or a later one for later years of the
/// study.
///
/// Years with a season that the record of some plant does not cover in full are left out.
/// @param years  those that may be taken; empty: any
NoiseLibrary historical_inflows(const Calendar& calendar,
                                const System& system,
                                const Process& process,
                                const std::vector<InflowObservation>& record,
                                const std::vector<int>& years,
                                Problems& problems);

}  // namespace lockstep::sddp
