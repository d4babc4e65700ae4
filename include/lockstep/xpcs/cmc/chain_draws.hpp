#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/base/matrix_view.hpp"

namespace lockstep::xpcs::cmc {

/// Draws of one chain and what the sampler says of each.
struct ChainDraws {
    int dimension = 0;
    std::vector<double> values;              ///< [draws][dimension]
    std::vector<double> log_density;         ///< [draws]
    std::vector<double> energy;              ///< [draws], Hamiltonian at the draw
    std::vector<double> acceptance;          ///< [draws], mean over the trajectory
    std::vector<std::int32_t> leapfrogs;     ///< [draws]
    std::vector<std::uint8_t> tree_depth;    ///< [draws]
    std::vector<std::uint8_t> is_divergent;  ///< [draws], 0 or 1

    [[nodiscard]] int count() const noexcept { return static_cast<int>(log_density.size()); }
    [[nodiscard]] MatrixView<const double> matrix() const {
        return {values.data(), count(), dimension};
    }
    [[nodiscard]] int divergences() const;
    [[nodiscard]] std::int64_t total_leapfrogs() const;
    [[nodiscard]] double mean_acceptance() const;  ///< 0 without draws
};

/// What the iterations cost that were not kept.
struct WarmupReport {
    std::int64_t leapfrogs = 0;  ///< with those of the searches for a step size
    std::int64_t divergences = 0;
};

/// One coordinate of several chains as the diagnostics take it: [chains][draws].
/// @throws InputError  chains of different lengths, or no such coordinate
std::vector<double> coordinate_of(std::span<const ChainDraws> chains, int coordinate);

}  // namespace lockstep::xpcs::cmc
