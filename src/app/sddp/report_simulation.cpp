#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/index.hpp"

#include "app/sddp/report_parts.hpp"

namespace lockstep::app {
namespace {

using formats::cobre::EntitySpread;
using formats::cobre::NamedSeries;
using formats::cobre::SimulationSummary;
using formats::cobre::Spread;

/// The axis that all plots over stages share.
struct StageAxis {
    std::vector<std::string> names;
    std::vector<double> x;
};

StageAxis axis_of(const SimulationSummary& simulation) {
    StageAxis axis{stage_names(simulation.stages), std::vector<double>(simulation.stages.size())};
    std::iota(axis.x.begin(), axis.x.end(), 0.0);
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
    plot.lines.push_back({"median", axis.x, spread.median, false});
    plot.lines.push_back({"mean", axis.x, spread.mean, true});
    return plot;
}

void add_choice(io::Page& page,
                const StageAxis& axis,
                std::string_view label,
                const char* unit,
                const std::vector<EntitySpread>& entities) {
    std::vector<io::Choice> choices;
    for (const auto& entity : entities) {
        const auto name = entity.name.empty() ? fmt::format("{}", entity.id) : entity.name;
        choices.push_back({name, {fan(axis, name, unit, entity.spread)}});
    }
    page.choice(label, choices);
}

// "thermal_cost" → "thermal"
std::string cost_name(std::string column) {
    if (column.ends_with("_cost")) {
        column.resize(column.size() - 5);
    }
    std::replace(column.begin(), column.end(), '_', ' ');
    return column;
}

double total(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// Bars hold few colours: what is small goes into one part.
std::vector<NamedSeries> largest(std::vector<NamedSeries> series, std::size_t most) {
    std::stable_sort(series.begin(), series.end(), [](const NamedSeries& a, const NamedSeries& b) {
        return total(a.second) > total(b.second);
    });
    while (series.size() > most) {
        const auto last = std::move(series.back());
        series.pop_back();
        auto& rest = series.back();
        rest.first = "other";
        for (std::size_t i = 0; i < rest.second.size(); ++i) {
            rest.second[i] += last.second[i];
        }
    }
    return series;
}

void add_costs(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
    if (simulation.cost.empty()) {
        return;
    }
    auto most = 0.0;
    for (const auto& [name, values] : simulation.cost) {
        most = std::max(most, *std::max_element(values.begin(), values.end()));
    }
    const auto unit = unit_for(most);
    io::Bars bars{"Mean cost by origin, undiscounted",
                  "stage",
                  fmt::format("cost [{}]", unit.name),
                  axis.names,
                  {}};
    for (auto& [name, values] : largest(simulation.cost, 8)) {
        for (auto& value : values) {
            value = std::max(0.0, value / unit.dollars);
        }
        bars.parts.push_back({cost_name(name), values});
    }
    page.bars(bars);
}

// Bins of one width between the extremes.
io::Bars histogram(const std::vector<double>& values, const MoneyUnit& unit) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const auto bins = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::sqrt(static_cast<double>(values.size()))) * 2, 5, 30);
    const auto width = (*most - *least) / static_cast<double>(bins);
    io::Bars bars{"Total cost of the scenarios",
                  fmt::format("discounted cost [{}], middle of the bin", unit.name),
                  "scenarios",
                  {},
                  {{"scenarios", std::vector<double>(bins)}}};
    for (std::size_t bin = 0; bin < bins; ++bin) {
        bars.labels.push_back(
            digits((*least + (static_cast<double>(bin) + 0.5) * width) / unit.dollars, 4));
    }
    for (const auto value : values) {
        const auto bin = static_cast<std::size_t>((value - *least) / width);
        ++bars.parts[0].value[std::min(bin, bins - 1)];
    }
    return bars;
}

