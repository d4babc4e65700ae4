#pragma once

#include <string>
#include <vector>

#include "lockstep/formats/cobre/simulation_summary.hpp"
#include "lockstep/io/page.hpp"

namespace lockstep::app {

/// The axis that all plots over stages share, and the scenarios whose paths they show.
struct StageAxis {
    std::vector<std::string> names;
    std::vector<double> x;
    std::vector<std::string> singles;  ///< "scenario 7, of least cost"
};

StageAxis axis_of(const formats::cobre::SimulationSummary& simulation);

/// Axes without lines, from zero.
io::Plot plot_over(const StageAxis& axis, std::string title, std::string y_label);

/// Bands, median, mean and single scenarios of a spread.
io::Plot fan(const StageAxis& axis,
             std::string title,
             std::string y_label,
             const formats::cobre::Spread& spread);

/// Every value of a spread through a function.
template <typename F>
formats::cobre::Spread mapped(formats::cobre::Spread spread, F f) {
    const auto map = [&](std::vector<double>& values) {
        for (std::size_t stage = 0; stage < values.size(); ++stage) {
            values[stage] = f(values[stage]);
        }
    };
    for (auto* values :
         {&spread.min, &spread.p10, &spread.median, &spread.p90, &spread.max, &spread.mean}) {
        map(*values);
    }
    for (auto& path : spread.singles) {
        map(path);
    }
    return spread;
}

/// Is 0 in all scenarios.
bool is_zero(const formats::cobre::Spread& spread);

/// The name of a kind of generation: "hydro", "wind, solar and other", …
std::string generation_name(const std::string& series);

// Sections of a report of a simulation, each added only where there is something for it.

void add_costs(io::Page& page,
               const formats::cobre::SimulationSummary& simulation,
               const StageAxis& axis);
void add_hydros(io::Page& page,
                const formats::cobre::Results& results,
                const formats::cobre::SimulationSummary& simulation,
                const StageAxis& axis);
void add_system(io::Page& page,
                const formats::cobre::SimulationSummary& simulation,
                const StageAxis& axis);
void add_deficits(io::Page& page,
                  const formats::cobre::SimulationSummary& simulation,
                  const StageAxis& axis);

}  // namespace lockstep::app
