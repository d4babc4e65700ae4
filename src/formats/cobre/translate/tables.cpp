#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "formats/cobre/translate/json_edit.hpp"
#include "formats/cobre/translate/old_case.hpp"
#include "formats/cobre/translate/table_edit.hpp"

namespace lockstep::formats::cobre::translate {

namespace {

void rename_columns(OldCase& old, const std::string& path, std::string_view from, const char* to) {
    if (io::Table* table = old.table(path)) {
        rename_column(*table, from, to);
    }
}

void note_ratios(OldCase& old, const io::Table& table) {
    std::set<std::pair<int, int>> seen;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto hydro = number_at(table, "hydro_id", row);
        const auto stage = number_at(table, "stage_id", row);
        const auto ratio = number_at(table, "residual_std_ratio", row);
        if (hydro && stage && ratio) {
            const std::pair key{static_cast<int>(*hydro), static_cast<int>(*stage)};
            if (seen.insert(key).second) {
                old.ratios.push_back({key.first, key.second, *ratio});
            }
        }
    }
}

void translate_coefficients(OldCase& old) {
    if (io::Table* table = old.table("scenarios/inflow_ar_coefficients.parquet")) {
        note_ratios(old, *table);
        drop_column(*table, "residual_std_ratio");
    }
}

/// Rows for single blocks were passed over.
void translate_thermal_bounds(OldCase& old) {
    if (io::Table* table = old.table("constraints/thermal_bounds.parquet")) {
        const io::Table before = *table;
        filter_rows(*table, [&](std::size_t row) { return !number_at(before, "block_id", row); });
        drop_column(*table, "block_id");
    }
}

/// Stages were counted from 0, now they have their ids.
void translate_openings(OldCase& old) {
    io::Table* table = old.table("scenarios/noise_openings.parquet");
    if (table == nullptr) {
        return;
    }
    for (io::Column& column : table->columns) {
        auto* stages = std::get_if<std::vector<std::int32_t>>(&column.values);
        if (column.name != "stage_id" || stages == nullptr) {
            continue;
        }
        for (std::int32_t& stage : *stages) {
            if (stage >= 0 && static_cast<std::size_t>(stage) < old.stages.size()) {
                stage = old.stages[static_cast<std::size_t>(stage)].id;
            }
        }
    }
}

/// All methods were computed spectrally.
void translate_correlation(OldCase& old) {
    if (io::Json* correlation = old.find("scenarios/correlation.json")) {
        if (member(*correlation, "method") != nullptr) {
            *member(*correlation, "method") = "spectral";
        }
    }
}

/// Capacities of a line by stage, the entity's where the table has none.
class LineCapacities {
public:
    explicit LineCapacities(OldCase& old) {
        if (io::Json* lines = old.find("system/lines.json")) {
            for_each_object(*lines, "lines", [&](io::Json& line) {
                const auto id = integer(line, "id");
                const io::Json* capacity = line.find("capacity");
                if (id && capacity != nullptr) {
                    declared_[*id] = {value(*capacity, "direct_mw"),
                                      value(*capacity, "reverse_mw")};
                }
            });
        }
        if (const io::Table* table = old.table("constraints/line_bounds.parquet")) {
            for (std::size_t row = 0; row < table->rows(); ++row) {
                const auto line = number_at(*table, "line_id", row);
                const auto stage = number_at(*table, "stage_id", row);
                if (line && stage) {
                    rows_[{static_cast<int>(*line), static_cast<int>(*stage)}] = {
                        number_at(*table, "direct_mw", row), number_at(*table, "reverse_mw", row)};
                }
            }
        }
    }

    using Pair = std::pair<std::optional<double>, std::optional<double>>;
    [[nodiscard]] Pair at(int line, int stage) const {
        const auto declared = declared_.find(line);
        Pair out = declared != declared_.end() ? declared->second : Pair{};
        if (const auto row = rows_.find({line, stage}); row != rows_.end()) {
            out.first = row->second.first ? row->second.first : out.first;
            out.second = row->second.second ? row->second.second : out.second;
        }
        return out;
    }

private:
    static std::optional<double> value(const io::Json& object, std::string_view key) {
        const io::Json* found = object.find(key);
        return found != nullptr ? found->if_number() : std::nullopt;
    }

    std::map<int, Pair> declared_;
    std::map<std::pair<int, int>, Pair> rows_;
};

/// Rows of line_bounds, all of them, to which those for blocks are added.
struct LineRows {
    std::vector<std::int32_t> line, stage, block;
    std::vector<std::uint8_t> has_block, has_direct, has_reverse;
    std::vector<double> direct, reverse;

