#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/hydro/head.hpp"
#include "formats/cobre/resolve/hydro/production_tables.hpp"
#include "formats/cobre/resolve/resolve.hpp"
#include "formats/cobre/resolve/stage_list.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* models_file = "system/hydro_production_models.json";
constexpr const char* energy_file = "system/hydro_energy_productivity.parquet";

/// What holds for a plant in a stage.
struct InForce {
    raw::Model model = raw::Model::constant_productivity;
    const raw::ModelChoice* choice = nullptr;  ///< none: the plant's own model
};

InForce model_in_force(const raw::Hydro& hydro,
                       const raw::ProductionModel* models,
                       const sddp::Stage& stage) {
    if (models == nullptr) {
        return {hydro.generation.model, nullptr};
    }
    if (models->selection_mode == raw::SelectionMode::seasonal) {
        for (const raw::SeasonModel& season : models->seasons) {
            if (season.season_id == stage.season) {
                return {season.model, &season};
            }
        }
        return {models->default_model, nullptr};
    }
    for (const raw::StageRange& range : models->stage_ranges) {
        if (range.start_stage_id <= stage.id && stage.id <= range.end_stage_id.value_or(stage.id)) {
            return {range.model, &range};
        }
    }
    return {hydro.generation.model, nullptr};
}

/// Resolves one plant.
class PlantProduction {
public:
    PlantProduction(const raw::Hydro& raw,
                    const raw::ProductionModel* models,
                    const ReservoirCurve& curve,
                    const ProductionTables& tables,
                    int index,
                    const Resolver& resolver,
                    sddp::Hydro& hydro)
        : raw_(raw),
          models_(models),
          curve_(curve),
          tables_(tables),
          index_(index),
          resolver_(resolver),
          hydro_(hydro) {}

    void run() {
        for (int stage = 0; stage < resolver_.stage_count(); ++stage) {
            const sddp::Stage& each = resolver_.calendar.stages[at(stage)];
            const InForce in_force = model_in_force(raw_, models_, each);
            if (in_force.model == raw::Model::fpha) {
                set_planes(stage, each.id, in_force.choice);
            } else {
                set_productivity(stage, each.id, in_force.choice);
            }
        }
        report();
    }

private:
    void set_productivity(int stage, int stage_id, const raw::ModelChoice* choice) {
        static const std::optional<double> none;
        const std::optional<double>& declared =
            choice != nullptr ? choice->productivity_mw_per_m3s : none;
        const auto tabled = tables_.equivalent(index_, stage);
        if (declared && tabled) {
            given_twice_.add(stage_id);
        } else if (!declared && !tabled) {
            not_given_.add(stage_id);
        }
        const double rho = declared ? *declared : tabled ? *tabled : 0;
        hydro_.productivity[at(stage)] = rho;
        hydro_.equivalent_productivity[at(stage)] = rho;
    }

    void set_planes(int stage, int stage_id, const raw::ModelChoice* choice) {
        if (choice == nullptr || !choice->fpha_config) {
            no_config_.add(stage_id);
            return;
        }
        if (choice->fpha_config->source == raw::PlaneSource::computed) {
            return;  // refused with all other features
        }
        const auto& planes = tables_.planes(index_, stage);
        if (planes.empty() && raw_.generation.max_turbined_m3s > 0) {
            no_planes_.add(stage_id);
        }
        hydro_.planes[at(stage)] = planes;
        set_equivalent(stage, stage_id, choice->reference_volume);
    }

    void set_equivalent(int stage,
                        int stage_id,
                        const std::optional<raw::ReferenceVolume>& volume) {
        const auto tabled = tables_.equivalent(index_, stage);
        const auto specific = tables_.specific(index_, stage);
        const auto rho = specific ? specific : raw_.specific_productivity_mw_per_m3s_per_m;
        double& out = hydro_.equivalent_productivity[at(stage)];
        if (tabled) {
            out = *tabled;
        } else if (rho && !curve_.is_empty()) {
            const double outflow =
                tables_.reference_outflow(index_, stage).value_or(raw_.generation.max_turbined_m3s);
            out = *rho * net_head(raw_, curve_, reference_volume(raw_.reservoir, volume), outflow);
        } else {
            no_equivalent_.add(stage_id);
        }
    }

