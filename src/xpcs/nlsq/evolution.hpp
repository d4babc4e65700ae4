#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/runtime/random.hpp"

#include "xpcs/nlsq/dense.hpp"

namespace lockstep::xpcs::nlsq {

/// Constants of a run, functions of population and dimension [Hansen2016, table 1].
struct EvolutionRates {
    EvolutionRates(int population, int dimension);

    Vector weights;           ///< [population] by rank; the positive ones have sum 1
    int parents = 0;          ///< number of the positive ones
    double effective = 0;     ///< how many equal weights they stand for
    double step_path = 0;     ///< c_σ
    double step_damping = 0;  ///< d_σ
    double shape_path = 0;    ///< c_c
    double rank_one = 0;      ///< c_1
    double rank_many = 0;     ///< c_µ
    double usual_length = 0;  ///< of a standard normal vector
};

/// The distribution of one run, from generation to generation.
class Evolution {
public:
    Evolution(Vector mean, double step, int population);

    /// Members [population, p] of this generation.
    std::span<const double> sample(const runtime::Random& random, std::uint64_t item);
    /// @param order  numbers of the members, best first
    void update(std::span<const int> order);

    [[nodiscard]] double step() const { return step_; }
    /// The widest standard deviation along a coordinate.
    [[nodiscard]] double width() const;
    /// Longest by shortest axis.
    [[nodiscard]] double elongation() const { return axes_.maxCoeff() / axes_.minCoeff(); }

private:
    void move_paths(const Vector& shift, const Vector& white_shift);
    void reshape(std::span<const int> order);
    void take_axes();

    EvolutionRates rates_;
    Vector mean_;
    double step_;
    Matrix shape_;       // C
    Matrix directions_;  // its eigenvectors
    Vector axes_;        // roots of its eigenvalues
    Vector step_path_;
    Vector shape_path_;
    Matrix white_;            // [p, population] standard normal numbers of the generation
    Matrix offsets_;          // [p, population] the same shaped, before the step
    Matrix members_;          // [p, population]
    double path_memory_ = 1;  // (1 - c_σ)^(2 generations)
    bool path_is_short_ = true;
};

}  // namespace lockstep::xpcs::nlsq
