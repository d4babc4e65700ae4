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

    template <typename V>
    void learn_on(const CellsOf<V>& cells, std::span<const Transition> transitions, Counts& counts);
    void keep(std::span<const Transition> transitions);
    template <typename V>
    void update_all(const CellsOf<V>& cells,
                    std::span<const Transition> transitions,
                    Counts& counts);
    template <typename V>
    [[nodiscard]] Update update_of(const CellsOf<V>& cells, const Transition& transition);
    template <typename V>
    void update(const CellsOf<V>& cells, const Transition& transition, Counts& counts);
    template <typename V>
    void accumulate(const CellsOf<V>& cells, const Pending& pending, Counts& counts);
    template <typename V>
    [[nodiscard]] double next_value(const CellsOf<V>& cells, const Transition& transition) const;
    template <typename V>
    [[nodiscard]] double double_target(const CellsOf<V>& cells,
                                       const Transition& transition,
                                       int plane) const;

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
