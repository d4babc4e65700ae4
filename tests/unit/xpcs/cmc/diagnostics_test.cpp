#include "lockstep/xpcs/cmc/diagnostics.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/io/json.hpp"

#include "support/json_numbers.hpp"
#include "support/places.hpp"
#include "support/xpcs/simple_normals.hpp"

namespace lockstep::xpcs::cmc {
namespace {

const io::Json& arviz() {
    static const io::Json json =
        io::read_json(test::source_dir() / "tests/data/xpcs/arviz/expected.json");
    return json;
}

double transformed(const std::string& kind, int chain, double x) {
    if (kind == "shifted") {
        return x + 0.5 * chain;
    }
    if (kind == "scaled") {
        return x * (1 + chain);
    }
    if (kind == "rounded") {
        return std::floor(x * 4) / 4;
    }
    return kind == "cubed" ? x * x * x : x;
}

struct Series {
    std::vector<double> values;
    int chains;
    int draws;
    MatrixView<const double> view() const { return {values.data(), chains, draws}; }
};

Series series_of(const io::Json& recipe) {
    const auto integer = [&](const char* key) {
        return static_cast<int>(test::integer(test::member(recipe, {key})));
    };
    const double phi = test::number(test::member(recipe, {"phi"}));
    const std::string kind = *test::member(recipe, {"transform"}).if_string();
    Series series{{}, integer("chains"), integer("draws")};
    for (int c = 0; c < series.chains; ++c) {
        test::SimpleNormals noise(integer("seed") + c);
        double x = 0;
        for (int t = 0; t < series.draws; ++t) {
            x = t == 0 ? noise.next() : phi * x + noise.next();
            series.values.push_back(transformed(kind, c, x));
        }
    }
    return series;
}

class ArvizTest : public testing::TestWithParam<int> {
protected:
    const io::Json& expected() const {
        return test::array(test::member(arviz(), {"chains"}))[static_cast<std::size_t>(GetParam())];
    }
    void expect(const char* key, double found) const {
        const double wanted = test::number(test::member(expected(), {key}));
        EXPECT_NEAR(found, wanted, 1e-10 * std::abs(wanted)) << key;
    }
};

TEST_P(ArvizTest, AgreesOnSeriesMadeByTheSameRecipe) {
    const Series series = series_of(expected());
    const auto view = series.view();
    ASSERT_EQ(view(0, 1), test::numbers(test::member(expected(), {"first"}))[1]);
    ASSERT_EQ(series.values.back(), test::number(test::member(expected(), {"last"})));

    if (series.chains > 1) {
        expect("rhat", split_rhat(view).value());
        expect("rhat_bulk", split_rhat(view).bulk);
        expect("rhat_tail", split_rhat(view).tail);
    } else {
        EXPECT_TRUE(std::isnan(split_rhat(view).value()));
    }
    expect("ess_bulk", ess_bulk(view));
    expect("ess_tail", ess_tail(view));
    expect("ess_mean", ess_mean(view));
    expect("ess_sd", ess_sd(view));
    expect("ess_q10", ess_quantile(view, 0.1));
    expect("mcse_mean", mcse_mean(view));
    expect("mcse_sd", mcse_sd(view));
    expect("mcse_q90", mcse_quantile(view, 0.9));
    const auto bfmi = test::numbers(test::member(expected(), {"bfmi"}));
    for (int c = 0; c < series.chains; ++c) {
        EXPECT_NEAR(e_bfmi(view.row(c)), bfmi[static_cast<std::size_t>(c)], 1e-12);
    }
}

INSTANTIATE_TEST_SUITE_P(Series, ArvizTest, testing::Range(0, 9));

TEST(DiagnosticsTest, SummaryHoldsTheSingleFigures) {
    const Series series = series_of(test::array(test::member(arviz(), {"chains"}))[1]);

    const Summary summary = summarise(series.view());

    EXPECT_EQ(summary.ess_bulk, ess_bulk(series.view()));
    EXPECT_EQ(summary.ess_tail, ess_tail(series.view()));
    EXPECT_EQ(summary.rhat.value(), split_rhat(series.view()).value());
    EXPECT_EQ(summary.mcse_sd, mcse_sd(series.view()));
    EXPECT_LT(summary.q05, summary.median);
    EXPECT_LT(summary.median, summary.q95);
}

TEST(DiagnosticsTest, ValuesThatAreNotFiniteOrTooFewGiveNaN) {
    std::vector<double> values{1, 2, 3, std::numeric_limits<double>::quiet_NaN(), 5, 6, 7, 8};
    EXPECT_TRUE(std::isnan(ess_bulk(MatrixView<const double>(values.data(), 2, 4))));
    EXPECT_TRUE(std::isnan(split_rhat(MatrixView<const double>(values.data(), 2, 4)).bulk));
    EXPECT_TRUE(std::isnan(mcse_quantile(MatrixView<const double>(values.data(), 2, 3), 0.5)));
    EXPECT_TRUE(std::isnan(e_bfmi(std::span<const double>(values).first(2))));
}

TEST(DiagnosticsTest, ConstantDrawsCountAsIndependent) {
    const std::vector<double> values(20, 3.0);
    EXPECT_EQ(ess_mean(MatrixView<const double>(values.data(), 2, 10)), 20);
}

TEST(DiagnosticsTest, QuantilesInterpolateBetweenOrderStatistics) {
    const std::vector<double> sorted{10, 20, 40};
    EXPECT_EQ(quantile_of_sorted(sorted, 0), 10);
    EXPECT_EQ(quantile_of_sorted(sorted, 0.25), 15);
    EXPECT_EQ(quantile_of_sorted(sorted, 0.75), 30);
    EXPECT_EQ(quantile_of_sorted(sorted, 1), 40);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
