#include "app/sddp/compare.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/results.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

#include "app/table_difference.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;
using formats::cobre::Results;

// Times depend on the machine, effort on the version; neither is a result.
constexpr std::array<std::string_view, 5> circumstances = {
    "time_forward_ms", "time_backward_ms", "time_total_ms", "lp_solves", "mean_rows_in_lp"};

Difference difference_of(std::string part,
                         std::string where,
                         std::string quantity,
                         TableDifference found) {
    return {std::move(part),
            std::move(where),
            std::move(quantity),
            std::move(found.left),
            std::move(found.right),
            found.absolute,
            found.relative};
}

Difference one_sided(std::string part, std::string where, bool is_left) {
    const auto none = std::numeric_limits<double>::quiet_NaN();
    return {std::move(part),
            std::move(where),
            "present on one side only",
            is_left ? "present" : "absent",
            is_left ? "absent" : "present",
            none,
            none};
}

std::string iteration_of(const Results& results, const TableDifference& found) {
    if (!found.row) {
        return "the columns";
    }
    const auto& rows = results.iterations;
    return fmt::format(
        "iteration {}",
        *found.row < rows.size() ? rows[*found.row].iteration : static_cast<int>(*found.row) + 1);
}

// File names in a folder, in order; none when the folder is absent. One that cannot be read is not.
std::set<std::string> names_in(const fs::path& folder) {
    std::set<std::string> names;
    if (!io::is_there(folder)) {
        return names;
    }
    std::error_code code;
    fs::directory_iterator entries(folder, code);
    for (; !code && entries != end(entries); entries.increment(code)) {
        if (entries->path().extension() == ".bin") {
            names.insert(entries->path().filename().string());
        }
    }
    if (code) {
        throw IoError(fmt::format("cannot read {}: {}", folder.string(), code.message()),
                      IoError::Direction::read);
    }
    return names;
}

std::string name_of_hydro(const fs::path& output, int id) {
    const auto name = formats::cobre::hydro_name(output, id);
    return name.empty() ? fmt::format("hydro {}", id) : fmt::format("{} (hydro {})", name, id);
}

// "slope of the storage of FURNAS (hydro 12)"
std::string slope_name(const fs::path& output, const fs::path& policy, std::size_t element) {
    const auto state = formats::cobre::read_state(policy);
    if (element >= state.size()) {
        return fmt::format("slope of state variable {}", element);
    }
    const auto& variable = state[element];
    return fmt::format("slope of the {} of {}",
                       variable.lag > 0 ? fmt::format("inflow lag {}", variable.lag) : "storage",
                       name_of_hydro(output, variable.hydro_id));
}

Difference cut_difference(const fs::path& output,
                          const fs::path& policy,
                          const std::string& file,
                          TableDifference found) {
    auto where = "stage " + std::to_string(std::stoi("0" + file));
    if (found.row) {
        where += fmt::format(", cut {}", *found.row);
    }
    auto quantity = found.element ? slope_name(output, policy, *found.element) : found.column;
    return difference_of("cuts", std::move(where), std::move(quantity), std::move(found));
}

/// A table of both sides.
struct TablePair {
    std::string name;
    formats::cobre::SimulationTableReader left;
    formats::cobre::SimulationTableReader right;
};

std::optional<Difference> differing_table(TablePair& table, int scenario) {
    const auto a = table.left.read(scenario);
    const auto b = table.right.read(scenario);
    auto found = first_difference(a, b);
    if (!found) {
        return std::nullopt;
    }
    auto where = fmt::format("scenario {}", scenario);
    if (found->row) {
        if (const auto key = row_key(a, *found->row); !key.empty()) {
            where += ", " + key;
        }
    }
    auto quantity = fmt::format("{}.{}", table.name, found->column);
    return difference_of("simulation", std::move(where), std::move(quantity), std::move(*found));
}

// Tables that simulation/ holds, costs first: the others follow from it.
std::vector<std::string> tables_in(const fs::path& output) {
    auto tables = formats::cobre::simulation_table_names(output);
    std::stable_partition(
        tables.begin(), tables.end(), [](const std::string& name) { return name == "costs"; });
    return tables;
}

// A name that one list lacks.
template <typename Names>
std::optional<Difference> one_sided_name(const std::string& part,
                                         const char* what,
                                         const Names& left,
                                         const Names& right) {
    for (const auto& name : left) {
        if (std::find(right.begin(), right.end(), name) == right.end()) {
            return one_sided(part, fmt::format("{} {}", what, name), true);
        }
    }
    for (const auto& name : right) {
        if (std::find(left.begin(), left.end(), name) == left.end()) {
            return one_sided(part, fmt::format("{} {}", what, name), false);
        }
    }
    return std::nullopt;
}

std::optional<Difference> differing_bounds(const Results& left, const Results& right) {
    auto found = first_difference(formats::cobre::read_convergence(left.directory),
                                  formats::cobre::read_convergence(right.directory),
                                  circumstances);
    if (!found) {
        return std::nullopt;
    }
    auto where = iteration_of(left, *found);
    auto quantity = found->column;
    return difference_of("bounds", std::move(where), std::move(quantity), std::move(*found));
}

// A training's paths are its own folder and the policy's.
fs::path policy_of(const PartOnDisk& training) {
    return (training.output / training.part.paths.back()).lexically_normal();
}

std::optional<Difference> differing_cuts(const PartOnDisk& left, const PartOnDisk& right) {
    const auto a = policy_of(left) / "cuts";
    const auto b = policy_of(right) / "cuts";
    const auto names = names_in(a);
    if (auto difference = one_sided_name("cuts", "file", names, names_in(b))) {
        return difference;
    }
    for (const auto& name : names) {
        if (auto found = first_difference(formats::cobre::read_cut_table(a / name),
                                          formats::cobre::read_cut_table(b / name))) {
            return cut_difference(left.output, policy_of(left), name, std::move(*found));
        }
    }
    return std::nullopt;
}

std::optional<Difference> differing_scenarios(const Results& left, const Results& right) {
    const auto scenarios = formats::cobre::simulated_scenarios(left);
    const auto tables = tables_in(left.directory);
    if (auto difference = one_sided_name(
            "simulation", "scenario", scenarios, formats::cobre::simulated_scenarios(right))) {
        return difference;
    }
    if (auto difference =
            one_sided_name("simulation", "table", tables, tables_in(right.directory))) {
        return difference;
    }
    std::vector<TablePair> pairs;
    for (const auto& table : tables) {
        pairs.push_back({table, {left, table}, {right, table}});
    }
    for (const auto scenario : scenarios) {
        for (auto& pair : pairs) {
            if (auto difference = differing_table(pair, scenario)) {
                return difference;
            }
        }
    }
    return std::nullopt;
}

std::vector<Difference> in_order(std::initializer_list<std::optional<Difference>> found) {
    std::vector<Difference> all;
    for (const auto& difference : found) {
        if (difference) {
            all.push_back(*difference);
        }
    }
    return all;
}

}  // namespace

std::vector<Difference> differences(const PartOnDisk& left, const PartOnDisk& right) {
    const auto a = formats::cobre::read_results(left.output);
    const auto b = formats::cobre::read_results(right.output);
    if (left.part.name == "training") {
        return in_order({differing_bounds(a, b), differing_cuts(left, right)});
    }
    return in_order({differing_scenarios(a, b)});
}

}  // namespace lockstep::app
