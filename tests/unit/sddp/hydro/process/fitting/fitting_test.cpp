#include "sddp/hydro/process/fitting/fitting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "sddp/hydro/process/fitting/correlation.hpp"
#include "sddp/hydro/process/fitting/history.hpp"
#include "sddp/hydro/process/fitting/linear.hpp"
#include "sddp/hydro/process/fitting/moments.hpp"
#include "sddp/hydro/process/fitting/orders.hpp"
#include "sddp/hydro/process/fitting/yule_walker.hpp"
#include "sddp/hydro/process/noise/cobre_random.hpp"
#include "sddp/hydro/process/seasons/season_walk.hpp"
#include "unit/sddp/hydro/process/process_fixtures.hpp"

namespace lockstep::sddp {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

std::map<int, int> month_places() {
    std::map<int, int> places;
    for (int month = 0; month < 12; ++month) {
        places[month] = month;
    }
    return places;
}

// --- linear equations ----------------------------------------------------------------------------

TEST(FittingTest, SolvesASystemThatNeedsPivoting) {
    std::vector<double> cells = {0, 2, 1, 1, 1, 1, 2, 1, 3};
    std::vector<double> right = {7, 6, 13};

    ASSERT_TRUE(solve_linear(MatrixView<double>(cells.data(), 3, 3), right));

    EXPECT_THAT(right, Pointwise(DoubleNear(1e-14), {1.0, 2.0, 3.0}));
}

TEST(FittingTest, FindsASystemSingular) {
    std::vector<double> cells = {1, 2, 2, 4};
    std::vector<double> right = {1, 1};

    EXPECT_FALSE(solve_linear(MatrixView<double>(cells.data(), 2, 2), right));
}

// --- history -------------------------------------------------------------------------------------

TEST(FittingTest, MonthNumbersRunThroughTheYears) {
    EXPECT_EQ(month_number(day(2024, 1, 31)), 2024 * 12);
    EXPECT_EQ(month_start(2024 * 12 + 13), day(2025, 2));
    EXPECT_EQ(calendar_month(-1), 11);
}

TEST(FittingTest, MonthMeanWeighsDays) {
    const ObservationWindows windows = {{0, day(2024, 3, 20), day(2024, 4, 11), 10},
                                        {0, day(2024, 4, 11), day(2024, 5, 5), 40}};

    EXPECT_EQ(month_mean(month_number(day(2024, 4)), {}, windows), (10 * 10 + 20 * 40) / 30.0);
    EXPECT_EQ(month_mean(month_number(day(2024, 3)), {}, windows), std::nullopt);
    EXPECT_EQ(month_mean(month_number(day(2024, 5)), {}, windows), std::nullopt);
}

TEST(FittingTest, MonthMeanOfOneWindowIsItsValue) {
    EXPECT_EQ(month_mean(month_number(day(2024, 4)), {}, {observed(0, 2024, 4, 0.1)}), 0.1);
}

TEST(FittingTest, UpperObservationsShadowLowerOnesDayByDay) {
    const ObservationWindows upper = {{0, day(2024, 4, 11), day(2024, 4, 21), 100}};

    EXPECT_EQ(month_mean(month_number(day(2024, 4)), upper, {observed(0, 2024, 4, 10)}), 40);
}

TEST(FittingTest, GapsInsideAMonthLeaveItOut) {
    const ObservationWindows windows = {{0, day(2024, 1), day(2024, 1, 31), 10},
                                        observed(0, 2024, 2, 20),
                                        observed(0, 2024, 3, 30)};

    const SeasonSeries series = monthly_series(windows);

    EXPECT_FALSE(series.has(2024 * 12));
    EXPECT_TRUE(series.has(2024 * 12 + 1));
    EXPECT_EQ(series(2024 * 12 + 2), 30);
    EXPECT_FALSE(series.has(2024 * 12 + 3));
}

TEST(FittingTest, ReportsOverlappingWindows) {
    Problems problems;
    windows_by_hydro(hydro_system(2),
                     {observed(1, 2024, 1, 5), {1, day(2024, 1, 31), day(2024, 3), 6}},
                     "recent inflows",
                     problems);

    ASSERT_EQ(problems.all().size(), 1U);
    EXPECT_EQ(problems.all()[0].kind, ProblemKind::invalid_value);
    EXPECT_EQ(problems.all()[0].entity, "hydro 1");
    EXPECT_THAT(problems.all()[0].message, HasSubstr("starts on 2024-01-31"));
}

// --- moments -------------------------------------------------------------------------------------

/// Values of consecutive months from January of year 1 on.
SeasonSeries series_of(std::vector<double> values) {
    return {12, std::move(values)};
}

/// Years whose January is given and whose other months are 0.
SeasonSeries januaries(const std::vector<double>& values) {
    SeasonSeries series{12, std::vector<double>(values.size() * 12, 0.0)};
    for (std::size_t year = 0; year < values.size(); ++year) {
        series.values[year * 12] = values[year];
    }
    return series;
}

TEST(FittingTest, DeviationDividesByTheCount) {
    const SeasonMoments moments(januaries({1.2, 3.2, 5.2, 7.2}));

    EXPECT_EQ(moments.count(0), 4);
    EXPECT_NEAR(moments.mean(0), 4.2, 1e-15);
    EXPECT_NEAR(moments.std(0), std::sqrt(5.0), 1e-15);
}

TEST(FittingTest, ConstantMonthsHaveNoDeviation) {
    const SeasonMoments moments(januaries({3.25, 3.25 + 5e-7, 3.25}));

    EXPECT_EQ(moments.mean(0), 3.25);
    EXPECT_EQ(moments.std(0), 0);
    EXPECT_EQ(moments.correlation(0, 12), 0);
}

TEST(FittingTest, SmallRiversKeepTheirMoments) {
    const SeasonMoments moments(januaries({0.6, 1.4, 1.1, 0.9}));

    EXPECT_NEAR(moments.mean(0), 1, 1e-15);
    EXPECT_NEAR(moments.std(0), std::sqrt(0.34 / 4), 1e-15);
}

TEST(FittingTest, SaturatedMonthsTakeTheirCommonWholeNumberOnRequest) {
    MomentOptions options;
    options.rounded = true;
    const SeasonMoments moments(januaries({100.1, 99.8, 100.3, 250, 40}), options);

    EXPECT_EQ(moments.mean(0), 100);
    EXPECT_EQ(moments.std(0), 0);
}

TEST(FittingTest, MonthsThatAreNotAskedForCountAsConstants) {
    MomentOptions options;
    options.seasons = SeasonSet(1U << 1);
    const SeasonMoments moments(januaries({1, 5}), options);

    EXPECT_EQ(moments.mean(0), 3);
    EXPECT_EQ(moments.std(0), 0);
}

TEST(FittingTest, CorrelationPairsMonthsByTheCalendar) {
    // January repeats December of the year before; the first January has no partner
    std::vector<double> values(4 * 12, 0.0);
    const std::array<double, 4> december = {1.5, 4.5, 2.5, 9.5};
    values[0] = 77;
    for (std::size_t year = 0; year < 4; ++year) {
        values[year * 12 + 11] = december[year];
        if (year > 0) {
            values[year * 12] = december[year - 1];
        }
    }
    const SeasonMoments moments(series_of(values));
    double expected = 0;
    for (std::size_t year = 0; year < 3; ++year) {
        expected += (december[year] - moments.mean(0)) * (december[year] - moments.mean(11)) / 3;
    }

    EXPECT_NEAR(moments.correlation(0, 1), expected / (moments.std(0) * moments.std(11)), 1e-15);
    EXPECT_EQ(moments.correlation(5, 0), 1);
}

TEST(FittingTest, YearlyMeansCountToTheirLastMonthAndLeaveOutTheLast) {
    std::vector<double> values;
    for (int t = 0; t < 26; ++t) {
        values.push_back(t);
    }
    const SeasonMoments moments(series_of(values));

    EXPECT_EQ(moments.annual_series().first, 12 + 11);
    EXPECT_EQ(moments.annual_series().end(), 12 + 25);
    EXPECT_EQ(moments.annual_series()(12 + 11), 5.5);
    EXPECT_EQ(moments.annual_mean(11), (5.5 + 17.5) / 2);
    EXPECT_EQ(moments.annual_std(11), 6);
}

// --- Yule-Walker ---------------------------------------------------------------------------------

using Coefficients = std::array<std::vector<double>, 12>;

/// A long path of a periodic autoregression with unit residuals.
SeasonSeries simulate(const Coefficients& phi, int years, std::uint64_t seed) {
    cobre::Generator stream(seed);
    std::vector<double> z(24, 0.0);
    for (int t = 24; t < years * 12; ++t) {
        const std::vector<double>& coefficient = phi[at(t % 12)];
        double value = stream.normal();
        for (std::size_t l = 0; l < coefficient.size(); ++l) {
            value += coefficient[l] * z[static_cast<std::size_t>(t) - 1 - l];
        }
        z.push_back(value);
    }
    return series_of(std::move(z));
}

Coefficients everywhere(const std::vector<double>& coefficients) {
    Coefficients result;
    result.fill(coefficients);
    return result;
}

TEST(FittingTest, OrderOneCoefficientIsTheCorrelation) {
    const SeasonMoments moments(simulate(everywhere({0.5}), 50, 1));

    EXPECT_NEAR(fit_classical(moments, 3, 1)->coefficients[0], moments.correlation(3, 1), 1e-15);
}

TEST(FittingTest, OrderTwoSolvesTheTwoEquations) {
    const SeasonMoments moments(simulate(everywhere({0.5, 0.2}), 50, 2));
    const double r1 = moments.correlation(6, 1);
    const double r2 = moments.correlation(6, 2);
    const double before = moments.correlation(5, 1);

    const auto fit = fit_classical(moments, 6, 2);

    const double determinant = 1 - before * before;
    EXPECT_NEAR(fit->coefficients[0], (r1 - before * r2) / determinant, 1e-14);
    EXPECT_NEAR(fit->coefficients[1], (r2 - before * r1) / determinant, 1e-14);
    EXPECT_EQ(partial_correlation(moments, 6, 2), fit->coefficients[1]);
}

TEST(FittingTest, LongHistoriesGiveBackTheModel) {
    Coefficients truth = everywhere({0.6});
    truth[4] = {0.3, 0.4};
    const SeasonMoments moments(simulate(truth, 20000, 3));

    const auto fit = fit_classical(moments, 4, 2);

    // in original units; five standard errors of about 1/sqrt(20000)
    for (int l = 0; l < 2; ++l) {
        const auto i = static_cast<std::size_t>(l);
        EXPECT_NEAR(fit->coefficients[i] * moments.std(4) / moments.std(3 - l), truth[4][i], 0.036);
    }
}

TEST(FittingTest, PartialCorrelationGivenTheYearHasTheClosedFormAtLagOne) {
    const SeasonMoments moments(simulate(everywhere({0.7}), 60, 4));
    const double zz = moments.correlation(2, 1);
    const double now = moments.annual_correlation(2, 0);
    const double then = moments.annual_correlation(2, 1);

    EXPECT_NEAR(partial_correlation_given_annual(moments, 2, 1),
                (zz - now * then) / std::sqrt((1 - now * now) * (1 - then * then)),
                1e-14);
}

TEST(FittingTest, AnnualFitMeetsItsEquations) {
    const SeasonMoments moments(simulate(everywhere({0.5, 0.2}), 60, 5));

    const auto fit = fit_with_annual(moments, 7, 2);

    const double phi1 = fit->coefficients[0];
    const double phi2 = fit->coefficients[1];
    EXPECT_NEAR(
        phi1 + phi2 * moments.correlation(6, 1) + fit->annual * moments.annual_correlation(7, 1),
        moments.correlation(7, 1),
        1e-14);
    EXPECT_NEAR(phi1 * moments.annual_correlation(7, 1) + phi2 * moments.annual_correlation(7, 2) +
                    fit->annual,
                moments.annual_correlation(7, 0),
                1e-14);
}

// --- orders --------------------------------------------------------------------------------------

std::vector<int> orders(const PlantFit& fit) {
    std::vector<int> result;
    for (const SeasonFit& month : fit) {
        result.push_back(month.order());
    }
    return result;
}

SeasonMoments moments_of(const std::string& file, int hydro) {
    Problems problems;
    const auto windows =
        windows_by_hydro(hydro_system(hydro + 1), read_history(file), "inflow history", problems);
    return SeasonMoments(monthly_series(windows[at(hydro)]));
}

// Expected: the estimation report of Cobre for its case d26-estimated-par2.
TEST(FittingTest, FindsTheOrdersOfD26) {
    EstimationOptions options;
    options.max_order = 3;

    const PlantFit fit = fit_plant(moments_of("d26_history.txt", 0), options);

    EXPECT_THAT(orders(fit), ElementsAre(1, 2, 2, 1, 1, 2, 1, 1, 1, 2, 1, 1));
}

// Expected: the estimation report of Cobre for its case d12-par-annual.
TEST(FittingTest, FindsTheOrdersAndAnnualPartsOfD12) {
    EstimationOptions options;
    options.order_selection = OrderSelection::pacf_annual;
    const std::array<std::array<double, 12>, 2> expected = {{{-0.1264,
                                                              -0.18973,
                                                              0.05409,
                                                              0.23536,
                                                              0.3041,
                                                              0.03905,
                                                              -0.23995,
                                                              0.18227,
                                                              0.18828,
                                                              -0.17581,
                                                              -0.20196,
                                                              0.03301},
                                                             {-0.28848,
                                                              -0.29273,
                                                              0.05266,
                                                              -0.1453,
                                                              0.08172,
                                                              -0.34192,
                                                              -0.19903,
                                                              0.00655,
                                                              0.30189,
                                                              -0.0023,
                                                              -0.23972,
                                                              0.0343}}};

    for (int hydro = 0; hydro < 2; ++hydro) {
        const PlantFit fit = fit_plant(moments_of("d12_history.txt", hydro), options);

        EXPECT_THAT(orders(fit), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, hydro == 0 ? 2 : 1, 1, 1));
        for (std::size_t month = 0; month < 12; ++month) {
            EXPECT_NEAR(fit[month].annual, expected[at(hydro)][month], 6e-6);
        }
    }
}