    void add(int line_id,
             int stage_id,
             std::optional<int> block_id,
             const LineCapacities::Pair& mw) {
        line.push_back(line_id);
        stage.push_back(stage_id);
        block.push_back(block_id.value_or(0));
        has_block.push_back(block_id ? 1 : 0);
        direct.push_back(mw.first.value_or(0));
        has_direct.push_back(mw.first ? 1 : 0);
        reverse.push_back(mw.second.value_or(0));
        has_reverse.push_back(mw.second ? 1 : 0);
    }
    io::Table table() && {
        return {{{"line_id", std::move(line), false, {}},
                 {"stage_id", std::move(stage), false, {}},
                 {"block_id", std::move(block), true, std::move(has_block)},
                 {"direct_mw", std::move(direct), true, std::move(has_direct)},
                 {"reverse_mw", std::move(reverse), true, std::move(has_reverse)}}};
    }
};

void keep_rows(const io::Table& table, LineRows& out) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto line = number_at(table, "line_id", row);
        const auto stage = number_at(table, "stage_id", row);
        if (line && stage) {
            out.add(static_cast<int>(*line),
                    static_cast<int>(*stage),
                    std::nullopt,
                    {number_at(table, "direct_mw", row), number_at(table, "reverse_mw", row)});
        }
    }
}

std::optional<double> scaled(const std::optional<double>& capacity,
                             const io::Json& factors,
                             std::string_view key) {
    const io::Json* factor = factors.find(key);
    const auto number = factor != nullptr ? factor->if_number() : std::nullopt;
    return capacity && number ? std::optional(*capacity * *number) : std::nullopt;
}

/// Bound by the sense of the constraint.
void translate_bounds(OldCase& old, const std::map<int, std::string>& senses) {
    io::Table* table = old.table("constraints/generic_constraint_bounds.parquet");
    if (table == nullptr || table->find("bound") == nullptr) {
        return;
    }
    const io::Table before = *table;
    io::Column* lower = real_column(*table, "bound_lower");
    io::Column* upper = lower != nullptr ? real_column(*table, "bound_upper") : nullptr;
    lower = real_column(*table, "bound_lower");  // the columns may have moved
    for (std::size_t row = 0; upper != nullptr && row < before.rows(); ++row) {
        const auto id = number_at(before, "constraint_id", row);
        const auto found = id ? senses.find(static_cast<int>(*id)) : senses.end();
        const std::string sense = found != senses.end() ? found->second : "==";
        const auto bound = number_at(before, "bound", row);
        set_real(*lower, row, sense != "<=" ? bound : std::nullopt);
        set_real(*upper, row, sense != ">=" ? bound : std::nullopt);
    }
    drop_column(*table, "bound");
}

}  // namespace

void translate_tables(OldCase& old) {
    translate_coefficients(old);
    translate_thermal_bounds(old);
    translate_openings(old);
    translate_correlation(old);
    if (io::Table* table = old.table("constraints/hydro_bounds.parquet")) {
        drop_column(*table, "max_diversion_m3s");  // it had no effect
    }
    rename_columns(
        old, "constraints/hydro_bounds.parquet", "filling_inflow_m3s", "filling_min_rate_m3s");
    rename_columns(old, "constraints/pumping_bounds.parquet", "station_id", "pumping_station_id");
    rename_columns(old, "constraints/penalty_overrides_ncs.parquet", "source_id", "ncs_id");
    rename_columns(old, "scenarios/external_ncs_scenarios.parquet", "value", "availability_factor");
}

void translate_exchange_factors(OldCase& old) {
    const std::string path = "constraints/exchange_factors.json";
    io::Json* factors = old.find(path);
    if (factors == nullptr) {
        return;
    }
    const LineCapacities capacities(old);
    LineRows rows;
    if (const io::Table* table = old.table("constraints/line_bounds.parquet")) {
        keep_rows(*table, rows);
    }
    for_each_object(*factors, "exchange_factors", [&](io::Json& entry) {
        const auto line = integer(entry, "line_id");
        const auto stage = integer(entry, "stage_id");
        for_each_object(entry, "block_factors", [&](io::Json& block) {
            const auto id = integer(block, "block_id");
            if (line && stage && id) {
                const auto capacity = capacities.at(*line, *stage);
                rows.add(*line,
                         *stage,
                         id,
                         {scaled(capacity.first, block, "direct_factor"),
                          scaled(capacity.second, block, "reverse_factor")});
            }
        });
    });
    old.tables.insert_or_assign("constraints/line_bounds.parquet", std::move(rows).table());
    old.json.erase(path);
}

void translate_generic(OldCase& old) {
    std::map<int, std::string> senses;
    if (io::Json* generic = old.find("constraints/generic_constraints.json")) {
        for_each_object(*generic, "constraints", [&](io::Json& constraint) {
            const auto sense = take(constraint, "sense");
            const auto id = integer(constraint, "id");
            if (id && sense && sense->if_string() != nullptr) {
                senses[*id] = *sense->if_string();
            }
        });
    }
    translate_bounds(old, senses);
}

}  // namespace lockstep::formats::cobre::translate
