#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/rl/learn/cells.hpp"
#include "lockstep/rl/learn/options.hpp"
#include "lockstep/rl/learn/table.hpp"
#include "lockstep/rl/learn/world.hpp"

#include "rl/learn/cell_store.hpp"

namespace lockstep::rl {

/// Tables that an algorithm keeps: double_q has two.
int planes_of(Algorithm algorithm) noexcept;

/// The table under way: [planes, states, actions].
class TableStore {
public:
    /// Fills legal pairs with the initial value, or begins with the first table.
    /// @throws InputError  that has another shape, or values too large for the precision
    TableStore(const World& world, const LearnOptions& options);

    [[nodiscard]] int states() const noexcept { return states_; }
    [[nodiscard]] int actions() const noexcept { return actions_; }
    [[nodiscard]] int planes() const noexcept { return planes_; }
    [[nodiscard]] std::size_t pairs() const noexcept { return legal_.size() * at_actions(); }
    [[nodiscard]] ActionMask legal(int s) const noexcept {
        return legal_[static_cast<std::size_t>(s)];
    }

    [[nodiscard]] Cells cells() noexcept { return store_.cells(); }
    /// Values and visits; a copy of it is what the table was then.
    [[nodiscard]] CellStore& store() noexcept { return store_; }
    [[nodiscard]] const CellStore& store() const noexcept { return store_; }

    /// Moves it to memory that the ranks of a node hold once; where that cannot be had it stays in,
    /// or comes back to, memory of this rank. If it throws the table is as it was.
    /// @param complete  makes of it what it is to be from now on, the same on every rank; called
    ///        where it is written
    /// @throws PeerFailed  a rank is gone
    /// Collective over the node.
    void move_to(const std::shared_ptr<comm::Communicator>& node,
                 const std::function<void(CellStore&)>& complete);
    [[nodiscard]] bool is_shared() const noexcept { return store_.shared() != nullptr; }
    /// Ranks that hold this one memory: 1 where it is this rank's.
    [[nodiscard]] int holders() const noexcept { return holders_; }
    /// What any rank of the node has written is seen by all. Collective over it where it is shared.
    /// @throws PeerFailed  a rank is gone
    void publish();

    /// What users get: of double_q the mean of both tables and all visits.
    [[nodiscard]] QTable table() const;

    /// Parts of at most some megabytes each, for checkpoints.
    [[nodiscard]] int parts() const noexcept;
    [[nodiscard]] std::vector<std::byte> part(int index) const;
    /// @throws InputError  of another shape or damaged
    void load_part(int index, std::span<const std::byte> bytes);

private:
    void fill(double initial_value);
    void begin_with(const QTable& first);
    [[nodiscard]] std::size_t at_actions() const noexcept {
        return static_cast<std::size_t>(actions_);
    }

    Algorithm algorithm_;
    Precision precision_;
    int states_;
    int actions_;
    int planes_;
    std::vector<ActionMask> legal_;  // [states]
    CellStore store_;
    int holders_ = 1;
};

}  // namespace lockstep::rl
