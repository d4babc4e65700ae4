#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/app/sddp/summary.hpp"
#include "lockstep/app/text.hpp"

namespace lockstep::app {
namespace {

// A mean over samples beside the lower bound.
struct Sampled {
    const char* name;
    double mean;
    double half_width_95;
    int samples;
    double gap;
};

Sampled sampled_of(const Summary& summary) {
    if (const auto& simulation = summary.simulation) {
        return {"simulated mean",
                simulation->mean,
                simulation->half_width_95,
                simulation->scenarios,
                summary.simulated_gap().value_or(0)};
    }
    const auto& training = *summary.training;
    return {"upper bound",
            training.upper_bound,
            training.half_width_95,
            training.forward_passes,
            training.gap};
}

std::string gap_remark(const Sampled& sampled, const Summary::Training& training) {
    if (!training.is_bound) {
        return fmt::format("{} over an estimate that is no bound", sampled.name);
    }
    if (sampled.samples > 1 &&
        std::abs(sampled.mean - training.lower_bound) <= sampled.half_width_95) {
        return fmt::format("lower bound inside the 95 % interval of the {}", sampled.name);
    }
    if (sampled.samples > 1 && training.lower_bound > sampled.mean) {
        return fmt::format("lower bound outside the 95 % interval of the {}: simulate more",
                           sampled.name);
    }
    return fmt::format("{} over lower bound", sampled.name);
}

ConvergenceWords movement(const Summary::Training& training, const char* why) {
    const auto* name = training.is_bound ? "bound moved" : "estimate moved";
    if (training.moved_over == 0) {
        return {name, "not known", "one iteration has no earlier bound"};
    }
    return {name,
            percent(training.bound_moved),
            fmt::format("over the last {}; {}",
                        training.moved_over == 1 ? std::string("iteration")
                                                 : plural(training.moved_over, "iteration"),
                        why)};
}

}  // namespace

std::optional<ConvergenceWords> convergence_words(const Summary& summary) {
    if (!summary.training || summary.training->iterations == 0) {
        return std::nullopt;
    }
    if (summary.training->is_exact) {
        return ConvergenceWords{
            "gap", percent(summary.training->gap), "exact upper bound over lower bound"};
    }
    if (const auto inner = summary.training->inner_bound) {
        const double lower = summary.training->lower_bound;
        return ConvergenceWords{"gap",
                                percent((*inner - lower) / std::max(1.0, std::abs(lower))),
                                "upper bound from within over lower bound"};
    }
    if (const auto cost = summary.training->policy_cost) {
        const double lower = summary.training->lower_bound;
        const double scale = std::max(1.0, std::abs(lower));
        return ConvergenceWords{
            "gap",
            percent((*cost - lower) / scale),
            fmt::format("estimated cost of the policy{} over lower bound, ± {}",
                        summary.risk_averse ? " under its risk measures" : "",
                        percent(summary.training->policy_cost_half_width_95 / scale))};
    }
    if (summary.cyclic) {
        return movement(*summary.training, "stages go in a circle: a passage is no upper bound");
    }
    if (summary.risk_averse) {
        return movement(*summary.training, "under CVaR a mean is no upper bound");
    }
    const auto sampled = sampled_of(summary);
    return ConvergenceWords{"gap", percent(sampled.gap), gap_remark(sampled, *summary.training)};
}

}  // namespace lockstep::app
