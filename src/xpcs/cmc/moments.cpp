#include "lockstep/xpcs/cmc/moments.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/runtime/fixed_sum.hpp"
#include "lockstep/runtime/random.hpp"
#include "lockstep/xpcs/cmc/linear_coordinates.hpp"

namespace lockstep::xpcs::cmc {
namespace {

// Columns of draws, each less its mean, one after the other.
std::vector<double> centred_columns(MatrixView<const double> draws, std::vector<double>& mean) {
    const std::size_t count = at(draws.rows());
    std::vector<double> columns;
    for (std::ptrdiff_t i = 0; i < draws.cols(); ++i) {
        for (std::ptrdiff_t draw = 0; draw < draws.rows(); ++draw) {
            columns.push_back(draws(draw, i));
        }
        const auto column = std::span(columns).last(count);
        mean.push_back(runtime::fixed_sum(column) / static_cast<double>(count));
        for (double& value : column) {
            value -= mean.back();
        }
    }
    return columns;
}

double correlation(const Moments& moments, int i, int j) {
    const double scale = moments.sd(i) * moments.sd(j);
    return scale > 0 ? moments.covariance[at(i) * moments.mean.size() + at(j)] / scale : 0;
}

double largest(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) {
        largest = std::max(largest, std::abs(value));
    }
    return largest;
}

}  // namespace

double Moments::variance(int i) const {
    return covariance[at(i) * (mean.size() + 1)];
}

double Moments::sd(int i) const {
    return std::sqrt(variance(i));
}

Moments moments_of(MatrixView<const double> draws) {
    if (draws.rows() < 2) {
        throw InputError(
            fmt::format("moments need two draws at least, there are {}", draws.rows()));
    }
    const std::size_t n = at(draws.cols());
    const std::size_t count = at(draws.rows());
    Moments moments;
    const std::vector<double> columns = centred_columns(draws, moments.mean);
    moments.covariance.resize(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            const auto all = std::span(columns);
            const double product =
                runtime::fixed_dot(all.subspan(i * count, count), all.subspan(j * count, count));
            moments.covariance[i * n + j] = moments.covariance[j * n + i] =
                product / static_cast<double>(count - 1);
        }
    }
    return moments;
}

std::vector<double> normal_draws(const Moments& moments,
                                 int count,
                                 std::uint64_t seed,
                                 std::uint32_t task) {
    const LinearCoordinates coordinates(moments.mean, moments.covariance);
    const runtime::Random random(seed, "xpcs.cmc.normal_draws");
    const std::size_t n = moments.mean.size();
    std::vector<double> z(n);
    std::vector<double> draws(n * at(count));
    for (int draw = 0; draw < count; ++draw) {
        random.fill_normal(task, static_cast<std::uint32_t>(draw), z);
        coordinates.to_x(z, std::span(draws).subspan(at(draw) * n, n));
    }
    return draws;
}

PosteriorDifference compare(const Moments& found, const Moments& reference) {
    if (found.dimension() != reference.dimension()) {
        throw InputError(fmt::format("posteriors of {} and {} parameters cannot be compared",
                                     found.dimension(),
                                     reference.dimension()));
    }
    PosteriorDifference difference;
    for (int i = 0; i < found.dimension(); ++i) {
        difference.shift.push_back((found.mean[at(i)] - reference.mean[at(i)]) / reference.sd(i));
        difference.width_ratio.push_back(found.sd(i) / reference.sd(i));
        for (int j = 0; j < found.dimension(); ++j) {
            difference.correlation_difference.push_back(
                i == j ? 0 : correlation(found, i, j) - correlation(reference, i, j));
        }
    }
    return difference;
}

double PosteriorDifference::largest_shift() const {
    return largest(shift);
}

double PosteriorDifference::largest_correlation_difference() const {
    return largest(correlation_difference);
}

}  // namespace lockstep::xpcs::cmc
