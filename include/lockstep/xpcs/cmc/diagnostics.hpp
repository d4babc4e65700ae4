#pragma once

#include <span>

#include "lockstep/base/matrix_view.hpp"

namespace lockstep::xpcs::cmc {

/// How far draws of one quantity, [chains][draws], can be trusted.
///
/// Chains are cut into halves, the middle draw of an odd number is left out. NaN: fewer than four
/// draws a chain, or a value that is not finite. Constant draws count as independent ones, as
/// elsewhere.
/// @par Source  [Vehtari2021], [Geyer1992]
/// @{

/// Ratio of the spread of all draws to that within chains, of ranks: the larger of `bulk` (the
/// draws) and `tail` (their distances from the median). NaN for one chain.
struct RHat {
    double bulk = 0;
    double tail = 0;
    [[nodiscard]] double value() const { return tail > bulk ? tail : bulk; }
};
RHat split_rhat(MatrixView<const double> chains);

double ess_bulk(MatrixView<const double> chains);  ///< of the ranks
/// The smaller one of the 5 % and the 95 % quantile.
double ess_tail(MatrixView<const double> chains);
double ess_mean(MatrixView<const double> chains);
double ess_sd(MatrixView<const double> chains);
/// @param probability  in (0, 1)
double ess_quantile(MatrixView<const double> chains, double probability);

double mcse_mean(MatrixView<const double> chains);
double mcse_sd(MatrixView<const double> chains);
double mcse_quantile(MatrixView<const double> chains, double probability);
/// @}

/// All of it that a table shows.
struct Summary {
    double mean = 0;
    double sd = 0;
    double q05 = 0;
    double median = 0;
    double q95 = 0;
    RHat rhat;
    double ess_bulk = 0;
    double ess_tail = 0;
    double mcse_mean = 0;
    double mcse_sd = 0;
};
Summary summarise(MatrixView<const double> chains);

/// Quantile by linear interpolation between order statistics (the default of NumPy).
/// @param sorted  ascending, at least one
double quantile_of_sorted(std::span<const double> sorted, double probability);

/// Estimated Bayesian fraction of missing information of one chain's energies; below 0.3 the
/// momenta hardly move the chain between levels of energy. NaN for fewer than three.
/// @par Source  [Betancourt2016]
double e_bfmi(std::span<const double> energies);

}  // namespace lockstep::xpcs::cmc
