#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/base/aligned.hpp"
#include "lockstep/base/bytes.hpp"
#include "lockstep/sddp/policy.hpp"

namespace lockstep::sddp {

/// Cuts of one stage, in dollars.
///
/// Slopes of the storages and of the stage's own inflow are stored by plant (one array over the
/// cuts each), so that all cuts are priced at a solution at once; slopes of older lags by cut. Cuts
/// are only ever appended, in item order, so an index names the same cut on every rank.
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

    [[nodiscard]] double storage_slope(int cut, int hydro) const noexcept {
        return storage_[index(hydro)][index(cut)];
    }
    /// Slope of the inflow of the stage itself, which leaves it as lag 0.
    [[nodiscard]] double inflow_slope(int cut, int hydro) const noexcept {
        return inflow_[index(hydro)][index(cut)];
    }
    /// Slopes of an older lag, that is of incoming lag `lag` - 1; lag in [1, lags). [hydros]
    [[nodiscard]] std::span<const double> lag_slopes(int cut, int lag) const noexcept {
        return {older_.data() + index(cut) * older_stride_ + index(lag - 1) * index(hydros_),
                index(hydros_)};
    }

    /// value[c] = intercept + older lags' part: slopes of lag l + 1 times incoming lag l.
    void price_incoming(std::span<const double> incoming_lags, std::span<double> value) const;

    /// value[c] += slopes of the stage's inflow times the inflow.
    void add_inflow_part(std::span<const double> inflow, std::span<double> value) const;

    /// value[c] += storage slopes times storages.
    void add_storage_part(std::span<const double> storage, std::span<double> value) const;

    /// Iteration in which the cut last supported an optimal solution (its own to begin with).
    [[nodiscard]] int last_active(int cut) const noexcept { return last_active_[index(cut)]; }
    void mark_active(int cut, int iteration) { last_active_[index(cut)] = iteration; }

    /// What rewind() needs.
    struct Mark {
        int size = 0;
        std::vector<int> last_active;
    };
    [[nodiscard]] Mark mark() const { return {size(), last_active_}; }
    /// Forgets all cuts and activity since `mark`.
    void rewind(const Mark& mark);

    /// Everything, activity included; unpack() makes an equal pool.
    void pack(ByteWriter& out) const;
    /// @throws InputError  the bytes end early or hold cuts of other states
    static CutPool unpack(ByteReader& in, int hydros, int lags);

    [[nodiscard]] StageCuts to_policy() const;
    static CutPool from_policy(const StageCuts& cuts, int hydros, int lags);

private:
    [[nodiscard]] static std::size_t index(int cut) noexcept {
        return static_cast<std::size_t>(cut);
    }
    int hydros_;
    int lags_;
    std::size_t older_stride_;
    std::vector<AlignedVector<double>> storage_;  // [hydros][cuts]
    std::vector<AlignedVector<double>> inflow_;   // [hydros][cuts], empty without lags
    AlignedVector<double> older_;                 // [cuts × older_stride_]
    std::vector<double> intercept_;
    std::vector<int> iteration_;
    std::vector<int> trajectory_;
    std::vector<int> last_active_;
};

}  // namespace lockstep::sddp
