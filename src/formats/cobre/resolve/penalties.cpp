#include "formats/cobre/resolve/penalties.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "formats/cobre/resolve/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr double default_inflow_cost = 1000;

void replace(double& cost, const std::optional<double>& value) {
    cost = value.value_or(cost);
}

}  // namespace

void apply(sddp::HydroCosts& costs, const raw::HydroCosts& level) {
    replace(costs.spillage, level.spillage);
    replace(costs.turbined, level.turbined);
    replace(costs.diversion, level.diversion);
    replace(costs.storage_below, level.storage_below);
    replace(costs.filling_below, level.filling_target);
    replace(costs.turbined_below, level.turbined_below);
    replace(costs.outflow_below, level.outflow_below);
    replace(costs.outflow_above, level.outflow_above);
    replace(costs.generation_below, level.generation_below);
    replace(costs.evaporation_above, level.evaporation);
    replace(costs.evaporation_below, level.evaporation);
    replace(costs.evaporation_above, level.evaporation_pos);
    replace(costs.evaporation_below, level.evaporation_neg);
    replace(costs.withdrawal_above, level.withdrawal);
    replace(costs.withdrawal_below, level.withdrawal);
    replace(costs.withdrawal_above, level.withdrawal_pos);
    replace(costs.withdrawal_below, level.withdrawal_neg);
    replace(costs.inflow_slack, level.inflow_nonnegativity);
}

sddp::HydroCosts global_costs(const raw::Penalties& penalties) {
    sddp::HydroCosts costs;
    costs.inflow_slack = default_inflow_cost;
    apply(costs, penalties.hydro);
    return costs;
}

std::vector<sddp::DeficitSegment> resolve_deficit(
    const std::vector<raw::DeficitSegment>& segments) {
    std::vector<sddp::DeficitSegment> out;
    for (const raw::DeficitSegment& segment : segments) {
        out.push_back(
            {segment.depth_mw.value_or(std::numeric_limits<double>::infinity()), segment.cost});
    }
    return out;
}

void check_deficit(const std::vector<raw::DeficitSegment>& segments,
                   const std::string& file,
                   const std::string& entity,
                   Problems& problems) {
    const auto wrong = [&](int line, std::string message) {
        FileReport(file, problems)
            .add(ProblemKind::invalid_value, line, entity, std::move(message));
    };
    if (segments.empty()) {
        wrong(0, "deficit_segments must not be empty");
    }
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const bool is_last = i + 1 == segments.size();
        if (segments[i].depth_mw.has_value() == is_last) {
            wrong(segments[i].line,
                  is_last ? "depth_mw of the last deficit segment must be null"
                          : "only the last deficit segment may have a null depth_mw");
        }
        if (i > 0 && segments[i].cost <= segments[i - 1].cost) {
            wrong(segments[i].line,
                  fmt::format("costs of deficit segments must increase: {} after {}",
                              segments[i].cost,
                              segments[i - 1].cost));
        }
    }
}

void check_penalty_order(const raw::Case& raw, Problems& problems) {
    const raw::HydroCosts& hydro = raw.penalties.hydro;
    const auto warn = [&](std::string message) {
        problems.add(ProblemKind::model_quality, "penalties.json", "", std::move(message));
    };
    const auto& segments = raw.penalties.bus.deficit_segments;
    const double deficit = segments.empty() ? 0 : segments.back().cost;
    for (const raw::Thermal& thermal : raw.thermals) {
        if (!segments.empty() && thermal.cost_per_mwh >= deficit) {
            warn(
                fmt::format("the highest deficit cost ({}) is not above the cost of thermal {} "
                            "({}): load is shed before it runs",
                            deficit,
                            thermal.id,
                            thermal.cost_per_mwh));
        }
    }
    const double least = std::min({hydro.turbined_below.value_or(0),
                                   hydro.outflow_below.value_or(0),
                                   hydro.outflow_above.value_or(0),
                                   hydro.generation_below.value_or(0),
                                   hydro.evaporation.value_or(0),
                                   hydro.withdrawal.value_or(0)});
    const double release = std::max(hydro.spillage.value_or(0), hydro.diversion.value_or(0));
    if (least <= release) {
        warn(fmt::format(
            "the lowest cost of a hydro violation ({}) is not above the cost of spillage "
            "and diversion ({}): a violation may be preferred to a release",
            least,
            release));
    }
}

}  // namespace lockstep::formats::cobre
