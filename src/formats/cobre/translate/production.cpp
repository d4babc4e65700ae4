#include <algorithm>
#include <set>

#include "formats/cobre/translate/json_edit.hpp"
#include "formats/cobre/translate/old_case.hpp"
#include "formats/cobre/translate/table_edit.hpp"

namespace lockstep::formats::cobre::translate {

namespace {

constexpr const char* hydros_path = "system/hydros.json";
constexpr const char* models_path = "system/hydro_production_models.json";
constexpr const char* energy_path = "system/hydro_energy_productivity.parquet";
constexpr const char* costs_path = "constraints/penalty_overrides_hydro.parquet";

constexpr double megawatts_per_m3s_m = 9.81 / 1000;

std::string text_at(const io::Json& object, std::string_view key) {
    const io::Json* value = object.find(key);
    return value != nullptr && value->if_string() != nullptr ? *value->if_string() : "";
}

/// Model of a plant in a stage, as 0.5 chose it.
std::string model_in_force(const std::string& own, const io::Json* entry, const OldStage& stage) {
    if (entry == nullptr) {
        return own;
    }
    io::Json copy = *entry;
    std::string found;
    if (text_at(*entry, "selection_mode") == "seasonal") {
        for_each_object(copy, "seasons", [&](io::Json& season) {
            if (found.empty() && stage.season && integer(season, "season_id") == stage.season) {
                found = text_at(season, "model");
            }
        });
        return found.empty() ? text_at(*entry, "default_model") : found;
    }
    for_each_object(copy, "stage_ranges", [&](io::Json& range) {
        const int first = integer(range, "start_stage_id").value_or(0);
        const int last = integer(range, "end_stage_id").value_or(stage.id);
        if (found.empty() && first <= stage.id && stage.id <= last) {
            found = text_at(range, "model");
        }
    });
    return found.empty() ? own : found;
}

/// Gives plants what 0.18 wants to know of their production.
class ProductionTranslator {
public:
    explicit ProductionTranslator(OldCase& old) : old_(old) {}

    void run() {
        io::Json* hydros = old_.find(hydros_path);
        if (hydros == nullptr) {
            return;
        }
        for_each_object(*hydros, "hydros", [&](io::Json& hydro) { translate(hydro); });
        write_energies();
    }

private:
    void translate(io::Json& hydro) {
        const auto id = integer(hydro, "id");
        io::Json* generation = member(hydro, "generation");
        if (!id || generation == nullptr) {
            return;
        }
        const auto productivity = take(*generation, "productivity_mw_per_m3s");
        const std::string own = text_at(*generation, "model");
        io::Json* entry = entry_of(*id);
        std::set<int> with_planes;
        for (const OldStage& stage : old_.stages) {
            if (model_in_force(own, entry, stage) == "fpha") {
                with_planes.insert(stage.id);
            }
        }
        set_costs(hydro, *id, with_planes);
        set_equivalent(hydro, *id, with_planes);
        if (entry != nullptr) {
            complete(*entry, own, productivity);
        } else if (own != "fpha") {
            add_entry(*id, own, productivity);
        }
    }

    io::Json* entry_of(int hydro_id) {
        io::Json* entry = nullptr;
        if (io::Json* models = old_.find(models_path)) {
            for_each_object(*models, "production_models", [&](io::Json& each) {
                entry = integer(each, "hydro_id") == hydro_id ? &each : entry;
            });
        }
        return entry;
    }

    /// From the first stage to the end, or what ranges before it leave.
    [[nodiscard]] io::Json whole_range(const std::string& model,
                                       const std::optional<io::Json>& productivity) const {
        io::Json range = io::Json::object();
        range.set("start_stage_id", old_.stages.empty() ? 0 : old_.stages.front().id);
        range.set("end_stage_id", io::Json());
        range.set("model", model);
        if (productivity) {
            range.set("productivity_mw_per_m3s", *productivity);
        }
        return range;
    }

    void add_entry(int hydro_id,
                   const std::string& own,
                   const std::optional<io::Json>& productivity) {
        io::Json ranges = io::Json::array();
        ranges.push(whole_range(own, productivity));
        io::Json entry = io::Json::object();
        entry.set("hydro_id", hydro_id);
        entry.set("selection_mode", "stage_ranges");
        entry.set("stage_ranges", std::move(ranges));
        if (io::Json* models = array_at(old_.object(models_path), "production_models")) {
            models->push(std::move(entry));
        }
    }

    void complete(io::Json& entry,
                  const std::string& own,
                  const std::optional<io::Json>& productivity) {
        const auto complete_choice = [&](io::Json& choice) {
            old_.refuse_new_key(models_path, choice, "productivity_mw_per_m3s");
            rename(choice, "productivity_override", "productivity_mw_per_m3s");
            if (text_at(choice, "model") != "fpha" && productivity &&
                (choice.find("productivity_mw_per_m3s") == nullptr ||
                 choice.find("productivity_mw_per_m3s")->is_null())) {
                choice.set("productivity_mw_per_m3s", *productivity);
            }
        };
        for_each_object(entry, "stage_ranges", complete_choice);
        for_each_object(entry, "seasons", complete_choice);
        if (text_at(entry, "selection_mode") == "seasonal") {
            add_default_seasons(entry, productivity);
        } else if (io::Json* ranges = array_at(entry, "stage_ranges");
                   own != "fpha" && ranges != nullptr && !covers_all(entry)) {
            ranges->push(whole_range(own, productivity));
        }
    }

