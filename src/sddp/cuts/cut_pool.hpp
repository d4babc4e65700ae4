#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/sddp/policy.hpp"

namespace lockstep::sddp {

/// Cuts of one stage, in dollars, when each was last of use, and whether LPs may take it.
///
/// Cuts are only ever appended, in item order, so an index names the same cut on every rank.
class CutPool {
public:
    explicit CutPool(StateLayout states) : slopes_(states) {}

    [[nodiscard]] int size() const noexcept { return static_cast<int>(intercept_.size()); }
    [[nodiscard]] const CutSlopes& slopes() const noexcept { return slopes_; }
    /// Where the slopes lie may be changed from outside.
    [[nodiscard]] CutSlopes& slopes() noexcept { return slopes_; }

    /// Room for `cuts` more without another allocation.
    void reserve(int cuts);

    /// @param slopes   [states]
    /// @param outcome  of those that may follow, whose cost it bounds; -1: of all together
    void add(double intercept,
             std::span<const double> slopes,
             int iteration,
             int trajectory,
             int outcome = -1);

    [[nodiscard]] double intercept(int cut) const noexcept { return intercept_[at(cut)]; }
    [[nodiscard]] int iteration(int cut) const noexcept { return iteration_[at(cut)]; }
    [[nodiscard]] int trajectory(int cut) const noexcept { return trajectory_[at(cut)]; }
    [[nodiscard]] int outcome(int cut) const noexcept { return outcome_[at(cut)]; }

    // The value of cut c at a state, in the order in which a unit of work learns of it.

    /// value[c] = intercept + the part of the older states.
    void price_older(std::span<const double> older, std::span<double> value) const;

    /// value[c] += the part of the fresh states, of which `drawn` may have more behind them.
    void add_fresh_part(std::span<const double> drawn, std::span<double> value) const;

    /// value[c] += the part of the decided states.
    void add_decided_part(std::span<const double> decided, std::span<double> value) const;

    /// Intercept and the part of all carried states, for one cut.
    [[nodiscard]] double carried_part(int cut,
                                      std::span<const double> older,
                                      std::span<const double> drawn) const;

    /// Iteration in which the cut last supported an optimal solution (its own to begin with).
    [[nodiscard]] int last_active(int cut) const noexcept { return last_active_[at(cut)]; }
    void mark_active(int cut, int iteration) { last_active_[at(cut)] = iteration; }

    /// Whether the cut is selected: LPs take others only where a basis still rests on them.
    [[nodiscard]] bool is_selected(int cut) const noexcept { return selected_[at(cut)] != 0; }
    [[nodiscard]] int selected_count() const noexcept { return selected_count_; }
    void select(int cut, bool is_selected);

    /// What rewind() needs.
    struct Mark {
        int size = 0;
        std::vector<int> last_active;
        std::vector<std::uint8_t> selected;
    };
    [[nodiscard]] Mark mark() const { return {size(), last_active_, selected_}; }
    /// Forgets all cuts, activity and selection since `mark`.
    void rewind(const Mark& mark);

    /// Everything but the slopes, activity and selection included.
    void pack(ByteWriter& out) const;
    /// An equal pool, whose slopes are still to be added.
    /// @throws InputError  the bytes end early or do not fit each other
    static CutPool unpack(ByteReader& in, StateLayout states);

    [[nodiscard]] StageCuts to_policy() const;
    /// The slopes are shared.
    static CutPool from_policy(const StageCuts& cuts, StateLayout states);

private:
    void count_selected();

    CutSlopes slopes_;
    std::vector<double> intercept_;
    std::vector<std::int32_t> iteration_;
    std::vector<std::int32_t> trajectory_;
    std::vector<std::int32_t> outcome_;
    std::vector<int> last_active_;
    std::vector<std::uint8_t> selected_;
    int selected_count_ = 0;
};

}  // namespace lockstep::sddp
