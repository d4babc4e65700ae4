#include <algorithm>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/process.hpp"
#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/process/inflow/inflow_range.hpp"
#include "sddp/hydro/process/scenarios/scenario_library.hpp"

namespace lockstep::sddp {

namespace {

/// Entities that ready-made scenarios of training do not speak of, and that are random all the
/// same.
class Randomness {
public:
    Randomness(const System& system, const Process& process) : system_(system), process_(process) {}

    /// "inflows", "" where there is none.
    [[nodiscard]] const char* left_at(int stage) const {
        const auto& source = process_.resolved.training;
        if (source.inflow != ForwardScheme::external && has_random_inflow(stage)) {
            return "inflows";
        }
        if (source.load != ForwardScheme::external && has_random_load(stage)) {
            return "loads";
        }
        if (source.source != ForwardScheme::external && has_random_source(stage)) {
            return "availabilities";
        }
        return "";
    }

private:
    [[nodiscard]] bool has_random_inflow(int stage) const {
        return std::ranges::any_of(process_.inflow.stages[at(stage)].scale,
                                   [](double scale) { return scale > 0; });
    }
    [[nodiscard]] bool has_random_load(int stage) const {
        return std::ranges::any_of(process_.layout.buses, [&](int bus) {
            return system_.buses[at(bus)].load_std_mw[at(stage)] > 0;
        });
    }
    [[nodiscard]] bool has_random_source(int stage) const {
        return std::ranges::any_of(process_.layout.sources, [&](int source) {
            return system_.sources[at(source)].std[at(stage)] > 0;
        });
    }

    const System& system_;
    const Process& process_;
};

// With memory the noise depends on the path to a node: its inflows stand for it.
void pin_inflows(const PolicyGraph& graph,
                 const Calendar& calendar,
                 const System& system,
                 const std::vector<ExternalValue>& rows,
                 Process& process,
                 Problems& problems) {
    const NoiseLibrary inflows = placed_inflows(calendar, system, rows, problems);
    process.pinned_inflow.resize(graph.nodes.size());
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        if (inflows.scenarios > 0 && !process.pinned_noise[n].empty()) {
            const auto values = inflows.noise(graph.nodes[n].scenario, graph.nodes[n].stage);
            PinnedInflow& pinned = process.pinned_inflow[n];
            pinned = {graph.nodes[n].stage, {values.begin(), values.end()}};
            for (double& flow : pinned.flow_m3s) {
                flow = truncates(process.non_negativity) ? std::max(0.0, flow) : flow;
            }
        }
    }
}

}  // namespace

void pin_nodes(const PolicyGraph& graph,
               const Calendar& calendar,
               const System& system,
               const std::vector<ExternalValue>& external_inflow,
               Process& process,
               Problems& problems) {
    const bool is_pinned =
        std::ranges::any_of(graph.nodes, [](const auto& node) { return node.scenario >= 0; });
    if (!is_pinned || std::ssize(process.scenarios.count) != calendar.stage_count()) {
        return;
    }
    const auto wrong = [&](const PolicyGraph::Node& node, std::string message) {
        problems.add(ProblemKind::business_rule_violation,
                     subject::stages,
                     fmt::format("node {}", node.id),
                     std::move(message));
    };
    const Randomness randomness(system, process);
    process.pinned_noise.resize(graph.nodes.size());
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        const auto& node = graph.nodes[n];
        if (node.scenario < 0) {
            continue;
        }
        const std::string random = randomness.left_at(node.stage);
        if (node.scenario >= process.scenarios.count[at(node.stage)]) {
            wrong(node,
                  fmt::format(
                      "scenario {} does not exist: the external scenarios of its stage are {}",
                      node.scenario,
                      process.scenarios.count[at(node.stage)]));
        } else if (!random.empty()) {
            wrong(node,
                  fmt::format("a node with a scenario, but {} are random there and come from no "
                              "external scenarios",
                              random));
        } else {
            const auto noise = process.scenarios.noise(node.stage, node.scenario);
            process.pinned_noise[n].assign(noise.begin(), noise.end());
        }
    }
    if (process.inflow.lags > 0) {
        pin_inflows(graph, calendar, system, external_inflow, process, problems);
    }
}

}  // namespace lockstep::sddp
