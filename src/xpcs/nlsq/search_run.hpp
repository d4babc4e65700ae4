#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lockstep/runtime/random.hpp"
#include "lockstep/xpcs/nlsq/cma_es.hpp"

#include "xpcs/nlsq/dense.hpp"

namespace lockstep::xpcs::nlsq {

/// Costs of members of the unit cube's mirrored copies, and the best point so far.
class Arena {
public:
    Arena(const Box& box, int parameters, const EvaluateMany& evaluate);

    /// The member of the unit cube for a point of the box.
    [[nodiscard]] Vector member(std::span<const double> point) const;
    /// Costs [n] of members [n, p], never NaN.
    const std::vector<double>& costs(std::span<const double> members);

    /// The point of the box for member `number` of the last call.
    [[nodiscard]] std::vector<double> point(int number) const;
    [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }
    [[nodiscard]] double best() const { return best_; }
    [[nodiscard]] const std::vector<double>& best_point() const { return best_point_; }

private:
    void place(std::span<const double> members);

    const Box& box_;
    std::size_t parameters_;
    const EvaluateMany& evaluate_;
    std::vector<double> points_;  // of the box, for which the members stand
    std::vector<double> costs_;
    std::int64_t evaluations_ = 0;
    double best_;
    std::vector<double> best_point_;
};

/// What one run starts with.
struct RunPlan {
    int number = 0;
    Vector mean{};
    double step = 0;
    int population = 0;
    std::int64_t max_evaluations = 0;
};

SearchRun run_evolution(const RunPlan& plan,
                        Arena& arena,
                        const runtime::Random& random,
                        const CmaOptions& options);

}  // namespace lockstep::xpcs::nlsq