TEST(FittingTest, ContributionsOfOrderOneArePowers) {
    const PlantFit fit(12, SeasonFit{{0.5}, 0});
    const SeasonMoments moments(simulate(everywhere({0.5}), 200, 6));

    const std::vector<double> found = contributions(fit, moments, 8, 3);

    EXPECT_NEAR(found[0], 0.5 * moments.std(8) / moments.std(7), 1e-14);
    EXPECT_NEAR(found[1], 0.25 * moments.std(8) / moments.std(6), 1e-14);
    EXPECT_NEAR(found[2], 0.125 * moments.std(8) / moments.std(5), 1e-14);
}

TEST(FittingTest, ContributionsCountAllPathsThroughTheMonthsBetween) {
    const PlantFit fit(12, SeasonFit{{0.5, 0.25}, 0});
    std::vector<double> values;
    for (int t = 0; t < 48; ++t) {
        values.push_back(t < 12 || t >= 36 ? 1.7 : 5.7);  // the same deviation in every month
    }

    // 0.5; 0.5² + 0.25; 0.5·(0.5² + 0.25) + 0.25·0.5
    EXPECT_THAT(contributions(fit, SeasonMoments(series_of(values)), 4, 3),
                Pointwise(DoubleNear(1e-15), {0.5, 0.5, 0.375}));
}

