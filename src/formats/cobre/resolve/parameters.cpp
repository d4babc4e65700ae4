#include "formats/cobre/resolve/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "constraints/generic_parameters.json";

/// hm³ times MW/(m³/s) in MWh.
constexpr double mwh_per_hm3 = 1e6 / 3600;

Origin origin_of(const raw::ScalarParameter& raw) {
    return {fmt::format("{}:{}", file, raw.line), "parameter " + raw.name};
}

/// Whether a number that stands for an id is one.
bool is_id(double value) {
    return value >= 0 && value <= 1e9 && value == std::floor(value);
}

using PlantValue = std::function<std::optional<double>(int hydro)>;

/// Sum over a plant and all downstream; nothing where one of them has no value.
std::optional<double> accumulated(const sddp::System& system, int hydro, const PlantValue& of) {
    double sum = 0;
    for (int h = hydro; h >= 0; h = system.hydros[at(h)].downstream) {
        const auto value = of(h);
        if (!value) {
            return std::nullopt;
        }
        sum += *value;
    }
    return sum;
}

/// What a tag stands for in one stage.
std::optional<double> computed(raw::ComputedTag tag,
                               int hydro,
                               int stage,
                               const sddp::System& system,
                               const std::vector<PlantEnergy>& plants) {
    using enum raw::ComputedTag;
    const sddp::Hydro& plant = system.hydros[at(hydro)];
    const PlantEnergy& energy = plants[at(hydro)];
    const PlantValue equivalent = [&](int h) {
        return system.hydros[at(h)].equivalent_productivity[at(stage)];
    };
    const PlantValue integrated = [&](int h) { return plants[at(h)].integrated[at(stage)]; };
    switch (tag) {
        case equivalent_productivity:
            return equivalent(hydro);
        case accumulated_productivity:
            return accumulated(system, hydro, equivalent);
        case reference_volume:
            return energy.reference_volume_hm3[at(stage)];
        case reference_turbine:
            return energy.reference_outflow_m3s[at(stage)];
        case min_storage:
            return plant.min_storage_hm3[at(stage)];
        case max_storage:
            return plant.max_storage_hm3[at(stage)];
        case specific_productivity:
            return energy.specific[at(stage)];
        case integrated_equivalent_productivity:
            return integrated(hydro);
        case integrated_accumulated_productivity:
            return accumulated(system, hydro, integrated);
        case max_stored_energy:
            break;
    }
    const double useful = plant.max_storage_hm3[at(stage)] - plant.min_storage_hm3[at(stage)];
    return useful * mwh_per_hm3 * *accumulated(system, hydro, equivalent);
}

}  // namespace

Parameters::Parameters(const raw::GenericParameters& raw,
                       const Resolver& resolver,
                       const sddp::System& system,
                       const std::vector<PlantEnergy>& plants)
    : resolver_(resolver) {
    std::set<int> ids;
    for (const raw::ScalarParameter& parameter : raw.scalar_parameters) {
        if (!ids.insert(parameter.id).second) {
            resolver.error(ProblemKind::duplicate_id,
                           origin_of(parameter),
                           fmt::format("the id {} is used twice", parameter.id));
        }
        add(parameter, system, plants);
    }
}

int Parameters::find(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? -1 : found->second;
}

bool Parameters::differs_by_block(int parameter) const {
    return parameters_[at(parameter)].differs_by_block;
}

std::optional<double> Parameters::value(int parameter, int stage, int block) const {
    const Parameter& of = parameters_[at(parameter)];
    const auto found = of.values.find({stage, of.differs_by_block ? block : -1});
    return found == of.values.end() ? std::nullopt : std::optional(found->second);
}

void Parameters::add(const raw::ScalarParameter& raw,
                     const sddp::System& system,
                     const std::vector<PlantEnergy>& plants) {
    if (!index_.emplace(raw.name, static_cast<int>(parameters_.size())).second) {
        resolver_.error(ProblemKind::duplicate_id, origin_of(raw), "the name is used twice");
        return;
    }
    names_.push_back(raw.name);
    Parameter& out = parameters_.emplace_back();
    switch (raw.kind) {
        case raw::ParameterKind::constant:
            for (int stage = 0; stage < resolver_.stage_count(); ++stage) {
                out.values[{stage, -1}] = raw.value;
            }
            break;
        case raw::ParameterKind::per_stage:
            add_by_stage(raw, out);
            break;
        case raw::ParameterKind::seasonal:
            add_by_season(raw, out);
            break;
        case raw::ParameterKind::per_stage_block:
            add_by_block(raw, out);
            break;
        case raw::ParameterKind::computed:
            add_computed(raw, system, plants, out);
            break;
    }
}

void Parameters::wrong(const raw::ScalarParameter& raw, std::string message) const {
    resolver_.error(ProblemKind::invalid_value, origin_of(raw), std::move(message));
}

void Parameters::add_by_stage(const raw::ScalarParameter& raw, Parameter& out) const {
    std::set<double> stages;
    for (const auto& [stage_id, value] : raw.values) {
        if (!is_id(stage_id) || !stages.insert(stage_id).second) {
            wrong(raw, fmt::format("values must name each stage once: found {}", stage_id));
        } else if (const int stage = resolver_.stages.find(static_cast<int>(stage_id));
                   stage >= 0) {
            out.values[{stage, -1}] = value;
        }
    }
    const auto count = static_cast<double>(stages.size());
    if (!stages.empty() && (*stages.begin() != 0 || *stages.rbegin() != count - 1)) {
        wrong(raw, "values must name the stages from 0 on without a gap");
    }
}

void Parameters::add_by_season(const raw::ScalarParameter& raw, Parameter& out) const {
    std::set<double> seasons;
    for (const auto& [season, value] : raw.values) {
        if (!is_id(season) || !seasons.insert(season).second) {
            wrong(raw, fmt::format("values must name each season once: found {}", season));
            continue;
        }
        for (int stage = 0; stage < resolver_.stage_count(); ++stage) {
            if (resolver_.calendar.stages[at(stage)].season == season) {
                out.values[{stage, -1}] = value;
            }
        }
    }
}

void Parameters::add_by_block(const raw::ScalarParameter& raw, Parameter& out) const {
    out.differs_by_block = true;
    for (const auto& [stage_id, block_id, value] : raw.block_values) {
        if (!is_id(stage_id) || !is_id(block_id)) {
            wrong(raw,
                  fmt::format("block_values: no stage {} with a block {}", stage_id, block_id));
            continue;
        }
        const int stage = resolver_.stages.find(static_cast<int>(stage_id));
        const int block = static_cast<int>(block_id);
        if (stage >= 0 && resolver_.block(stage, block, origin_of(raw)) >= 0 &&
            !out.values.emplace(std::pair{stage, block}, value).second) {
            wrong(raw, fmt::format("block {} of stage {} has two values", block_id, stage_id));
        }
    }
}

void Parameters::add_computed(const raw::ScalarParameter& raw,
                              const sddp::System& system,
                              const std::vector<PlantEnergy>& plants,
                              Parameter& out) const {
    const int hydro = resolver_.find(resolver_.hydros, raw.computed_spec.hydro_id, origin_of(raw));
    for (int stage = 0; hydro >= 0 && stage < resolver_.stage_count(); ++stage) {
        if (const auto value = computed(raw.computed_spec.tag, hydro, stage, system, plants)) {
            out.values[{stage, -1}] = *value;
        }
    }
}

}  // namespace lockstep::formats::cobre
