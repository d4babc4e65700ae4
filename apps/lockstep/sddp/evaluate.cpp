#include "lockstep/app/sddp/evaluate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "json_lines.hpp"
#include "sddp/commands.hpp"
#include "summary_lines.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

std::string worth_text(const app::WaterValue& plant) {
    const auto one = app::digits(plant.low);
    return plant.low == plant.high ? one : fmt::format("{} to {}", one, app::digits(plant.high));
}

std::string water_line(const app::WaterValue& plant) {
    const auto per_mwh =
        plant.energy_per_hm3 > 0
            ? fmt::format(", {} $/MWh", app::digits(plant.low / plant.energy_per_hm3))
            : std::string();
    return summary_line(plant.name,
                        fmt::format("{} $/hm3{}", worth_text(plant), per_mwh),
                        fmt::format("at {} hm3", app::digits(plant.storage_hm3)));
}

std::string cut_line(const app::BindingCut& cut) {
    return summary_line(
        fmt::format("cut {}", cut.number),
        fmt::format("{} $ at state 0", app::digits(cut.intercept)),
        cut.iteration > 0
            ? fmt::format("iteration {}, trajectory {}", cut.iteration, cut.trajectory)
            : "of an earlier training");
}

std::string value_text(const app::PolicyValue& value) {
    auto text = summary_line("after", value.stage);
    text += summary_line(
        "cost to go", app::money(value.cost_to_go), app::exact(value.cost_to_go) + " $");
    text += "\nWater values, what a further hm3 saves\n";
    for (const auto& plant : value.water) {
        text += water_line(plant);
    }
    text += value.binding.empty() ? "\nNo cut binds: no future costs less than nothing\n"
                                  : "\nBinding cuts\n";
    constexpr std::size_t shown = 5;
    for (std::size_t i = 0; i < std::min(shown, value.binding.size()); ++i) {
        text += cut_line(value.binding[i]);
    }
    if (value.binding.size() > shown) {
        text += summary_line("", fmt::format("and {} more", value.binding.size() - shown));
    }
    return text;
}

void write_table(const std::filesystem::path& path, const io::Table& table) {
    if (path.extension() == ".csv") {
        io::write_file(path, app::to_csv(table));
    } else if (path.extension() == ".parquet") {
        io::write_parquet(path, table);
    } else {
        throw UsageError(fmt::format("{}: a table is a .csv or a .parquet file", path.string()));
    }
}

void write_plot(const std::filesystem::path& path, const app::CostGrid& grid) {
    if (path.extension() == ".svg") {
        io::write_file(path, app::to_svg(grid));
    } else if (path.extension() == ".html") {
        io::write_file(path, app::to_page(grid).html());
    } else {
        throw UsageError(fmt::format("{}: a plot is a .svg or a .html file", path.string()));
    }
}

void check_combination(const app::PolicyQuestion& asked) {
    const bool has_files = !asked.table.empty() || !asked.plot.empty();
    if (asked.grid.empty() && has_files) {
        throw UsageError("--table and --plot are of a --grid");
    }
    if (asked.grid.size() > 2) {
        throw UsageError(fmt::format("--grid takes one or two plants, not {}", asked.grid.size()));
    }
}

void print_grid(const app::PolicyQuestion& asked, const app::PolicyReader& policy) {
    const auto grid = policy.grid(asked.state, asked.grid, asked.points);
    const auto table = app::to_table(grid);
    if (!asked.table.empty()) {
        write_table(asked.table, table);
    }
    if (!asked.plot.empty()) {
        write_plot(asked.plot, grid);
    }
    if (asked.table.empty() && asked.plot.empty()) {
        print(app::to_csv(table));
    }
}

}  // namespace

int execute(const PolicyCommand& command) {
    const auto& asked = command.question;
    check_combination(asked);
    const app::PolicyReader policy(asked.place);
    if (!asked.cuts.empty()) {
        write_table(asked.cuts, policy.cuts());
    }
    if (!asked.grid.empty()) {
        print_grid(asked, policy);
        return 0;
    }
    const bool asks = asked.state.stage || asked.state.node || !asked.state.values.empty();
    if (asked.cuts.empty() || asks) {
        const auto value = policy.at(asked.state);
        if (command.voice.json) {
            print_line(app::to_json(value));
        } else {
            print(value_text(value));
        }
    }
    return 0;
}

}  // namespace lockstep::cli