TEST(FittingTest, NegativeContributionsLowerTheOrder) {
    EstimationOptions options;
    options.max_order = 2;
    const SeasonMoments moments(simulate(everywhere({0.3, -0.5}), 400, 7));
    ASSERT_LT(partial_correlation(moments, 0, 2), -0.3);

    const PlantFit fit = fit_plant(moments, options);

    for (int month = 0; month < 12; ++month) {
        EXPECT_LE(fit[at(month)].order(), 1);
        EXPECT_THAT(contributions(fit, moments, month, 2), ::testing::Each(::testing::Ge(0)));
    }
}

TEST(FittingTest, ANegativeFirstCoefficientMeansWhiteNoise) {
    const SeasonMoments moments(simulate(everywhere({-0.6}), 200, 8));

    EXPECT_THAT(orders(fit_plant(moments, {})), ::testing::Each(0));
}

TEST(FittingTest, OnlyTheMonthsAskedForAreFitted) {
    const SeasonMoments moments(simulate(everywhere({0.8}), 200, 9));

    const PlantFit fit = fit_plant(moments, {}, SeasonSet(1U << 3));

    for (int month = 0; month < 12; ++month) {
        EXPECT_EQ(fit[at(month)].order() > 0, month == 3) << month;
    }
}

TEST(FittingTest, LargeCoefficientsMeanWhiteNoise) {
    EstimationOptions options;
    options.max_order = 1;
    options.max_coefficient_magnitude = 0.3;
    const SeasonMoments moments(simulate(everywhere({0.8}), 200, 9));

    EXPECT_THAT(orders(fit_plant(moments, options)), ::testing::Each(0));
}

