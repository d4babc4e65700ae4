#include "formats/cobre/resolve/hydro/phases.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/hydro/hydro_checks.hpp"
#include "formats/cobre/resolve/service.hpp"

namespace lockstep::formats::cobre {

namespace {

using sddp::HydroPhase;

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// A plant's phases and what follows from them.
class Phases {
public:
    Phases(const raw::Case& raw,
           const raw::Hydro& declared,
           const sddp::ByStage& rate,
           const Resolver& resolver,
           sddp::Hydro& hydro)
        : raw_(raw), declared_(declared), rate_(rate), resolver_(resolver), hydro_(hydro) {}

    void apply() {
        check_lifecycle(declared_, origin(), resolver_);
        if (declared_.filling && !check_filling()) {
            return soften_minimum();  // or its initial storage would seem wrong too
        }
        set_phases();
        if (declared_.filling) {
            set_filling_targets();
            check_schedule();
            never_divert();
        }
        if (declared_.filling || declared_.reservoir.min_storage_is_soft) {
            soften_minimum();
        }
        switch_off_phases();
    }

private:
    [[nodiscard]] Origin origin() const {
        return line_of("system/hydros.json", declared_.line, "hydro", declared_.id);
    }
    [[nodiscard]] int stage_count() const { return resolver_.stage_count(); }
    [[nodiscard]] int stage_id(int stage) const { return resolver_.calendar.stages[at(stage)].id; }
    void error(ProblemKind kind, std::string message) const {
        resolver_.error(kind, origin(), std::move(message));
    }

    bool check_filling() {
        if (!declared_.entry_stage_id || declared_.exit_stage_id) {
            error(ProblemKind::business_rule_violation,
                  "a plant with filling needs entry_stage_id and has no exit_stage_id");
            return false;
        }
        if (declared_.filling->start_stage_id >= *declared_.entry_stage_id) {
            error(ProblemKind::invalid_value,
                  fmt::format("filling.start_stage_id {} must be before entry_stage_id {}",
                              declared_.filling->start_stage_id,
                              *declared_.entry_stage_id));
            return false;
        }
        if (*declared_.entry_stage_id > stage_id(stage_count() - 1)) {
            error(ProblemKind::model_quality,
                  fmt::format("entry_stage_id {} is after the last stage: the plant does not "
                              "operate in this study",
                              *declared_.entry_stage_id));
        }
        return true;
    }

    [[nodiscard]] HydroPhase phase_of(int id) const {
        if (declared_.covers(id)) {
            return HydroPhase::operating;
        }
        return declared_.filling && id >= declared_.filling->start_stage_id ? HydroPhase::filling
                                                                            : HydroPhase::not_built;
    }

    void set_phases() {
        std::vector<HydroPhase> phases;
        for (int stage = 0; stage < stage_count(); ++stage) {
            phases.push_back(phase_of(stage_id(stage)));
        }
        const bool is_whole = std::all_of(phases.begin(), phases.end(), [](HydroPhase phase) {
            return phase == HydroPhase::operating;
        });
        if (!is_whole) {
            hydro_.phases = std::move(phases);
        }
    }

    /// What the least flow brings in a stage [hm³].
    [[nodiscard]] double least_volume(int stage) const {
        return sddp::hm3_per_m3s_hour * resolver_.calendar.stages[at(stage)].hours() *
               rate_[at(stage)];
    }

    // The dead volume at the end of the last stage of filling, and before that what leaves the rest
    // to the least flow.
    void set_filling_targets() {
        hydro_.storage_target_hm3 = hydro_.min_storage_hm3;
        double target = hydro_.min_storage_hm3.back();
        const int entry = *declared_.entry_stage_id;
        for (int id = stage_id(stage_count() - 1) + 1; id < entry; ++id) {
            target -= least_volume(stage_count() - 1);
        }
        for (int stage = stage_count() - 1; stage >= 0; --stage) {
            const double dead = hydro_.min_storage_hm3[at(stage)];
            if (phase_at(stage) == HydroPhase::operating) {
                target = unbounded;
                continue;
            }
            target = std::min(target, dead);
            hydro_.storage_target_hm3[at(stage)] = std::max(target, 0.0);
            target -= least_volume(stage);
        }
    }

