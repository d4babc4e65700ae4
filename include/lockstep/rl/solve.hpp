#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/rl/model.hpp"
#include "lockstep/rl/rows.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::rl {

/// What a policy is worth in a state.
enum class Criterion {
    total,    ///< expected sum of rewards, that of step t times gamma^t, until the episode ends
    horizon,  ///< the same over the next `horizon` steps; decisions may depend on the step
    average,  ///< expected reward a step in the long run; an episode that ends begins anew
};

/// How values are found. Bounds are proven in the same way whatever found the values.
/// @par Source  [Puterman1994], chapters 6 to 8
enum class Method {
    automatic,                  ///< modified policy iteration, Gauss-Seidel where episodes end
    value_iteration,            ///< all states from the values of the sweep before (Jacobi)
    gauss_seidel,               ///< in place, forwards and backwards in turn, without self-loops
    modified_policy_iteration,  ///< some sweeps over the best actions alone after each over all
    policy_iteration,           ///< each policy evaluated to rounding; it ends from any first one
};

enum class Ending {
    proven,           ///< the bounds are as near as asked for
    iteration_limit,  ///< max_sweeps were made
    stopped,          ///< the observer asked for it
    rounding,         ///< double precision cannot bring the bounds nearer; what they are is proven
};
std::string_view to_string(Ending ending);

/// What solve() is asked for.
struct SolveOptions {
    Criterion criterion = Criterion::total;
    Method method = Method::automatic;
    double gamma = 1;                     ///< discount of a step, in [0, 1]; the average takes none
    double tolerance = 1e-9;              ///< half the distance of the bounds, in every state, > 0
    std::int64_t max_sweeps = 1'000'000;  ///< over all states or all pairs, >= 1
    int horizon = 0;                      ///< steps, >= 1 where it is the criterion
    double tie_tolerance = 1e-9;  ///< actions within this share of a state's value count as best
    /// policy_iteration: an action a state, legal where the state has one; empty: any
    std::vector<std::int32_t> first_policy;
    /// @throws InputError  names the option, what it is and what it may be
    void validate() const;
};

/// Between sweeps.
struct SweepReport {
    std::int64_t sweeps = 0;
    double change = 0;      ///< largest change of a value
    double half_width = 0;  ///< of the bounds so far, in the worst state; infinite: none yet
};

/// Receives what solve() has to tell, outside parallel regions.
class SolveObserver {
public:
    virtual ~SolveObserver() = default;
    virtual void on_sweep(const SweepReport&) {}
    /// Asked before every sweep.
    virtual bool stop_requested() { return false; }
};

/// Values with bounds that hold in exact arithmetic for the model whose probabilities are the given
/// ones over their sum (docs/rl-theory.md). The policy is worth at least the lower bound in every
/// state.
struct Solution {
    Ending ending = Ending::proven;
    std::int64_t sweeps = 0;
    double half_width = 0;      ///< largest (upper - lower)/2 of a state with a value
    std::vector<double> value;  ///< [states], between the bounds; 0 without legal actions
    std::vector<double> lower;  ///< [states]
    std::vector<double> upper;  ///< [states]
    std::vector<double> bias;   ///< [states], average: relative values; not proven
    std::vector<std::int32_t>
        policy;  ///< [states]; horizon: of the first step; -1: no legal action
    /// [horizon, states]: action with horizon - t steps to go; horizon only
    std::vector<std::int32_t> decisions;
    std::vector<std::uint8_t> optimal;  ///< [states, actions]: 1 where an action may be best
    /// States that no episode reaches and whose total is infinite or undefined: their bounds are
    /// infinite.
    std::vector<std::int32_t> undefined;
};

/// Optimal values and a policy that attains them. The same bits for any number of threads.
///
/// With gamma = 1 a policy that never ends while it earns nothing is worth what it earned until
/// then, and one that pays for ever is worth minus infinity.
/// @throws InputError  options
/// @throws ModelError  names states: with gamma = 1, from which no policy is certain to end, or in
/// which one can earn for ever, or where whether it can was not decided; average without starts
/// where episodes end
Solution solve(const Model& model,
               const SolveOptions& options,
               runtime::ThreadTeam& team,
               SolveObserver& observer);
/// Without storing the rows where gamma < 1 and Gauss-Seidel or value iteration is the method.
/// @param starts  where episodes begin; may be empty
Solution solve(const RowSource& rows,
               std::span<const Start> starts,
               const SolveOptions& options,
               runtime::ThreadTeam& team,
               SolveObserver& observer);

/// The states of a rank where ranks divide them.
StateRange own_states(int states, int rank, int ranks);
/// Whether ranks that divide the states find the bits that solve() finds without ranks where rows
/// are stored: for a horizon, for the total with gamma < 1 by sweeps over all pairs, and by
/// modified policy iteration where no episode ends. Where one may end, this evaluates policies by
/// levels of groups of states, which ranks do not divide; what gamma = 1 and the average need is
/// found by walks over the whole process.
bool is_divisible(const SolveOptions& options, const RowFacts& facts);
/// With the states divided among the ranks of a team: each stores the rows of its own, and asks
/// `rows` for no others; values of all states are on all. The same bits for any number of ranks and
/// threads. Collective, with the same options.
/// @throws InputError  options; the average; of the total gamma = 1, policy_iteration and
/// first_policy
Solution solve(const RowSource& rows,
               const SolveOptions& options,
               runtime::Team& team,
               SolveObserver& observer);

/// What a policy is worth.
/// @param policy  [states, actions] probabilities that add up to 1 within 1e-9 in each state with
/// legal actions
/// @throws InputError  names the state, action and number
/// @throws ModelError  as solve
Solution evaluate(const Model& model,
                  std::span<const double> policy,
                  const SolveOptions& options,
                  runtime::ThreadTeam& team,
                  SolveObserver& observer);
/// Of one action a state. Stores the rows of these actions alone.
/// @param policy  [states] actions, legal where the state has one
Solution evaluate(const RowSource& rows,
                  std::span<const Start> starts,
                  std::span<const std::int32_t> policy,
                  const SolveOptions& options,
                  runtime::ThreadTeam& team,
                  SolveObserver& observer);

}  // namespace lockstep::rl
