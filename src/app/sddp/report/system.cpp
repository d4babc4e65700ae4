#include <algorithm>
#include <string>
#include <vector>

#include "app/sddp/report/fan.hpp"

namespace lockstep::app {
namespace {

using formats::cobre::BusSummary;
using formats::cobre::NamedSeries;
using formats::cobre::SimulationSummary;

bool is_positive(const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double x) { return x > 0; });
}

void add_generation(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
    io::Bars bars{"Mean generation and deficit", "stage", "MW", axis.names, {}};
    for (const auto& [name, values] : simulation.generation) {
        if (is_positive(values)) {
            bars.parts.push_back({generation_name(name), values});
        }
    }
    if (!bars.parts.empty()) {
        page.bars(bars);
    }
}

io::Plot bus_generation(const BusSummary& bus, const StageAxis& axis) {
    auto plot = plot_over(axis, bus.name + ": mean load and generation", "MW");
    plot.lines.push_back({"load", axis.x, bus.load, true});
    for (const auto& [name, values] : bus.generation) {
        plot.lines.push_back({generation_name(name), axis.x, values});
    }
    return plot;
}

void add_buses(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
    auto prices = plot_over(axis, "Mean price by bus", "$/MWh");
    std::vector<io::Choice> choices;
    for (const auto& bus : simulation.buses) {
        constexpr std::size_t colors = 8;
        if (prices.lines.size() < colors) {
            prices.lines.push_back({bus.name, axis.x, bus.price.mean});
        }
        io::Choice choice{
            bus.name,
            {fan(axis, bus.name + ": price", "$/MWh", bus.price), bus_generation(bus, axis), {}}};
        if (!is_zero(bus.deficit)) {
            choice.plots[2] = fan(axis, bus.name + ": deficit", "MW", bus.deficit);
        }
        choices.push_back(std::move(choice));
    }
    if (!choices.empty()) {
        page.heading("Buses");
        page.plot(prices);
        page.choice("Bus", choices);
    }
}

void add_thermals(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
    std::vector<io::Choice> choices;
    for (const auto& plant : simulation.thermals) {
        choices.push_back(
            {plant.name, {fan(axis, plant.name + ": generation", "MW", plant.generation)}});
    }
    if (!choices.empty()) {
        page.heading("Thermal plants");
        page.choice("Thermal plant", choices);
    }
}

void add_lines(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
    std::vector<io::Choice> choices;
    for (const auto& line : simulation.lines) {
        choices.push_back(
            {line.name, {fan(axis, line.name + ": flow, negative in reverse", "MW", line.flow)}});
    }
    if (!choices.empty()) {
        page.heading("Exchanges");
        page.choice("Line", choices);
    }
}

// The depth of deficits as a share of the load.
void add_depth(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
    auto plot = plot_over(axis, "Depth of deficits", "share of the load [%]");
    const auto share = [&](const std::vector<double>& mw) {
        std::vector<double> percent;
        for (std::size_t t = 0; t < mw.size(); ++t) {
            percent.push_back(simulation.load[t] > 0 ? 100 * mw[t] / simulation.load[t] : 0);
        }
        return percent;
    };
    plot.lines.push_back(
        {"mean of the scenarios with one", axis.x, share(simulation.deficit_depth)});
    plot.lines.push_back({"deepest", axis.x, share(simulation.deficit_worst)});
    page.plot(plot);
}

}  // namespace

void add_system(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
    page.heading("Generation");
    add_generation(page, simulation, axis);
    add_thermals(page, simulation, axis);
    add_buses(page, simulation, axis);
    add_lines(page, simulation, axis);
}

void add_deficits(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
    if (simulation.deficit_probability.empty()) {
        return;
    }
    page.heading("Deficit risk");
    if (!is_positive(simulation.deficit_probability)) {
        page.paragraph("No scenario has a deficit in any stage.");
        return;
    }
    auto plot = plot_over(axis, "Scenarios with a deficit", "share [%]");
    auto share = simulation.deficit_probability;
    for (auto& value : share) {
        value *= 100;
    }
    plot.lines.push_back({"with a deficit", axis.x, share});
    page.plot(plot);
    add_depth(page, simulation, axis);
}

}  // namespace lockstep::app
