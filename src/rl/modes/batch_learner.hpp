#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/draws.hpp"
#include "lockstep/rl/learn/actors.hpp"
#include "lockstep/rl/learn/behaviour.hpp"
#include "lockstep/rl/learn/options.hpp"

#include "rl/learn/table_store.hpp"

namespace lockstep::rl {

/// Learns from transitions that others have made, in their order; from what it has kept of them as
/// well, where a replay buffer is asked for.
class BatchLearner {
public:
    BatchLearner(const World& world, const LearnOptions& options, TableStore& table);

    /// @param transitions  of a lock step
    /// @param played  transitions of all environments before these
    void learn(std::span<const Transition> transitions, std::int64_t played, Counts& counts);
    /// States that have changed are noted here: a bit a state.
    void track(std::uint64_t* touched) noexcept { touched_ = touched; }

    void save(ByteWriter& bytes) const;
    /// @throws InputError  damaged
    void load(ByteReader& bytes);

private:
    struct Update {
        std::ptrdiff_t cell;
        std::int32_t state;
        double target;
    };
    struct Pending {
        Update update;
        double value;  // of the cell when the target was computed
    };

    void update_all(std::span<const Transition> transitions, Counts& counts);
    [[nodiscard]] Update update_of(const Transition& transition);
    void update(const Transition& transition, Counts& counts);
    void accumulate(const Pending& pending, Counts& counts);
    [[nodiscard]] double next_value(const Cells& cells, const Transition& transition) const;
    [[nodiscard]] double double_target(const Cells& cells,
                                       const Transition& transition,
                                       int plane) const;
    void replay(Counts& counts);

    const LearnOptions& options_;
    TableStore& table_;
    Behaviour behaviour_;
    StepSizes step_sizes_;
    double gamma_;  // of what follows: negative where it is the other player's
    Streams coins_;
    Streams picks_;
    std::uint64_t updates_ = 0;
    std::uint64_t picked_ = 0;
    std::uint64_t* touched_ = nullptr;
    std::vector<Pending> pending_;
    std::vector<Transition> buffer_;  // a ring
    std::size_t next_slot_ = 0;
};

}  // namespace lockstep::rl
