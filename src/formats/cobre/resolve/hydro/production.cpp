#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/hydro/head.hpp"
#include "formats/cobre/resolve/hydro/linear_head.hpp"
#include "formats/cobre/resolve/hydro/plant_fits.hpp"
#include "formats/cobre/resolve/hydro/production_tables.hpp"
#include "formats/cobre/resolve/resolve.hpp"
#include "formats/cobre/resolve/stage_list.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* models_file = "system/hydro_production_models.json";
constexpr const char* energy_file = "system/hydro_energy_productivity.parquet";

/// Choices of a plant's entry in force, none where its own model holds.
class PlantChoices {
public:
    PlantChoices(const raw::Hydro& hydro,
                 const raw::ProductionModel* models,
                 const Resolver& resolver) {
        for (const sddp::Stage& stage : resolver.calendar.stages) {
            in_force_.push_back(model_in_force(hydro, models, stage));
        }
    }

    struct InForce {
        raw::Model model = raw::Model::constant_productivity;
        const raw::ModelChoice* choice = nullptr;
    };
    [[nodiscard]] const InForce& at_stage(int stage) const { return in_force_[at(stage)]; }
    [[nodiscard]] std::optional<raw::ReferenceVolume> reference(int stage) const {
        const raw::ModelChoice* choice = at_stage(stage).choice;
        return choice != nullptr ? choice->reference_volume : std::nullopt;
    }

private:
    static InForce model_in_force(const raw::Hydro& hydro,
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
            if (range.start_stage_id <= stage.id &&
                stage.id <= range.end_stage_id.value_or(stage.id)) {
                return {range.model, &range};
            }
        }
        return {hydro.generation.model, nullptr};
    }

    std::vector<InForce> in_force_;  ///< [stages]
};

/// What the production of all plants is resolved from.
struct ProductionInput {
    const raw::Case& raw;
    const std::vector<ReservoirCurve>& curves;
    const Resolver& resolver;
    ProductionTables tables;
    std::vector<TailraceFamilies> tailraces;
    std::vector<PlantChoices> choices;  ///< [hydros]

    /// Level of a reservoir at its reference volume, nothing without geometry.
    [[nodiscard]] std::optional<double> reference_level(int hydro, int stage) const {
        if (hydro < 0 || curves[at(hydro)].is_empty()) {
            return std::nullopt;
        }
        return curves[at(hydro)].height(
            reference_volume(raw.hydros[at(hydro)].reservoir, choices[at(hydro)].reference(stage)));
    }
};

/// Resolves one plant.
class PlantProduction {
public:
    PlantProduction(const ProductionInput& input, int index, sddp::Hydro& hydro)
        : input_(input),
          index_(index),
          raw_(input.raw.hydros[at(index)]),
          curve_(input.curves[at(index)]),
          tables_(input.tables),
          resolver_(input.resolver),
          fits_(raw_, curve_, input.raw, input.resolver),
          hydro_(hydro) {}

    void run() {
        for (int stage = 0; stage < resolver_.stage_count(); ++stage) {
            const int stage_id = resolver_.calendar.stages[at(stage)].id;
            const auto& in_force = input_.choices[at(index_)].at_stage(stage);
            set_reference(stage);
            if (in_force.model == raw::Model::fpha) {
                set_planes(stage, stage_id, in_force.choice);
                continue;
            }
            set_productivity(stage, stage_id, in_force.choice);
            if (in_force.model == raw::Model::linearized_head &&
                input_.raw.config.modeling.linearized_head) {
                set_linear_head(stage, stage_id);
            }
        }
        for (const auto& productivity : energy_.integrated) {
            hydro_.integrated_productivity.push_back(
                productivity.value_or(std::numeric_limits<double>::quiet_NaN()));
        }
        report();
    }

