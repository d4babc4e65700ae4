#include "sddp/hydro/process/noise/correlation.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "sddp/hydro/process/noise/cobre_random.hpp"
#include "unit/sddp/hydro/process/process_fixtures.hpp"

namespace lockstep::sddp {
namespace {

std::vector<double> squared(const std::vector<double>& root, std::size_t size) {
    std::vector<double> result(size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            for (std::size_t k = 0; k < size; ++k) {
                result[i * size + j] += root[i * size + k] * root[k * size + j];
            }
        }
    }
    return result;
}

/// The correlation of random combinations: positive definite, unit diagonal.
std::vector<double> random_correlation(std::size_t size, std::uint64_t seed) {
    cobre::Generator stream(seed);
    std::vector<double> factor(size * size);
    for (double& cell : factor) {
        cell = stream.normal();
    }
    std::vector<double> matrix(size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            for (std::size_t k = 0; k < size; ++k) {
                matrix[i * size + j] += factor[i * size + k] * factor[j * size + k];
            }
        }
    }
    std::vector<double> result = matrix;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            result[i * size + j] /= std::sqrt(matrix[i * size + i] * matrix[j * size + j]);
        }
    }
    return result;
}

// (a b; b a) has the root (c d; d c) with c ± d = sqrt(a ± b).
TEST(CorrelationTest, RootOfTwoByTwoIsTheClosedForm) {
    const std::vector<double> root = symmetric_root(std::vector<double>{1, 0.6, 0.6, 1}, 2);

    EXPECT_NEAR(root[0], (std::sqrt(1.6) + std::sqrt(0.4)) / 2, 1e-15);
    EXPECT_NEAR(root[1], (std::sqrt(1.6) - std::sqrt(0.4)) / 2, 1e-15);
    EXPECT_EQ(root[1], root[2]);
}

TEST(CorrelationTest, RootSquaredIsTheMatrix) {
    for (const std::size_t size : {1U, 3U, 8U, 30U}) {
        const std::vector<double> matrix = random_correlation(size, size);

        const std::vector<double> root = symmetric_root(matrix, size);

        const std::vector<double> back = squared(root, size);
        for (std::size_t i = 0; i < matrix.size(); ++i) {
            EXPECT_NEAR(back[i], matrix[i], 1e-12);
        }
    }
}

TEST(CorrelationTest, IdentityKeepsEveryBit) {
    const std::vector<double> identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};

    EXPECT_EQ(symmetric_root(identity, 3), identity);
}

TEST(CorrelationTest, NegativeEigenvaluesCountAsZero) {
    // pairwise estimates that no three variables can have: the determinant is negative
    const std::vector<double> matrix = {1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1};

    for (const double cell : symmetric_root(matrix, 3)) {
        EXPECT_TRUE(std::isfinite(cell));
    }
}

// One group of three plants: (0.9, 0.9, -0.9) is beyond repair, (0.9, 0.9, 0.6) nearly possible.
Problems problems_of_three(double ab, double bc, double ac, CorrelationSource source) {
    const CorrelationModel model{
        {{"default", {{NoiseClass::inflow, {0, 1, 2}, {1, ab, ac, ab, 1, bc, ac, bc, 1}}}}}, {}};
    Problems problems;
    const NoiseCorrelation correlation(
        monthly_calendar(2024, 1, 1), {3, {}, {}}, model, source, problems);
    double first = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        std::vector<double> noise(3, 0.0);
        noise[i] = 1;
        correlation.apply(0, noise);
        first += noise[0] * noise[0];
    }
    EXPECT_NEAR(first, 1, 1e-12) << "the deviation of the first plant";
    return problems;
}

TEST(CorrelationTest, RefusesCorrelationsThatNoDataCanHave) {
    const Problems problems = problems_of_three(0.9, 0.9, -0.9, CorrelationSource::given);

    ASSERT_EQ(problems.error_count(), 1U);
    EXPECT_EQ(problems.all()[0].kind, ProblemKind::invalid_value);
    EXPECT_EQ(problems.all()[0].entity, "profile default");
    EXPECT_NE(problems.all()[0].message.find("no data can have"), std::string::npos);
}