// --- residuals -----------------------------------------------------------------------------------

TEST(FittingTest, ResidualsOfATrueModelAreWhite) {
    const SeasonMoments moments(simulate(everywhere({0.7}), 300, 10));
    PlantFit fit(12);
    for (int month = 0; month < 12; ++month) {
        fit[at(month)] = *fit_classical(moments, month, 1);
    }

    const SeasonSeries left = residuals(moments, fit);

    EXPECT_FALSE(left.has(left.first)) << "its lag is unknown";
    double product = 0;
    double square = 0;
    for (int t = left.first + 2; t < left.end(); ++t) {
        product += left(t) * left(t - 1);
        square += left(t) * left(t);
    }
    EXPECT_NEAR(product / square, 0, 5 / std::sqrt(3600.0));
}

TEST(FittingTest, CorrelatesResidualsByPlantAndSeason) {
    const Calendar calendar = monthly_calendar(2024, 1, 2);
    const SeasonSeries a = simulate(everywhere({}), 40, 11);
    SeasonSeries b = a;
    SeasonSeries c = simulate(everywhere({}), 40, 12);
    for (double& value : b.values) {
        value = 3 - 2 * value;
    }

    const CorrelationModel model = residual_correlation(calendar, month_places(), {a, b, c});

    ASSERT_EQ(model.profiles.size(), 13U);
    EXPECT_EQ(model.profiles[0].name, "default");
    EXPECT_EQ(model.profiles[12].name, "season_11");
    const std::vector<double>& matrix = model.profiles[0].groups[0].matrix;
    EXPECT_NEAR(matrix[1], -1, 1e-12);
    EXPECT_EQ(matrix[1], matrix[3]);
    EXPECT_NEAR(matrix[2], 0, 5 / std::sqrt(480.0));
    EXPECT_EQ(matrix[8], 1);
    ASSERT_EQ(model.schedule.size(), 2U);
    EXPECT_EQ(model.schedule[1], (std::pair<int, std::string>(1, "season_01")));
}

