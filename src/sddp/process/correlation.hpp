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

/// Turns independent standard normals into correlated ones, by the profile of the stage.
class NoiseCorrelation {
public:
    /// No model: noise stays independent. A model that leaves the profile of a stage open, or names
    /// one that is missing, goes into `problems`.
    NoiseCorrelation(const Calendar& calendar,
                     const NoiseLayout& layout,
                     const std::optional<CorrelationModel>& model,
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

    static Block make_block(const CorrelationGroup& group, const NoiseLayout& layout);
    static void apply(const Block& block, std::span<double> noise);
};

}  // namespace lockstep::sddp