TEST(CorrelationTest, RepairsWhatIsNearlyPossibleAndSaysByHowMuch) {
    // eigenvalues of the 3 × 3 matrix are above 0 while ac > 2·0.81 - 1 = 0.62
    const Problems possible = problems_of_three(0.9, 0.9, 0.63, CorrelationSource::given);
    const Problems repaired = problems_of_three(0.9, 0.9, 0.6, CorrelationSource::given);
    const Problems estimated = problems_of_three(0.9, 0.9, -0.9, CorrelationSource::estimated);

    EXPECT_TRUE(possible.all().empty());
    ASSERT_EQ(repaired.all().size(), 1U);
    EXPECT_EQ(repaired.all()[0].kind, ProblemKind::model_quality);
    EXPECT_NE(repaired.all()[0].message.find("repaired: entries moved by up to 0.0"),
              std::string::npos)
        << repaired.all()[0].message;
    EXPECT_FALSE(estimated.has_errors());
}

TEST(CorrelationTest, PerfectCorrelationMakesEntriesEqual) {
    const Calendar calendar = monthly_calendar(2024, 1, 1);
    CorrelationModel model{{{"default", {{NoiseClass::inflow, {0, 2}, {1, 1, 1, 1}}}}}, {}};
    Problems problems;
    const NoiseCorrelation correlation(
        calendar, {3, {}, {}}, model, CorrelationSource::given, problems);
    std::vector<double> noise = {0.5, 7, -1.5};

    correlation.apply(0, noise);

    EXPECT_NEAR(noise[0], noise[2], 1e-15);
    EXPECT_EQ(noise[1], 7) << "outside every group";
}

TEST(CorrelationTest, GroupsOfLoadsAndSourcesFindTheirPlaces) {
    const Calendar calendar = monthly_calendar(2024, 1, 1);
    const NoiseLayout layout{1, {3, 5}, {2}};
    CorrelationModel model{{{"only",
                             {{NoiseClass::load, {5, 4, 3}, {1, 0, 1, 0, 1, 0, 1, 0, 1}},
                              {NoiseClass::source, {2}, {1}}}}},
                           {}};
    Problems problems;
    const NoiseCorrelation correlation(calendar, layout, model, CorrelationSource::given, problems);
    std::vector<double> noise = {1, 2, 4, 8};

    correlation.apply(0, NoiseClass::load, noise);

    EXPECT_EQ(noise[0], 1);
    EXPECT_NEAR(noise[1], noise[2], 1e-15) << "bus 4 has no noise and leaves the group";
    EXPECT_EQ(noise[3], 8);
}

TEST(CorrelationTest, ScheduleBeatsTheDefault) {
    const Calendar calendar = monthly_calendar(2024, 1, 2);
    CorrelationModel model{{{"default", {{NoiseClass::inflow, {0, 1}, {1, 0, 0, 1}}}},
                            {"wet", {{NoiseClass::inflow, {0, 1}, {1, 1, 1, 1}}}}},
                           {{1, "wet"}}};
    Problems problems;
    const NoiseCorrelation correlation(
        calendar, {2, {}, {}}, model, CorrelationSource::given, problems);
    std::vector<double> dry = {1, 2};
    std::vector<double> wet = {1, 2};

    correlation.apply(0, dry);
    correlation.apply(1, wet);

    EXPECT_EQ(dry, (std::vector<double>{1, 2}));
    EXPECT_NEAR(wet[0], wet[1], 1e-15);
    EXPECT_FALSE(problems.has_errors());
}

TEST(CorrelationTest, ReportsProfilesThatAreMissing) {
    const Calendar calendar = monthly_calendar(2024, 1, 2);
    CorrelationModel model{{{"a", {}}, {"b", {}}}, {{0, "c"}}};
    Problems problems;

    const NoiseCorrelation correlation(
        calendar, {1, {}, {}}, model, CorrelationSource::given, problems);

    ASSERT_EQ(problems.all().size(), 2U);
    EXPECT_EQ(problems.all()[0].kind, ProblemKind::invalid_reference);
    EXPECT_NE(problems.all()[0].message.find("\"c\""), std::string::npos);
    EXPECT_EQ(problems.all()[1].kind, ProblemKind::invalid_value);
    EXPECT_EQ(problems.all()[1].entity, "stage 1");
}

}  // namespace
}  // namespace lockstep::sddp