TEST(FittingTest, OnlyTheMonthsAskedForAreCorrelated) {
    const SeasonSeries a = simulate(everywhere({}), 40, 11);
    SeasonSeries b = a;
    for (int t = b.first; t < b.end(); ++t) {
        if (calendar_month(t) != 2) {
            b.values[at(t - b.first)] *= -1;
        }
    }

    const CorrelationModel model = residual_correlation(
        monthly_calendar(2024, 3, 1), month_places(), {a, b}, SeasonSet(1U << 2));

    ASSERT_EQ(model.profiles.size(), 2U);
    EXPECT_NEAR(model.profiles[0].groups[0].matrix[1], 1, 1e-12);
    EXPECT_EQ(model.profiles[1].name, "season_02");
}

TEST(FittingTest, FewResidualsMakeNoSeasonProfiles) {
    const CorrelationModel model = residual_correlation(
        monthly_calendar(2024, 1, 2), month_places(), {simulate(everywhere({}), 29, 13)});

    EXPECT_EQ(model.profiles.size(), 1U);
    EXPECT_TRUE(model.schedule.empty());
}

// --- tables --------------------------------------------------------------------------------------

std::vector<Problem> problems_of(const Calendar& calendar,
                                 const ProcessData& data,
                                 int hydros = 1) {
    Problems problems;
    complete_tables(calendar, hydro_system(hydros), data, problems);
    return problems.all();
}

