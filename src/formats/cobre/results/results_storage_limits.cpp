#include "formats/cobre/results/results_storage_limits.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "lockstep/io/file.hpp"

#include "formats/cobre/results/results_columns.hpp"
#include "formats/cobre/write/tables/training.hpp"

namespace lockstep::formats::cobre::out {
namespace {

/// Places of the stages by the ids that the case declares.
std::map<std::int32_t, std::size_t> places_of(const std::vector<StageLabel>& stages) {
    std::map<std::int32_t, std::size_t> places;
    for (std::size_t t = 0; t < stages.size(); ++t) {
        places[stages[t].id] = t;
    }
    return places;
}

bool is_whole(const std::vector<double>& values) {
    return std::none_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
}

}  // namespace

std::map<std::int32_t, StorageLimits> read_storage_limits(const Results& results) {
    const auto path = results.directory / (bounds_table().file() + ".parquet");
    std::map<std::int32_t, StorageLimits> limits;
    if (!io::is_there(path)) {
        return limits;
    }
    const io::Table table = io::read_parquet(path);
    const std::string file = path.string();
    const auto type = column<std::int8_t>(table, "entity_type_code", file);
    const auto id = column<std::int32_t>(table, "entity_id", file);
    const auto stage = column<std::int32_t>(table, "stage_id", file);
    const auto bound = column<std::int8_t>(table, "bound_type_code", file);
    const auto value = column<double>(table, "bound_value", file);
    const auto places = places_of(results.stages);
    const std::vector<double> none(results.stages.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t row = 0; row < value.size(); ++row) {
        const bool is_min = bound[row] == static_cast<int>(BoundCode::storage_min);
        const bool is_max = bound[row] == static_cast<int>(BoundCode::storage_max);
        const auto place = places.find(stage[row]);
        if (type[row] == static_cast<int>(EntityCode::hydro) && (is_min || is_max) &&
            place != places.end()) {
            auto& of_plant = limits.try_emplace(id[row], StorageLimits{none, none}).first->second;
            (is_min ? of_plant.min_hm3 : of_plant.max_hm3)[place->second] = value[row];
        }
    }
    std::erase_if(limits, [](const auto& entry) {
        return !is_whole(entry.second.min_hm3) || !is_whole(entry.second.max_hm3);
    });
    return limits;
}

}  // namespace lockstep::formats::cobre::out
