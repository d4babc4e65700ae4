#include "lockstep/runtime/fixed_sum.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::runtime {
namespace {

constexpr std::size_t lanes = 8;
using Lanes = std::array<double, lanes>;

double fold(Lanes sums) {
    for (std::size_t half = lanes / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) {
            sums[lane] += sums[lane + half];
        }
    }
    return sums[0];
}

// add(sum, i) for every i, in whole rows of eight that the compiler turns into vector instructions.
template <typename F>
double sum_in_lanes(std::size_t count, F add) {
    Lanes sums{};
    const std::size_t whole = count - count % lanes;
    for (std::size_t start = 0; start < whole; start += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            sums[lane] = add(sums[lane], start + lane);
        }
    }
    for (std::size_t i = whole; i < count; ++i) {
        sums[i - whole] = add(sums[i - whole], i);
    }
    return fold(sums);
}

}  // namespace

double fixed_sum(std::span<const double> values) {
    const double* value = values.data();
    return sum_in_lanes(values.size(), [=](double sum, std::size_t i) { return sum + value[i]; });
}

double fixed_dot(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size()) {
        throw AssertionError(fmt::format("fixed_dot of {} by {} numbers", a.size(), b.size()));
    }
    const double* left = a.data();
    const double* right = b.data();
    return sum_in_lanes(
        a.size(), [=](double sum, std::size_t i) { return std::fma(left[i], right[i], sum); });
}

double tree_sum(std::span<const double> items) {
    if (items.size() <= 1) {
        return items.empty() ? 0 : items[0];
    }
    const std::size_t half = std::bit_floor(items.size() - 1);
    return tree_sum(items.first(half)) + tree_sum(items.subspan(half));
}

}  // namespace lockstep::runtime
