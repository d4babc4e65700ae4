#pragma once

#include <array>

#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// config.json, as written. Which trajectories training and simulation take.

enum class SelectionMethod { sampled, enumerated };
constexpr std::array<Choice<SelectionMethod>, 2> choices(SelectionMethod) {
    return {{{"sampled", SelectionMethod::sampled}, {"enumerated", SelectionMethod::enumerated}}};
}

struct TrainingSelection {
    SelectionMethod method = SelectionMethod::sampled;
    int forward_passes = 1;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("method",
                   method,
                   {"sampled: trajectories are drawn; enumerated: every node of a tree once an "
                    "iteration, with an exact upper bound"});
        if (f.when(method == SelectionMethod::sampled, "method sampled")) {
            f.required("forward_passes",
                       forward_passes,
                       {"Trajectories an iteration, over all ranks; each gives one cut a stage. "
                        "More of them explore more and show the cost of the policy with less noise",
                        "8"},
                       count);
        }
    }
};

struct SimulationSelection {
    SelectionMethod method = SelectionMethod::sampled;
    int num_scenarios = 2000;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("method",
                   method,
                   {"sampled: scenarios are drawn; enumerated: every path of a tree, with its "
                    "probability"});
        if (f.when(method == SelectionMethod::sampled, "method sampled")) {
            f.optional("num_scenarios",
                       num_scenarios,
                       {"Scenarios that are simulated under the trained policy"},
                       {1, 1e7});
        }
    }
};

}  // namespace lockstep::formats::cobre::raw
