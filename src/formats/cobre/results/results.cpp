#include "lockstep/formats/cobre/results.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/records/output_metadata.hpp"
#include "lockstep/io/file.hpp"

#include "formats/cobre/results/results_columns.hpp"
#include "formats/cobre/results/results_scenarios.hpp"
#include "formats/cobre/results/results_training.hpp"
#include "formats/cobre/write/output_files.hpp"
#include "formats/cobre/write/tables/simulation.hpp"

namespace lockstep::formats::cobre {

using namespace out;

namespace {

using io::Json;

/// metadata.json of a part that was written to its end, be the result whole or not.
std::optional<Json> finished_part(const std::filesystem::path& folder) {
    if (!io::is_there(folder / success_name) && !io::is_there(folder / partial_name)) {
        return std::nullopt;
    }
    return io::read_json(folder / "metadata.json");
}

std::string text_or_empty(const Json& object, std::string_view key) {
    const Json* value = object.find(key);
    const std::string* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string() : *text;
}

double number_or_zero(const Json& object, std::string_view key) {
    const Json* value = object.find(key);
    return value == nullptr ? 0 : value->if_number().value_or(0);
}

std::vector<double> numbers(const Json& object, std::string_view key) {
    std::vector<double> out;
    const Json* values = object.find(key);
    if (values != nullptr && values->if_array() != nullptr) {
        for (const Json& value : *values->if_array()) {
            out.push_back(value.if_number().value_or(0));
        }
    }
    return out;
}

std::vector<StageLabel> stage_labels(const Json& metadata) {
    std::vector<StageLabel> out;
    const Json* stages = metadata.find("stages");
    if (stages == nullptr || stages->if_array() == nullptr) {
        return out;
    }
    for (const Json& stage : *stages->if_array()) {
        out.push_back({static_cast<int>(number_or_zero(stage, "id")),
                       text_or_empty(stage, "start_date"),
                       text_or_empty(stage, "end_date"),
                       number_or_zero(stage, "hours"),
                       numbers(stage, "block_hours")});
    }
    return out;
}

/// Files of each simulation table, as metadata.json promises them.
std::vector<std::pair<std::string, int>> table_files(const Json& metadata) {
    std::vector<std::pair<std::string, int>> out;
    const Json* tables = metadata.find("tables");
    if (tables == nullptr || tables->if_object() == nullptr) {
        return out;
    }
    constexpr std::int64_t most = 1'000'000;
    for (const auto& [name, entry] : *tables->if_object()) {
        const Json* files = entry.find("files");
        const std::int64_t* count = files == nullptr ? nullptr : files->if_integer();
        if (count != nullptr) {
            out.emplace_back(name, static_cast<int>(std::clamp<std::int64_t>(*count, 0, most)));
        }
    }
    return out;
}

/// A training's last path is its policy's.
std::filesystem::path policy_of(const std::filesystem::path& directory) {
    const auto metadata = read_output_metadata(directory);
    const OutputPart* training = metadata ? metadata->part("training") : nullptr;
    const bool is_told = training != nullptr && training->paths.size() > 1;
    return (directory / (is_told ? training->paths.back() : "policy")).lexically_normal();
}

}  // namespace

Results read_results(const std::filesystem::path& directory) {
    Results results;
    results.directory = directory;
    results.policy = policy_of(directory);
    const auto training = finished_part(directory / "training");
    const auto simulation = finished_part(directory / "simulation");
    if (!training && !simulation) {
        throw IoError(
            fmt::format("{}: holds no finished results (neither training/{} nor simulation/{})",
                        directory.string(),
                        success_name,
                        success_name),
            IoError::Direction::read);
    }
    if (training) {
        results.training = training_record(*training);
        results.iterations = read_iterations(directory);
        results.inner_bounds = read_inner_bounds(directory);
        results.policy_costs = read_policy_costs(directory);
        results.ranks = read_ranks(directory);
        results.provenance = read_provenance(directory);
    }
    if (simulation) {
        results.simulation = simulation_record(*simulation);
        results.table_files = table_files(*simulation);
    }
    results.stages = stage_labels(training ? *training : *simulation);
    return results;
}

std::vector<int> simulated_scenarios(const Results& results) {
    if (!results.simulation) {
        throw IoError(fmt::format("{}: holds no finished simulation", results.directory.string()),
                      IoError::Direction::read);
    }
    const auto path = results.directory / (scenario_summary_table().file() + ".parquet");
    const io::Table table = io::read_parquet(path);
    const auto ids = column<std::int32_t>(table, "scenario_id", path.string());
    return {ids.begin(), ids.end()};
}

std::string hydro_name(const std::filesystem::path& directory, int id) {
    const Entity* hydro = Entities(directory).find(EntityCode::hydro, id);
    return hydro == nullptr ? std::string() : hydro->name;
}

}  // namespace lockstep::formats::cobre
