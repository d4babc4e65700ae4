#include <algorithm>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/process.hpp"
#include "lockstep/sddp/subject.hpp"

namespace lockstep::sddp {

namespace {

const InflowStatistics* statistics_of(const Process& process, int hydro, int stage_id) {
    const auto& rows = process.resolved.statistics;
    if (!rows) {
        return nullptr;
    }
    const auto row = std::ranges::find_if(*rows, [&](const InflowStatistics& statistics) {
        return statistics.hydro == hydro && statistics.stage_id == stage_id;
    });
    return row == rows->end() ? nullptr : &*row;
}

}  // namespace

// z = base + scale·η has the moments of its stage; with factor·η + shift in place of η those of the
// node, whatever of the base comes from lags.
void give_nodes_inflows(const PolicyGraph& graph,
                        const Calendar& calendar,
                        const System& system,
                        Process& process,
                        Problems& problems) {
    const auto hydros = at(process.inflow.hydros);
    for (const auto& given : process.resolved.node_inflows) {
        const auto& node = graph.nodes[at(given.node)];
        const auto wrong = [&](std::string message) {
            problems.add(
                ProblemKind::business_rule_violation,
                subject::node_inflows,
                fmt::format("node {}, hydro {}", node.id, system.hydros[at(given.hydro)].id),
                std::move(message));
        };
        const double scale = process.inflow.stages[at(node.stage)].scale[at(given.hydro)];
        const auto* stage = statistics_of(process, given.hydro, calendar.stages[at(node.stage)].id);
        if (node.scenario >= 0) {
            wrong("the node has a scenario_id, and with it an inflow");
        } else if (stage == nullptr || !(scale > 0) || !(stage->std_m3s > 0)) {
            wrong(
                "the plant has no deviation above 0 in its stage, which that of the node replaces");
        } else {
            process.node_noise.resize(graph.nodes.size());
            auto& noise = process.node_noise[at(given.node)];
            noise.factor.resize(hydros, 1);
            noise.shift.resize(hydros, 0);
            noise.factor[at(given.hydro)] = given.std_m3s / stage->std_m3s;
            noise.shift[at(given.hydro)] = (given.mean_m3s - stage->mean_m3s) / scale;
        }
    }
}

}  // namespace lockstep::sddp
