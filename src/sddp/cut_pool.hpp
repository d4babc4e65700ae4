#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/base/aligned.hpp"
#include "lockstep/sddp/policy.hpp"

namespace lockstep::sddp {

/// Cuts of one stage: storage slopes and lag slopes as two aligned matrices, one row a cut.
///
/// All in dollars. Rows are padded with zeros to whole vectors. Cuts are only ever appended, in
/// item order, so an index names the same cut on every rank.
class CutPool {
public:
    CutPool(int hydros, int lags);

    [[nodiscard]] int size() const noexcept { return static_cast<int>(intercept_.size()); }
    [[nodiscard]] int hydros() const noexcept { return hydros_; }
    [[nodiscard]] int lags() const noexcept { return lags_; }

    /// Room for `cuts` more without another allocation.
    void reserve(int cuts);

    /// @param slopes  storages, then lags lag-major: [hydros × (1 + lags)]
    void add(double intercept, std::span<const double> slopes, int iteration, int trajectory);

    [[nodiscard]] double intercept(int cut) const noexcept { return intercept_[index(cut)]; }
    [[nodiscard]] int iteration(int cut) const noexcept { return iteration_[index(cut)]; }

    /// [hydros]
    [[nodiscard]] std::span<const double> storage_slopes(int cut) const noexcept {
        return {storage_.data() + index(cut) * storage_stride_, static_cast<std::size_t>(hydros_)};
    }
    /// Slopes of lag `lag` (0 = the inflow of the stage itself), [hydros]
    [[nodiscard]] std::span<const double> lag_slopes(int cut, int lag) const noexcept {
        return {lag_.data() + index(cut) * lag_stride_ +
                    static_cast<std::size_t>(lag) * static_cast<std::size_t>(hydros_),
                static_cast<std::size_t>(hydros_)};
    }

    /// value[c] = intercept + older lags' part: slopes of lag l + 1 times incoming lag l.
    void price_incoming(std::span<const double> incoming_lags, std::span<double> value) const;

    /// Slope of lag 0 times the stage's inflow, for one cut.
    [[nodiscard]] double inflow_part(int cut, std::span<const double> inflow) const;

    /// Storage slopes times storages, for one cut.
    [[nodiscard]] double storage_part(int cut, std::span<const double> storage) const;

    /// Iteration in which the cut last supported an optimal solution (its own to begin with).
    [[nodiscard]] int last_active(int cut) const noexcept { return last_active_[index(cut)]; }
    void mark_active(int cut, int iteration) { last_active_[index(cut)] = iteration; }

    [[nodiscard]] StageCuts to_policy() const;
    static CutPool from_policy(const StageCuts& cuts, int hydros, int lags);

private:
    [[nodiscard]] static std::size_t index(int cut) noexcept {
        return static_cast<std::size_t>(cut);
    }
    int hydros_;
    int lags_;
    std::size_t storage_stride_;
    std::size_t lag_stride_;
    AlignedVector<double> storage_;
    AlignedVector<double> lag_;
    std::vector<double> intercept_;
    std::vector<int> iteration_;
    std::vector<int> trajectory_;
    std::vector<int> last_active_;
};

}  // namespace lockstep::sddp
