#include "sddp/hydro/process/fitting/linear.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace lockstep::sddp {
namespace {

std::size_t largest_below(MatrixView<double> matrix, std::size_t column, std::size_t size) {
    std::size_t best = column;
    for (std::size_t row = column + 1; row < size; ++row) {
        if (std::abs(matrix(row, column)) > std::abs(matrix(best, column))) {
            best = row;
        }
    }
    return best;
}

void eliminate(MatrixView<double> matrix, std::span<double> right, std::size_t pivot) {
    for (std::size_t row = pivot + 1; row < right.size(); ++row) {
        const double factor = matrix(row, pivot) / matrix(pivot, pivot);
        if (factor == 0) {
            continue;
        }
        for (std::size_t column = pivot; column < right.size(); ++column) {
            matrix(row, column) -= factor * matrix(pivot, column);
        }
        right[row] -= factor * right[pivot];
    }
}

void substitute_back(MatrixView<double> matrix, std::span<double> right) {
    for (std::size_t row = right.size(); row-- > 0;) {
        for (std::size_t column = row + 1; column < right.size(); ++column) {
            right[row] -= matrix(row, column) * right[column];
        }
        right[row] /= matrix(row, row);
    }
}

}  // namespace

bool solve_linear(MatrixView<double> matrix, std::span<double> right) {
    for (std::size_t pivot = 0; pivot < right.size(); ++pivot) {
        const std::size_t best = largest_below(matrix, pivot, right.size());
        if (!(std::abs(matrix(best, pivot)) >= std::numeric_limits<double>::epsilon())) {
            return false;
        }
        std::ranges::swap_ranges(matrix.row(best), matrix.row(pivot));
        std::swap(right[best], right[pivot]);
        eliminate(matrix, right, pivot);
    }
    substitute_back(matrix, right);
    return true;
}

}  // namespace lockstep::sddp
