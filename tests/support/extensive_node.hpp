#pragma once

#include <map>
#include <span>
#include <vector>

#include "lockstep/lp/model.hpp"
#include "lockstep/sddp/problem.hpp"

namespace lockstep::test {

/// Where the costs of a node go: the objective (row -1), or the left side of a row "value - costs =
/// 0".
struct CostSink {
    int row = -1;
    double weight = 1;
};

/// Water that comes to a plant in a later period: hm3_per_unit times a column.
struct UnderWay {
    int plant = 0;
    int period = 0;  ///< counted over the study
    int column = 0;
    double hm3_per_unit = 0;
};

/// State between two stages: columns of the LP, and what the lags are worth on this path.
struct PathState {
    std::vector<int> storage;  ///< [hydros]
    /// [thermals], column of what is decided for a stage, by that stage.
    std::vector<std::map<int, int>> committed;
    std::vector<UnderWay> transit;
    std::vector<int> energy;                        ///< [batteries]
    std::vector<int> lag;                           ///< [lags × hydros]
    std::vector<double> lag_value;                  ///< [lags × hydros]
    std::vector<std::vector<int>> inflow;           ///< [stages before][hydros]
    std::vector<std::vector<double>> inflow_value;  ///< [stages before][hydros]
};

/// What happens at a node.
struct NodeOutcome {
    std::span<const double> noise;
    std::span<const double> inflow{};  ///< [hydros], whatever flowed before; empty: by the noise
};

/// A column whose cost goes into `sink`.
int add_column(
    lp::ModelBuilder& builder, const CostSink& sink, double cost, double lower, double upper);

/// Adds the decisions of one stage under one outcome.
/// @return the state that the next stage starts from
PathState add_node(lp::ModelBuilder& builder,
                   const sddp::Problem& problem,
                   int stage,
                   const NodeOutcome& outcome,
                   const PathState& incoming,
                   const CostSink& sink);

}  // namespace lockstep::test
