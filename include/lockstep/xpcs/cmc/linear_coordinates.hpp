#pragma once

#include <span>
#include <vector>

#include "lockstep/xpcs/cmc/chain_draws.hpp"
#include "lockstep/xpcs/cmc/covariance_factor.hpp"
#include "lockstep/xpcs/cmc/log_density.hpp"

namespace lockstep::xpcs::cmc {

/// x = centre + L z with L Lᵀ a covariance: a posterior near Normal(centre, covariance) is near
/// Normal(0, I) in z.
class LinearCoordinates {
public:
    /// @param centre      [n]
    /// @param covariance  [n][n], row by row
    /// @throws InputError  not positive definite, or of another size than `centre`
    LinearCoordinates(std::vector<double> centre, std::span<const double> covariance);

    [[nodiscard]] int dimension() const noexcept { return factor_.dimension(); }
    [[nodiscard]] const CovarianceFactor& factor() const noexcept { return factor_; }
    void to_x(std::span<const double> z, std::span<double> x) const;
    void to_z(std::span<const double> x, std::span<double> z) const;

private:
    std::vector<double> centre_;
    CovarianceFactor factor_;
};

/// Draws of a WhitenedDensity as those of the density itself.
ChainDraws in_x(ChainDraws draws, const LinearCoordinates& coordinates);

/// A density seen in linear coordinates. The map's Jacobian is a constant and left out. Keeps
/// references to both.
class WhitenedDensity final : public LogDensity {
public:
    /// @throws InputError  dimensions differ
    WhitenedDensity(LogDensity& density, const LinearCoordinates& coordinates);

    [[nodiscard]] int dimension() const override { return coordinates_->dimension(); }
    double evaluate(std::span<const double> z, std::span<double> gradient) override;
    double evaluate(std::span<const double> z) override;
    [[nodiscard]] int useful_threads() const override { return density_->useful_threads(); }
    void spread_over(runtime::ThreadTeam* threads) override { density_->spread_over(threads); }

private:
    LogDensity* density_;
    const LinearCoordinates* coordinates_;
    std::vector<double> x_;
    std::vector<double> gradient_;
};

}  // namespace lockstep::xpcs::cmc
