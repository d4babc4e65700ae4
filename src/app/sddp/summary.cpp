#include "lockstep/app/sddp/summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/results.hpp"

#include "app/json_path.hpp"
#include "app/sddp/prepare.hpp"
#include "app/sddp/summary_parts.hpp"

namespace lockstep::app {
namespace {

using io::Json;

double sum(const io::Table& table, std::string_view name) {
    auto total = 0.0;
    if (const auto* column = table.find(name)) {
        if (const auto* values = std::get_if<std::vector<std::int64_t>>(&column->values)) {
            for (const auto value : *values) {
                total += static_cast<double>(value);
            }
        }
    }
    return total;
}

// How far the bound moved over the last iterations, against where it is now.
void add_movement(Summary::Training& training, const std::vector<double>& bounds) {
    constexpr std::size_t most = 10;
    if (bounds.size() < 2) {
        return;
    }
    const auto over = std::min(most, bounds.size() - 1);
    const auto last = bounds.back();
    training.moved_over = static_cast<int>(over);
    training.bound_moved =
        (last - bounds[bounds.size() - 1 - over]) / std::max(1.0, std::abs(last));
}

Summary::Training training_of(const Json& metadata) {
    Summary::Training training;
    training.is_complete = text_at(metadata, "status") == "complete";
    training.iterations = static_cast<int>(integer_at(metadata, "iterations.completed"));
    training.forward_passes =
        static_cast<int>(integer_at(metadata, "configuration.forward_passes"));
    training.lower_bound = number_at(metadata, "bounds.final_lower_bound");
    training.is_bound = text_at(metadata, "bounds.final_lower_bound_kind") != "estimate";
    training.upper_bound = number_at(metadata, "bounds.final_upper_bound");
    training.half_width_95 = 1.96 * number_at(metadata, "bounds.final_upper_bound_std") /
                             std::sqrt(std::max(1, training.forward_passes));
    training.gap = number_at(metadata, "convergence.final_gap_percent") / 100;
    training.stop_reason = text_at(metadata, "convergence.termination_reason");
    training.digest = text_at(metadata, "digest");
    training.seconds = number_at(metadata, "duration_seconds");
    training.lp_solves = integer_at(metadata, "solve_stats.total_lp_solves");
    training.cuts = integer_at(metadata, "row_pool.total_generated");
    training.active_cuts = integer_at(metadata, "row_pool.total_active");
    return training;
}

Summary::Simulation simulation_of(const Json& metadata) {
    Summary::Simulation simulation;
    simulation.is_complete = text_at(metadata, "status") == "complete";
    simulation.scenarios = static_cast<int>(integer_at(metadata, "scenarios.completed"));
    simulation.mean = number_at(metadata, "cost.mean_cost");
    simulation.std = number_at(metadata, "cost.std_cost");
    simulation.half_width_95 = number_at(metadata, "cost.half_width_95");
    simulation.digest = text_at(metadata, "digest");
    simulation.seconds = number_at(metadata, "duration_seconds");
    simulation.lp_solves = integer_at(metadata, "solve_stats.total_lp_solves");
    return simulation;
}

void add_circumstances(Summary& summary, const Json& metadata) {
    summary.case_name = case_name(text_at(metadata, "case_directory"));
    summary.software = fmt::format("{} {} ({})",
                                   text_at(metadata, "software"),
                                   text_at(metadata, "software_version"),
                                   text_at(metadata, "build.commit"));
    summary.solver = text_at(metadata, "solver") + " " + text_at(metadata, "solver_version");
    summary.host = text_at(metadata, "hostname");
    summary.ranks = static_cast<int>(integer_at(metadata, "distribution.world_size"));
    summary.threads = static_cast<int>(integer_at(metadata, "distribution.threads_per_rank"));
    summary.saved_bytes = integer_at(metadata, "distribution.case_bytes_saved") +
                          integer_at(metadata, "row_pool.bytes_saved");
    if (const auto* constant = value_at(metadata, "curtailment_constant")) {
        summary.curtailment_constant = constant->if_number();
    }
    if (const auto* averse = value_at(metadata, "risk_averse")) {
        summary.risk_averse = averse->if_bool() != nullptr && *averse->if_bool();
    }
}

Json training_json(const Summary::Training& training) {
    return Json::Object{{"complete", training.is_complete},
                        {"iterations", training.iterations},
                        {"forward_passes", training.forward_passes},
                        {"lower_bound", training.lower_bound},
                        {"lower_bound_kind", training.is_bound ? "exact" : "estimate"},
                        {"upper_bound", training.upper_bound},
                        {"half_width_95", training.half_width_95},
                        {"gap", training.gap},
                        {"bound_moved", training.bound_moved},
                        {"bound_moved_over", training.moved_over},
                        {"stop_reason", training.stop_reason},
                        {"digest", training.digest},
                        {"seconds", training.seconds},
                        {"forward_seconds", training.forward_seconds},
                        {"backward_seconds", training.backward_seconds},
                        {"lp_solves", training.lp_solves},
                        {"cuts", training.cuts},
                        {"active_cuts", training.active_cuts}};
}

Json simulation_json(const Summary::Simulation& simulation) {
    return Json::Object{{"complete", simulation.is_complete},
                        {"scenarios", simulation.scenarios},
                        {"mean", simulation.mean},
                        {"std", simulation.std},
                        {"half_width_95", simulation.half_width_95},
                        {"digest", simulation.digest},
                        {"seconds", simulation.seconds},
                        {"lp_solves", simulation.lp_solves}};
}

void add_training(Summary& summary, const formats::cobre::Results& results) {
    if (!results.training) {
        return;
    }
    summary.training = training_of(*results.training);
    summary.training->forward_seconds = sum(results.convergence, "time_forward_ms") / 1e3;
    summary.training->backward_seconds = sum(results.convergence, "time_backward_ms") / 1e3;
    if (const auto* column = results.convergence.find("lower_bound")) {
        if (const auto* bounds = std::get_if<std::vector<double>>(&column->values)) {
            add_movement(*summary.training, *bounds);
        }
    }
    add_circumstances(summary, *results.training);
}

Json number_or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json();
}

}  // namespace

