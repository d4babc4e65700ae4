#include "app/sddp/start_facts.hpp"

#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/lp/solver.hpp"

namespace lockstep::app {
namespace {

using io::Json;

// What is at its default is left out.
Json stalling_json(const sddp::StoppingRule& rule) {
    Json json = Json::Object{
        {"type", "bound_stalling"}, {"iterations", rule.iterations}, {"tolerance", rule.tolerance}};
    if (rule.absolute_tolerance > 0) {
        json.set("absolute_tolerance", rule.absolute_tolerance);
    }
    if (rule.min_iterations > 0) {
        json.set("min_iterations", rule.min_iterations);
    }
    if (std::isfinite(rule.max_gap)) {
        json.set("max_gap", rule.max_gap);
    }
    return json;
}

Json rule_json(const sddp::StoppingRule& rule) {
    using Kind = sddp::StoppingRule::Kind;
    switch (rule.kind) {
        case Kind::iteration_limit:
            return Json::Object{{"type", "iteration_limit"}, {"limit", rule.iterations}};
        case Kind::time_limit:
            return Json::Object{{"type", "time_limit"}, {"seconds", rule.seconds}};
        case Kind::bound_stalling:
            return stalling_json(rule);
        case Kind::gap:
            return Json::Object{{"type", "gap"},
                                {"tolerance", rule.absolute_tolerance},
                                {"relative_tolerance", 100 * rule.tolerance}};
    }
    return {};
}

Json rules_json(const sddp::TrainOptions& options) {
    Json rules = Json::array();
    for (const auto& rule : options.stopping) {
        rules.push(rule_json(rule));
    }
    return rules;
}

template <typename T>
std::int64_t size(const std::vector<T>& items) {
    return static_cast<std::int64_t>(items.size());
}

Json details(const Prepared& prepared, bool trains, bool simulates) {
    const auto& system = prepared.problem.system;
    const auto& config = prepared.input.config;
    return Json::Object{
        {"stages", prepared.problem.stage_count()},
        {"hydros", size(system.hydros)},
        {"thermals", size(system.thermals)},
        {"buses", size(system.buses)},
        {"lines", size(system.lines)},
        {"non_controllables", size(system.sources)},
        {"contracts", size(system.contracts)},
        {"pumping_stations", size(system.pumping_stations)},
        {"batteries", size(system.batteries)},
        {"generic_constraints", size(system.constraints)},
        {"state_size", static_cast<std::int64_t>(prepared.problem.state_size())},
        {"trains", trains},
        {"forward_passes", config.train.forward_passes},
        {"stopping_rules", rules_json(config.train)},
        {"simulates", simulates},
        {"scenarios", config.simulate.scenarios},
        {"solver", lp::to_string(trains ? config.train.solver : config.simulate.solver)}};
}

}  // namespace

RunFacts start_facts(const CaseRequest& request,
                     const Prepared& prepared,
                     bool trains,
                     bool simulates) {
    const auto& problem = prepared.problem;
    RunFacts facts;
    facts.name = case_name(request.run.input);
    facts.headline = fmt::format("{}, {}, {}",
                                 plural(problem.stage_count(), "stage"),
                                 plural(size(problem.system.hydros), "hydro"),
                                 plural(size(problem.system.thermals), "thermal"));
    facts.details = details(prepared, trains, simulates);
    return facts;
}

}  // namespace lockstep::app
