#include "lockstep/app/sddp/summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/results.hpp"

#include "app/sddp/prepare.hpp"
#include "app/sddp/summary_parts.hpp"

namespace lockstep::app {
namespace {

using formats::cobre::PartRecord;
using formats::cobre::SimulationRecord;
using formats::cobre::TrainingRecord;
using io::Json;

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

Summary::Training training_of(const TrainingRecord& record) {
    Summary::Training training;
    training.is_complete = record.is_complete;
    training.iterations = record.iterations;
    training.forward_passes = record.forward_passes;
    training.lower_bound = record.lower_bound;
    training.is_bound = record.is_bound;
    training.upper_bound = record.upper_bound;
    training.is_exact = record.is_upper_bound_exact;
    if (!std::isnan(record.inner_bound)) {
        training.inner_bound = record.inner_bound;
    }
    if (!std::isnan(record.policy_cost)) {
        training.policy_cost = record.policy_cost;
        training.policy_cost_half_width_95 = record.policy_cost_half_width_95;
    }
    if (!training.is_exact) {
        training.half_width_95 =
            1.96 * record.upper_bound_std / std::sqrt(std::max(1, record.forward_passes));
    }
    training.gap = record.gap;
    training.stop_reason = record.stop_reason;
    training.digest = record.digest;
    training.seconds = record.seconds;
    training.lp_solves = record.lp_solves;
    training.retried = record.retried;
    training.cuts = record.cuts;
    training.active_cuts = record.active_cuts;
    return training;
}

Summary::Simulation simulation_of(const SimulationRecord& record) {
    return {record.is_complete,
            record.scenarios,
            record.mean,
            record.std,
            record.half_width_95,
            record.digest,
            record.seconds,
            record.lp_solves,
            record.retried};
}

void add_circumstances(Summary& summary, const PartRecord& part) {
    summary.case_name = case_name(part.case_directory);
    summary.software = fmt::format("{} {} ({})", part.software, part.software_version, part.commit);
    summary.solver = part.solver + " " + part.solver_version;
    summary.host = part.host;
    summary.ranks = part.ranks;
    summary.threads = part.threads;
    summary.saved_bytes = part.saved_bytes;
    summary.curtailment_constant = part.curtailment_constant;
    summary.risk_averse = part.is_risk_averse;
    summary.cyclic = part.is_cyclic;
}

Json numbers(const std::vector<std::int64_t>& values) {
    Json array = Json::array();
    for (const auto value : values) {
        array.push(value);
    }
    return array;
}

Json training_json(const Summary::Training& training) {
    return Json::Object{
        {"complete", training.is_complete},
        {"iterations", training.iterations},
        {"forward_passes", training.forward_passes},
        {"lower_bound", training.lower_bound},
        {"lower_bound_kind", training.is_bound ? "exact" : "estimate"},
        {"upper_bound", training.upper_bound},
        {"half_width_95", training.half_width_95},
        {"gap", training.gap},
        {"inner_bound", training.inner_bound ? Json(*training.inner_bound) : Json()},
        {"policy_cost", training.policy_cost ? Json(*training.policy_cost) : Json()},
        {"policy_cost_half_width_95", training.policy_cost_half_width_95},
        {"bound_moved", training.bound_moved},
        {"bound_moved_over", training.moved_over},
        {"stop_reason", training.stop_reason},
        {"digest", training.digest},
        {"seconds", training.seconds},
        {"forward_seconds", training.forward_seconds},
        {"backward_seconds", training.backward_seconds},
        {"lp_solves", training.lp_solves},
        {"lp_retries", numbers(training.retried)},
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
                        {"lp_solves", simulation.lp_solves},
                        {"lp_retries", numbers(simulation.retried)}};
}

void add_training(Summary& summary, const formats::cobre::Results& results) {
    if (!results.training) {
        return;
    }
    summary.training = training_of(*results.training);
    std::vector<double> bounds;
    for (const auto& iteration : results.iterations) {
        bounds.push_back(iteration.lower_bound);
        summary.training->forward_seconds += iteration.forward_seconds;
        summary.training->backward_seconds += iteration.backward_seconds;
    }
    add_movement(*summary.training, bounds);
    add_circumstances(summary, *results.training);
}

void add_simulation(Summary& summary, const SimulationRecord& record) {
    summary.simulation = simulation_of(record);
    if (!summary.training) {
        add_circumstances(summary, record);
    }
}

Json number_or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json();
}

}  // namespace

std::optional<double> Summary::simulated_gap() const {
    if (!training || !simulation || risk_averse) {
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
    const auto record = formats::cobre::training_record(metadata);
    summary.training = training_of(record);
    std::vector<double> bounds;
    for (const auto& report : result.iterations) {
        bounds.push_back(report.lower_bound);
        summary.training->forward_seconds += report.forward.wall_seconds;
        summary.training->backward_seconds += report.backward.wall_seconds;
    }
    add_movement(*summary.training, bounds);
    add_circumstances(summary, record);
}

void add_simulation(Summary& summary, const Json& metadata) {
    add_simulation(summary, formats::cobre::simulation_record(metadata));
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
