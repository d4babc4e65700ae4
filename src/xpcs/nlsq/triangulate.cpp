#include "xpcs/nlsq/triangulate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace lockstep::xpcs::nlsq {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// The length, also where squares would overflow or vanish.
double length(std::span<const double> v) {
    double largest = 0;
    for (const double x : v) {
        largest = std::max(largest, std::abs(x));
    }
    if (largest == 0) {
        return 0;
    }
    double sum = 0;
    for (const double x : v) {
        sum += (x / largest) * (x / largest);
    }
    return largest * std::sqrt(sum);
}

// Makes v the direction to reflect along, so that v itself becomes (result, 0, …, 0).
double reflector(std::span<double> v) {
    const double size = length(v);
    if (size == 0) {
        return 0;
    }
    for (double& x : v) {
        x /= size;
    }
    const double sign = v[0] < 0 ? -1 : 1;
    v[0] += sign;
    return -sign * size;
}

void reflect(std::span<const double> along, std::span<double> v) {
    // |along|² is 2 |along[0]|.
    const double part = dot(along, v) / std::abs(along[0]);
    for (std::size_t i = 0; i < v.size(); ++i) {
        v[i] -= part * along[i];
    }
}

}  // namespace

void triangulate(Matrix& system) {
    const Index last = system.cols() - 1;
    for (Index k = 0; k < std::min(last, system.rows()); ++k) {
        const auto rest_of = [&](Index column) {
            return std::span<double>(&system(k, column),
                                     static_cast<std::size_t>(system.rows() - k));
        };
        const double diagonal = reflector(rest_of(k));
        if (diagonal == 0) {
            continue;
        }
        for (Index column = k + 1; column <= last; ++column) {
            reflect(rest_of(k), rest_of(column));
        }
        system(k, k) = diagonal;
    }
}

}  // namespace lockstep::xpcs::nlsq
