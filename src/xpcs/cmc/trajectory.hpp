#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/runtime/random.hpp"
#include "lockstep/xpcs/cmc/covariance_factor.hpp"
#include "lockstep/xpcs/cmc/log_density.hpp"
#include "lockstep/xpcs/cmc/nuts.hpp"

namespace lockstep::xpcs::cmc {

/// The numbers of one chain, by what they are for.
class ChainRandom {
public:
    explicit ChainRandom(const ChainKey& key);

    void fill_momentum(std::uint32_t iteration, std::span<double> r) const {
        momentum_.fill_normal(item_, iteration, r);
    }
    [[nodiscard]] double direction(std::uint32_t iteration, std::uint32_t doubling) const {
        return direction_.uniform01(item_, iteration, doubling);
    }
    [[nodiscard]] double choice(std::uint32_t iteration, std::uint32_t merge) const {
        return choice_.uniform01(item_, iteration, merge);
    }
    /// Of one try in one search for a step size.
    void fill_search(std::uint32_t search, std::uint32_t trial, std::span<double> r) const {
        search_.fill_normal(item_, search << 16 | trial, r);
    }

private:
    std::uint64_t item_;
    runtime::Random momentum_;
    runtime::Random direction_;
    runtime::Random choice_;
    runtime::Random search_;
};

/// A place in the space of positions.
struct Point {
    std::vector<double> x;
    std::vector<double> gradient;  ///< in the coordinates of the momentum: Lᵀ times that of x
    double log_density = 0;
};

/// A place in phase space. With the metric's covariance L Lᵀ the momentum is kept as r = Lᵀ p,
/// which is Normal(0, I) and also L⁻¹ times the velocity: one vector serves where p and the
/// velocity would be needed.
struct PhasePoint {
    Point point;
    std::vector<double> r;
    [[nodiscard]] double energy() const;  ///< +infinity where the density is zero or undefined
};

/// One leapfrog step.
class Leapfrog {
public:
    Leapfrog(LogDensity& density, int dimension);
    void step(PhasePoint& place, const CovarianceFactor& metric, double step_size);
    /// Density and gradient at place.x.
    void evaluate(Point& point, const CovarianceFactor& metric);

private:
    LogDensity* density_;
    std::vector<double> scratch_;
};

/// What an iteration did.
struct Transition {
    double acceptance = 0;  ///< mean of min(1, e^-energy error) over the trajectory
    double energy = 0;      ///< at the new point
    int depth = 0;
    int leapfrogs = 0;
    bool is_divergent = false;
    bool is_stopped = false;  ///< the point is the old one
};

/// The doubling trajectory of one iteration and the memory for it.
class Trajectory {
public:
    Trajectory(LogDensity& density, int dimension, const NutsOptions& options);

    /// Replaces `point` by the next draw.
    Transition run(Point& point,
                   const CovarianceFactor& metric,
                   double step_size,
                   const ChainRandom& random,
                   std::uint32_t iteration,
                   const Stop& stop);
    [[nodiscard]] Leapfrog& leapfrog() noexcept { return leapfrog_; }

private:
    // A stretch of the trajectory: momenta at its two ends in the order in which it was walked,
    // their sum, and the point drawn from it.
    struct Stretch {
        std::vector<double> first;
        std::vector<double> last;
        std::vector<double> sum;
        Point draw;
        double draw_energy = 0;
        double log_weight = 0;
    };
    // What the steps of an iteration share.
    struct Walk {
        const CovarianceFactor& metric;
        const ChainRandom& random;
        std::uint32_t iteration;
        const Stop& stop;
        double start_energy;
        double acceptance = 0;
        std::uint32_t merges = 0;
        Transition result = {};
    };

    Stretch new_stretch(int dimension) const;
    void start(const Point& point, Walk& walk);
    bool extend(Walk& walk, int doubling, double step_size);
    bool grow(Walk& walk, PhasePoint& end, int doubling, double step_size);
    bool add_leaf(Walk& walk, PhasePoint& end, Stretch& leaf, double step_size);
    bool merge(Walk& walk, Stretch& a, Stretch& b);

    int max_depth_;
    double max_energy_error_;
    Leapfrog leapfrog_;
    std::array<PhasePoint, 2> ends_;  // of the whole trajectory: backward, forward
    Stretch whole_;
    std::vector<Stretch> stack_;
};

}  // namespace lockstep::xpcs::cmc
