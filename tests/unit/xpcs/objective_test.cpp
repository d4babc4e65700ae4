// What is minimised is the same at every size, and depends on every parameter.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/fit.hpp"
#include "lockstep/xpcs/simulate.hpp"

#include "support/xpcs/alone.hpp"

namespace lockstep::xpcs {
namespace {

using test::Alone;

/// A flow seen at six angles; frames of 6.4 s.
struct FlowSample {
    explicit FlowSample(int frames) {
        like.q = 0.0054;
        like.gap = 2e6;
        like.dt = 6.4 / (frames + 1);
        like.frames = frames;
        like.phi = {-60, -30, 0, 30, 60, 90};
        truth.motion = Motion::laminar_flow;
        truth.physical = {12000, -0.8, 600, 8e-4, -0.25, 5e-5, -5};
        truth.scales = {
            {0.30, 1}, {0.28, 1.004}, {0.31, 0.997}, {0.29, 1.002}, {0.32, 0.995}, {0.27, 1.006}};
        options.motion = truth.motion;
        options.sigma = 0.004;
        options.start = {1e4, -0.5, 500, 1e-3, 0, 0, 0};
        data = simulate(like, truth, {}, alone.threads);
    }

    /// Σ ((c2 - model) / σ)², pair by pair.
    [[nodiscard]] double chi_squared(const std::vector<double>& physical,
                                     const std::vector<Scale>& scales) const {
        const std::size_t pairs = at(pair_count(data.frames));
        std::vector<double> x(pairs);
        double sum = 0;
        for (int angle = 0; angle < data.angles(); ++angle) {
            fill_g1_squared(like, {truth.motion, truth.shear, physical, scales}, angle, x);
            const Scale& scale = scales[at(angle)];
            for (std::size_t pair = 0; pair < pairs; ++pair) {
                const double model = scale.offset + scale.contrast * x[pair];
                const double r = (data.c2[at(angle) * pairs + pair] - model) / options.sigma;
                sum += r * r;
            }
        }
        return sum;
    }

    Alone alone;
    Measurement like;
    Truth truth;
    FitOptions options;
    Measurement data;
};

/// Frames; homodyne has another objective for each: 24 thousand points, 100 thousand, a million.
class ObjectiveTest : public testing::TestWithParam<int> {};

TEST_P(ObjectiveTest, IsTheSumOfSquaredResiduals) {
    FlowSample sample(GetParam());

    const auto found = fit(sample.data, sample.options, sample.alone.team);

    EXPECT_NEAR(found.chi_squared / sample.chi_squared(found.physical, found.scales), 1, 1e-10);
    // Of noise whose deviation is known.
    EXPECT_NEAR(
        found.reduced_chi_squared(), 1, 5 * std::sqrt(2.0 / static_cast<double>(found.pairs)));
}

TEST_P(ObjectiveTest, RisesWithEveryParameter) {
    FlowSample sample(GetParam());
    const auto found = fit(sample.data, sample.options, sample.alone.team);
    const std::size_t first = 2 * found.scales.size();
    const std::size_t size = found.values.size();
    for (std::size_t p = 0; p < found.physical.size(); ++p) {
        const double error = std::sqrt(found.covariance.matrix[(first + p) * (size + 1)]);
        auto moved = found.physical;
        moved[p] += 3 * error;
        EXPECT_LT(std::abs(found.physical[p] - sample.truth.physical[p]), 4.5 * error)
            << found.names[first + p];
        // Nine with the others at their best, more with them held.
        EXPECT_GT(sample.chi_squared(moved, found.scales), found.chi_squared + 8)
            << found.names[first + p];
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes,
                         ObjectiveTest,
                         testing::Values(63, 130, 408),
                         [](const auto& frames) { return std::to_string(frames.param); });

TEST(ObjectiveOfStartsTest, FitsBeginWhereTheyAreTold) {
    class First : public FitObserver {
    public:
        void on_iteration(const FitProgress& progress) override {
            if (physical.empty()) {
                physical = progress.physical;
                chi_squared = progress.chi_squared;
                scales = progress.scales;
            }
        }
        std::vector<double> physical;
        std::vector<Scale> scales;
        double chi_squared = 0;
    };
    FlowSample sample(63);
    First first;

    (void)fit(sample.data, sample.options, sample.alone.team, &first);

    // The largest is ten million times the smallest; none may be rescaled.
    EXPECT_EQ(first.physical, sample.options.start);
    EXPECT_NEAR(first.chi_squared / sample.chi_squared(first.physical, first.scales), 1, 1e-10);
}

TEST(ObjectiveOfStartsTest, ScalesNeedNoStart) {
    FlowSample sample(63);
    auto held = sample.options;
    held.start = held.lower = held.upper = sample.truth.physical;

    const auto found = fit(sample.data, held, sample.alone.team);

    for (std::size_t angle = 0; angle < found.scales.size(); ++angle) {
        for (const double step : {-1e-5, 1e-5}) {
            auto moved = found.scales;
            moved[angle].contrast += step;
            EXPECT_GT(sample.chi_squared(found.physical, moved), found.chi_squared);
            moved = found.scales;
            moved[angle].offset += step;
            EXPECT_GT(sample.chi_squared(found.physical, moved), found.chi_squared);
        }
        EXPECT_NEAR(found.scales[angle].contrast, sample.truth.scales[angle].contrast, 0.002);
    }
}

}  // namespace
}  // namespace lockstep::xpcs