    void report(const StageList& stages, std::string_view message) const {
        if (!stages.is_empty()) {
            resolver_.error(ProblemKind::business_rule_violation,
                            line_of("system/hydros.json", raw_.line, "hydro", raw_.id),
                            fmt::format("{}: {}", stages.text(), message));
        }
    }

    void report() const {
        report(given_twice_,
               fmt::format("productivity is given both in {} and in {}", models_file, energy_file));
        report(not_given_,
               fmt::format("no productivity: give productivity_mw_per_m3s in {} or a "
                           "row in {}",
                           models_file,
                           energy_file));
        report(
            no_config_,
            fmt::format("the model \"fpha\" needs an entry with fpha_config in {}", models_file));
        report(no_planes_, "the model \"fpha\" needs rows in system/fpha_hyperplanes.parquet");
        report(
            no_equivalent_,
            fmt::format("the model \"fpha\" needs an equivalent productivity: give a row in {}, or "
                        "a specific productivity and geometry",
                        energy_file));
    }

    const raw::Hydro& raw_;
    const raw::ProductionModel* models_;
    const ReservoirCurve& curve_;
    const ProductionTables& tables_;
    int index_;
    const Resolver& resolver_;
    sddp::Hydro& hydro_;
    StageList given_twice_;
    StageList not_given_;
    StageList no_config_;
    StageList no_planes_;
    StageList no_equivalent_;
};

void check_choice(const raw::ModelChoice& choice, int hydro_id, const Resolver& resolver) {
    const Origin origin = line_of(models_file, choice.line, "hydro", hydro_id);
    const auto wrong = [&](std::string message) {
        resolver.error(ProblemKind::invalid_value, origin, std::move(message));
    };
    if (choice.model == raw::Model::fpha && choice.productivity_mw_per_m3s) {
        wrong("productivity_mw_per_m3s does not go with the model \"fpha\"");
    }
    if (choice.model != raw::Model::fpha && choice.fpha_config) {
        wrong("fpha_config goes with the model \"fpha\" only");
    }
    if (choice.reference_volume && choice.reference_volume->volume_hm3.has_value() ==
                                       choice.reference_volume->percentile.has_value()) {
        wrong("reference_volume needs one of volume_hm3 and percentile");
    }
}

void check_model(const raw::ProductionModel& model, const Resolver& resolver) {
    for (const raw::StageRange& range : model.stage_ranges) {
        check_choice(range, model.hydro_id, resolver);
        if (range.end_stage_id && *range.end_stage_id < range.start_stage_id) {
            resolver.error(ProblemKind::invalid_value,
                           line_of(models_file, range.line, "hydro", model.hydro_id),
                           fmt::format("end_stage_id {} is before start_stage_id {}",
                                       *range.end_stage_id,
                                       range.start_stage_id));
        }
    }
    for (const raw::SeasonModel& season : model.seasons) {
        check_choice(season, model.hydro_id, resolver);
    }
}

/// The entry of each hydro, nullptr for none.
std::vector<const raw::ProductionModel*> entries_by_hydro(
    const std::vector<raw::ProductionModel>& models, const Resolver& resolver) {
    std::vector<const raw::ProductionModel*> entries(
        static_cast<std::size_t>(resolver.hydros.size()));
    for (const raw::ProductionModel& model : models) {
        const Origin origin = line_of(models_file, model.line, "hydro", model.hydro_id);
        check_model(model, resolver);
        const int hydro = resolver.find(resolver.hydros, model.hydro_id, origin);
        if (hydro < 0) {
            continue;
        }
        const raw::ProductionModel*& entry = entries[at(hydro)];
        if (entry != nullptr) {
            resolver.error(ProblemKind::duplicate_id, origin, "the hydro has two entries");
        }
        entry = &model;
    }
    return entries;
}

}  // namespace

void resolve_production(const raw::Case& raw,
                        const std::vector<ReservoirCurve>& curves,
                        const Resolver& resolver,
                        sddp::System& system) {
    const auto entries = entries_by_hydro(raw.production_models, resolver);
    const ProductionTables tables(raw, resolver);
    for (std::size_t i = 0; i < system.hydros.size(); ++i) {
        PlantProduction(raw.hydros[i],
                        entries[i],
                        curves[i],
                        tables,
                        static_cast<int>(i),
                        resolver,
                        system.hydros[i])
            .run();
    }
}

}  // namespace lockstep::formats::cobre
