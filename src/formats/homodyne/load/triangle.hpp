#pragma once

#include <span>

namespace lockstep::formats::homodyne {

/// Which part of a square matrix holds the values.
enum class Triangle {
    upper,  ///< with the diagonal; below it zeros or NaN
    lower,
    both,        ///< symmetric
    asymmetric,  ///< neither: no two-time correlation
};

/// @param matrix  [frames, frames]
Triangle triangle_of(std::span<const double> matrix, int frames);

/// The value of pair (i, j), i <= j, of a matrix of that kind.
inline double pair_value(
    std::span<const double> matrix, int frames, Triangle triangle, int i, int j) {
    const int row = triangle == Triangle::lower ? j : i;
    const int column = triangle == Triangle::lower ? i : j;
    return matrix[static_cast<std::size_t>(row) * static_cast<std::size_t>(frames) +
                  static_cast<std::size_t>(column)];
}

}  // namespace lockstep::formats::homodyne
