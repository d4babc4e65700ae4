#include <algorithm>
#include <map>
#include <set>

#include "formats/cobre/translate/old_case.hpp"
#include "formats/cobre/translate/table_edit.hpp"

namespace lockstep::formats::cobre::translate {

namespace {

/// Rows of a plant by stage id.
using PlantRows = std::map<int, std::size_t>;

std::map<int, PlantRows> rows_by_plant(const io::Table& table) {
    std::map<int, PlantRows> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto hydro = number_at(table, "hydro_id", row);
        const auto stage = number_at(table, "stage_id", row);
        if (hydro && stage) {
            rows[static_cast<int>(*hydro)].emplace(static_cast<int>(*stage), row);
        }
    }
    return rows;
}

int longest_lag(const io::Table& coefficients) {
    double longest = 0;
    for (std::size_t row = 0; row < coefficients.rows(); ++row) {
        longest = std::max(longest, number_at(coefficients, "lag", row).value_or(0));
    }
    return static_cast<int>(std::min(longest, 1000.0));
}

/// Season of an id before the study, as 0.5 counted it: modulo the number of seasons.
int season_before(const OldCase& old, int stage_id) {
    std::set<int> seasons;
    for (const OldStage& stage : old.stages) {
        seasons.insert(stage.season.value_or(-1));
    }
    const int count = static_cast<int>(seasons.size());
    const int counted = stage_id + old.stages.front().season.value_or(0);
    return (counted % count + count) % count;
}

/// Row of the first stage of a season, nothing where the plant has none.
std::optional<std::size_t> row_of_season(const OldCase& old, const PlantRows& rows, int season) {
    for (const OldStage& stage : old.stages) {
        const auto row = rows.find(stage.id);
        if (stage.season == season && row != rows.end()) {
            return row->second;
        }
    }
    return std::nullopt;
}

void append_copy(io::Table& table, std::size_t row, int stage_id) {
    for (io::Column& column : table.columns) {
        std::visit([row](auto& values) { values.push_back(values[row]); }, column.values);
        if (!column.present.empty()) {
            column.present.push_back(column.present[row]);
        }
        auto* ids = std::get_if<std::vector<std::int32_t>>(&column.values);
        if (column.name == "stage_id" && ids != nullptr) {
            ids->back() = stage_id;
        }
    }
}

}  // namespace

void translate_statistics(OldCase& old) {
    io::Table* statistics = old.table("scenarios/inflow_seasonal_stats.parquet");
    const io::Table* coefficients = old.table("scenarios/inflow_ar_coefficients.parquet");
    if (!old.got_months || old.stages.empty() || statistics == nullptr || coefficients == nullptr) {
        return;
    }
    const int first = old.stages.front().id;
    const int lags = longest_lag(*coefficients);
    for (const auto& [hydro, rows] : rows_by_plant(*statistics)) {
        for (int id = first - 1; id >= first - lags; --id) {
            const auto row =
                rows.contains(id) ? std::nullopt : row_of_season(old, rows, season_before(old, id));
            if (row) {
                append_copy(*statistics, *row, id);
            }
        }
    }
}

}  // namespace lockstep::formats::cobre::translate
