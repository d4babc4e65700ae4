#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/rows.hpp"
#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::rl {

/// Whether a policy that never ends can have an average of 0 or more.
enum class Earning : std::uint8_t { no, for_ever, undecided };
struct EarningStates {
    std::vector<Earning> of;  ///< [states]
};
/// For a table without pairs between which one idles: equation (6).
EarningStates earning_states(const RowTable& table,
                             const RowFacts& facts,
                             runtime::ThreadTeam& team);

/// Relative value iteration: h - h(first) + damping·(Th - h), where T is a backup with gamma 1.
/// @par Source  [Puterman1994], section 8.5
class RelativeSweeps {
public:
    RelativeSweeps(const RowSource& source, const RowFacts& facts);
    /// One sweep.
    void sweep(runtime::ThreadTeam& team);
    /// Bounds on the best average of every state, from the last sweep.
    [[nodiscard]] double low() const noexcept { return low_; }
    [[nodiscard]] double high() const noexcept { return high_; }
    /// Whether rounding is most of their distance.
    [[nodiscard]] bool is_at_rounding() const noexcept { return is_at_rounding_; }
    [[nodiscard]] double change() const noexcept { return change_; }
    [[nodiscard]] const std::vector<double>& values() const noexcept { return h_; }
    [[nodiscard]] const std::vector<std::int32_t>& choice() const noexcept { return choice_; }

private:
    const RowSource& source_;
    const RowFacts& facts_;
    std::vector<double> h_;
    std::vector<double> next_;
    std::vector<std::int32_t> choice_;
    double low_ = 0;
    double high_ = 0;
    double change_ = 0;
    bool is_at_rounding_ = false;
};

}  // namespace lockstep::rl
