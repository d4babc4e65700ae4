#include "sddp/hydro/process/noise/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sddp/hydro/process/noise/cobre_random.hpp"
#include "sddp/hydro/process/noise/openings.hpp"
#include "unit/sddp/hydro/process/process_fixtures.hpp"

namespace lockstep::sddp {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr ForwardScheme in_sample = ForwardScheme::in_sample;
constexpr ForwardScheme out_of_sample = ForwardScheme::out_of_sample;

std::shared_ptr<const NoiseModel> noise_model(const Calendar& calendar,
                                              const NoiseLayout& layout,
                                              std::uint64_t seed = 42) {
    Problems problems;
    const NoiseCorrelation correlation(
        calendar, layout, std::nullopt, CorrelationSource::given, problems);
    OpeningTree tree = draw_openings(calendar, layout.size(), seed, correlation, {}, problems);
    return std::make_shared<NoiseModel>(
        NoiseModel{calendar, layout, correlation, std::move(tree), seed});
}

ScenarioSource fresh(std::int64_t seed) {
    ScenarioSource source;
    source.inflow = out_of_sample;
    source.load = out_of_sample;
    source.source = out_of_sample;
    source.seed = seed;
    return source;
}

std::vector<double> draw(const TrajectorySampler& sampler,
                         std::size_t size,
                         int iteration,
                         int scenario,
                         int scenarios,
                         int stage) {
    std::vector<double> noise(size);
    sampler.draw(iteration, scenario, scenarios, stage, noise);
    return noise;
}

std::shared_ptr<const TrajectorySampler> sampler_of(std::shared_ptr<const NoiseModel> model,
                                                    const ScenarioSource& source) {
    Problems problems;
    auto sampler = make_sampler(std::move(model), {}, source, problems);
    EXPECT_FALSE(problems.has_errors()) << listing(problems);
    return sampler;
}

double normal_cdf(double x) {
    return std::erfc(-x / std::sqrt(2.0)) / 2;
}

TEST(SamplingTest, InSampleTakesTheOpeningOfTheForwardSeed) {
    const auto model = noise_model(monthly_calendar(2024, 1, 3, 10), {2, {0}, {}});
    const auto sampler = sampler_of(model, {});

    for (int stage = 0; stage < 3; ++stage) {
        for (int scenario = 0; scenario < 20; ++scenario) {
            cobre::Generator stream(cobre::forward_seed(
                42, 7, static_cast<std::uint32_t>(scenario), static_cast<std::uint32_t>(stage)));
            const auto expected = model->tree.noise(stage, static_cast<int>(stream.below(10)));

            const auto noise = draw(*sampler, 3, 7, scenario, 20, stage);

            EXPECT_TRUE(std::ranges::equal(noise, expected));
        }
    }
}

TEST(SamplingTest, InSampleVisitsAllOpenings) {
    const auto model = noise_model(monthly_calendar(2024, 1, 1, 10), {1, {}, {}});
    const auto sampler = sampler_of(model, {});
    std::set<double> seen;

    for (int scenario = 0; scenario < 200; ++scenario) {
        seen.insert(draw(*sampler, 1, 1, scenario, 200, 0)[0]);
    }

    EXPECT_EQ(seen.size(), 10U);
}

TEST(SamplingTest, FreshClassesHaveSeedsOfTheirOwn) {
    const auto model = noise_model(monthly_calendar(2024, 1, 1), {1, {0}, {0}});
    const auto noise = draw(*sampler_of(model, fresh(5)), 3, 1, 0, 1, 0);

    EXPECT_NE(noise[0], noise[1]);
    EXPECT_NE(noise[1], noise[2]);
    cobre::Generator load(cobre::shared_forward_seed(cobre::class_seed(5, "load"), 1, 0, 0));
    EXPECT_EQ(noise[1], load.normal());
}

TEST(SamplingTest, ClassesMayMixSchemes) {
    const auto model = noise_model(monthly_calendar(2024, 1, 1, 4), {2, {0}, {}});
    ScenarioSource mixed = fresh(5);
    mixed.load = in_sample;

    const auto noise = draw(*sampler_of(model, mixed), 3, 2, 1, 3, 0);

    EXPECT_EQ(noise[2], draw(*sampler_of(model, {}), 3, 2, 1, 3, 0)[2]);
    EXPECT_EQ(noise[0], draw(*sampler_of(model, fresh(5)), 3, 2, 1, 3, 0)[0]);
}

TEST(SamplingTest, SeedsCountByAbsoluteValue) {
    const auto model = noise_model(monthly_calendar(2024, 1, 1), {1, {}, {}});

    EXPECT_EQ(draw(*sampler_of(model, fresh(-5)), 1, 1, 0, 1, 0),
              draw(*sampler_of(model, fresh(5)), 1, 1, 0, 1, 0));
    EXPECT_EQ(seed_base(std::numeric_limits<std::int64_t>::min()), std::uint64_t{1} << 63);
}

TEST(SamplingTest, StagesOfANoiseGroupShareFreshDraws) {
    Calendar calendar = monthly_calendar(2024, 1, 3);
    calendar.stages[1].season = calendar.stages[0].season;
    const auto model = noise_model(calendar, {3, {}, {}});
    const auto sampler = sampler_of(model, fresh(1));

    EXPECT_EQ(draw(*sampler, 3, 1, 0, 1, 0), draw(*sampler, 3, 1, 0, 1, 1));
    EXPECT_NE(draw(*sampler, 3, 1, 0, 1, 0), draw(*sampler, 3, 1, 0, 1, 2));
}

TEST(SamplingTest, IterationAndScenarioChangeFreshDraws) {
    const auto model = noise_model(monthly_calendar(2024, 1, 1), {1, {}, {}});
    const auto sampler = sampler_of(model, fresh(1));

    EXPECT_NE(draw(*sampler, 1, 1, 0, 2, 0), draw(*sampler, 1, 1, 1, 2, 0));
    EXPECT_NE(draw(*sampler, 1, 1, 0, 2, 0), draw(*sampler, 1, 2, 0, 2, 0));
}

TEST(SamplingTest, FreshLatinHypercubeFillsEveryStratumOfAPass) {
    Calendar calendar = monthly_calendar(2024, 1, 1);
    calendar.stages[0].sampling = Sampling::lhs;
    const auto sampler = sampler_of(noise_model(calendar, {3, {}, {}}), fresh(8));

    for (std::size_t entity = 0; entity < 3; ++entity) {
        std::set<int> strata;
        for (int scenario = 0; scenario < 16; ++scenario) {
            const double u = normal_cdf(draw(*sampler, 3, 4, scenario, 16, 0)[entity]);
            strata.insert(static_cast<int>(u * 16));
        }
        EXPECT_EQ(strata.size(), 16U);
    }
}

TEST(SamplingTest, FreshHaltonFillsEveryStratumOfAPass) {
    Calendar calendar = monthly_calendar(2024, 1, 1);
    calendar.stages[0].sampling = Sampling::halton;
    const auto sampler = sampler_of(noise_model(calendar, {4, {}, {}}), fresh(8));
    std::set<int> strata;

    for (int scenario = 0; scenario < 7; ++scenario) {
        const auto noise = draw(*sampler, 4, 4, scenario, 7, 0);
        EXPECT_THAT(noise, Each(::testing::Lt(4)));
        strata.insert(static_cast<int>(normal_cdf(noise[3]) * 7));
    }

    EXPECT_EQ(strata.size(), 7U);
}

TEST(SamplingTest, FreshSobolPointsOfAPassDiffer) {
    Calendar calendar = monthly_calendar(2024, 1, 1);
    calendar.stages[0].sampling = Sampling::sobol;
    const auto sampler = sampler_of(noise_model(calendar, {3, {}, {}}), fresh(8));
    std::set<double> seen;

    for (int scenario = 0; scenario < 64; ++scenario) {
        seen.insert(draw(*sampler, 3, 1, scenario, 64, 0)[2]);
    }

    EXPECT_EQ(seen.size(), 64U);
}

TEST(SamplingTest, DrawsAreTheSameFromSeveralThreadsAndInAnyOrder) {
    for (const Sampling method :
         {Sampling::saa, Sampling::lhs, Sampling::sobol, Sampling::halton}) {
        Calendar calendar = monthly_calendar(2024, 1, 1);
        calendar.stages[0].sampling = method;
        const auto sampler = sampler_of(noise_model(calendar, {20, {}, {}}), fresh(3));
        std::vector<std::vector<double>> expected;
        for (int scenario = 0; scenario < 12; ++scenario) {
            expected.push_back(draw(*sampler, 20, 1, scenario, 12, 0));
        }

        std::vector<std::vector<double>> found(12);
        std::vector<std::jthread> threads;
        for (std::size_t thread = 0; thread < 3; ++thread) {
            threads.emplace_back([&, thread] {
                for (std::size_t i = 12; i-- > 0;) {
                    if (i % 3 == thread) {
                        found[i] = draw(*sampler, 20, 1, static_cast<int>(i), 12, 0);
                    }
                }
            });
        }
        threads.clear();

        EXPECT_EQ(found, expected);
    }
}

TEST(SamplingTest, FreshNoiseIsStandardNormal) {
    constexpr int draws = 4000;
    for (const Sampling method :
         {Sampling::saa, Sampling::lhs, Sampling::sobol, Sampling::halton}) {
        Calendar calendar = monthly_calendar(2024, 1, 1);
        calendar.stages[0].sampling = method;
        const auto sampler = sampler_of(noise_model(calendar, {2, {}, {}}), fresh(3));
        double mean = 0;
        double square = 0;
        for (int scenario = 0; scenario < draws; ++scenario) {
            const double x = draw(*sampler, 2, 1, scenario, draws, 0)[1];
            mean += x / draws;
            square += x * x / draws;
        }

        EXPECT_NEAR(mean, 0, 5 / std::sqrt(1.0 * draws));
        EXPECT_NEAR(square, 1, 5 * std::sqrt(2.0 / draws));
    }
}

TEST(SamplingTest, ReportsFreshNoiseWithoutASeed) {
    Problems problems;
    ScenarioSource source = fresh(0);
    source.seed.reset();

    make_sampler(noise_model(monthly_calendar(2024, 1, 1), {1, {}, {}}), {}, source, problems);

    ASSERT_EQ(problems.all().size(), 1U);
    EXPECT_EQ(problems.all()[0].kind, ProblemKind::invalid_value);
    EXPECT_THAT(problems.all()[0].message, HasSubstr("needs a seed"));
}

}  // namespace
}  // namespace lockstep::sddp
