#pragma once

#include <array>
#include <optional>

#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// config.json, as written. Which cuts stay in the LPs.

enum class CutSelectionMethod { level1, lml1, domination, dynamic };
constexpr std::array<Choice<CutSelectionMethod>, 4> choices(CutSelectionMethod) {
    return {{{"level1", CutSelectionMethod::level1},
             {"lml1", CutSelectionMethod::lml1},
             {"domination", CutSelectionMethod::domination},
             {"dynamic", CutSelectionMethod::dynamic}}};
}

struct CutSelectionRule {
    CutSelectionMethod method = CutSelectionMethod::level1;
    double tie_tolerance = 1e-10;
    int check_frequency = 5;
    double domination_tolerance = 0;
    int seed_window = 5;
    int max_added_per_round = 10;
    double violation_tolerance = 1e-10;
    int start_iteration = 2;
    std::optional<int> candidate_recency;
    template <typename Fields>
    void fields(Fields& f) {
        using enum CutSelectionMethod;
        f.required("method", method, {"Which cuts are kept"});
        if (f.when(method == level1 || method == lml1, "method level1 or lml1")) {
            f.optional(
                "tie_tolerance",
                tie_tolerance,
                {"Distance from the highest cut at a visited state within which a cut is kept, in "
                 "units of modeling.cost_scale_factor",
                 "1e-10",
                 dimensionless},
                non_negative);
        }
        if (f.when(method == domination, "method domination")) {
            f.required("domination_tolerance",
                       domination_tolerance,
                       {"Distance below the highest cut at every visited state beyond which a cut "
                        "is dropped, in units of modeling.cost_scale_factor",
                        "0",
                        dimensionless},
                       non_negative);
        }
        if (f.when(method != dynamic, "a method other than dynamic")) {
            f.optional("check_frequency",
                       check_frequency,
                       {"Iterations between two selections"},
                       at_least(1));
        }
        if (f.when(method == dynamic, "method dynamic")) {
            f.optional("seed_window",
                       seed_window,
                       {"Iterations whose cuts each solve begins with"},
                       at_least(0));
            f.optional("max_added_per_round",
                       max_added_per_round,
                       {"Cuts that are added before a solve is repeated"},
                       at_least(1));
            f.optional("violation_tolerance",
                       violation_tolerance,
                       {"Violation above which a cut is added, in units of "
                        "modeling.cost_scale_factor",
                        "1e-10",
                        dimensionless},
                       positive);
            f.optional("start_iteration",
                       start_iteration,
                       {"First iteration with selection; before it every LP has all cuts"},
                       at_least(1));
            f.optional("candidate_recency",
                       candidate_recency,
                       {"Iterations in which a cut must have been made, or active, to be added; "
                        "null: any",
                        "20"},
                       at_least(1));
        }
    }
};

struct CutSelection {
    std::optional<CutSelectionRule> selection;
    double row_activity_tolerance = 0;
    std::optional<int> max_active_per_stage;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("selection",
                   selection,
                   {"Selection of cuts; without it the LPs may take all. Those of the first stage "
                    "always stay"});
        f.optional("row_activity_tolerance",
                   row_activity_tolerance,
                   {"Dual above which a cut counts as active, $ per $", "0", dimensionless},
                   non_negative);
        f.optional("max_active_per_stage",
                   max_active_per_stage,
                   {"Most cuts that are kept after a node, besides those of the iteration: the "
                    "latest to have been active",
                    "1000"},
                   at_least(1));
    }
};

}  // namespace lockstep::formats::cobre::raw
