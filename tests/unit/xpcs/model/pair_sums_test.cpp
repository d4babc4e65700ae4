// The model over pairs of frames: against homodyne's values, and against sums that are written here
// once more, pair by pair with the C library's functions.
#include "xpcs/model/pair_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "support/xpcs/measurements.hpp"
#include "xpcs/model/pass.hpp"

namespace lockstep::xpcs {
namespace {

using test::member;
using test::number;
using test::numbers;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Motion motion_of(const std::vector<double>& parameters) {
    return parameters.size() == 3 ? Motion::diffusion : Motion::laminar_flow;
}

TEST(PairModel, G2IsHomodynes) {
    const auto golden = test::xpcs_json("golden.json");
    for (const auto& [name, of] : *member(golden, {"physics_grid8"}).if_object()) {
        const auto parameters = numbers(member(of, {"params"}));
        const auto phi = numbers(member(of, {"phi"}));
        PairModel model(
            motion_of(parameters),
            ShearTerm::homodyne,
            {number(member(of, {"q"})), number(member(of, {"L"})), number(member(of, {"dt"}))},
            {0, 8},
            phi);
        model.set(parameters);
        const auto& g2 = test::array(member(of, {"g2_contrast0.3_offset1.0"}));
        for (int angle = 0; angle < model.angles(); ++angle) {
            std::vector<double> x(at(model.pairs()));
            model.fill(0, model.pairs(), angle, x);
            std::size_t pair = 0;
            for (std::size_t i = 0; i < 8; ++i) {
                const auto row = numbers(test::array(g2[at(angle)])[i]);
                for (std::size_t j = i + 1; j < 8; ++j, ++pair) {
                    EXPECT_NEAR(1 + 0.3 * x[pair], row[j], 1e-14) << name << ' ' << i << ' ' << j;
                }
            }
        }
    }
}

TEST(PairModel, G1OfMorePeers) {
    const auto golden = test::xpcs_json("golden-peers.json");
    for (const auto& of : test::array(member(golden, {"physics", "cases"}))) {
        const auto parameters = numbers(member(of, {"params"}));
        const auto frames = static_cast<int>(test::integer(member(of, {"M"})));
        PairModel model(
            motion_of(parameters),
            ShearTerm::homodyne,
            {number(member(of, {"q"})), number(member(of, {"L"})), number(member(of, {"dt"}))},
            {static_cast<int>(test::integer(member(of, {"t_first_frame"}))), frames},
            numbers(member(of, {"phi"})));
        model.set(parameters);
        const auto& g1 = test::array(member(of, {"g1_pairs"}));
        for (int angle = 0; angle < model.angles(); ++angle) {
            std::vector<double> x(at(model.pairs()));
            model.fill(0, model.pairs(), angle, x);
            const auto expected = numbers(g1[at(angle)]);
            std::size_t k = 0;
            for (const auto& pair : test::array(member(of, {"pairs"}))) {
                const auto ij = numbers(pair);
                const auto i = static_cast<int>(ij[0]);
                const auto place = pair_row(i, frames) + static_cast<int>(ij[1]) - i - 1;
                EXPECT_NEAR(std::sqrt(x[at(place)]), expected[k++], 1e-14)
                    << *member(of, {"name"}).if_string();
            }
        }
    }
}

/// A model of which everything is computed anew for each pair.
struct PlainModel {
    ShearTerm shear;
    Geometry geometry;
    FrameTimes frames;

    [[nodiscard]] double coefficient(int k, double rate, double power, double offset) const {
        const double time = std::max((frames.first + k) * geometry.dt, geometry.dt / 2);
        return std::max(rate * std::pow(time, power) + offset, 1e-10);
    }
    [[nodiscard]] double integral(int i, int j, const double* law) const {
        double sum = 0;
        for (int k = i; k < j; ++k) {
            sum += (coefficient(k, law[0], law[1], law[2]) +
                    coefficient(k + 1, law[0], law[1], law[2])) /
                   2;
        }
        return std::sqrt(sum * sum + 1e-12);
    }
    [[nodiscard]] double x(int i, int j, double phi, const std::vector<double>& p) const {
        const double decay =
            std::exp(-geometry.q * geometry.q * geometry.dt * integral(i, j, p.data()));
        if (p.size() == 3) {
            return decay;
        }
        const double psi = (p[6] - phi) * std::numbers::pi / 180;
        const double half =
            geometry.q * geometry.gap * geometry.dt * std::cos(psi) * integral(i, j, &p[3]) / 2;
        const double phase = shear == ShearTerm::paper ? half : half / std::numbers::pi;
        const double sinc = phase == 0 ? 1 : std::sin(phase) / phase;
        return decay * std::pow(sinc, shear == ShearTerm::paper ? 2 : 4);
    }
    /// By differences, good to 8 digits.
    [[nodiscard]] double slope(
        int i, int j, double phi, std::vector<double> p, std::size_t k) const {
        const double step = 1e-4 * std::max(std::abs(p[k]), 1e-3);
        double weighted = 0;
        for (const auto& [distance, weight] :
             {std::pair{-2, 1.0}, {-1, -8.0}, {1, 8.0}, {2, -1.0}}) {
            auto moved = p;
            moved[k] += distance * step;
            weighted += weight * x(i, j, phi, moved);
        }
        return weighted / (12 * step);
    }
};

struct Case {
    const char* name;
    ShearTerm shear;
    std::vector<double> parameters;
};

class PairSumsOnce : public testing::Test {
protected:
    static constexpr int frames = 21;
    const Geometry geometry{0.0054, 2e6, 0.1};
    const std::vector<double> phi{-50, 0, 80};

