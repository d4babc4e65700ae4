#include "lockstep/formats/cobre/results.hpp"

#include <system_error>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "formats/cobre/results/results_columns.hpp"
#include "formats/cobre/write/output_files.hpp"
#include "formats/cobre/write/tables_simulation.hpp"
#include "formats/cobre/write/tables_training.hpp"

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

}  // namespace

Results read_results(const std::filesystem::path& directory) {
    Results results;
    results.directory = directory;
    results.training = finished_part(directory / "training");
    results.simulation = finished_part(directory / "simulation");
    if (!results.training && !results.simulation) {
        throw IoError(
            fmt::format("{}: holds no finished results (neither training/{} nor simulation/{})",
                        directory.string(),
                        success_name,
                        success_name),
            IoError::Direction::read);
    }
    if (results.training) {
        results.convergence =
            io::read_parquet(directory / (convergence_table().file() + ".parquet"));
    }
    const auto ranks = directory / (rank_table().file() + ".parquet");
    if (io::is_there(ranks)) {
        results.ranks = io::read_parquet(ranks);
    }
    results.stages = stage_labels(results.training ? *results.training : *results.simulation);
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

}  // namespace lockstep::formats::cobre
