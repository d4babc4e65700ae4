#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "lockstep/runtime/rounds.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/xpcs/cmc/chain_team.hpp"

#include "xpcs/sampling/pace.hpp"

namespace lockstep::xpcs {

/// Chains dealt to ranks, each on a thread. After each round every rank has all of them, so that
/// survivors of a lost rank can do the round again, and checkpoints need no gathering.
class ChainRounds final : public runtime::Rounds {
public:
    /// @param chains  not begun, or restored; referred to
    /// @param goes_on  asked between rounds; collective
    ChainRounds(runtime::Team& team, cmc::ChainTeam& chains, std::function<bool()> goes_on);

    /// Of each chain, as it was saved after the last round.
    [[nodiscard]] const std::vector<std::vector<std::byte>>& saved() const noexcept {
        return saved_;
    }
    [[nodiscard]] double seconds_a_leapfrog() const noexcept;

    void begin(std::int64_t) override {}
    void work() override;
    void confirm() override { team_.ranks.barrier(); }
    void commit() override;
    bool is_over() override { return chains_.done() || !goes_on_(); }
    void drop() override;
    void repartition() override {}

private:
    [[nodiscard]] std::vector<int> own_chains() const;
    [[nodiscard]] std::int64_t leapfrogs() const;
    void exchange();

    runtime::Team& team_;
    cmc::ChainTeam& chains_;
    std::function<bool()> goes_on_;
    std::vector<std::vector<std::byte>> saved_;    // [chains]
    std::vector<std::vector<std::byte>> pending_;  // [chains] of the round
    Pace pace_;
    double seconds_ = 0;        // of the round, of the slowest rank
    double timed_seconds_ = 0;  // of all rounds
    std::int64_t first_leapfrogs_;
};

}  // namespace lockstep::xpcs
