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
    /// Correlates only the entries of one class with each other.
    void apply(int stage, NoiseClass noise_class, std::span<double> noise) const;
    /// Correlates the entries of groups of several classes, of which the first is this one.
    void apply_across(int stage, NoiseClass first_class, std::span<double> noise) const;
    /// Sets of classes that some group holds together.
    [[nodiscard]] const std::vector<std::vector<NoiseClass>>& joined_classes() const noexcept {
        return joined_classes_;
    }

private:
    struct Block {
        NoiseClass noise_class = NoiseClass::inflow;  ///< of the first entity
        bool is_across = false;                       ///< whether others are of other classes
        std::vector<std::size_t> positions;           ///< in the noise vector
        std::vector<double> root;                     ///< [positions × positions]
    };
    std::vector<std::vector<Block>> profiles_;
    std::vector<int> profile_;  ///< [stages], -1: independent
    std::vector<std::vector<NoiseClass>> joined_classes_;

    /// @param repair  how far entries had to move, 0 for a matrix that data can have
    static Block make_block(const CorrelationGroup& group,
                            const NoiseLayout& layout,
                            double& repair);
    static void apply(const Block& block, std::span<double> noise);
    void apply_blocks(int stage,
                      NoiseClass noise_class,
                      bool is_across,
                      std::span<double> noise) const;
};

}  // namespace lockstep::sddp
