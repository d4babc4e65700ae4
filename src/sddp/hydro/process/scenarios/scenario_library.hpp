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

// Values of ready-made scenarios in place. Stages without a scenario, and gaps between the values
// of an entity, are problems of the class's file, with which the result is empty.

/// Inflows, of which every plant needs some [m³/s].
NoiseLibrary placed_inflows(const Calendar& calendar,
                            const System& system,
                            const std::vector<ExternalValue>& rows,
                            Problems& problems);
/// Loads of these buses [MW]; NaN of one without values.
NoiseLibrary placed_loads(const Calendar& calendar,
                          const System& system,
                          const std::vector<int>& buses,
                          const std::vector<ExternalValue>& rows,
                          Problems& problems);
/// Availabilities of these sources, as shares; NaN of one without values.
NoiseLibrary placed_sources(const Calendar& calendar,
                            const System& system,
                            const std::vector<int>& sources,
                            const std::vector<ExternalValue>& rows,
                            Problems& problems);

/// Mean inflows of the seasons of the study [m³/s], had it begun in each of the years that the
/// record of every plant covers in full.
/// @param years  those that may be taken; empty: any
NoiseLibrary recorded_inflows(const Calendar& calendar,
                              const System& system,
                              const std::vector<InflowObservation>& record,
                              const std::vector<int>& years);

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

/// The same for recorded_inflows, of which there must be some.
NoiseLibrary historical_inflows(const Calendar& calendar,
                                const System& system,
                                const Process& process,
                                const std::vector<InflowObservation>& record,
                                const std::vector<int>& years,
                                Problems& problems);

}  // namespace lockstep::sddp
