#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "lockstep/app/sddp/evaluate.hpp"
#include "lockstep/app/text.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::app {
namespace {

using io::Json;

double largest(const std::vector<double>& values) {
    double most = 0;
    for (const double value : values) {
        most = std::max(most, std::abs(value));
    }
    return most;
}

std::vector<double> divided(std::vector<double> values, double divisor) {
    for (double& value : values) {
        value /= divisor;
    }
    return values;
}

io::Plot cost_plot(const CostGrid& grid) {
    const auto unit = unit_for(largest(grid.cost));
    io::Plot plot;
    plot.title = fmt::format("Cost to go after {}", grid.stage);
    plot.x_label = fmt::format("storage of {} [hm³]", grid.axes.front().name);
    plot.y_label = fmt::format("cost to go [{}]", unit.name);
    plot.lines.push_back(
        {"cost to go", grid.axes.front().storage_hm3, divided(grid.cost, unit.dollars)});
    return plot;
}

io::Plot water_plot(const CostGrid& grid) {
    const auto& axis = grid.axes.front();
    io::Plot plot;
    plot.title = fmt::format("Water value of {} after {}", axis.name, grid.stage);
    plot.x_label = fmt::format("storage of {} [hm³]", axis.name);
    plot.y_label = "what a further hm³ saves [$/hm³]";
    plot.from_zero = true;
    plot.lines.push_back({"water value", axis.storage_hm3, grid.water_value.front()});
    return plot;
}

/// A quantity over both axes; the first is drawn upwards.
io::HeatMap map_of(const CostGrid& grid,
                   std::string title,
                   std::string value_label,
                   std::vector<double> values) {
    const auto& rows = grid.axes.front();
    const auto& columns = grid.axes.back();
    const auto [low, high] = std::ranges::minmax(values);
    io::HeatMap map;
    map.title = std::move(title);
    map.x_label = fmt::format("storage of {} [hm³]", columns.name);
    map.y_label = fmt::format("storage of {} [hm³]", rows.name);
    map.value_label = std::move(value_label);
    map.rows = static_cast<int>(rows.storage_hm3.size());
    map.columns = static_cast<int>(columns.storage_hm3.size());
    map.values = std::move(values);
    map.x_ends = {columns.storage_hm3.front(), columns.storage_hm3.back()};
    map.y_ends = {rows.storage_hm3.front(), rows.storage_hm3.back()};
    map.low = low;
    map.high = high > low ? high : low + 1;
    return map;
}

io::HeatMap cost_map(const CostGrid& grid) {
    const auto unit = unit_for(largest(grid.cost));
    return map_of(grid,
                  fmt::format("Cost to go after {}", grid.stage),
                  fmt::format("[{}]", unit.name),
                  divided(grid.cost, unit.dollars));
}

std::vector<std::string> columns_of(const io::Table& table) {
    std::vector<std::string> names;
    for (const auto& column : table.columns) {
        names.push_back(column.name);
    }
    return names;
}

std::string cell(const io::Column& column, std::size_t row) {
    return std::visit(
        [&](const auto& values) -> std::string {
            using Value = std::remove_cvref_t<decltype(values[row])>;
            if constexpr (std::is_floating_point_v<Value>) {
                return exact(values[row]);
            } else if constexpr (std::is_arithmetic_v<Value>) {
                return std::to_string(values[row]);
            } else {
                return {};
            }
        },
        column.values);
}

}  // namespace

Json to_json(const PolicyValue& value) {
    Json water = Json::array();
    for (const auto& plant : value.water) {
        const bool has_energy = plant.energy_per_hm3 > 0;
        water.push(Json::Object{
            {"hydro_id", plant.hydro_id},
            {"name", plant.name},
            {"storage_hm3", plant.storage_hm3},
            {"water_value_per_hm3", plant.low},
            {"water_value_per_hm3_of_the_last", plant.high},
            {"water_value_per_mwh", has_energy ? Json(plant.low / plant.energy_per_hm3) : Json()}});
    }
    Json binding = Json::array();
    for (const auto& cut : value.binding) {
        binding.push(Json::Object{{"cut", cut.number},
                                  {"iteration", cut.iteration},
                                  {"trajectory", cut.trajectory},
                                  {"intercept", cut.intercept}});
    }
    Json state = Json::array();
    for (const auto& number : value.state) {
        state.push(Json::Object{{"name", number.name},
                                {"value", number.value},
                                {"unit", number.unit},
                                {"slope", number.slope}});
    }
    return Json::Object{{"stage_id", value.stage_id},
                        {"node_id", value.node_id},
                        {"cost_to_go", value.cost_to_go},
                        {"water", std::move(water)},
                        {"binding_cuts", std::move(binding)},
                        {"state", std::move(state)}};
}

io::Table to_table(const CostGrid& grid) {
    io::Table table;
    const auto add = [&](std::string name, std::vector<double> values) {
        table.columns.push_back({std::move(name), std::move(values), false, {}});
    };
    const auto inner = grid.axes.back().storage_hm3.size();
    for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
        const auto& storage = grid.axes[axis].storage_hm3;
        std::vector<double> values;
        for (std::size_t point = 0; point < grid.cost.size(); ++point) {
            const bool is_inner = axis + 1 == grid.axes.size();
            values.push_back(storage[is_inner ? point % inner : point / inner]);
        }
        add(fmt::format("storage_{}_hm3", grid.axes[axis].hydro_id), std::move(values));
    }
    add("cost_to_go", grid.cost);
    for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
        add(fmt::format("water_value_{}_per_hm3", grid.axes[axis].hydro_id),
            grid.water_value[axis]);
    }
    return table;
}

std::string to_csv(const io::Table& table) {
    std::string text = fmt::format("{}\n", fmt::join(columns_of(table), ","));
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            text += i > 0 ? "," : "";
            text += cell(table.columns[i], row);
        }
        text += '\n';
    }
    return text;
}

io::Page to_page(const CostGrid& grid) {
    io::Page page(fmt::format("Cost to go after {} · Lockstep", grid.stage));
    page.heading(fmt::format("Cost to go after {}", grid.stage));
    page.paragraph(
        "What the study costs from the end of the stage on, as the cuts of the policy have it: a "
        "lower bound. Water values are what a further hm³ of storage saves there.");
    if (grid.axes.size() == 1) {
        page.plot(cost_plot(grid)).plot(water_plot(grid));
        return page;
    }
    std::vector<io::Choice> choices{{"cost to go", {}, {cost_map(grid)}}};
    for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
        const auto& name = grid.axes[axis].name;
        choices.push_back({"water value of " + name,
                           {},
                           {map_of(grid,
                                   fmt::format("Water value of {} after {}", name, grid.stage),
                                   "[$/hm³]",
                                   grid.water_value[axis])}});
    }
    page.choice("Quantity", choices);
    return page;
}

std::string to_svg(const CostGrid& grid) {
    return grid.axes.size() == 1 ? io::to_svg(cost_plot(grid)) : io::to_svg(cost_map(grid));
}

}  // namespace lockstep::app