TEST(FittingTest, EstimationNeedsASeasonMap) {
    ProcessData data;
    data.history = read_history("d26_history.txt");
    Calendar none = monthly_calendar(2024, 1, 2);
    none.cycle = SeasonCycle::none;
    Calendar weekly = monthly_calendar(2024, 1, 2);
    weekly.cycle = SeasonCycle::weekly;

    EXPECT_EQ(problems_of(none, data).at(0).kind, ProblemKind::business_rule_violation);
    data.estimation.order_selection = OrderSelection::pacf_annual;
    EXPECT_THAT(problems_of(weekly, data).at(0).message, HasSubstr("needs monthly seasons"));
}

/// Stages of equal seasons in a row, and a record of `before` seasons that ends with the day before
/// them: 100 + 5·(number of the season) plus a chain of correlation 0.8.
struct SeasonalStudy {
    Calendar calendar;
    ProcessData data;
    std::vector<double> record;  ///< latest first
    std::vector<int> seasons;    ///< of its values

    void add_record(int before, std::uint64_t seed) {
        cobre::Generator stream(seed);
        const SeasonWalk walk(calendar);
        Occurrence at = *walk.of(calendar.stages[0]);
        double noise = 0;
        data.history.emplace();
        for (int i = 0; i < before; ++i) {
            at = walk.before(at);
            noise = 0.8 * noise + stream.normal();
            record.push_back(100 + 5 * at.season + noise);
            seasons.push_back(at.season);
            data.history->push_back({0, at.start, at.end, record.back()});
        }
        data.estimation.max_order = 1;
    }

    // In the season of the first stage, and in the one before it, over the years.
    [[nodiscard]] std::vector<std::pair<double, double>> pairs() const {
        std::vector<std::pair<double, double>> result;
        for (std::size_t i = 0; i + 1 < record.size(); ++i) {
            if (seasons[i] == calendar.stages[0].season) {
                result.emplace_back(record[i], record[i + 1]);
            }
        }
        return result;
    }
};

double correlation_of(const std::vector<std::pair<double, double>>& pairs) {
    const auto n = static_cast<double>(pairs.size());
    double x = 0;
    double y = 0;
    for (const auto& [a, b] : pairs) {
        x += a / n;
        y += b / n;
    }
    double xx = 0;
    double yy = 0;
    double xy = 0;
    for (const auto& [a, b] : pairs) {
        xx += (a - x) * (a - x);
        yy += (b - y) * (b - y);
        xy += (a - x) * (b - y);
    }
    return xy / std::sqrt(xx * yy);
}

void expect_estimate(const SeasonalStudy& study) {
    Problems problems;

    const CompleteTables tables =
        complete_tables(study.calendar, hydro_system(1), study.data, problems);

    EXPECT_FALSE(problems.has_errors()) << listing(problems);
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < study.record.size(); ++i) {
        const bool is_it = study.seasons[i] == study.calendar.stages[0].season;
        sum += is_it ? study.record[i] : 0;
        count += is_it ? 1 : 0;
    }
    const InflowStatistics& row = tables.data.statistics->at(0);
    EXPECT_EQ(row.stage_id, 0);
    EXPECT_NEAR(row.mean_m3s, sum / count, 1e-9);
    const ArCoefficient& coefficient = tables.data.coefficients->at(0);
    EXPECT_EQ(coefficient.stage_id, 0);
    EXPECT_NEAR(coefficient.coefficient, correlation_of(study.pairs()), 0.03);  // other ends
    EXPECT_EQ(tables.data.statistics->back().stage_id, -1);  // what the first stage remembers
}

TEST(FittingTest, EstimatesQuarters) {
    SeasonalStudy study;
    study.calendar.cycle = SeasonCycle::custom;
    for (int q = 0; q < 4; ++q) {
        const auto month = static_cast<unsigned>(3 * q + 1);
        study.calendar.seasons.push_back({q, "", month, 1, month + 2, 31});
    }
    for (int t = 0; t < 2; ++t) {
        Stage stage;
        stage.id = t;
        stage.season = 1 + t;
        stage.start = day(2030, static_cast<unsigned>(4 + 3 * t));
        stage.end = day(2030, static_cast<unsigned>(7 + 3 * t));
        stage.blocks = {{"all", 2190}};
        study.calendar.stages.push_back(stage);
    }
    study.add_record(4 * 40, 5);

    expect_estimate(study);
}

