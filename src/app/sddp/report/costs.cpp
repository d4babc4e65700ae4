#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "app/sddp/report/fan.hpp"

namespace lockstep::app {
namespace {

using formats::cobre::NamedSeries;
using formats::cobre::SimulationSummary;

// The columns of the table of costs in words.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> cost_names{{
    {"thermal_cost", "thermal"},
    {"deficit_cost", "deficit"},
    {"excess_cost", "power without use"},
    {"outflow_violation_below_cost", "outflow below its minimum"},
    {"outflow_violation_above_cost", "outflow above its maximum"},
    {"turbined_violation_cost", "turbined flow below its minimum"},
    {"generation_violation_cost", "hydro generation below its minimum"},
    {"evaporation_violation_cost", "evaporation off its model"},
    {"withdrawal_violation_cost", "withdrawal off its demand"},
    {"inflow_penalty_cost", "water added to negative inflows"},
    {"generic_violation_cost", "generic constraints"},
    {"spillage_cost", "spillage"},
    {"turbined_cost", "turbined flow"},
    {"curtailment_cost", "curtailment"},
    {"exchange_cost", "exchange"},
    {"pumping_cost", "pumping"},
}};

std::string cost_name(std::string column) {
    const auto found = std::find_if(cost_names.begin(), cost_names.end(), [&](const auto& name) {
        return name.first == column;
    });
    if (found != cost_names.end()) {
        return std::string(found->second);
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

void add_cost_bars(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
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
io::Bars histogram(const SimulationSummary& simulation, const MoneyUnit& unit) {
    const auto& values = simulation.scenario_cost;
    const auto& weight = simulation.scenario_weight;
    const bool are_alike = weight.empty();
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const auto bins = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::sqrt(static_cast<double>(values.size()))) * 2, 5, 30);
    const auto width = (*most - *least) / static_cast<double>(bins);
    io::Bars bars{"Total cost of the scenarios",
                  fmt::format("discounted cost [{}], middle of the bin", unit.name),
                  are_alike ? "scenarios" : "probability",
                  {},
                  {{are_alike ? "scenarios" : "probability", std::vector<double>(bins)}}};
    for (std::size_t bin = 0; bin < bins; ++bin) {
        bars.labels.push_back(
            digits((*least + (static_cast<double>(bin) + 0.5) * width) / unit.dollars, 4));
    }
    for (std::size_t s = 0; s < values.size(); ++s) {
        const auto bin = static_cast<std::size_t>((values[s] - *least) / width);
        bars.parts[0].value[std::min(bin, bins - 1)] +=
            are_alike ? 1 : weight[s] / static_cast<double>(values.size());
    }
    return bars;
}

void add_total_cost(io::Page& page, const SimulationSummary& simulation) {
    const auto& cost = simulation.scenario_cost;
    if (cost.size() < 2 || *std::min_element(cost.begin(), cost.end()) ==
                               *std::max_element(cost.begin(), cost.end())) {
        return;
    }
    const formats::cobre::Distribution costs(cost, simulation.scenario_weight);
    const auto unit = unit_for(costs.quantile(1));
    const auto at = [&](double share) { return digits(costs.quantile(share) / unit.dollars); };
    page.table({"Scenario cost", "least", "10 %", "median", "90 %", "95 %", "largest"},
               {{unit.name, at(0), at(0.1), at(0.5), at(0.9), at(0.95), at(1)}});
    page.bars(histogram(simulation, unit));
}

}  // namespace

void add_costs(io::Page& page, const SimulationSummary& simulation, const StageAxis& axis) {
    page.heading("Costs");
    page.paragraph(
        fmt::format("{} were simulated under the final policy.{}",
                    plural(simulation.scenarios, "scenario"),
                    simulation.scenario_weight.empty()
                        ? ""
                        : " They are all paths through the tree: means and quantiles are by "
                          "their probabilities."));
    add_cost_bars(page, simulation, axis);
    add_total_cost(page, simulation);
}

}  // namespace lockstep::app
