#include "app/sddp/report/fan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "app/sddp/report/parts.hpp"

namespace lockstep::app {

using formats::cobre::SimulationSummary;
using formats::cobre::Spread;

StageAxis axis_of(const SimulationSummary& simulation) {
    StageAxis axis{
        stage_names(simulation.stages), std::vector<double>(simulation.stages.size()), {}};
    std::iota(axis.x.begin(), axis.x.end(), 0.0);
    const auto& singles = simulation.singles;
    for (std::size_t i = 0; i < singles.size(); ++i) {
        const auto* cost = i == 0 ? "least" : i + 1 == singles.size() ? "largest" : "middle";
        axis.singles.push_back(fmt::format("scenario {}, of {} cost", singles[i], cost));
    }
    return axis;
}

io::Plot plot_over(const StageAxis& axis, std::string title, std::string y_label) {
    io::Plot plot;
    plot.title = std::move(title);
    plot.x_label = "stage";
    plot.y_label = std::move(y_label);
    plot.x_ticks = axis.names;
    plot.from_zero = true;
    return plot;
}

io::Plot fan(const StageAxis& axis, std::string title, std::string y_label, const Spread& spread) {
    auto plot = plot_over(axis, std::move(title), std::move(y_label));
    plot.bands.push_back({"all scenarios", axis.x, spread.min, spread.max});
    plot.bands.push_back({"10 % to 90 %", axis.x, spread.p10, spread.p90});
    plot.lines.push_back({"median", axis.x, spread.median});
    plot.lines.push_back({"mean", axis.x, spread.mean, true});
    for (std::size_t i = 0; i < axis.singles.size(); ++i) {
        plot.lines.push_back({axis.singles[i], axis.x, spread.singles.at(i), false, true});
    }
    return plot;
}

bool is_zero(const Spread& spread) {
    const auto zero = [](const std::vector<double>& values) {
        return std::all_of(values.begin(), values.end(), [](double x) { return x == 0; });
    };
    return zero(spread.min) && zero(spread.max);
}

std::string generation_name(const std::string& series) {
    return series == "non_controllable" ? "wind, solar and other" : series;
}

}  // namespace lockstep::app