// Between the two order statistics that it lies between, as the median of an even sample does.
double percentile(const std::vector<double>& sorted, double share) {
    const auto position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] +
           (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

struct EnergyUnit {
    double mwh;
    const char* name;
};

EnergyUnit energy_unit(const Spread& energy) {
    const auto most = std::max_element(energy.max.begin(), energy.max.end());
    const auto size = most == energy.max.end() ? 0.0 : *most;
    return size >= 1e7   ? EnergyUnit{1e6, "TWh"}
           : size >= 1e4 ? EnergyUnit{1e3, "GWh"}
                         : EnergyUnit{1, "MWh"};
}

void add_stored_energy(io::Page& page, Spread energy, const StageAxis& axis) {
    const auto unit = energy_unit(energy);
    for (auto* values :
         {&energy.min, &energy.p10, &energy.median, &energy.p90, &energy.max, &energy.mean}) {
        for (auto& value : *values) {
            value /= unit.mwh;
        }
    }
    page.plot(fan(axis, "The same as energy", unit.name, energy));
}

void add_total_cost(io::Page& page, const SimulationSummary& simulation) {
    const auto& cost = simulation.scenario_cost;
    if (cost.size() < 2 || *std::min_element(cost.begin(), cost.end()) ==
                               *std::max_element(cost.begin(), cost.end())) {
        return;
    }
    auto sorted = cost;
    std::sort(sorted.begin(), sorted.end());
    const auto unit = unit_for(sorted.back());
    const auto at = [&](double share) { return digits(percentile(sorted, share) / unit.dollars); };
    page.table({"Scenario cost", "least", "10 %", "median", "90 %", "95 %", "largest"},
               {{unit.name, at(0), at(0.1), at(0.5), at(0.9), at(0.95), at(1)}});
    page.bars(histogram(cost, unit));
}

void add_generation(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
    io::Bars bars{"Mean generation and deficit", "stage", "MW", axis.names, {}};
    for (const auto& [name, values] : simulation.generation) {
        if (total(values) > 0) {
            bars.parts.push_back({cost_name(name), values});
        }
    }
    if (!bars.parts.empty()) {
        page.bars(bars);
    }
}

void add_prices(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
    if (simulation.spot_price.empty()) {
        return;
    }
    auto plot = plot_over(axis, "Mean price by bus", "$/MWh");
    for (const auto& bus : simulation.spot_price) {
        if (plot.lines.size() < 8) {
            plot.lines.push_back({bus.name, axis.x, bus.spread.mean, false});
        }
    }
    page.plot(plot);
    add_choice(page, axis, "Price of any bus", "$/MWh", simulation.spot_price);
}

void add_deficit(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
    auto plot = plot_over(axis, "Scenarios with a deficit", "share [%]");
    auto share = simulation.deficit_probability;
    for (auto& value : share) {
        value *= 100;
    }
    const auto worst = std::max_element(share.begin(), share.end());
    if (worst == share.end() || *worst == 0) {
        page.paragraph("No scenario has a deficit in any stage.");
        return;
    }
    plot.lines.push_back({"with a deficit", axis.x, share, false});
    page.plot(plot);
}

}  // namespace

void add_simulation(io::Page& page, const SimulationSummary& simulation) {
    const auto axis = axis_of(simulation);
    page.heading("Costs");
    page.paragraph(fmt::format("{} were simulated under the final policy.",
                               plural(simulation.scenarios, "scenario")));
    add_costs(page, simulation, axis);
    add_total_cost(page, simulation);
    if (!simulation.storage.empty()) {
        page.heading("Reservoirs");
        page.plot(fan(axis,
                      "Water stored at the end of the stage, all plants",
                      "hm³",
                      simulation.system_storage));
        add_stored_energy(page, simulation.stored_energy, axis);
        add_choice(page, axis, "Storage of any plant", "hm³", simulation.storage);
    }
    page.heading("Generation");
    add_generation(page, simulation, axis);
    page.heading("Prices");
    add_prices(page, simulation, axis);
    page.heading("Deficit risk");
    add_deficit(page, simulation, axis);
}

}  // namespace lockstep::app