std::optional<double> Summary::simulated_gap() const {
    if (!training || !simulation) {
        return std::nullopt;
    }
    return (simulation->mean - training->lower_bound) /
           std::max(1.0, std::abs(training->lower_bound));
}

std::string Summary::digest() const {
    if (!training || !simulation) {
        return training ? training->digest : simulation ? simulation->digest : std::string();
    }
    DigestBuilder builder;
    builder.add(std::string_view(training->digest));
    builder.add(std::string_view(simulation->digest));
    return to_string(builder.digest());
}

void add_training(Summary& summary, const Json& metadata, const sddp::TrainResult& result) {
    summary.training = training_of(metadata);
    std::vector<double> bounds;
    for (const auto& report : result.iterations) {
        bounds.push_back(report.lower_bound);
        summary.training->forward_seconds += report.forward.wall_seconds;
        summary.training->backward_seconds += report.backward.wall_seconds;
    }
    add_movement(*summary.training, bounds);
    add_circumstances(summary, metadata);
}

void add_simulation(Summary& summary, const Json& metadata) {
    summary.simulation = simulation_of(metadata);
    if (!summary.training) {
        add_circumstances(summary, metadata);
    }
}

void add_training_on_disk(Summary& summary) {
    try {
        add_training(summary, formats::cobre::read_results(summary.directory));
    } catch (const Error&) {
        // Of another run: what this one has done is told all the same.
    }
}

Summary summarize(const std::filesystem::path& output_directory) {
    const auto results = formats::cobre::read_results(output_directory);
    Summary summary;
    summary.directory = output_directory;
    add_training(summary, results);
    if (results.simulation) {
        add_simulation(summary, *results.simulation);
    }
    return summary;
}

io::Json to_json(const Summary& summary) {
    return Json::Object{
        {"case", summary.case_name},
        {"directory", summary.directory.string()},
        {"software", summary.software},
        {"solver", summary.solver},
        {"host", summary.host},
        {"ranks", summary.ranks},
        {"threads", summary.threads},
        {"bytes_saved", summary.saved_bytes},
        {"training", summary.training ? training_json(*summary.training) : Json()},
        {"simulation", summary.simulation ? simulation_json(*summary.simulation) : Json()},
        {"simulated_gap", number_or_null(summary.simulated_gap())},
        {"curtailment_constant", number_or_null(summary.curtailment_constant)},
        {"risk_averse", summary.risk_averse},
        {"digest", summary.digest()}};
}

}  // namespace lockstep::app
