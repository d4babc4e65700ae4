#include "lockstep/xpcs/model/measurement.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::xpcs {
namespace {

using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Two angles of three frames; the value of a pair says where it belongs.
Measurement small() {
    return {.q = 0.0054,
            .gap = 2e6,
            .dt = 0.1,
            .frames = 3,
            .phi = {-30, 60},
            .c2 = {1.01, 1.02, 1.12, 2.01, 2.02, 2.12},
            .diagonal = {1.00, 1.11, 1.22, 2.00, 2.11, 2.22}};
}

std::string faults_of(const Measurement& measurement) {
    try {
        measurement.validate();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(MeasurementTest, PacksRowAfterRow) {
    EXPECT_EQ(pair_count(4), 6);
    EXPECT_EQ(pair_row(0, 4), 0);
    EXPECT_EQ(pair_row(1, 4), 3);
    EXPECT_EQ(pair_row(2, 4), 5);
    EXPECT_EQ(pair_row(3, 4), 6);
    EXPECT_EQ(pair_count(100'000), 4'999'950'000);
    EXPECT_EQ(pair_row(99'999, 100'000), pair_count(100'000));
}

TEST(MeasurementTest, FindsAPairInEitherOrder) {
    const Measurement data = small();

    for (int angle = 0; angle < 2; ++angle) {
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                const double name = 1 + angle + 0.1 * std::min(i, j) + 0.01 * std::max(i, j);
                EXPECT_NEAR(value_at(data, angle, i, j), name, 1e-12) << angle << i << j;
            }
        }
    }
}

TEST(MeasurementTest, CountsTimeFromTheFirstFrame) {
    Measurement data = small();
    EXPECT_EQ(data.time(0), 0.1);
    EXPECT_EQ(data.time(2), 3 * 0.1);
    data.first_frame = 0;
    EXPECT_EQ(data.time(0), 0);
}

// The example of homodyne's tests.
TEST(MeasurementTest, MakesTheDiagonalOfItsNeighbours) {
    Measurement data = small();
    data.frames = 4;
    data.c2 = {10, 0, 0, 11, 0, 12};
    data.diagonal = {1, 1, 1, 1};

    EXPECT_THAT(neighbour_diagonal(data, 0), testing::ElementsAre(10, 10.5, 11.5, 12));
    EXPECT_THAT(neighbour_diagonal(data, 0, 8), testing::ElementsAre(9, 10.5, 11.5, 12));
}

TEST(MeasurementTest, AcceptsMaskedPairs) {
    Measurement data = small();
    data.c2[1] = nan;
    data.diagonal[0] = nan;

    EXPECT_EQ(faults_of(data), "");
}

TEST(MeasurementTest, NamesEveryFaultAtOnce) {
    Measurement data = small();
    data.q = 0;
    data.gap = nan;
    data.dt = -0.1;
    data.first_frame = -1;
    data.phi = {60, -180};
    data.c2[0] = std::numeric_limits<double>::infinity();
    data.c2[3] = data.c2[4] = data.c2[5] = nan;
    data.diagonal.pop_back();

    const std::string faults = faults_of(data);

    for (const char* const wanted : {"(q): 0 1/Å is not above 0",
                                     "(gap): nan Å is not above 0",
                                     "(dt): -0.1 s is not above 0",
                                     "(first_frame): -1 is below 0",
                                     "(phi[1]): -180 degrees is outside (-180, 180]",
                                     "(c2[0]): 1 infinite values",
                                     "(c2[1]): every pair is masked",
                                     "(diagonal): 5 values instead of 6"}) {
        EXPECT_THAT(faults, HasSubstr(wanted));
    }
}

TEST(MeasurementTest, RefusesAnglesThatDescendAndNoAngle) {
    Measurement data = small();
    data.phi = {60, -30};
    EXPECT_THAT(faults_of(data), HasSubstr("(phi[1]): -30 degrees follows 60: angles must ascend"));
    data.phi.clear();
    EXPECT_THAT(faults_of(data), HasSubstr("(phi): no angle"));
}

TEST(MeasurementTest, RefusesAWrongCountAndOneFrame) {
    Measurement data = small();
    data.c2.push_back(1);
    EXPECT_THAT(faults_of(data), HasSubstr("(c2): 7 values instead of 6"));
    data.frames = 1;
    EXPECT_THAT(faults_of(data), HasSubstr("(frames): 1 frames: at least 2 are needed"));
}

}  // namespace
}  // namespace lockstep::xpcs
