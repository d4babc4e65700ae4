#include "formats/cobre/results/results_scenarios.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"

#include "formats/cobre/write/output_files.hpp"
#include "formats/cobre/write/tables/simulation.hpp"

namespace lockstep::formats::cobre::out {
namespace {

/// Takes a field of a CSV line from the front of `line`, with the comma after it.
std::string take_field(std::string_view& line) {
    std::string field;
    bool quoted = false;
    std::size_t i = 0;
    for (; i < line.size() && (quoted || line[i] != ','); ++i) {
        if (line[i] != '"') {
            field += line[i];
        } else if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
            field += line[++i];
        } else {
            quoted = !quoted;
        }
    }
    line.remove_prefix(std::min(line.size(), i + 1));
    return field;
}

/// Takes a record from the front of `text`: a line, or more when a quoted field holds line ends.
std::string_view take_record(std::string_view& text) {
    bool quoted = false;
    std::size_t i = 0;
    for (; i < text.size() && (quoted || text[i] != '\n'); ++i) {
        quoted = quoted != (text[i] == '"');
    }
    const std::string_view record = text.substr(0, i);
    text.remove_prefix(std::min(text.size(), i + 1));
    return record;
}

int to_int(const std::string& text) {
    int value = -1;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// Probabilities of enumerated paths, as weights with mean 1.
std::vector<double> weights_of(const Results& results, const std::vector<int>& ids) {
    const auto path = results.directory / (scenario_summary_table().file() + ".parquet");
    if (!io::is_there(path)) {
        return {};
    }
    const auto table = io::read_parquet(path);
    const auto probability = numbers(table, "probability", path.string());
    const auto id = numbers(table, "scenario_id", path.string());
    std::map<int, double> of;
    double sum = 0;
    for (std::size_t row = 0; row < id.size(); ++row) {
        of[static_cast<int>(id[row])] = probability[row];
        sum += probability[row];
    }
    std::vector<double> weights;
    for (const int scenario : ids) {
        const auto found = of.find(scenario);
        weights.push_back(
            found == of.end() ? 0 : found->second * static_cast<double>(ids.size()) / sum);
    }
    const bool is_sampled = !(sum > 0);  // NaN where the column has none
    return is_sampled ? std::vector<double>() : weights;
}

}  // namespace

ScenarioTable::ScenarioTable(SimulationTableReader& table, int scenario)
    : file_(table.file(scenario)), table_(table.read(scenario)) {}

std::vector<std::size_t> ScenarioTable::stages(const EntityIndex& stages) const {
    std::vector<std::size_t> out;
    const auto ids = get<std::int32_t>("stage_id");
    out.reserve(ids.size());
    for (std::size_t row = 0; row < ids.size(); ++row) {
        const std::int32_t stage = ids[row];
        if (row > 0 && stage == ids[row - 1]) {  // rows of a stage follow one another
            out.push_back(out.back());
            continue;
        }
        if (!stages.has(stage)) {
            throw InputError(
                fmt::format("{}: stage_id {} is none of the {} stages in metadata.json",
                            file_,
                            stage,
                            stages.size()));
        }
        out.push_back(stages.at(stage, file_));
    }
    return out;
}

void EntityIndex::add(std::int32_t id) {
    if (place_.emplace(id, ids_.size()).second) {
        ids_.push_back(id);
    }
}

std::size_t EntityIndex::at(std::int32_t id, const std::string& file) const {
    const auto found = place_.find(id);
    if (found == place_.end()) {
        throw InputError(fmt::format("{}: id {} is not in the first scenario", file, id));
    }
    return found->second;
}

Entities::Entities(const std::filesystem::path& output) {
    const auto path = output / "training" / "dictionaries" / "entities.csv";
    if (!io::is_there(path)) {
        return;
    }
    const std::string content = io::read_file(path);
    std::string_view text = content;
    take_record(text);  // names of the columns
    while (!text.empty()) {
        std::string_view record = take_record(text);
        const int type = to_int(take_field(record));
        const int id = to_int(take_field(record));
        Entity entity{take_field(record)};
        entity.bus_id = to_int(take_field(record));
        entities_[{type, id}] = std::move(entity);
    }
}

const Entity* Entities::find(EntityCode type, std::int32_t id) const {
    const auto found = entities_.find({static_cast<int>(type), id});
    return found == entities_.end() ? nullptr : &found->second;
}

std::string Entities::name(EntityCode type, std::int32_t id) const {
    const Entity* entity = find(type, id);
    return entity == nullptr ? std::to_string(id) : entity->name;
}

Scenarios::Scenarios(const Results& results)
    : results_(&results), ids_(simulated_scenarios(results)) {
    for (const StageLabel& stage : results.stages) {
        stage_ids_.add(stage.id);
    }
    weight_ = weights_of(results, ids_);
}

double Scenarios::block_share(std::size_t stage,
                              std::int32_t block,
                              const std::string& file) const {
    const StageLabel& label = results_->stages[stage];
    if (block < 0 || static_cast<std::size_t>(block) >= label.block_hours.size()) {
        throw InputError(
            fmt::format("{}: block_id {} of stage {} is not in metadata.json", file, block, stage));
    }
    return label.block_hours[at(block)] / label.hours;
}

bool Scenarios::has(const std::string& table) const {
    return io::is_there(results_->directory / "simulation" / table);
}

EntityIndex Scenarios::entities(const std::string& table, std::string_view id_column) const {
    EntityIndex index;
    if (ids_.empty()) {
        return index;
    }
    SimulationTableReader all(*results_, table, {std::string(id_column)});
    const ScenarioTable first(all, ids_.front());
    for (const std::int32_t id : first.get<std::int32_t>(id_column)) {
        index.add(id);
    }
    return index;
}

}  // namespace lockstep::formats::cobre::out
