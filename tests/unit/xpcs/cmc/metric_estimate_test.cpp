#include "xpcs/cmc/metric_estimate.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::xpcs::cmc {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::Pointwise;

// Mean (2, 20), variances 1 and 100, covariance 10.
void add_three(MetricEstimate& estimate) {
    for (const double i : {1.0, 2.0, 3.0}) {
        estimate.add(std::vector<double>{i, 10 * i});
    }
}

TEST(MetricEstimateTest, IsShrunkTowardsAGivenCovarianceAsIfByFiveDraws) {
    MetricEstimate estimate(MetricKind::dense, 2);
    add_three(estimate);

    const auto metric = estimate.shrunk_towards(std::vector<double>{8, 16, 16, 800});

    EXPECT_THAT(metric,
                Pointwise(DoubleEq(),
                          {(3 * 1 + 5 * 8) / 8.0,
                           (3 * 10 + 5 * 16) / 8.0,
                           (3 * 10 + 5 * 16) / 8.0,
                           (3 * 100 + 5 * 800) / 8.0}));
}

TEST(MetricEstimateTest, DiagonalKeepsVariances) {
    MetricEstimate estimate(MetricKind::diagonal, 2);
    add_three(estimate);

    EXPECT_THAT(estimate.shrunk_towards(std::vector<double>{1, 1}),
                Pointwise(DoubleEq(), {1.0, (300.0 + 5) / 8}));
}

// Trap 35: a metric shrunk towards 0.001 times the identity would be nothing but that here.
TEST(MetricEstimateTest, ItsOwnShrinkageFollowsTheUnits) {
    MetricEstimate coarse(MetricKind::dense, 2);
    MetricEstimate fine(MetricKind::dense, 2);
    const double scale = 0x1p-30;
    for (int i = 0; i < 40; ++i) {
        const double x = i % 7;
        const double y = i % 5;
        coarse.add(std::vector<double>{x, y});
        fine.add(std::vector<double>{scale * x, y});
    }
    const std::vector<double> identity{1, 0, 0, 1};

    const auto a = coarse.shrunk_in_its_units(identity);
    const auto b = fine.shrunk_in_its_units(identity);

    EXPECT_EQ(b[0], scale * scale * a[0]);
    EXPECT_EQ(b[1], scale * a[1]);
    EXPECT_EQ(b[3], a[3]);
}

TEST(MetricEstimateTest, ACoordinateThatDoesNotMoveTakesTheGivenVariance) {
    MetricEstimate estimate(MetricKind::diagonal, 2);
    for (int i = 0; i < 5; ++i) {
        estimate.add(std::vector<double>{1, 7.0 * i});
    }
    const auto metric = estimate.shrunk_in_its_units(std::vector<double>{2, 2});
    EXPECT_EQ(metric[0], 1);  // half of its weight is the estimate, 0
    EXPECT_GT(metric[1], 2);
}

TEST(MetricEstimateTest, OnePositionOrNoneGivesThePrior) {
    MetricEstimate estimate(MetricKind::diagonal, 1);
    EXPECT_THAT(estimate.shrunk_towards(std::vector<double>{3}), ElementsAre(3));
    estimate.add(std::vector<double>{5});
    EXPECT_THAT(estimate.shrunk_towards(std::vector<double>{3}), ElementsAre(3));
    EXPECT_THAT(estimate.shrunk_in_its_units(std::vector<double>{3}), ElementsAre(3));
}

TEST(MetricEstimateTest, GoesOnAfterBeingSaved) {
    MetricEstimate estimate(MetricKind::dense, 2);
    add_three(estimate);
    ByteWriter writer;
    estimate.save(writer);
    MetricEstimate other(MetricKind::dense, 2);
    ByteReader reader(writer.bytes());
    other.restore(reader);
    add_three(estimate);
    add_three(other);
    const std::vector<double> identity{1, 0, 0, 1};
    EXPECT_EQ(estimate.shrunk_towards(identity), other.shrunk_towards(identity));

    ByteReader again(writer.bytes());
    EXPECT_THROW(MetricEstimate(MetricKind::diagonal, 2).restore(again), InputError);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
