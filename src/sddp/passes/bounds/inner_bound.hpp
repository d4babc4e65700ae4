#pragma once

#include <memory>
#include <vector>

#include "sddp/passes/bounds/recourse.hpp"
#include "sddp/passes/engine.hpp"
#include "sddp/stage/inner_lp.hpp"

namespace lockstep::sddp {

/// The upper bound from within: what visited states cost at most, from the last stage to the first,
/// each from the values of those after it (docs/sddp-theory.md, section 6).
///
/// The states of an evaluation join those of the ones before, whose values stay: they bound the
/// cost whatever is learned later. Beside them stands after each node the lowest state that there
/// may be, valued anew each time: where less of a state has no price, means with it reach there.
class InnerBound {
public:
    /// @pre  require_fit(engine.model, options)
    InnerBound(const Engine& engine, const InnerBoundOptions& options);

    /// Values the states that `iteration` has visited and the initial state.
    /// @return  the bound [$], infinity where there is none yet
    /// Collective.
    double evaluate(Engine& engine, int iteration);

private:
    /// A state after a node whose value is asked for.
    struct Point {
        int node = 0;
        int visited = -1;  // number; -1: the lowest
        std::vector<double> state;
    };
    struct NodeLp {
        std::unique_ptr<InnerLp> lp;  // none: a leaf, whose own LP is exact
        lp::Basis start;
    };

    [[nodiscard]] Point lowest(const Engine& engine, int node) const;
    [[nodiscard]] std::vector<Point> points(const Engine& engine, int stage, int iteration) const;
    [[nodiscard]] Vertices vertices_after(const Engine& engine, int node) const;
    void prepare(Engine& engine, int stage, std::span<const double> sample_state);
    void value_level(Engine& engine, int stage, int iteration);
    double value_of(const Engine& engine, const Point& point, Worker& worker);
    void cost_outcomes(const Engine& engine,
                       int node,
                       std::span<const double> state,
                       Worker& worker,
                       std::span<double> cost);
    double cost_of_root(Engine& engine);

    InnerBoundOptions options_;
    std::vector<StatePrices> prices_;                   // [nodes]
    std::vector<Point> lowest_;                         // [nodes]
    std::vector<double> lowest_value_;                  // [nodes]
    std::vector<NodeLp> lps_;                           // [nodes]
    std::vector<std::unique_ptr<lp::Solver>> solvers_;  // [threads]
};

}  // namespace lockstep::sddp
