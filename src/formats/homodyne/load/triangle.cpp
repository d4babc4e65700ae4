#include "formats/homodyne/load/triangle.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::formats::homodyne {
namespace {

// Matrices of single precision that were made symmetric by adding differ by rounding.
constexpr double same = 1e-5;

bool is_nothing(double value) {
    return value == 0 || std::isnan(value);
}

bool is_same(double a, double b) {
    return std::isnan(a) || std::isnan(b) ||
           std::abs(a - b) <= same * std::max({1.0, std::abs(a), std::abs(b)});
}

}  // namespace

Triangle triangle_of(std::span<const double> matrix, int frames) {
    bool lower_is_empty = true;
    bool upper_is_empty = true;
    bool is_symmetric = true;
    for (int i = 0; i < frames; ++i) {
        for (int j = i + 1; j < frames; ++j) {
            const double upper = pair_value(matrix, frames, Triangle::upper, i, j);
            const double lower = pair_value(matrix, frames, Triangle::lower, i, j);
            lower_is_empty = lower_is_empty && is_nothing(lower);
            upper_is_empty = upper_is_empty && is_nothing(upper);
            is_symmetric = is_symmetric && is_same(upper, lower);
        }
        if (!lower_is_empty && !upper_is_empty && !is_symmetric) {
            return Triangle::asymmetric;
        }
    }
    if (lower_is_empty) {
        return Triangle::upper;
    }
    return upper_is_empty ? Triangle::lower : Triangle::both;
}

}  // namespace lockstep::formats::homodyne
