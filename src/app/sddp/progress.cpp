#include "app/sddp/progress.hpp"

#include <cmath>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

namespace lockstep::app {
namespace {

Figure figure(const char* name, double value, const char* unit, const char* meaning) {
    return {name, value, unit, "", meaning};
}

void add_phase(std::vector<Figure>& figures,
               const std::string& phase,
               const sddp::PhaseReport& work) {
    const auto add = [&](const char* name, double value, const char* unit, const char* meaning) {
        figures.push_back({phase + name, value, unit, "", meaning});
    };
    add("_lp_solves", static_cast<double>(work.solves), "", "Linear programs solved");
    add("_pivots", static_cast<double>(work.pivots), "", "Simplex iterations");
    add("_solve", work.solve_seconds, "s", "Time in the solver, over all threads");
    add("_wall", work.wall_seconds, "s", "Wall time");
}

void add_cuts(std::vector<Figure>& figures, const sddp::IterationReport& report) {
    figures.insert(
        figures.end(),
        {{"cuts", static_cast<double>(report.cuts_active), "", "cuts", "Active cuts of all stages"},
         figure("upper_bound_std", report.upper_bound_std, "$", "Deviation of the trajectories"),
         figure("cuts_added", report.cuts_added, "", "Cuts of this iteration"),
         figure("mean_cuts_in_lp", report.mean_cuts_in_lp, "", "Cut rows of a backward solve")});
}

std::vector<Figure> rank_figures(const sddp::RankReport& rank) {
    const auto number = [](std::int64_t value) { return static_cast<double>(value); };
    return {
        figure("compute", rank.compute_seconds, "s", "Time of the last iteration in computing"),
        figure("communication",
               rank.communication_seconds,
               "s",
               "Time in collectives once all ranks had come"),
        figure("wait", rank.wait_seconds, "s", "Time in collectives until all ranks had come"),
        figure("checkpoint", rank.io_seconds, "s", "Time to write the checkpoint"),
        figure("sent", number(rank.bytes_sent), "B", "Contributions to collectives"),
        figure("received", number(rank.bytes_received), "B", "Contributions of other ranks"),
        figure("borrowed",
               number(rank.borrowed_bytes),
               "B",
               "Cuts and stage problems read in memory of another rank of the node"),
        figure("lp_solves", number(rank.solves), "", "Linear programs solved"),
    };
}

}  // namespace

Progress progress_of(const sddp::IterationReport& report,
                     const TimeLeft& time_left,
                     bool is_risk_averse) {
    Progress progress;
    progress.phase = "training";
    progress.step = "iteration";
    progress.done = report.iteration;
    progress.total = time_left.iteration_limit();
    progress.seconds = report.elapsed_seconds;
    progress.left = time_left.forecast();
    progress.figures = {
        {"lower_bound", report.lower_bound, "$", "lower", "Lower bound of the expected cost"},
        {"upper_bound",
         report.upper_bound,
         "$",
         "upper",
         report.is_upper_bound_exact ? "Cost of the policy" : "Mean cost of the trajectories",
         report.half_width_95}};
    if (!is_risk_averse || report.is_upper_bound_exact) {
        progress.figures.push_back(
            {"gap", report.gap, "1", "gap", "Upper over lower bound, less one"});
    }
    if (std::isfinite(report.inner_bound)) {
        progress.figures.push_back(
            {"inner_bound", report.inner_bound, "$", "inner", "Upper bound from within"});
    }
    if (std::isfinite(report.policy_cost)) {
        progress.figures.push_back({"policy_cost",
                                    report.policy_cost,
                                    "$",
                                    "policy",
                                    "Cost of the policy under its risk measures, estimated",
                                    report.policy_cost_half_width_95});
    }
    add_cuts(progress.figures, report);
    add_phase(progress.figures, "forward", report.forward);
    add_phase(progress.figures, "backward", report.backward);
    add_phase(progress.figures, "bound", report.bound);
    for (const auto& rank : report.ranks) {
        progress.ranks.push_back(rank_figures(rank));
    }
    return progress;
}

Progress simulation_progress(int done, int total, double seconds) {
    Progress progress;
    progress.phase = "simulation";
    progress.step = "scenario";
    progress.done = done;
    progress.total = total;
    progress.seconds = seconds;
    if (done > 0) {
        progress.left = {seconds * (total - done) / done, false};
    }
    return progress;
}

PhaseEnd end_of(const sddp::TrainResult& result) {
    return {"training",
            fmt::format("{} in {}, ended by {}",
                        plural(static_cast<std::int64_t>(result.iterations.size()), "iteration"),
                        duration(result.seconds),
                        stop_words(std::string(to_string(result.stop))))};
}

PhaseEnd end_of(const sddp::SimulateResult& result) {
    return {"simulation",
            fmt::format("{} in {}",
                        plural(static_cast<std::int64_t>(result.total_cost.size()), "scenario"),
                        duration(result.seconds))};
}

}  // namespace lockstep::app
