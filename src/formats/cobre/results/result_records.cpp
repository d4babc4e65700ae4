#include "lockstep/formats/cobre/result_records.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace lockstep::formats::cobre {
namespace {

using io::Json;

/// A member by dotted path, or nothing.
const Json* member(const Json& root, std::string_view path) {
    const Json* value = &root;
    while (value != nullptr && !path.empty()) {
        const auto dot = path.find('.');
        value = value->find(path.substr(0, dot));
        path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    }
    return value;
}

std::string text(const Json& root, std::string_view path) {
    const Json* value = member(root, path);
    const std::string* found = value == nullptr ? nullptr : value->if_string();
    return found == nullptr ? std::string() : *found;
}

std::optional<double> if_number(const Json& root, std::string_view path) {
    const Json* value = member(root, path);
    return value == nullptr ? std::nullopt : value->if_number();
}

double number(const Json& root, std::string_view path) {
    return if_number(root, path).value_or(std::numeric_limits<double>::quiet_NaN());
}

std::int64_t integer(const Json& root, std::string_view path) {
    const Json* value = member(root, path);
    const std::int64_t* found = value == nullptr ? nullptr : value->if_integer();
    return found == nullptr ? 0 : *found;
}

int count(const Json& root, std::string_view path) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    return static_cast<int>(std::clamp<std::int64_t>(integer(root, path), 0, most));
}

bool is_true(const Json& root, std::string_view path) {
    const Json* value = member(root, path);
    const bool* found = value == nullptr ? nullptr : value->if_bool();
    return found != nullptr && *found;
}

std::vector<Setting> settings(const Json& metadata) {
    std::vector<Setting> out;
    const Json* object = member(metadata, "settings");
    if (object == nullptr || object->if_object() == nullptr) {
        return out;
    }
    for (const auto& [key, value] : *object->if_object()) {
        out.emplace_back(key, value.if_string() ? *value.if_string() : io::to_text(value));
    }
    return out;
}

ProblemSize size(const Json& metadata) {
    const auto of = [&](const char* name) {
        return count(metadata, std::string("problem_dimensions.") + name);
    };
    return {of("num_stages"),
            of("num_hydros"),
            of("num_thermals"),
            of("num_buses"),
            of("num_lines"),
            of("num_non_controllables"),
            of("num_generic_constraints"),
            of("inflow_lags"),
            of("state_dimension")};
}

std::optional<FailureRecord> failure(const Json& metadata) {
    const Json* found = member(metadata, "failure");
    if (found == nullptr || found->if_object() == nullptr) {
        return std::nullopt;
    }
    return FailureRecord{text(*found, "phase"),
                         text(*found, "status"),
                         count(*found, "stage_id"),
                         count(*found, "scenario_id")};
}

void read_circumstances(const Json& metadata, PartRecord& part) {
    part.case_directory = text(metadata, "case_directory");
    part.software = text(metadata, "software");
    part.software_version = text(metadata, "software_version");
    part.commit = text(metadata, "build.commit");
    part.compiler = text(metadata, "build.compiler");
    part.flags = text(metadata, "build.flags");
    part.solver = text(metadata, "solver");
    part.solver_version = text(metadata, "solver_version");
    part.host = text(metadata, "hostname");
    part.started_at = text(metadata, "started_at");
    part.completed_at = text(metadata, "completed_at");
    part.ranks = count(metadata, "distribution.world_size");
    part.threads = count(metadata, "distribution.threads_per_rank");
    part.saved_bytes = integer(metadata, "distribution.case_bytes_saved") +
                       integer(metadata, "row_pool.bytes_saved");
    part.settings = settings(metadata);
}

std::vector<std::int64_t> integers(const Json& root, std::string_view path) {
    std::vector<std::int64_t> out;
    const Json* list = member(root, path);
    if (list != nullptr && list->if_array() != nullptr) {
        for (const Json& value : *list->if_array()) {
            out.push_back(value.if_integer() ? *value.if_integer() : 0);
        }
    }
    return out;
}

void read_part(const Json& metadata, PartRecord& part) {
    read_circumstances(metadata, part);
    part.is_complete = text(metadata, "status") == "complete";
    part.digest = text(metadata, "digest");
    part.input_digest = text(metadata, "input_digest");
    part.seconds = number(metadata, "duration_seconds");
    part.lp_solves = integer(metadata, "solve_stats.total_lp_solves");
    part.retried = integers(metadata, "solve_stats.retried_by_attempts");
    part.curtailment_constant = if_number(metadata, "curtailment_constant");
    part.is_risk_averse = is_true(metadata, "risk_averse");
    part.is_cyclic = is_true(metadata, "cyclic");
    part.size = size(metadata);
    part.failure = failure(metadata);
}

std::vector<std::string> texts(const Json& root, std::string_view path) {
    std::vector<std::string> out;
    const Json* list = member(root, path);
    if (list != nullptr && list->if_array() != nullptr) {
        for (const Json& value : *list->if_array()) {
            out.push_back(value.if_string() ? *value.if_string() : io::to_text(value));
        }
    }
    return out;
}

}  // namespace

TrainingRecord training_record(const Json& metadata) {
    TrainingRecord out;
    read_part(metadata, out);
    out.iterations = count(metadata, "iterations.completed");
    out.forward_passes = count(metadata, "configuration.forward_passes");
    out.lower_bound = number(metadata, "bounds.final_lower_bound");
    out.is_bound = text(metadata, "bounds.final_lower_bound_kind") != "estimate";
    out.is_upper_bound_exact = text(metadata, "bounds.final_upper_bound_kind") == "exact";
    out.upper_bound = number(metadata, "bounds.final_upper_bound");
    out.upper_bound_std = number(metadata, "bounds.final_upper_bound_std");
    out.inner_bound = number(metadata, "bounds.inner_upper_bound");
    out.policy_cost = number(metadata, "bounds.policy_cost.mean");
    out.policy_cost_half_width_95 = number(metadata, "bounds.policy_cost.half_width_95");
    out.gap = number(metadata, "convergence.final_gap_percent") / 100;
    out.stop_reason = text(metadata, "convergence.termination_reason");
    out.cuts = integer(metadata, "row_pool.total_generated");
    out.active_cuts = integer(metadata, "row_pool.total_active");
    return out;
}

SimulationRecord simulation_record(const Json& metadata) {
    SimulationRecord out;
    read_part(metadata, out);
    out.scenarios = count(metadata, "scenarios.completed");
    out.mean = number(metadata, "cost.mean_cost");
    out.std = number(metadata, "cost.std_cost");
    out.half_width_95 = number(metadata, "cost.half_width_95");
    return out;
}

ProvenanceRecord provenance_record(const Json& provenance) {
    return {text(provenance, "inflow.estimation_path"),
            text(provenance, "inflow.seasonal_stats_source"),
            text(provenance, "inflow.ar_coefficients_source"),
            text(provenance, "inflow.correlation_source"),
            text(provenance, "inflow.opening_tree_source"),
            text(provenance, "inflow.ar_method"),
            count(provenance, "inflow.ar_max_order"),
            texts(provenance, "inflow.white_noise_fallbacks"),
            count(provenance, "hydro_production.n_fpha"),
            count(provenance, "hydro_production.n_constant_productivity"),
            count(provenance, "hydro_production.n_evaporation")};
}

double IterationRecord::half_width_95() const noexcept {
    if (std::isnan(upper_bound_std) || forward_passes < 1) {
        return 0;
    }
    return 1.96 * upper_bound_std / std::sqrt(forward_passes);
}

}  // namespace lockstep::formats::cobre
