#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/rows.hpp"

#include "rl/solve/sweeps/workers.hpp"

namespace lockstep::rl {

/// What a sweep changed.
struct Change {
    double least = 0;  ///< smallest difference new - old of a state with legal actions
    double most = 0;   ///< and the largest
    double size = 0;   ///< largest |new value|
    [[nodiscard]] Change with(const Change& other) const noexcept;
    /// Largest change either way.
    [[nodiscard]] double largest() const noexcept;
};

/// R + gamma·Σ p·v of a pair, summed in the order of the successors: q of equation (1).
inline double backup(const RowBlock& rows, std::int64_t pair, const double* v, double gamma) {
    double sum = 0;
    for (std::int64_t k = rows.first[pair]; k < rows.first[pair + 1]; ++k) {
        sum += rows.probability[k] * v[rows.next[k]];
    }
    return rows.reward[pair] + gamma * sum;
}

/// out = max over pairs of what v gives; `choice`, unless empty, is the number of the best pair of
/// each state among its own, the first among equals; -1: none. Collective, as the others.
Change jacobi_sweep(const RowSource& source,
                    double gamma,
                    std::span<const double> v,
                    std::span<double> out,
                    std::span<std::int32_t> choice,
                    const Workers& workers);

/// Sweeps in place. States are divided into blocks of a fixed length; a block sees the new values
/// of its own states and the old ones of others, so that threads change nothing.
class GaussSeidel {
public:
    GaussSeidel(const RowSource& source, double gamma) : source_(source), gamma_(gamma) {}
    /// As jacobi_sweep; v changes.
    Change sweep(std::span<double> v,
                 bool backwards,
                 std::span<std::int32_t> choice,
                 const Workers& workers);

private:
    const RowSource& source_;
    double gamma_;
    std::vector<double> old_;
};

}  // namespace lockstep::rl
