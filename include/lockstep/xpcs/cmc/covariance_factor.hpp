#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::xpcs::cmc {

/// L of a covariance L Lᵀ: diagonal, or lower triangular (Cholesky). Products allocate nothing.
class CovarianceFactor {
public:
    /// @param variances  [n], each > 0
    /// @throws InputError  names the first variance that is not positive
    static CovarianceFactor diagonal(std::span<const double> variances);
    /// @param covariance  [n][n], row by row; only the lower triangle is read
    /// @throws InputError  not positive definite: names the row
    static CovarianceFactor dense(std::span<const double> covariance);

    [[nodiscard]] int dimension() const noexcept { return static_cast<int>(n_); }
    [[nodiscard]] bool is_diagonal() const noexcept { return columns_.empty(); }

    void multiply(std::span<const double> z, std::span<double> x) const;  ///< x = L z
    /// z = Lᵀ x
    void multiply_transposed(std::span<const double> x, std::span<double> z) const;
    void solve(std::span<double> x) const;              ///< x becomes L⁻¹ x
    void solve_transposed(std::span<double> x) const;   ///< x becomes L⁻ᵀ x
    [[nodiscard]] double log_determinant() const;       ///< of L: half that of the covariance
    [[nodiscard]] std::vector<double> inverse() const;  ///< (L Lᵀ)⁻¹, [n][n], symmetric in bits

private:
    std::size_t n_ = 0;
    std::vector<double> rows_;     // the diagonal [n], or L row by row [n][n]
    std::vector<double> columns_;  // L column by column, empty when diagonal
};

}  // namespace lockstep::xpcs::cmc