    PlantEnergy take_energy() { return std::move(energy_); }
    std::vector<FittedPlanes> take_fits() { return fits_.take(); }

private:
    void set_reference(int stage) {
        const auto specific = tables_.specific(index_, stage);
        energy_.reference_volume_hm3.push_back(
            reference_volume(raw_.reservoir, input_.choices[at(index_)].reference(stage)));
        energy_.reference_outflow_m3s.push_back(
            tables_.reference_outflow(index_, stage).value_or(raw_.generation.max_turbined_m3s));
        energy_.specific.push_back(specific ? specific
                                            : raw_.specific_productivity_mw_per_m3s_per_m);
        energy_.integrated.emplace_back();
    }

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
        energy_.integrated.back() = rho;
    }

    // The productivity that is given holds at the reference volume.
    void set_linear_head(int stage, int stage_id) {
        if (curve_.is_empty()) {
            no_head_.add(stage_id);
            return;
        }
        const HeadLine line = line_of_head(raw_.reservoir,
                                           curve_,
                                           head_in(stage, stage_id),
                                           energy_.reference_outflow_m3s[at(stage)]);
        const double reference = line.at(energy_.reference_volume_hm3[at(stage)]);
        if (reference <= 0 || line.slope_m_per_hm3 < 0) {
            no_head_.add(stage_id);
            return;
        }
        const OperatingRange range = operating_range(hydro_, stage, resolver_.block_count(stage));
        const double productivity = hydro_.productivity[at(stage)];
        const double mean = (raw_.reservoir.min_storage_hm3 + raw_.reservoir.max_storage_hm3) / 2;
        hydro_.planes[at(stage)] = envelope(line, productivity / reference, range);
        energy_.integrated.back() = productivity * line.at(mean) / reference;
    }

    void set_planes(int stage, int stage_id, const raw::ModelChoice* choice) {
        if (choice == nullptr || !choice->fpha_config) {
            no_config_.add(stage_id);
            return;
        }
        const Head head = head_in(stage, stage_id);
        const bool has_turbines = raw_.generation.max_turbined_m3s > 0;
        if (choice->fpha_config->source == raw::PlaneSource::precomputed) {
            hydro_.planes[at(stage)] = tables_.planes(index_, stage);
            if (hydro_.planes[at(stage)].empty() && has_turbines) {
                no_planes_.add(stage_id);
            }
        } else if (curve_.is_empty()) {
            no_geometry_.add(stage_id);
        } else if (has_turbines) {
            hydro_.planes[at(stage)] = fits_.planes(*choice, head, downstream_level_, stage_id);
        }
        set_equivalent(stage, stage_id, head);
    }

    Head head_in(int stage, int stage_id) {
        const TailraceFamilies& families = input_.tailraces[at(index_)];
        downstream_level_ =
            families.size() > 1 ? input_.reference_level(hydro_.downstream, stage) : std::nullopt;
        if (families.size() > 1 && !downstream_level_) {
            no_downstream_.add(stage_id);
            downstream_level_ = families.front().downstream_level_m.value_or(0);
        }
        return {raw_, curve_, families, downstream_level_};
    }

    /// The level of the reservoir alone decides, whether at one volume or on the mean.
    void set_equivalent(int stage, int stage_id, const Head& head) {
        const auto tabled = tables_.equivalent(index_, stage);
        const auto& rho = energy_.specific[at(stage)];
        const double outflow = energy_.reference_outflow_m3s[at(stage)];
        double& out = hydro_.equivalent_productivity[at(stage)];
        if (tabled) {
            out = *tabled;
        } else if (rho && !curve_.is_empty()) {
            const double level = curve_.height(energy_.reference_volume_hm3[at(stage)]);
            out = *rho * head.net(level, outflow);
        } else {
            no_equivalent_.add(stage_id);
        }
        if (rho && !curve_.is_empty()) {
            const double level =
                curve_.mean_height(raw_.reservoir.min_storage_hm3, raw_.reservoir.max_storage_hm3);
            energy_.integrated.back() = *rho * head.net(level, outflow);
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
        report(no_head_,
               "the model \"linearized_head\" needs a head above 0 that rises with the storage: "
               "rows of this hydro in system/hydro_geometry.parquet");
        report(no_planes_, "the model \"fpha\" needs rows in system/fpha_hyperplanes.parquet");
        report(no_geometry_,
               "planes are fitted to rows of this hydro in system/hydro_geometry.parquet, of which "
               "there are none");
        report(no_downstream_,
               "several families in system/tailrace_curves.parquet need a plant downstream with "
               "rows in system/hydro_geometry.parquet");
        report(
            no_equivalent_,
            fmt::format("the model \"fpha\" needs an equivalent productivity: give a row in {}, or "
                        "a specific productivity and geometry",
                        energy_file));
    }

    const ProductionInput& input_;
    int index_;
    const raw::Hydro& raw_;
    const ReservoirCurve& curve_;
    const ProductionTables& tables_;
    const Resolver& resolver_;
    PlantFits fits_;
    sddp::Hydro& hydro_;
    PlantEnergy energy_;
    std::optional<double> downstream_level_;
    StageList given_twice_;
    StageList not_given_;
    StageList no_config_;
    StageList no_head_;
    StageList no_planes_;
    StageList no_geometry_;
    StageList no_downstream_;
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

std::vector<PlantEnergy> resolve_production(const raw::Case& raw,
                                            const std::vector<ReservoirCurve>& curves,
                                            const Resolver& resolver,
                                            sddp::System& system,
                                            CaseFacts& facts) {
    const auto entries = entries_by_hydro(raw.production.production_models, resolver);
    ProductionInput input{raw,
                          curves,
                          resolver,
                          ProductionTables(raw, resolver),
                          resolve_tailraces(raw.tailrace_curves, resolver),
                          {}};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        input.choices.emplace_back(raw.hydros[i], entries[i], resolver);
    }
    std::vector<PlantEnergy> energies;
    for (std::size_t i = 0; i < system.hydros.size(); ++i) {
        PlantProduction plant(input, static_cast<int>(i), system.hydros[i]);
        plant.run();
        energies.push_back(plant.take_energy());
        auto fits = plant.take_fits();
        std::move(fits.begin(), fits.end(), std::back_inserter(facts.fitted_planes));
    }
    return energies;
}

}  // namespace lockstep::formats::cobre
