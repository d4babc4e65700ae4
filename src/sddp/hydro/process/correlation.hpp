#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/process.hpp"

namespace lockstep::sddp {

/// The symmetric D with D·D = matrix, for a symmetric matrix [size × size].
///
/// Eigenvalues below 0, which rounding or pairwise estimates may leave, count as 0.
std::vector<double> symmetric_root(std::span<const double> matrix, std::size_t size);

/// Where correlations come from. A matrix that no data can have is repaired and told; one that is
/// given and far from any that they can is refused.
enum class CorrelationSource { given, estimated };

/// Turns independent standard normals into correlated ones, by the profile of the stage.
class NoiseCorrelation {
public:
    /// No model: noise stays independent. A model that leaves the profile of a stage open, or names
    /// one that is missing, goes into `problems`.
    ///
    /// A matrix with negative eigenvalues is replaced by what its root without them gives, scaled
    /// to a diagonal of 1. A warning says how far entries move; for a given matrix more than 0.1 is
    /// an error.
    NoiseCorrelation(const Calendar& calendar,
                     const NoiseLayout& layout,
                     const std::optional<CorrelationModel>& model,
                     CorrelationSource source,
                     Problems& problems);

    /// Correlates a whole noise vector in place.
    void apply(int stage, std::span<double> noise) const;
    /// Correlates only the entries of one class.
    void apply(int stage, NoiseClass noise_class, std::span<double> noise) const;

private:
    struct Block {
        NoiseClass noise_class = NoiseClass::inflow;
        std::vector<std::size_t> positions;  ///< in the noise vector
        std::vector<double> root;            ///< [positions × positions]
    };
    std::vector<std::vector<Block>> profiles_;
    std::vector<int> profile_;  ///< [stages], -1: independent

    /// @param repair  how far entries had to move, 0 for a matrix that data can have
    static Block make_block(const CorrelationGroup& group,
                            const NoiseLayout& layout,
                            double& repair);
    static void apply(const Block& block, std::span<double> noise);
};

}  // namespace lockstep::sddp
