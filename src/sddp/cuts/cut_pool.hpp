#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/sddp/policy.hpp"

namespace lockstep::sddp {

/// Cuts of one stage, in dollars, and when each was last of use.
///
/// Cuts are only ever appended, in item order, so an index names the same cut on every rank.
class CutPool {
public:
    CutPool(int hydros, int lags) : slopes_(hydros, lags) {}

    [[nodiscard]] int size() const noexcept { return static_cast<int>(intercept_.size()); }
    [[nodiscard]] const CutSlopes& slopes() const noexcept { return slopes_; }
    /// Where the slopes lie may be changed from outside.
    [[nodiscard]] CutSlopes& slopes() noexcept { return slopes_; }

    /// Room for `cuts` more without another allocation.
    void reserve(int cuts);

    /// @param slopes  storages, then lags lag-major: [hydros × (1 + lags)]
    void add(double intercept, std::span<const double> slopes, int iteration, int trajectory);

    [[nodiscard]] double intercept(int cut) const noexcept { return intercept_[at(cut)]; }
    [[nodiscard]] int iteration(int cut) const noexcept { return iteration_[at(cut)]; }
    [[nodiscard]] int trajectory(int cut) const noexcept { return trajectory_[at(cut)]; }

    /// value[c] = intercept + older lags' part: slopes of lag l + 1 times incoming lag l.
    void price_incoming(std::span<const double> incoming_lags, std::span<double> value) const;

    /// value[c] += slopes of the stage's inflow times the inflow.
    void add_inflow_part(std::span<const double> inflow, std::span<double> value) const;

    /// Intercept and all that follows from the lags before the stage and its inflow, for one cut.
    [[nodiscard]] double lag_part(int cut,
                                  std::span<const double> incoming_lags,
                                  std::span<const double> inflow) const;

    /// value[c] += storage slopes times storages.
    void add_storage_part(std::span<const double> storage, std::span<double> value) const;

    /// Iteration in which the cut last supported an optimal solution (its own to begin with).
    [[nodiscard]] int last_active(int cut) const noexcept { return last_active_[at(cut)]; }
    void mark_active(int cut, int iteration) { last_active_[at(cut)] = iteration; }

    /// What rewind() needs.
    struct Mark {
        int size = 0;
        std::vector<int> last_active;
    };
    [[nodiscard]] Mark mark() const { return {size(), last_active_}; }
    /// Forgets all cuts and activity since `mark`.
    void rewind(const Mark& mark);

    /// Everything but the slopes, activity included.
    void pack(ByteWriter& out) const;
    /// An equal pool, whose slopes are still to be added.
    /// @throws InputError  the bytes end early or do not fit each other
    static CutPool unpack(ByteReader& in, int hydros, int lags);

    [[nodiscard]] StageCuts to_policy() const;
    /// Without the cuts that are not active; with all of them, the slopes are shared.
    static CutPool from_policy(const StageCuts& cuts, int hydros, int lags);

private:
    CutSlopes slopes_;
    std::vector<double> intercept_;
    std::vector<std::int32_t> iteration_;
    std::vector<std::int32_t> trajectory_;
    std::vector<int> last_active_;
};

}  // namespace lockstep::sddp