// Some of whose years have 53.
TEST(FittingTest, EstimatesWeeks) {
    SeasonalStudy study;
    study.calendar.cycle = SeasonCycle::weekly;
    for (int week = 0; week < 52; ++week) {
        study.calendar.seasons.push_back({week, "", 1, 1, 12, 31});
    }
    Stage stage;
    stage.start = day(2020, 6, 1);
    stage.end = stage.start + std::chrono::days{7};
    stage.season = study.calendar.season_of(stage.start);
    stage.blocks = {{"all", 168}};
    study.calendar.stages = {stage};
    study.add_record(52 * 40, 6);

    expect_estimate(study);
}

TEST(FittingTest, EstimationNeedsHistoryOfEveryPlant) {
    ProcessData data;
    data.history = read_history("d26_history.txt");

    const auto problems = problems_of(monthly_calendar(2024, 1, 2), data, 2);

    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].kind, ProblemKind::business_rule_violation);
    EXPECT_EQ(problems[0].entity, "hydro 1");
    EXPECT_THAT(problems[0].message, HasSubstr("at least 2"));
}

// Statistics of the study's months only: those of the lag months come from the record, as in Cobre.
TEST(FittingTest, PartialEstimationKnowsTheMonthsBeforeTheStudy) {
    ProcessData data;
    data.history = read_history("d26_history.txt");
    data.statistics = {{0, 0, 50, 10}, {0, 1, 60, 12}};
    data.estimation.max_order = 2;
    Problems problems;

    const CompleteTables tables =
        complete_tables(monthly_calendar(2024, 4, 2), hydro_system(1), data, problems);

    EXPECT_FALSE(problems.has_errors()) << listing(problems);
    std::vector<int> stages;
    for (const InflowStatistics& row : *tables.data.statistics) {
        stages.push_back(row.stage_id);
    }
    EXPECT_THAT(stages, ElementsAre(0, 1, -1, -2));
    EXPECT_EQ((*tables.data.statistics)[0].mean_m3s, 50);
    EXPECT_GT((*tables.data.statistics)[2].std_m3s, 0);
}

// Rows were numbered back from the first stage whatever was declared: 2 and 1 here, where the
// calendar says that March is -1, and back to -1 with a longer memory, which then was another
// month's row.
TEST(FittingTest, DeclaredMonthsKeepTheirIdsAndAreAllFitted) {
    Calendar calendar = monthly_calendar(2024, 4, 2);
    calendar.stages[0].id = 3;
    calendar.stages[1].id = 4;
    for (const int back : {2, 1}) {
        const auto month = static_cast<unsigned>(4 - back);
        calendar.past.push_back(
            {-back, month_later(2024, month, 0), month_later(2024, month, 1), 3 - back});
    }
    ProcessData data;
    data.history = read_history("d26_history.txt");
    for (const auto& [order, ids] : {std::pair(1, std::vector{3, 4, -1, -2}),
                                     std::pair(4, std::vector{3, 4, -1, -2, -3, -4})}) {
        data.estimation.max_order = order;
        Problems problems;

        const CompleteTables tables = complete_tables(calendar, hydro_system(1), data, problems);

        EXPECT_FALSE(problems.has_errors()) << listing(problems);
        std::vector<int> stages;
        for (const InflowStatistics& row : *tables.data.statistics) {
            stages.push_back(row.stage_id);
        }
        EXPECT_EQ(stages, ids);
    }
}

TEST(FittingTest, ShortHistoriesAreWarnedAbout) {
    ProcessData data;
    data.history = read_history("d26_history.txt");
    data.estimation.min_observations_per_season = 41;

    const auto problems = problems_of(monthly_calendar(2024, 1, 2), data);

    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].kind, ProblemKind::model_quality);
    EXPECT_THAT(problems[0].message, HasSubstr("only 40"));
}

}  // namespace
}  // namespace lockstep::sddp
