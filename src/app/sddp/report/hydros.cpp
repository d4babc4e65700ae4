#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "app/sddp/report/fan.hpp"

namespace lockstep::app {
namespace {

using formats::cobre::CostToGo;
using formats::cobre::HydroSummary;
using formats::cobre::Results;
using formats::cobre::SimulationSummary;
using formats::cobre::Spread;

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

void add_reservoirs(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
    page.heading("Reservoirs");
    page.plot(fan(axis,
                  "Water stored at the end of the stage, all plants",
                  "hm³",
                  simulation.system_storage));
    const auto unit = energy_unit(simulation.stored_energy);
    page.plot(fan(
        axis, "The same as energy", unit.name, mapped(simulation.stored_energy, [&](double mwh) {
            return mwh / unit.mwh;
        })));
}

// What a reservoir may hold over the study; nothing where it cannot store or this is not known.
struct UsefulVolume {
    double least;
    double most;
    [[nodiscard]] double percent(double hm3) const { return 100 * (hm3 - least) / (most - least); }
};

std::optional<UsefulVolume> useful_volume(const HydroSummary& hydro) {
    if (hydro.max_hm3.empty()) {
        return std::nullopt;
    }
    const UsefulVolume volume{*std::min_element(hydro.min_hm3.begin(), hydro.min_hm3.end()),
                              *std::max_element(hydro.max_hm3.begin(), hydro.max_hm3.end())};
    return volume.most > volume.least ? std::optional(volume) : std::nullopt;
}

std::vector<double> with_start(double start, std::vector<double> values) {
    values.insert(values.begin(), start);
    return values;
}

Spread with_start(double start, Spread spread) {
    for (auto* values :
         {&spread.min, &spread.p10, &spread.median, &spread.p90, &spread.max, &spread.mean}) {
        *values = with_start(start, std::move(*values));
    }
    for (auto& path : spread.singles) {
        path = with_start(start, std::move(path));
    }
    return spread;
}

// The axis with the moment before the first stage.
StageAxis with_start(StageAxis axis) {
    axis.names.insert(axis.names.begin(), "start");
    axis.x.push_back(static_cast<double>(axis.x.size()));
    return axis;
}

std::string range_text(const UsefulVolume& volume) {
    return fmt::format("0 % = {:.6g} hm³, 100 % = {:.6g} hm³", volume.least, volume.most);
}

io::Plot storage_in_percent(const HydroSummary& hydro,
                            const UsefulVolume& volume,
                            const StageAxis& axis) {
    const auto percent = [&](double hm3) { return volume.percent(hm3); };
    const auto from_start = with_start(axis);
    auto plot = fan(from_start,
                    fmt::format("{}: storage, {}", hydro.name, range_text(volume)),
                    "useful volume [%]",
                    with_start(percent(hydro.initial_storage), mapped(hydro.storage, percent)));
    const auto limit = [&](const char* name, const std::vector<double>& hm3) {
        std::vector<double> values;
        for (const auto value : hm3) {
            values.push_back(percent(value));
        }
        const auto first = values.front();
        plot.lines.push_back(
            {name, from_start.x, with_start(first, std::move(values)), true, true});
    };
    limit("minimum", hydro.min_hm3);
    limit("maximum", hydro.max_hm3);
    return plot;
}

std::optional<io::Plot> storage_plot(const HydroSummary& hydro, const StageAxis& axis) {
    if (const auto volume = useful_volume(hydro)) {
        return storage_in_percent(hydro, *volume, axis);
    }
    if (!hydro.max_hm3.empty()) {
        return std::nullopt;  // run of the river
    }
    return fan(with_start(axis),
               hydro.name + ": storage",
               "hm³",
               with_start(hydro.initial_storage, hydro.storage));
}

// Above a full reservoir, since what is common to all storages would flatten the lines.
std::optional<io::Plot> cost_to_go_plot(const HydroSummary& hydro,
                                        const std::vector<CostToGo>& costs,
                                        const StageAxis& axis) {
    auto largest = 0.0;
    for (const auto& cost : costs) {
        largest = std::max(largest, cost.cost_dollars.front() - cost.cost_dollars.back());
    }
    if (largest <= 0) {
        return std::nullopt;
    }
    const auto unit = unit_for(largest);
    io::Plot plot;
    plot.title = hydro.name + ": cost to go along its storage, all else at its mean";
    plot.x_label = "storage [hm³]";
    plot.y_label = fmt::format("above that of a full reservoir [{}]", unit.name);
    plot.from_zero = true;
    for (const auto& cost : costs) {
        io::Series line{"after " + axis.names.at(static_cast<std::size_t>(cost.stage)),
                        cost.storage_hm3};
        for (const auto dollars : cost.cost_dollars) {
            const auto above = dollars - cost.cost_dollars.back();
            const auto is_rounding = std::abs(above) < 1e-9 * largest;
            line.y.push_back(is_rounding ? 0 : above / unit.dollars);
        }
        plot.lines.push_back(std::move(line));
    }
    return plot;
}

// In thousands or millions where plain dollars would have too many digits.
io::Plot water_value_plot(const HydroSummary& hydro, const StageAxis& axis) {
    const auto& value = hydro.water_value;
    const auto largest = std::max(*std::max_element(value.max.begin(), value.max.end()),
                                  -*std::min_element(value.min.begin(), value.min.end()));
    const auto is_large = largest >= 1e8;
    const auto divisor = is_large ? 1e6 : largest >= 1e5 ? 1e3 : 1.0;
    return fan(axis,
               hydro.name + ": water value, what a further hm³ saves",
               is_large         ? "M$/hm³"
               : divisor == 1e3 ? "k$/hm³"
                                : "$/hm³",
               mapped(value, [&](double dollars) { return dollars / divisor; }));
}

std::optional<io::Plot> unless_zero(const StageAxis& axis,
                                    const std::string& title,
                                    const char* unit,
                                    const Spread& spread) {
    return is_zero(spread) ? std::nullopt : std::optional(fan(axis, title, unit, spread));
}

io::Choice choice_of(const HydroSummary& hydro,
                     const std::vector<CostToGo>& costs,
                     const StageAxis& axis) {
    return {hydro.name,
            {storage_plot(hydro, axis),
             unless_zero(axis, hydro.name + ": natural inflow", "m³/s", hydro.inflow),
             unless_zero(axis, hydro.name + ": spillage", "m³/s", hydro.spillage),
             unless_zero(axis, hydro.name + ": generation", "MW", hydro.generation),
             water_value_plot(hydro, axis),
             cost_to_go_plot(hydro, costs, axis)}};
}

}  // namespace

void add_hydros(io::Page& page,
                const Results& results,
                const SimulationSummary& simulation,
                const StageAxis& axis) {
    if (simulation.hydros.empty()) {
        return;
    }
    add_reservoirs(page, simulation, axis);
    const auto costs = formats::cobre::costs_to_go(results, simulation);
    std::vector<io::Choice> choices;
    for (std::size_t i = 0; i < simulation.hydros.size(); ++i) {
        choices.push_back(choice_of(simulation.hydros[i], costs[i], axis));
    }
    page.heading("Hydro plants");
    page.paragraph(
        "Storage is told as a share of the useful volume, from before the first stage on. Water "
        "values are what a further hm³ at the end of the stage would save. The cost to go is what "
        "the cuts say of all later stages.");
    page.choice("Hydro plant", choices);
}

}  // namespace lockstep::app
