// Posteriors and consensus of simulated data whose truth was drawn from the prior.
#include "support/xpcs/calibration.hpp"

#include <string>

#include <gtest/gtest.h>

#include "support/xpcs/alone.hpp"

namespace lockstep::xpcs {
namespace {

constexpr int simulations = 200;
constexpr int bins = 20;
constexpr double false_alarm = 1e-4;

struct Way {
    const char* name;
    int frames;
    SampleMethod method;
    int shards;
};

class CalibrationTest : public testing::TestWithParam<Way> {};

TEST_P(CalibrationTest, RanksOfTrueValuesAreUniform) {
    const auto& way = GetParam();
    test::Calibration calibration(way.frames, way.method, way.shards);
    test::Alone alone(2);

    const auto all = calibration.run(simulations, alone.team);

    ASSERT_EQ(all.size(), 10U);
    for (const auto& of : all) {
        const auto chi_square = of.chi_square(test::Calibration::kept, bins);
        EXPECT_LT(chi_square.statistic(), chi_square.bound(false_alarm)) << of.name;
        EXPECT_LT(of.largest_excess(test::Calibration::kept),
                  test::excess_bound(false_alarm, of.ranks.size()))
            << of.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Ways,
                         CalibrationTest,
                         testing::Values(Way{"Importance", 16, SampleMethod::importance, 1},
                                         Way{"Chains", 16, SampleMethod::chains, 1},
                                         Way{"FourShards", 32, SampleMethod::importance, 4}),
                         [](const auto& way) { return std::string(way.param.name); });

// A posterior of half the width is found out, and so is one that is shifted by a deviation.
TEST(TruthRanksTest, OthersThanUniformOnesAreFoundOut) {
    test::TruthRanks narrow{"narrow", {}};
    test::TruthRanks shifted{"shifted", {}};
    const runtime::Random random(3, "test.ranks");
    for (int s = 0; s < simulations; ++s) {
        const double truth = random.normal(static_cast<std::uint64_t>(s), 0, 0);
        const auto rank = [&](double x) {
            return static_cast<int>(test::Calibration::kept * 0.5 * std::erfc(-x / std::sqrt(2.0)));
        };
        narrow.ranks.push_back(rank(2 * truth));
        shifted.ranks.push_back(rank(truth + 1));
    }
    for (const auto* of : {&narrow, &shifted}) {
        const auto chi_square = of->chi_square(test::Calibration::kept, bins);
        EXPECT_GT(chi_square.statistic(), chi_square.bound(false_alarm)) << of->name;
    }
    EXPECT_GT(shifted.largest_excess(test::Calibration::kept),
              test::excess_bound(false_alarm, simulations));
}

}  // namespace
}  // namespace lockstep::xpcs