    [[nodiscard]] HydroPhase phase_at(int stage) const { return hydro_.phase(stage); }

    void check_schedule() {
        double volume = initial_volume();
        double dead = 0;
        bool enters = false;
        for (int stage = 0; stage < stage_count(); ++stage) {
            if (phase_at(stage) == HydroPhase::filling) {
                volume += least_volume(stage);
                dead = hydro_.min_storage_hm3[at(stage)];
            }
            enters = enters || phase_at(stage) == HydroPhase::operating;
        }
        if (enters && exceeds(dead, volume)) {
            error(
                ProblemKind::business_rule_violation,
                fmt::format("filling_min_rate_m3s brings the storage to {:.6g} hm³ only, below the "
                            "dead volume of {:.6g} hm³, by the time that the plant operates",
                            volume,
                            dead));
        }
    }

    [[nodiscard]] double initial_volume() const {
        for (const auto* list :
             {&raw_.initial_conditions.filling_storage, &raw_.initial_conditions.storage}) {
            for (const raw::Storage& entry : *list) {
                if (entry.hydro_id == declared_.id) {
                    return entry.value_hm3;
                }
            }
        }
        return 0;
    }

    void never_divert() {
        hydro_.min_diversion_m3s = resolver_.by_block(0);
        hydro_.max_diversion_m3s = resolver_.by_block(0);
    }

    void soften_minimum() {
        if (hydro_.storage_target_hm3.empty()) {
            hydro_.storage_target_hm3 = hydro_.min_storage_hm3;
        }
        hydro_.min_storage_hm3 = resolver_.by_stage(0);
    }

    void switch_off_phases() {
        resolver_.for_each_block([&](int stage, int block) {
            if (phase_at(stage) != HydroPhase::operating) {
                switch_off_machines(stage, block);
            }
            if (phase_at(stage) == HydroPhase::not_built) {
                switch_off_dam(stage, block);
            }
        });
    }

    void switch_off_machines(int stage, int block) {
        for (auto* limit : {&hydro_.max_turbined_m3s,
                            &hydro_.max_generation_mw,
                            &hydro_.min_diversion_m3s,
                            &hydro_.max_diversion_m3s}) {
            (*limit)(stage, block) = 0;
        }
        for (sddp::UnitGroup& group : hydro_.groups) {
            for (auto* limit : {&group.min_turbined_m3s,
                                &group.max_turbined_m3s,
                                &group.min_generation_mw,
                                &group.max_generation_mw}) {
                (*limit)(stage, block) = 0;
            }
        }
    }

    void switch_off_dam(int stage, int block) {
        hydro_.min_spillage_m3s(stage, block) = 0;
        hydro_.max_spillage_m3s(stage, block) = 0;
        hydro_.min_outflow_m3s(stage, block) = 0;
        hydro_.max_outflow_m3s(stage, block) = unbounded;
        hydro_.min_storage_hm3[at(stage)] = 0;
        if (!hydro_.storage_target_hm3.empty()) {
            hydro_.storage_target_hm3[at(stage)] = 0;
        }
    }

    const raw::Case& raw_;
    const raw::Hydro& declared_;
    const sddp::ByStage& rate_;
    const Resolver& resolver_;
    sddp::Hydro& hydro_;
};

}  // namespace

void apply_phases(const raw::Case& raw,
                  const std::vector<sddp::ByStage>& filling_rates,
                  const Resolver& resolver,
                  sddp::System& system) {
    for (std::size_t i = 0; i < system.hydros.size(); ++i) {
        Phases(raw, raw.hydros[i], filling_rates[i], resolver, system.hydros[i]).apply();
    }
}

}  // namespace lockstep::formats::cobre
