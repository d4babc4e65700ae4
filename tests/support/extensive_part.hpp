#pragma once

#include <span>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"

#include "support/extensive_node.hpp"

namespace lockstep::test {

using Terms = std::vector<std::pair<int, double>>;  ///< (column, coefficient)

inline void append(Terms& terms, const Terms& more) {
    terms.insert(terms.end(), more.begin(), more.end());
}

/// What the parts of a node have in common: where they write, and the stage and outcome they are
/// for.
class NodePart {
public:
    NodePart(lp::ModelBuilder& builder,
             const sddp::Problem& problem,
             int stage,
             std::span<const double> noise,
             const CostSink& sink)
        : builder_(builder),
          problem_(problem),
          system_(problem.system),
          t_(stage),
          stage_(problem.calendar.stages[at(stage)]),
          noise_(noise),
          sink_(sink) {}

protected:
    [[nodiscard]] int hydro_count() const { return problem_.hydro_count(); }
    [[nodiscard]] int blocks() const { return static_cast<int>(stage_.blocks.size()); }
    /// Of a block, or of the stage for -1.
    [[nodiscard]] double hours(int k) const {
        return k < 0 ? stage_.hours() : stage_.blocks[at(k)].hours;
    }
    /// hm³ per m³/s kept up for a block, or for the stage for -1.
    [[nodiscard]] double water(int k) const { return sddp::hm3_per_m3s_hour * hours(k); }

    int column(double cost, double lower, double upper) {
        return add_column(builder_, sink_, cost, lower, upper);
    }

    void row(const Terms& terms, double lower, double upper) {
        const int index = builder_.add_row(lower, upper);
        for (const auto& [col, value] : terms) {
            builder_.add_entry(index, col, value);
        }
    }

    lp::ModelBuilder& builder_;
    const sddp::Problem& problem_;
    const sddp::System& system_;
    int t_;
    const sddp::Stage& stage_;
    std::span<const double> noise_;
    CostSink sink_;
};

}  // namespace lockstep::test
