#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/base/shared_array.hpp"

namespace lockstep::xpcs {

/// Pairs i < j of `frames` frames.
[[nodiscard]] constexpr std::int64_t pair_count(int frames) noexcept {
    return std::int64_t{frames} * (frames - 1) / 2;
}

/// Where row i begins, the pairs (i, i+1), (i, i+2), …, (i, frames-1), when the rows i = 0, 1, …
/// are packed one after the other.
[[nodiscard]] constexpr std::int64_t pair_row(int i, int frames) noexcept {
    return std::int64_t{i} * (2 * std::int64_t{frames} - i - 1) / 2;
}

/// Two-time correlation matrices of one wavevector, one for each detector angle.
///
/// The matrices are symmetric, so that each pair of frames i < j is kept once, and the diagonal,
/// which holds photon noise, apart.
struct Measurement {
    double q = 0;                    ///< [Å⁻¹] wavevector, > 0
    double gap = 0;                  ///< [Å] between stator and rotor, > 0
    double dt = 0;                   ///< [s] between frames, > 0
    int frames = 0;                  ///< M, at least 2
    int first_frame = 1;             ///< t_k = (first_frame + k)·dt; at least 0. homodyne: 1
    std::vector<double> phi{};       ///< [angles] degrees in (-180, 180], ascending
    SharedArray<double> c2{};        ///< [angles, M(M-1)/2] packed as pair_row says; NaN: masked
    std::vector<double> diagonal{};  ///< [angles, M] as measured, not corrected; NaN: masked

    [[nodiscard]] int angles() const noexcept { return static_cast<int>(phi.size()); }
    /// [s] of frame k = 0, …, M-1.
    [[nodiscard]] double time(int k) const noexcept { return (first_frame + k) * dt; }
    /// Where row i of an angle begins in `c2`: the pairs (i, j) stand at row(angle, i) + j - i - 1.
    [[nodiscard]] std::size_t row(int angle, int i) const noexcept {
        return at(angle * pair_count(frames) + pair_row(i, frames));
    }

    /// The same frames and angles; `c2` and `diagonal` are empty.
    [[nodiscard]] Measurement without_values() const;

    /// @throws InputError  naming every field that is not as said above, an infinite value of an
    /// angle, or an angle without any value
    void validate() const;
};

/// The value of pair (i, j) in either order, or the diagonal's: slow, for tests and plots.
[[nodiscard]] double value_at(const Measurement& measurement, int angle, int i, int j) noexcept;

/// The diagonal of an angle made of its neighbours, as homodyne's loader does: the mean of the
/// pairs (k-1, k) and (k, k+1), at an end the one that there is.
/// @param before  the pair of the first frame with the one that was dropped before it; NaN: none
/// @return [frames]
[[nodiscard]] std::vector<double> neighbour_diagonal(
    const Measurement& measurement,
    int angle,
    double before = std::numeric_limits<double>::quiet_NaN());

}  // namespace lockstep::xpcs
