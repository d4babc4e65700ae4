#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "formats/cobre/read/raw/case.hpp"
#include "formats/cobre/records.hpp"
#include "formats/records/schema_writer.hpp"
#include "formats/records/settings.hpp"

namespace lockstep::formats::cobre::raw {

void read_value(const ValueAt& at, RiskMeasure& out, Range) {
    if (const std::string* text = at.value.if_string()) {
        if (*text != "expectation") {
            at.wrong(fmt::format(
                "\"{}\" is not allowed: must be \"expectation\" or {{\"cvar\": …}}", *text));
        }
        return;
    }
    struct Tagged {
        Cvar& cvar;
        void fields(FieldReader& f) { f.required("cvar", cvar); }
    } tagged{out.cvar};
    cobre::read_value(at, tagged, {});
}

namespace {

using enum Presence;

constexpr std::string_view known_files[] = {"system/buses.json",
                                            "system/lines.json",
                                            "system/hydros.json",
                                            "system/thermals.json",
                                            "system/non_controllable_sources.json",
                                            "system/pumping_stations.json",
                                            "system/energy_contracts.json",
                                            "system/hydro_geometry.parquet",
                                            "system/hydro_production_models.json",
                                            "system/fpha_hyperplanes.parquet",
                                            "system/hydro_energy_productivity.parquet",
                                            "system/tailrace_curves.parquet",
                                            "system/scalar_parameters.json",
                                            "scenarios/inflow_history.parquet",
                                            "scenarios/inflow_seasonal_stats.parquet",
                                            "scenarios/inflow_ar_coefficients.parquet",
                                            "scenarios/inflow_annual_component.parquet",
                                            "scenarios/external_inflow_scenarios.parquet",
                                            "scenarios/external_load_scenarios.parquet",
                                            "scenarios/external_ncs_scenarios.parquet",
                                            "scenarios/load_seasonal_stats.parquet",
                                            "scenarios/non_controllable_stats.parquet",
                                            "scenarios/load_factors.json",
                                            "scenarios/non_controllable_factors.json",
                                            "scenarios/correlation.json",
                                            "scenarios/noise_openings.parquet",
                                            "constraints/thermal_bounds.parquet",
                                            "constraints/hydro_bounds.parquet",
                                            "constraints/hydro_unit_group_bounds.parquet",
                                            "constraints/line_bounds.parquet",
                                            "constraints/pumping_bounds.parquet",
                                            "constraints/contract_bounds.parquet",
                                            "constraints/ncs_bounds.parquet",
                                            "constraints/exchange_factors.json",
                                            "constraints/generic_constraints.json",
                                            "constraints/generic_constraint_bounds.parquet",
                                            "constraints/generic_parameters.json",
                                            "constraints/penalty_overrides_bus.parquet",
                                            "constraints/penalty_overrides_line.parquet",
                                            "constraints/penalty_overrides_hydro.parquet",
                                            "constraints/penalty_overrides_ncs.parquet"};

/// Entities in the order of the state vector; repeated ids are reported.
template <typename T>
std::vector<T> ordered(std::vector<T> entities,
                       std::string_view noun,
                       const char* file,
                       Problems& problems) {
    std::unordered_map<int, int> first_line;
    for (const T& entity : entities) {
        const auto [seen, is_new] = first_line.emplace(entity.id, entity.line);
        if (!is_new) {
            FileReport(file, problems)
                .add(ProblemKind::duplicate_id,
                     entity.line,
                     fmt::format("{} {}", noun, entity.id),
                     fmt::format("id {} is taken by line {}", entity.id, seen->second));
        }
    }
    std::stable_sort(entities.begin(), entities.end(), [](const T& a, const T& b) {
        return std::tie(a.operational_start_date, a.id) < std::tie(b.operational_start_date, b.id);
    });
    return entities;
}

using Names = std::initializer_list<std::string_view>;

void add_members(const io::Json& object, const Names& skipped, DigestBuilder& builder) {
    if (object.if_object() == nullptr) {
        return;
    }
    for (const auto& [key, value] : *object.if_object()) {
        if (std::find(skipped.begin(), skipped.end(), key) == skipped.end()) {
            builder.add(key + io::to_text(value));
        }
    }
}

// Limits, checkpoints, exports and the simulation may change while training is interrupted.
Digest training_digest(const io::Json& config) {
    DigestBuilder builder;
    add_members(config, {"$schema", "training", "simulation", "exports", "policy"}, builder);
    if (const auto* training = config.find("training")) {
        add_members(*training, {"stopping_rules", "stopping_mode", "enabled"}, builder);
    }
    return builder.digest();
}

void read_config(Files& files,
                 const std::vector<Setting>& settings,
                 Case& out,
                 Problems& problems) {
    if (auto root = files.json("config.json", required)) {
        apply_settings(
            *root, "config.json", records::schema_of(raw::Config{}, {}), settings, problems);
        out.training_digest = training_digest(*root);
        files.read("config.json", *root, out.config);
    }
}

void read_system(Files& files, Case& out, Problems& problems) {
    Buses buses;
    Lines lines;
    Thermals thermals;
    Hydros hydros;
    Sources sources;
    ProductionModels models;
    files.read("system/buses.json", required, buses);
    files.read("system/lines.json", required, lines);
    files.read("system/thermals.json", required, thermals);
    files.read("system/hydros.json", required, hydros);
    files.read("system/non_controllable_sources.json", optional, sources);
    files.read("system/pumping_stations.json", optional, out.pumping_stations);
    files.read("system/energy_contracts.json", optional, out.contracts);
    files.read("system/hydro_production_models.json", optional, models);
    out.buses = ordered(std::move(buses.buses), "bus", "system/buses.json", problems);
    out.lines = ordered(std::move(lines.lines), "line", "system/lines.json", problems);
    out.thermals =
        ordered(std::move(thermals.thermals), "thermal", "system/thermals.json", problems);
    out.hydros = ordered(std::move(hydros.hydros), "hydro", "system/hydros.json", problems);
    out.sources = ordered(
        std::move(sources.sources), "source", "system/non_controllable_sources.json", problems);
    out.production_models = std::move(models.production_models);
    files.read("system/hydro_geometry.parquet", optional, out.geometry);
    files.read("system/fpha_hyperplanes.parquet", optional, out.hyperplanes);
    files.read("system/hydro_energy_productivity.parquet", optional, out.energy_productivity);
    files.read("system/tailrace_curves.parquet", optional, out.tailrace_curves);
}

void read_scenarios(Files& files, Case& out) {
    files.read("scenarios/inflow_history.parquet", optional, out.inflow_history);
    files.read("scenarios/inflow_seasonal_stats.parquet", optional, out.inflow_statistics);
    files.read("scenarios/inflow_ar_coefficients.parquet", optional, out.ar_coefficients);
    files.read("scenarios/inflow_annual_component.parquet", optional, out.annual_component);
    files.read("scenarios/load_seasonal_stats.parquet", optional, out.load_statistics);
    files.read("scenarios/non_controllable_stats.parquet", optional, out.source_statistics);
    files.read("scenarios/load_factors.json", optional, out.load_factors);
    files.read("scenarios/non_controllable_factors.json", optional, out.source_factors);
    if (const auto root = files.json("scenarios/correlation.json", optional)) {
        files.read("scenarios/correlation.json", *root, out.correlation.emplace());
    }
    const auto& openings = out.config.training.scenario_source.openings;
    if (openings && openings->source == OpeningsSource::file) {
        files.read("scenarios/noise_openings.parquet", required, out.noise_openings);
    }
    for (const char* name : {"scenarios/external_inflow_scenarios.parquet",
                             "scenarios/external_load_scenarios.parquet",
                             "scenarios/external_ncs_scenarios.parquet"}) {
        if (files.has(name)) {
            out.external_scenarios.emplace_back(name);
        }
    }
}

void read_constraints(Files& files, Case& out) {
    files.read("constraints/thermal_bounds.parquet", optional, out.thermal_bounds);
    files.read("constraints/hydro_bounds.parquet", optional, out.hydro_bounds);
    files.read("constraints/hydro_unit_group_bounds.parquet", optional, out.unit_group_bounds);
    files.read("constraints/line_bounds.parquet", optional, out.line_bounds);
    files.read("constraints/ncs_bounds.parquet", optional, out.source_bounds);
    files.read("constraints/pumping_bounds.parquet", optional, out.pumping_bounds);
    files.read("constraints/contract_bounds.parquet", optional, out.contract_bounds);
    files.read("constraints/penalty_overrides_bus.parquet", optional, out.bus_costs);
    files.read("constraints/penalty_overrides_line.parquet", optional, out.line_costs);
    files.read("constraints/penalty_overrides_hydro.parquet", optional, out.hydro_costs);
    files.read("constraints/penalty_overrides_ncs.parquet", optional, out.source_costs);
    files.read("constraints/generic_constraints.json", optional, out.generic);
    files.read("constraints/generic_constraint_bounds.parquet", optional, out.generic_bounds);
    files.read("constraints/generic_parameters.json", optional, out.generic_parameters);
}

void refuse_removed(const Files& files, Problems& problems) {
    if (files.has("constraints/exchange_factors.json")) {
        problems.add(ProblemKind::business_rule_violation,
                     "constraints/exchange_factors.json",
                     "",
                     "file of an older format: give MW in rows with block_id of "
                     "constraints/line_bounds.parquet");
    }
    if (files.has("system/scalar_parameters.json")) {
        problems.add(ProblemKind::business_rule_violation,
                     "system/scalar_parameters.json",
                     "",
                     "file of an older format: it is constraints/generic_parameters.json");
    }
}

}  // namespace

Case read_files(Files& files, const std::vector<Setting>& settings, Problems& problems) {
    Case out;
    read_config(files, settings, out, problems);
    files.read("penalties.json", required, out.penalties);
    files.read("stages.json", required, out.stages);
    files.read("initial_conditions.json", required, out.initial_conditions);
    read_system(files, out, problems);
    read_scenarios(files, out);
    read_constraints(files, out);
    out.has_post_study_stages = files.has("post_study_stages.json");
    refuse_removed(files, problems);
    files.warn_of_unknown({std::begin(known_files), std::end(known_files)});
    std::sort(out.stages.stages.begin(),
              out.stages.stages.end(),
              [](const Stage& a, const Stage& b) { return a.id < b.id; });
    return out;
}

}  // namespace lockstep::formats::cobre::raw