    /// Whether every stage of the study is in a range.
    bool covers_all(io::Json& entry) const {
        return std::all_of(old_.stages.begin(), old_.stages.end(), [&](const OldStage& stage) {
            bool is_covered = false;
            for_each_object(entry, "stage_ranges", [&](io::Json& range) {
                const int first = integer(range, "start_stage_id").value_or(0);
                const int last = integer(range, "end_stage_id").value_or(stage.id);
                is_covered = is_covered || (first <= stage.id && stage.id <= last);
            });
            return is_covered;
        });
    }

    /// The default model has no productivity in 0.18: its seasons are listed.
    void add_default_seasons(io::Json& entry, const std::optional<io::Json>& productivity) {
        const std::string model = text_at(entry, "default_model");
        io::Json* seasons = array_at(entry, "seasons");
        if (model == "fpha" || seasons == nullptr) {
            return;
        }
        std::set<int> listed;
        for_each_object(entry, "seasons", [&](io::Json& season) {
            listed.insert(integer(season, "season_id").value_or(-1));
        });
        for (const OldStage& stage : old_.stages) {
            if (stage.season && listed.insert(*stage.season).second) {
                io::Json season = io::Json::object();
                season.set("season_id", *stage.season);
                season.set("model", model);
                if (productivity) {
                    season.set("productivity_mw_per_m3s", *productivity);
                }
                seasons->push(std::move(season));
            }
        }
    }

    /// Only flow through planes had a cost.
    void set_costs(io::Json& hydro, int id, const std::set<int>& with_planes) {
        if (with_planes.empty()) {
            if (io::Json* penalties = object_at(hydro, "penalties")) {
                penalties->set("turbined_cost", 0.0);
            }
        }
        io::Table* costs = old_.table(costs_path);
        if (costs != nullptr) {
            rename_column(*costs, "fpha_turbined_cost", "turbined_cost");
        }
        std::set<int> free;
        for (const OldStage& stage : old_.stages) {
            if (!with_planes.contains(stage.id) && !with_planes.empty()) {
                free.insert(stage.id);
            }
        }
        clear_costs(id, with_planes, free);
    }

    /// Overrides of the cost where there are no planes, and rows for `free` stages of a plant that
    /// has planes in others.
    void clear_costs(int id, const std::set<int>& with_planes, std::set<int> free) {
        io::Table* costs = old_.table(costs_path);
        if (costs == nullptr && free.empty()) {
            return;
        }
        if (costs == nullptr) {
            costs = &old_.tables[costs_path];
            costs->columns = {{"hydro_id", std::vector<std::int32_t>{}, false, {}},
                              {"stage_id", std::vector<std::int32_t>{}, false, {}}};
        }
        io::Column* turbined = real_column(*costs, "turbined_cost");
        for (std::size_t row = 0; turbined != nullptr && row < costs->rows(); ++row) {
            const auto hydro = number_at(*costs, "hydro_id", row);
            const auto stage = number_at(*costs, "stage_id", row);
            if (hydro == id && stage && !with_planes.contains(static_cast<int>(*stage))) {
                set_real(*turbined, row, 0.0);
                free.erase(static_cast<int>(*stage));
            }
        }
        for (const int stage : free) {
            append_free(*costs, id, stage);
        }
    }

    static void append_free(io::Table& costs, int id, int stage) {
        for (io::Column& column : costs.columns) {
            const bool is_key = column.name == "hydro_id" || column.name == "stage_id";
            if (!is_key && column.present.empty()) {
                column.present.assign(column.size(), 1);
            }
            column.nullable = column.nullable || !is_key;
            std::visit([](auto& values) { values.emplace_back(); }, column.values);
            if (!column.present.empty()) {
                column.present.push_back(is_key ? 1 : 0);
            }
            if (auto* keys = std::get_if<std::vector<std::int32_t>>(&column.values);
                keys != nullptr && is_key) {
                keys->back() = column.name == "hydro_id" ? id : stage;
            }
        }
        set_real(*real_column(costs, "turbined_cost"), costs.rows() - 1, 0.0);
    }

    /// 0.18 wants an equivalent productivity of plants with planes, for energies of the results: by
    /// the head where it is known, else 1.
    void set_equivalent(io::Json& hydro, int id, const std::set<int>& with_planes) {
        if (with_planes.empty()) {
            return;
        }
        if (has_geometry(id)) {
            const io::Json* efficiency = hydro.find("efficiency");
            const io::Json* value = efficiency != nullptr ? efficiency->find("value") : nullptr;
            const double share = value != nullptr ? value->if_number().value_or(1) : 1;
            hydro.set("specific_productivity_mw_per_m3s_per_m", megawatts_per_m3s_m * share);
            return;
        }
        for (const int stage : with_planes) {
            energy_hydros_.push_back(id);
            energy_stages_.push_back(stage);
        }
    }

    bool has_geometry(int id) {
        const io::Table* geometry = old_.table("system/hydro_geometry.parquet");
        for (std::size_t row = 0; geometry != nullptr && row < geometry->rows(); ++row) {
            if (number_at(*geometry, "hydro_id", row) == id) {
                return true;
            }
        }
        return false;
    }

    void write_energies() {
        if (energy_hydros_.empty()) {
            return;
        }
        const std::vector<double> ones(energy_hydros_.size(), 1.0);
        old_.tables[energy_path] = {{{"hydro_id", energy_hydros_, false, {}},
                                     {"stage_id",
                                      energy_stages_,
                                      true,
                                      std::vector<std::uint8_t>(energy_stages_.size(), 1)},
                                     {"equivalent_productivity_mw_per_m3s",
                                      ones,
                                      true,
                                      std::vector<std::uint8_t>(ones.size(), 1)}}};
    }

    OldCase& old_;
    std::vector<std::int32_t> energy_hydros_;
    std::vector<std::int32_t> energy_stages_;
};

}  // namespace

void translate_production(OldCase& old) {
    ProductionTranslator(old).run();
}

}  // namespace lockstep::formats::cobre::translate
