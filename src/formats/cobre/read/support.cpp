#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "formats/cobre/resolve/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

/// Reports features by name.
class Refusals {
public:
    explicit Refusals(Problems& problems) : problems_(problems) {}

    void when(bool condition,
              const std::string& file,
              const std::string& entity,
              std::string_view feature) const {
        if (condition) {
            problems_.add(ProblemKind::not_supported,
                          file,
                          entity,
                          fmt::format("not supported yet: {}", feature));
        }
    }
    void line(bool condition,
              const char* file,
              int line,
              const char* noun,
              int id,
              std::string_view feature) const {
        if (condition) {
            const Origin origin = line_of(file, line, noun, id);
            when(true, origin.file, origin.entity, feature);
        }
    }

private:
    Problems& problems_;
};

/// How a solver walks.
auto lp_choices(const raw::SolverProfile& profile) {
    return std::tuple(profile.dual_edge_weight.value_or(raw::EdgeWeight::devex),
                      profile.scale.value_or(raw::Scale::off),
                      profile.price.value_or(raw::Price::row_hyper_sparse),
                      profile.simplex_update_limit,
                      profile.cost_perturbation.value_or(0),
                      profile.refactor_error_tolerance,
                      profile.factor_pivot_threshold,
                      profile.steepest_edge_devex_fallback_threshold);
}

/// One solver serves both passes.
bool differ(const raw::TrainingSolver& solver) {
    const raw::SolverProfile forward = solver.forward.value_or(raw::SolverProfile{});
    const raw::SolverProfile backward = solver.backward.value_or(raw::SolverProfile{});
    const lp::SolverOptions defaults;
    const auto is_same = [](const std::optional<double>& a,
                            const std::optional<double>& b,
                            double none) { return a.value_or(none) == b.value_or(none); };
    return !is_same(forward.primal_feasibility_tolerance,
                    backward.primal_feasibility_tolerance,
                    defaults.primal_tolerance) ||
           !is_same(forward.dual_feasibility_tolerance,
                    backward.dual_feasibility_tolerance,
                    defaults.dual_tolerance) ||
           forward.use_warm_start.value_or(true) != backward.use_warm_start.value_or(true) ||
           lp_choices(forward) != lp_choices(backward);
}

void refuse_training(const raw::Training& training, const Refusals& refuse) {
    refuse.when(differ(training.solver),
                "config.json",
                "training.solver",
                "a solver profile that differs between the forward and the backward pass");
}

void refuse_config(const raw::Config& config, const Refusals& refuse) {
    refuse_training(config.training, refuse);
}

void refuse_stages(const raw::Case& raw, const Refusals& refuse) {
    const char* file = "stages.json";
    for (const raw::Stage& stage : raw.stages.stages) {
        refuse.line(stage.sampling_method == raw::SamplingMethod::selective,
                    file,
                    stage.line,
                    "stage",
                    stage.id,
                    "the sampling method \"selective\"");
    }
}

// What is on its way would be lost where the last stage goes on with an earlier one.
void refuse_circle(const raw::Case& raw, const Refusals& refuse) {
    if (raw.stages.policy_graph.type != raw::GraphType::cyclic) {
        return;
    }
    constexpr const char* where = "in a policy graph of type \"cyclic\"";
    refuse.when(raw.config.policy.boundary.has_value(),
                "config.json",
                "policy.boundary",
                fmt::format("cuts after the last stage {}: it has no end", where));
    for (const raw::Hydro& hydro : raw.hydros) {
        refuse.line(hydro.travel_time_hours.value_or(0) > 0,
                    "system/hydros.json",
                    hydro.line,
                    "hydro",
                    hydro.id,
                    fmt::format("\"travel_time_hours\" {}", where));
    }
    for (const raw::Thermal& thermal : raw.thermals) {
        refuse.line(thermal.anticipated_config.has_value(),
                    "system/thermals.json",
                    thermal.line,
                    "thermal",
                    thermal.id,
                    fmt::format("\"anticipated_config\" {}", where));
    }
}

}  // namespace

void refuse_unsupported(const raw::Case& raw, Problems& problems) {
    const Refusals refuse(problems);
    refuse_config(raw.config, refuse);
    refuse_stages(raw, refuse);
    refuse_circle(raw, refuse);
}

}  // namespace lockstep::formats::cobre