    [[nodiscard]] std::vector<double> data(int angle) const {
        std::vector<double> c2;
        for (int k = 0; k < pair_count(frames); ++k) {
            c2.push_back(k % 17 == 3 ? nan : 1.1 + 0.1 * std::sin(k * (angle + 1)));
        }
        return c2;
    }
};

class PairSums : public PairSumsOnce, public testing::WithParamInterface<Case> {};

TEST_P(PairSums, AreThoseOfPairs) {
    const auto& parameters = GetParam().parameters;
    PairModel model(motion_of(parameters), GetParam().shear, geometry, {1, frames}, phi);
    model.set(parameters);
    const PlainModel plain{GetParam().shear, geometry, {1, frames}};
    std::vector<std::vector<double>> c2;
    std::vector<AngleData> of_angles;
    for (int angle = 0; angle < 3; ++angle) {
        c2.push_back(data(angle));
    }
    for (int angle = 0; angle < 3; ++angle) {
        of_angles.push_back({c2[at(angle)], {0.2 + 0.05 * angle, 1.01}});
    }
    PairScratch scratch;
    std::vector<AngleSums> sums(3);
    model.add(0, model.pairs(), of_angles, Level::gram, sums, scratch);
    model.finish(sums, Level::gram);

    const std::size_t columns = 3 + parameters.size();
    for (std::size_t angle = 0; angle < 3; ++angle) {
        std::vector<double> expected(columns * columns, 0.0);
        std::size_t pair = 0;
        for (int i = 0; i < frames; ++i) {
            for (int j = i + 1; j < frames; ++j, ++pair) {
                if (std::isnan(c2[angle][pair])) {
                    continue;
                }
                const double x = plain.x(i, j, phi[angle], parameters);
                const Scale scale = of_angles[angle].reference;
                std::vector<double> row{1, x, c2[angle][pair] - scale.offset - scale.contrast * x};
                for (std::size_t p = 0; p < parameters.size(); ++p) {
                    row.push_back(plain.slope(i, j, phi[angle], parameters, p));
                }
                for (std::size_t a = 0; a < columns; ++a) {
                    for (std::size_t b = 0; b < columns; ++b) {
                        expected[a * columns + b] += row[a] * row[b];
                    }
                }
            }
        }
        for (std::size_t a = 0; a < columns; ++a) {
            for (std::size_t b = 0; b <= a; ++b) {
                const double size =
                    std::sqrt(expected[a * columns + a] * expected[b * columns + b]);
                EXPECT_NEAR(sums[angle](static_cast<int>(a), static_cast<int>(b)) / size,
                            expected[a * columns + b] / size,
                            1e-6)
                    << angle << ' ' << a << ' ' << b;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Models,
    PairSums,
    testing::Values(
        Case{"diffusion", ShearTerm::homodyne, {12000, -0.8, 600}},
        Case{"floored", ShearTerm::homodyne, {500, -1.5, -2000}},
        Case{"flow", ShearTerm::homodyne, {12000, -0.8, 600, 8e-4, -0.25, 5e-5, -5}},
        Case{"paper", ShearTerm::paper, {12000, -0.8, 600, 8e-4, -0.25, 5e-5, -5}},
        Case{"fast", ShearTerm::homodyne, {19230, -1.063, 879, 0.078, -0.61, -0.0089, 5.8}}),
    [](const auto& which) { return which.param.name; });

// At rest the angles share what is the same for all of them, unless pairs of theirs do not count.
TEST_F(PairSumsOnce, AnAngleHasTheSameBitsWhateverTheOthersAre) {
    PairModel model(Motion::diffusion, ShearTerm::homodyne, geometry, {1, frames}, phi);
    model.set(std::vector<double>{12000, -0.8, 600});
    const auto masked = data(0);
    auto whole = masked;
    std::ranges::replace_if(
        whole, [](double value) { return std::isnan(value); }, 1.05);
    const AngleData first{whole, {0.3, 1}};
    const AngleData second{masked, {0.2, 1.1}};
    for (const auto level : {Level::value, Level::gradient, Level::gram}) {
        PairScratch scratch;
        const auto sums_of = [&](const std::vector<AngleData>& angles) {
            std::vector<AngleSums> sums(angles.size());
            model.add(0, model.pairs(), angles, level, sums, scratch);
            return sums;
        };
        const auto together = sums_of({first, second, first});
        EXPECT_EQ(together[0].products, sums_of({first})[0].products);
        EXPECT_EQ(together[1].products, sums_of({second})[0].products);
        EXPECT_EQ(together[2].products, together[0].products);
        EXPECT_NE(together[1].products, together[0].products);
    }
}

// A pair that does not count takes its chunk out of what is shared.
TEST_F(PairSumsOnce, WhatAnglesShareIsWhatEachHasAlone) {
    PairModel model(Motion::diffusion, ShearTerm::homodyne, geometry, {1, frames}, phi);
    model.set(std::vector<double>{12000, -0.8, 600});
    auto whole = data(0);
    std::ranges::replace_if(
        whole, [](double value) { return std::isnan(value); }, 1.05);
    auto masked = whole;
    masked.front() = nan;
    PairScratch scratch;
    std::vector<AngleSums> sums(2);
    model.add(0,
              model.pairs(),
              std::vector<AngleData>{{whole, {0.3, 1}}, {masked, {0.3, 1}}},
              Level::gram,
              sums,
              scratch);
    std::vector<AngleSums> left_out(1);
    model.add(0, 1, std::vector<AngleData>{{whole, {0.3, 1}}}, Level::gram, left_out, scratch);
    for (std::size_t k = 0; k < left_out[0].products.size(); ++k) {
        EXPECT_NEAR(sums[0].products[k],
                    sums[1].products[k] + left_out[0].products[k],
                    1e-13 * std::abs(sums[0].products[k]))
            << k;
    }
}

TEST(Pass, SmoothedLengthsHaveTheBitsOfTheRoot) {
    const auto plain = [](double z) { return std::sqrt(std::fma(z, z, pass::smoothing)); };
    for (double z = 900; z < 1e160; z *= 1.00173) {
        const auto length = pass::smoothed(lanes::Four{z, -z, z * 1.3, -z / 7});
        const double of_lane[] = {z, -z, z * 1.3, -z / 7};
        for (int lane = 0; lane < 4; ++lane) {
            ASSERT_EQ(length.value[lane], plain(of_lane[lane])) << of_lane[lane];
            ASSERT_EQ(length.slope[lane], of_lane[lane] / plain(of_lane[lane])) << of_lane[lane];
        }
    }
}

TEST_F(PairSumsOnce, LevelsAgreeWhereBothHaveASum) {
    const std::vector<double> parameters{12000, -0.8, 600, 8e-4, -0.25, 5e-5, -5};
    PairModel model(Motion::laminar_flow, ShearTerm::homodyne, geometry, {1, frames}, phi);
    model.set(parameters);
    const auto c2 = data(0);
    const std::vector<AngleData> of_angles(3, AngleData{c2, {0.3, 1}});
    PairScratch scratch;
    std::vector<AngleSums> value(3);
    std::vector<AngleSums> gradient(3);
    std::vector<AngleSums> gram(3);
    model.add(0, model.pairs(), of_angles, Level::value, value, scratch);
    model.add(0, model.pairs(), of_angles, Level::gradient, gradient, scratch);
    model.add(0, model.pairs(), of_angles, Level::gram, gram, scratch);
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 10; ++b) {
            if (b < 3) {
                EXPECT_EQ(value[1](a, b), gram[1](a, b));
            }
            EXPECT_EQ(gradient[1](a, b), gram[1](a, b));
        }
    }
}

TEST_F(PairSumsOnce, RowsHaveTheColumnsOfTheSums) {
    const std::vector<double> parameters{12000, -0.8, 600, 8e-4, -0.25, 5e-5, -5};
    PairModel model(Motion::laminar_flow, ShearTerm::homodyne, geometry, {1, frames}, phi);
    model.set(parameters);
    const auto c2 = data(0);
    const std::vector<AngleData> of_angles(3, AngleData{c2, {0.3, 1}});
    PairScratch scratch;
    std::vector<AngleSums> sums(3);
    model.add(0, model.pairs(), of_angles, Level::gradient, sums, scratch);
    model.finish(sums, Level::gradient);
    RowColumns row(frames);
    std::vector<double> with_residual(7, 0.0);
    for (int i = 0; i + 1 < frames; ++i) {
        model.fill_row(i, 2, of_angles[2], row);
        for (int k = 0; k < frames - i - 1; ++k) {
            for (std::size_t p = 0; p < 7; ++p) {
                with_residual[p] += row.derivatives[p][at(k)] * row.residual[at(k)];
            }
        }
    }
    for (std::size_t p = 0; p < 7; ++p) {
        const double expected =
            sums[2](AngleSums::residual, AngleSums::first_derivative + static_cast<int>(p));
        EXPECT_NEAR(with_residual[p], expected, 1e-12 * std::abs(expected)) << p;
    }
}

}  // namespace
}  // namespace lockstep::xpcs
