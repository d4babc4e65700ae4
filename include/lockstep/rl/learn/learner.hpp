#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "lockstep/base/bytes.hpp"
#include "lockstep/rl/learn/cells.hpp"
#include "lockstep/rl/learn/schedule.hpp"

namespace lockstep::rl {

/// What an update was.
struct Change {
    double error = 0;  ///< target - value before
    double alpha = 0;
};

/// Moves a cell of state `s` to a target.
template <Access A, typename V>
[[gnu::always_inline]] inline Change move_to(const CellsOf<V>& cells,
                                             std::ptrdiff_t cell,
                                             std::int32_t s,
                                             double target,
                                             const StepSizes& step_sizes) noexcept {
    const double alpha = step_sizes(visit<A>(cells, cell));
    const double value = value_at<A>(cells, cell);
    const double error = target - value;
    set_value<A>(cells, cell, value + alpha * error);
    touch<A>(cells, s);
    return {error, alpha};
}

/// What happened while learners ran.
struct Counts {
    std::int64_t transitions = 0;
    std::int64_t episodes = 0;           ///< that have ended
    std::int64_t steps_of_episodes = 0;  ///< of those
    double returns = 0;                  ///< sum over those, undiscounted
    double errors = 0;                   ///< sum of |target - value|
    double step_sizes = 0;               ///< sum

    void note(const Change& change) noexcept {
        errors += std::abs(change.error);
        step_sizes += change.alpha;
    }
    void add(const Counts& other) noexcept {
        transitions += other.transitions;
        episodes += other.episodes;
        steps_of_episodes += other.steps_of_episodes;
        returns += other.returns;
        errors += other.errors;
        step_sizes += other.step_sizes;
    }
};

/// Counts, and what the last episodes paid.
struct Tally : Counts {
    static constexpr std::size_t kept = 256;
    std::array<double, kept> last_returns{};  ///< a ring: episode e at e % kept

    void end_episode(double paid, std::int64_t steps) noexcept {
        last_returns[static_cast<std::size_t>(episodes) % kept] = paid;
        ++episodes;
        steps_of_episodes += steps;
        returns += paid;
    }
};

/// One environment and who learns in it, whatever their types. What it draws depends on the seed,
/// the number of its environment and the step, on nothing else.
class Learner {
public:
    virtual ~Learner() = default;
    Learner() = default;
    Learner(const Learner&) = delete;
    Learner& operator=(const Learner&) = delete;

    /// Learns from so many transitions, and goes on where the last call ended.
    /// @throws ModelError  names the state: a reward or value that is no finite number, no legal
    /// action where the episode goes on
    virtual void run(std::int64_t transitions, const Cells& cells, Access access, Tally& tally) = 0;

    /// All that later calls depend on, beside the table.
    virtual void save(ByteWriter& bytes) const = 0;
    /// @throws InputError  the bytes are damaged
    virtual void load(ByteReader& bytes) = 0;
};

}  // namespace lockstep::rl
