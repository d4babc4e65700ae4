#include "lockstep/sddp/train.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

#include "sddp/backward_pass.hpp"
#include "sddp/forward_pass.hpp"
#include "sddp/lower_bound.hpp"
#include "sddp/result_digest.hpp"
#include "sddp/scaling.hpp"
#include "sddp/statistics.hpp"
#include "sddp/stopping.hpp"
#include "sddp/stopwatch.hpp"

namespace lockstep::sddp {

namespace {

void check(const TrainOptions& options) {
    if (options.forward_passes < 1)
        throw InputError(
            fmt::format("forward_passes is {} (must be 1 or more)", options.forward_passes));
    const auto is_limit = [](const auto& rule) {
        return rule.kind == StoppingRule::Kind::iteration_limit;
    };
    if (std::none_of(options.stopping.begin(), options.stopping.end(), is_limit))
        throw InputError("stopping rules hold no iteration_limit: training might never end");
    for (const auto& rule : options.stopping)
        if (rule.kind != StoppingRule::Kind::time_limit && rule.iterations < 1)
            throw InputError(fmt::format("a stopping rule has {} iterations (must be 1 or more)",
                                         rule.iterations));
}

/// One training run.
class Training {
public:
    Training(const Problem& problem,
             const TrainOptions& options,
             runtime::Team& team,
             Observer& observer);
    TrainResult run();

private:
    bool iterate(int iteration);
    template <typename Phase>
    bool phase(PhaseReport& report, Phase&& run);
    void share_counts(PhaseReport& report);
    void report(int iteration, IterationReport& report);
    bool ends();
    bool cancelled();

    const TrainOptions& options_;
    Observer& observer_;
    Engine engine_;
    Trajectories trajectories_;
    LowerBound lower_bound_;
    TrainResult result_;
    std::vector<double> bounds_;
    Stopwatch clock_;
};

Training::Training(const Problem& problem,
                   const TrainOptions& options,
                   runtime::Team& team,
                   Observer& observer)
    : options_(options),
      observer_(observer),
      engine_(problem, {options.solver, options.tolerances, options.speed}, team),
      trajectories_(engine_, options.forward_passes),
      lower_bound_(engine_) {
    const auto pilot = engine_.pilot_bases();
    for (int t = 0; t < engine_.stage_count(); ++t)
        for (std::ptrdiff_t item = 0; item < trajectories_.count(); ++item)
            trajectories_.basis(t, item) = pilot[static_cast<std::size_t>(t)];
    engine_.take_work();
}

TrainResult Training::run() {
    result_.stop = StopReason::cancelled;
    for (int iteration = 1; !cancelled() && iterate(iteration) && !ends(); ++iteration) {
    }
    for (const auto& pool : engine_.pools)
        result_.policy.stages.push_back(pool.to_policy());
    if (!result_.iterations.empty()) {
        result_.lower_bound = result_.iterations.back().lower_bound;
        result_.upper_bound = result_.iterations.back().upper_bound;
    }
    for (const auto& stage : engine_.stages)
        result_.scaling.push_back(scaling_of(stage));
    result_.digest = digest_of(result_);
    result_.seconds = clock_.seconds();
    return std::move(result_);
}

template <typename Phase>
bool Training::phase(PhaseReport& report, Phase&& run) {
    const Stopwatch clock;
    auto failure = run();
    report = engine_.take_work();
    report.wall_seconds = clock.seconds();
    if (!failure)
        return true;
    result_.stop = failure->status == "infeasible" ? StopReason::infeasible : StopReason::numerical;
    result_.failure = std::move(failure);
    return false;
}

bool Training::iterate(int iteration) {
    const Stopwatch clock;
    IterationReport now;
    for (auto& pool : engine_.pools)
        pool.reserve(options_.forward_passes);
    for (int t = 0; t < engine_.stage_count(); ++t)
        engine_.refresh_working_set(t, iteration);
    const bool done =
        phase(now.forward, [&] { return forward_pass(engine_, iteration, trajectories_); }) &&
        phase(now.backward,
              [&] {
                  return backward_pass(
                      engine_, iteration, trajectories_, now.communication_seconds);
              }) &&
        phase(now.bound,
              [&] { return lower_bound_.evaluate(engine_, iteration, now.lower_bound); });
    share_counts(now.forward);
    share_counts(now.backward);
    if (!done)
        return false;
    now.mean_cuts_in_lp = static_cast<double>(now.backward.resident_cuts) /
                          static_cast<double>(std::max<std::int64_t>(now.backward.units, 1));
    now.wall_seconds = clock.seconds();
    report(iteration, now);
    return true;
}

// The bound is evaluated by every rank alike, so its counts are equal as they are.
void Training::share_counts(PhaseReport& report) {
    std::array<std::int64_t, 4> counts{
        report.solves, report.units, report.pivots, report.resident_cuts};
    engine_.team.ranks.allreduce(std::span<std::int64_t>(counts), comm::ReduceOp::sum);
    report.solves = counts[0];
    report.units = counts[1];
    report.pivots = counts[2];
    report.resident_cuts = counts[3];
    engine_.team.ranks.allreduce(std::span<std::int64_t>(report.retried), comm::ReduceOp::sum);
}

void Training::report(int iteration, IterationReport& now) {
    const auto costs = trajectories_.gather_costs(engine_.team.ranks);
    const auto sample = sample_of(costs);
    now.iteration = iteration;
    now.upper_bound = sample.mean;
    now.upper_bound_std = sample.std;
    now.half_width_95 = sample.half_width_95;
    now.gap = (now.upper_bound - now.lower_bound) / std::max(1.0, std::abs(now.lower_bound));
    now.cuts_added = options_.forward_passes * (engine_.stage_count() - 1);
    for (const auto& pool : engine_.pools)
        now.cuts_active += pool.size();
    now.elapsed_seconds = clock_.seconds();
    bounds_.push_back(now.lower_bound);
    result_.iterations.push_back(now);
    observer_.on_iteration(now);
}

// Clocks and signals differ between ranks: what one of them sees becomes everybody's.
bool Training::cancelled() {
    const int mine = observer_.stop_requested() ? 1 : 0;
    return engine_.team.ranks.allreduce(mine, comm::ReduceOp::max) != 0;
}

bool Training::ends() {
    double elapsed = clock_.seconds();
    engine_.team.ranks.broadcast(std::span<double>(&elapsed, 1), 0);
    const auto stop = should_stop(options_, bounds_, elapsed);
    if (stop)
        result_.stop = *stop;
    return stop.has_value();
}

}  // namespace

TrainResult train(const Problem& problem,
                  const TrainOptions& options,
                  runtime::Team& team,
                  Observer& observer) {
    check(options);
    return Training(problem, options, team, observer).run();
}

}  // namespace lockstep::sddp
