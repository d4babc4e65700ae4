#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lockstep/rl/rows.hpp"
#include "lockstep/rl/solve.hpp"

#include "rl/solve/equations/linear.hpp"
#include "rl/solve/sweeps/plan.hpp"
#include "rl/solve/sweeps/progress.hpp"
#include "rl/solve/sweeps/workers.hpp"

namespace lockstep::rl {

/// What policies are worth, as far as the plan asks for it.
class PolicyValues {
public:
    PolicyValues(const RowSource& rows,
                 const RowFacts& facts,
                 const SolveOptions& options,
                 const Plan& plan,
                 Progress& progress,
                 const Workers& workers);

    /// The policies that follow are this one, as numbers of pairs.
    void take(const std::vector<std::int32_t>& policy);
    /// Improves v.
    /// @param share  of its first error that may be left, where equations are solved
    /// @param least  error that is small enough
    void improve(std::vector<double>& v, double share, double least);

private:
    bool solve_densely(std::vector<double>& v);
    void solve_equations(std::vector<double>& v, double share, double least);
    void sweep_policy(std::vector<double>& v);
    double sweep_equations(std::vector<double>& v, std::int64_t most, double share, double least);

    const RowSource& rows_;
    const RowFacts& facts_;
    const SolveOptions& options_;
    const Plan plan_;
    Progress& progress_;
    const Workers workers_;
    std::vector<std::int32_t> policy_;
    std::unique_ptr<RowTable> table_;           // of the policy, once asked for
    std::optional<PolicyEquations> equations_;  // likewise
    std::vector<double> next_;
    int rounds_ = 0;
    bool is_backwards_ = false;
};

}  // namespace lockstep::rl
