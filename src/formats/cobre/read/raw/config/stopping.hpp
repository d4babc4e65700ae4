#pragma once

#include <array>
#include <optional>

#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// config.json, as written. When training ends.

enum class RuleType { iteration_limit, time_limit, bound_stalling, gap };
constexpr std::array<Choice<RuleType>, 4> choices(RuleType) {
    return {{{"iteration_limit", RuleType::iteration_limit},
             {"time_limit", RuleType::time_limit},
             {"bound_stalling", RuleType::bound_stalling},
             {"gap", RuleType::gap}}};
}

struct StoppingRule {
    RuleType type = RuleType::iteration_limit;
    int limit = 1;
    double seconds = 0;
    int iterations = 1;
    double tolerance = 0;
    double absolute_tolerance = 0;
    int min_iterations = 0;
    std::optional<double> max_gap;
    std::optional<double> gap_tolerance;
    std::optional<double> relative_tolerance;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("type",
                   type,
                   {"iteration_limit: after so many iterations; time_limit: after so much time; "
                    "bound_stalling: when the lower bound stands still; gap: when the exact upper "
                    "bound of "
                    "enumerated passes has come so close to it"});
        if (f.when(type == RuleType::iteration_limit, "type iteration_limit")) {
            f.required(
                "limit", limit, {"Iterations after which training ends", "200"}, at_least(1));
        }
        if (f.when(type == RuleType::time_limit, "type time_limit")) {
            f.required(
                "seconds",
                seconds,
                {"Time after which training ends; looked at between iterations", "3600", "s"},
                positive);
        }
        if (f.when(type == RuleType::bound_stalling, "type bound_stalling")) {
            f.required("iterations",
                       iterations,
                       {"Iterations over which the change of the lower bound is looked at", "10"},
                       at_least(1));
            f.required("tolerance",
                       tolerance,
                       {"The bound stands still where it changes by less than this share of itself",
                        "0.0001",
                        dimensionless},
                       non_negative);
            f.optional("absolute_tolerance",
                       absolute_tolerance,
                       {"A change of so much or less is none either. Not in Cobre", "0", "$"},
                       non_negative);
            f.optional("min_iterations",
                       min_iterations,
                       {"Iterations before which the rule does not hold. Not in Cobre"},
                       at_least(0));
            f.optional("max_gap",
                       max_gap,
                       {"The rule does not hold while the costs of the window's trajectories lie "
                        "further above the bound, as a share of it, even at the lower end of their "
                        "95 % interval; null: no such limit. Not in Cobre",
                        "0.05",
                        dimensionless},
                       non_negative);
        }
        if (f.when(type == RuleType::gap, "type gap")) {
            f.optional(
                "tolerance", gap_tolerance, {"Gap that ends training", "0", "$"}, non_negative);
            f.optional("relative_tolerance",
                       relative_tolerance,
                       {"Gap that ends training, as a share of the lower bound", "1", "%"},
                       non_negative);
        }
    }
};

enum class StoppingMode { any, all };
constexpr std::array<Choice<StoppingMode>, 2> choices(StoppingMode) {
    return {{{"any", StoppingMode::any}, {"all", StoppingMode::all}}};
}

}  // namespace lockstep::formats::cobre::raw
