#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lockstep/app/sddp/evaluate.hpp"

#include "cost_to_go.hpp"

namespace lockstep::python {

namespace {

constexpr std::size_t row = 8;  // cuts on a cache line

template <std::size_t Lanes, std::size_t Width>
using Sums = std::array<std::array<double, Width>, Lanes>;

/// Values of cuts side by side, each in the order of runtime::fixed_dot; lanes that a short state
/// leaves at 0 are left out.
template <std::size_t Lanes, std::size_t Width>
std::array<double, Width> products(const double* slopes,
                                   std::size_t stride,
                                   const double* state,
                                   std::size_t states) {
    Sums<Lanes, Width> sums{};
    for (std::size_t first = 0; first < states; first += Lanes) {
        const std::size_t count = std::min(Lanes, states - first);
        for (std::size_t lane = 0; lane < count; ++lane, slopes += stride) {
            const double x = state[first + lane];
            for (std::size_t c = 0; c < Width; ++c) {
                sums[lane][c] = std::fma(slopes[c], x, sums[lane][c]);
            }
        }
    }
    for (std::size_t half = Lanes / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) {
            for (std::size_t c = 0; c < Width; ++c) {
                sums[lane][c] += sums[lane + half][c];
            }
        }
    }
    return sums[0];
}

template <std::size_t Lanes, std::size_t Width, typename Take>
void for_rows(const CutMatrix& cuts, const double* state, Take take) {
    for (std::size_t c = 0; c < cuts.stride(); c += Width) {
        take(c,
             products<Lanes, Width>(cuts.slopes().data() + c, cuts.stride(), state, cuts.states()));
    }
}

double largest(const CutMatrix& cuts, const double* state, double least) {
    constexpr std::size_t width = row / 2;
    std::array<double, width> best{};
    best.fill(least);
    const double* intercept = cuts.intercept().data();
    for_rows<row, width>(cuts, state, [&](std::size_t first, const auto& value) {
        for (std::size_t c = 0; c < width; ++c) {
            const double sum = intercept[first + c] + value[c];
            best[c] = best[c] < sum ? sum : best[c];
        }
    });
    return *std::ranges::max_element(best);
}

/// The same of a state of few numbers, where each has a lane of its own: no loop over them is left
/// and a row of cuts stays in registers.
template <std::size_t States>
double largest_of_few(const CutMatrix& cuts, const double* state, double least) {
    std::array<double, row> best{};
    best.fill(least);
    std::array<double, States> x{};
    std::copy_n(state, States, x.begin());
    const std::size_t stride = cuts.stride();
    for (std::size_t first = 0; first < stride; first += row) {
        const double* slopes = cuts.slopes().data() + first;
        const double* intercept = cuts.intercept().data() + first;
        for (std::size_t c = 0; c < row; ++c) {
            std::array<double, States> lane{};
            for (std::size_t i = 0; i < States; ++i) {
                lane[i] = slopes[i * stride + c] * x[i];
            }
            for (std::size_t half = row / 2; half > 0; half /= 2) {
                for (std::size_t i = 0; i < half && i + half < States; ++i) {
                    lane[i] += lane[i + half];
                }
            }
            const double sum = intercept[c] + lane[0];
            best[c] = best[c] < sum ? sum : best[c];
        }
    }
    return *std::ranges::max_element(best);
}

using Price = double (*)(const CutMatrix&, const double*, double);

/// By the number of states.
constexpr std::array<Price, row> prices{&largest,
                                        &largest_of_few<1>,
                                        &largest_of_few<2>,
                                        &largest_of_few<3>,
                                        &largest_of_few<4>,
                                        &largest_of_few<5>,
                                        &largest_of_few<6>,
                                        &largest_of_few<7>};

std::size_t rounded_up(std::size_t cuts) {
    return (cuts + row - 1) / row * row;
}

}  // namespace

CutMatrix::CutMatrix(std::size_t cuts, std::size_t states)
    : cuts_(cuts),
      states_(states),
      stride_(rounded_up(cuts)),
      intercept_(stride_, -std::numeric_limits<double>::infinity()),
      slopes_(states * stride_, 0.0) {}

CutMatrix::CutMatrix(std::size_t cuts,
                     std::size_t states,
                     std::span<const double> intercept,
                     std::span<const double> slopes)
    : CutMatrix(cuts, states) {
    std::ranges::copy(intercept, intercept_.begin());
    std::ranges::copy(slopes, slopes_.begin());
}

CutMatrix::CutMatrix(const app::CutsAfter& node)
    : CutMatrix(static_cast<std::size_t>(std::ranges::count(node.cuts->active, 1)),
                static_cast<std::size_t>(node.cuts->slopes.width())) {
    std::size_t place = 0;
    for (int cut = 0; cut < node.cuts->size(); ++cut) {
        if (node.cuts->active[static_cast<std::size_t>(cut)] == 0) {
            continue;
        }
        intercept_[place] = node.cuts->intercept[static_cast<std::size_t>(cut)];
        const auto slopes = node.cuts->slopes.row(cut);
        for (std::size_t i = 0; i < states_; ++i) {
            slopes_[i * stride_ + place] = slopes[i];
        }
        ++place;
    }
}

double CutMatrix::price(const double* state, double least) const {
    return (states_ < prices.size() ? prices[states_] : &largest)(*this, state, least);
}

std::vector<double> CutMatrix::values(const double* state) const {
    std::vector<double> all(stride_);
    for_rows<8, row / 2>(*this, state, [&](std::size_t first, const auto& value) {
        for (std::size_t c = 0; c < value.size(); ++c) {
            all[first + c] = intercept_[first + c] + value[c];
        }
    });
    all.resize(cuts_);
    return all;
}

}  // namespace lockstep::python
