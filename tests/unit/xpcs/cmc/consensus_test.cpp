#include "lockstep/xpcs/cmc/consensus.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/runtime/random.hpp"
#include "lockstep/xpcs/cmc/covariance_factor.hpp"

#include "support/json_numbers.hpp"
#include "support/places.hpp"

namespace lockstep::xpcs::cmc {
namespace {

using testing::HasSubstr;

struct Golden {
    io::Json json = test::member(
        io::read_json(test::source_dir() / "tests/data/xpcs/consensus/homodyne.json"), {"combine"});
    std::vector<double> means = test::numbers(test::member(json, {"shard_means"}));
    std::vector<double> variances = squares(test::numbers(test::member(json, {"shard_sds"})));

    static std::vector<double> squares(std::vector<double> sds) {
        for (double& sd : sds) {
            sd *= sd;
        }
        return sds;
    }
    double value(const char* rule, const char* key) const {
        return test::number(test::member(json, {rule, key}));
    }
};

TEST(ConsensusTest, MarginalRulesHaveTheNumbersOfHomodyne) {
    const Golden golden;

    const Marginal plain = consensus_mc(golden.means, golden.variances);
    const Marginal robust = robust_consensus_mc(golden.means, golden.variances);

    EXPECT_NEAR(plain.mean, golden.value("consensus_mc", "mean"), 1e-12 * plain.mean);
    EXPECT_NEAR(plain.variance, golden.value("consensus_mc", "var"), 1e-12 * plain.variance);
    EXPECT_NEAR(robust.mean, golden.value("robust_consensus_mc", "mean"), 1e-12 * robust.mean);
    EXPECT_NEAR(
        robust.variance, golden.value("robust_consensus_mc", "var"), 1e-12 * robust.variance);
    const auto& kept = test::array(test::member(golden.json, {"robust_consensus_mc", "kept"}));
    for (std::size_t s = 0; s < kept.size(); ++s) {
        EXPECT_EQ(robust.is_kept[s], *kept[s].if_bool());
    }
}

TEST(ConsensusTest, DegenerateShardsHaveNoSay) {
    const std::vector<double> means{1, 2, 3, 100};
    const std::vector<double> variances{1, 1, 1, 1e-9};
    const Marginal found = consensus_mc(means, variances);
    EXPECT_DOUBLE_EQ(found.mean, 2);
    EXPECT_DOUBLE_EQ(found.variance, 1.0 / 3);
    EXPECT_FALSE(found.is_kept[3]);
}

// homodyne drops the filter beyond 500 shards.
TEST(ConsensusTest, ManyShardsStayRobust) {
    std::vector<double> means;
    std::vector<double> variances;
    for (int s = 0; s < 1200; ++s) {
        means.push_back(s % 100 == 50 ? 1e6 : std::sin(s));
        variances.push_back(1);
    }
    const Marginal found = robust_consensus_mc(means, variances);
    EXPECT_LT(std::abs(found.mean), 0.05);
    EXPECT_NEAR(found.variance, 1.0 / 1188, 1e-15);
}

// Quadratic log densities add up to one whose moments are known: a regression in parts.
TEST(ConsensusTest, NormalShardsGiveTheExactProduct) {
    constexpr int n = 6;
    constexpr int shards = 40;
    constexpr int rows_of_shard = 30;
    const runtime::Random random(6, "test.rows");
    std::vector<double> precision(n * n, 0.0);
    std::vector<double> right(n, 0.0);
    std::vector<Moments> moments;
    const auto solved = [](const std::vector<double>& of_precision, std::vector<double> side) {
        const auto factor = CovarianceFactor::dense(of_precision);
        factor.solve(side);
        factor.solve_transposed(side);
        return Moments{side, factor.inverse()};
    };
    for (std::uint32_t s = 0; s < shards; ++s) {
        std::vector<double> own(n * n, 0.0);
        std::vector<double> own_right(n, 0.0);
        for (std::uint32_t row = 0; row < rows_of_shard; ++row) {
            std::vector<double> x(n);
            random.fill_normal(s, row, x);
            x[1] = x[0] + 0.1 * x[1];
            const double y = x[2] - x[3] + random.normal(s, row, n);
            for (std::size_t i = 0; i < n; ++i) {
                own_right[i] += x[i] * y;
                for (std::size_t j = 0; j < n; ++j) {
                    own[i * n + j] += x[i] * x[j];
                }
            }
        }
        for (std::size_t i = 0; i < own.size(); ++i) {
            precision[i] += own[i];
        }
        for (std::size_t i = 0; i < n; ++i) {
            right[i] += own_right[i];
        }
        moments.push_back(solved(own, own_right));
    }

    const Moments found = product_of_normals(moments);

    const Moments exact = solved(precision, right);
    const PosteriorDifference difference = compare(found, exact);
    EXPECT_LT(difference.largest_shift(), 1e-10);
    EXPECT_LT(difference.largest_correlation_difference(), 1e-10);
    for (const double ratio : difference.width_ratio) {
        EXPECT_NEAR(ratio, 1, 1e-10);
    }
    // What means and variances alone lose: the correlation of the first two parameters.
    const Moments marginal = combine_marginals(moments, MarginalRule::plain);
    EXPECT_EQ(marginal.covariance[1], 0);
    EXPECT_GT(compare(marginal, exact).largest_correlation_difference(), 0.9);
}

TEST(ConsensusTest, ShardsThatDoNotFitAreNamed) {
    const auto message = [](const std::vector<Moments>& shards) -> std::string {
        try {
            product_of_normals(shards);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    const Moments one{{0}, {1}};
    EXPECT_THAT(message({}), HasSubstr("no shard"));
    EXPECT_THAT(message({one, {{0, 0}, {1, 0, 0, 1}}}), HasSubstr("shard 1 has 2 parameters"));
    EXPECT_THAT(message({one, one, {{0}, {0}}}), HasSubstr("shard 2: the covariance is not"));
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
