#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/base/matrix_view.hpp"
#include "lockstep/runtime/random.hpp"
#include "lockstep/runtime/thread_team.hpp"
#include "lockstep/xpcs/cmc/chain_team.hpp"
#include "lockstep/xpcs/cmc/linear_coordinates.hpp"
#include "lockstep/xpcs/cmc/nuts.hpp"

namespace lockstep::xpcs::cmc {

/// What points are drawn from, around a centre and with the shape of a covariance.
struct Proposal {
    /// Degrees of freedom of a Student-t with the covariance as its scale matrix; 0: Gaussian.
    int degrees_of_freedom = 0;
    double widening = 1;  ///< factor on all standard deviations, > 0
    int points = 10000;   ///< >= 1
};

/// Points with importance weights.
struct WeightedPoints {
    int dimension = 0;
    std::vector<double> values;       ///< [points][dimension]
    std::vector<double> log_density;  ///< [points], -infinity where it is zero or undefined
    std::vector<double> log_weights;  ///< [points], smoothed and normalised
    double k = 0;                     ///< as SmoothedWeights
    double effective_size = 0;
    double log_evidence = 0;  ///< of the integral of the density, from the unsmoothed weights

    [[nodiscard]] int count() const noexcept { return static_cast<int>(log_density.size()); }
    [[nodiscard]] MatrixView<const double> matrix() const {
        return {values.data(), count(), dimension};
    }
};

/// The points of a proposal by number, for whoever weighs them in pieces. A function of the
/// coordinates, the proposal, the seed, and the task.
class ProposalPoints {
public:
    /// Memory for draws of one thread.
    struct Scratch {
        std::vector<double> z;
        std::vector<double> of_scale;
    };

    /// @throws InputError  a setting is out of range
    ProposalPoints(LinearCoordinates coordinates,
                   const Proposal& proposal,
                   std::uint64_t seed,
                   std::uint32_t task);

    [[nodiscard]] int count() const noexcept { return proposal_.points; }
    [[nodiscard]] int dimension() const { return coordinates_.dimension(); }
    [[nodiscard]] Scratch scratch() const;
    /// The point into x [n].
    /// @returns its log density under the proposal
    double draw(std::ptrdiff_t point, Scratch& scratch, std::span<double> x) const;
    /// The weights of all points.
    /// @param log_density  [points]; NaN counts as zero density
    /// @throws InputError  another number of them; ModelError  the density is zero at every point
    [[nodiscard]] WeightedPoints weigh(std::vector<double> log_density) const;

private:
    [[nodiscard]] double constant() const;

    LinearCoordinates coordinates_;
    Proposal proposal_;
    std::uint32_t task_;
    runtime::Random normals_;
    runtime::Random scales_;
    double log_constant_;
};

/// Draws points and weighs them, the same bits for any number of threads.
/// @param make  called once a thread
/// @param stop  asked before each point
/// @throws InputError  sizes do not fit, a setting is out of range; ModelError  the density is zero
///         at every point, or `stop` ended it before all points were weighed
/// @par Source  [Vehtari2024]
WeightedPoints importance_sample(const MakeDensity& make,
                                 const LinearCoordinates& proposal_of,
                                 const Proposal& proposal,
                                 std::uint64_t seed,
                                 std::uint32_t task,
                                 runtime::ThreadTeam& threads,
                                 const Stop& stop = {});

/// Draws of equal weight by systematic resampling: point i comes ⌊n wᵢ⌋ or ⌈n wᵢ⌉ times, in a
/// keyed random order.
/// @return [count][dimension]
std::vector<double> resample(const WeightedPoints& points,
                             int count,
                             std::uint64_t seed,
                             std::uint32_t task);

}  // namespace lockstep::xpcs::cmc
