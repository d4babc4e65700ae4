#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/runtime/random.hpp"
#include "lockstep/xpcs/cmc/consensus.hpp"

namespace lockstep::xpcs::cmc {
namespace {

std::vector<MatrixView<const double>> views(const std::vector<std::vector<double>>& shards, int n) {
    std::vector<MatrixView<const double>> views;
    for (const auto& shard : shards) {
        views.emplace_back(shard.data(), static_cast<std::ptrdiff_t>(shard.size()) / n, n);
    }
    return views;
}

WeightedPoints product(const std::vector<MatrixView<const double>>& shards,
                       int points,
                       int threads = 1) {
    runtime::ThreadTeam team(threads);
    return density_product(shards, points, 1, 0, team);
}

Moments moments_of_points(const WeightedPoints& points) {
    const auto draws = resample(points, points.count(), 1, 0);
    return moments_of({draws.data(), points.count(), points.dimension});
}

TEST(DensityProductTest, NormalShardsGiveTheirProduct) {
    constexpr int n = 3;
    std::vector<std::vector<double>> shards;
    for (std::uint32_t s = 0; s < 8; ++s) {
        const double shift = 0.3 * s;
        shards.push_back(normal_draws(
            {{shift, 5, -2}, {4, 1.2, 0, 1.2, 1, 0.1, 0, 0.1, 1e-4 * (900 + s)}}, 2000, 11, s));
    }
    const auto of_shards = views(shards, n);
    std::vector<Moments> moments;
    for (const auto& shard : of_shards) {
        moments.push_back(moments_of(shard));
    }

    const WeightedPoints found = product(of_shards, 4000);

    EXPECT_LT(found.k, 0.5);
    EXPECT_GT(found.effective_size, 2000);
    const PosteriorDifference difference =
        compare(moments_of_points(found), product_of_normals(moments));
    EXPECT_LT(difference.largest_shift(), 0.15);
    EXPECT_LT(difference.largest_correlation_difference(), 0.1);
    for (const double ratio : difference.width_ratio) {
        EXPECT_NEAR(ratio, 1, 0.1);
    }
}

// The product of two Gamma(3) densities is Gamma(5) of rate 2, of mean 2.5. A product of normals
// stays at the mean of a shard, 3.
TEST(DensityProductTest, SkewedShardsAreMultipliedAsTheyAre) {
    const runtime::Random random(4, "test.gamma");
    std::vector<std::vector<double>> shards(2);
    for (std::uint32_t s = 0; s < 2; ++s) {
        for (std::uint32_t draw = 0; draw < 4000; ++draw) {
            double value = 0;
            for (std::uint32_t i = 0; i < 3; ++i) {
                value -= std::log(random.uniform01(s, draw, i));
            }
            shards[s].push_back(value);
        }
    }
    const auto of_shards = views(shards, 1);

    const Moments found = moments_of_points(product(of_shards, 4000));

    const double exact_sd = std::sqrt(5.0) / 2;
    EXPECT_NEAR(found.mean[0], 2.5, 0.15 * exact_sd);
    EXPECT_NEAR(found.sd(0), exact_sd, 0.1 * exact_sd);
    const Moments normal =
        product_of_normals(std::vector{moments_of(of_shards[0]), moments_of(of_shards[1])});
    EXPECT_GT(normal.mean[0], 2.5 + 0.35 * exact_sd);
}

TEST(DensityProductTest, TheSameBitsForAnyNumberOfThreads) {
    const auto shard = normal_draws({{0}, {1}}, 100, 1, 0);
    const std::vector shards{shard, shard};
    EXPECT_EQ(product(views(shards, 1), 200, 3).log_weights,
              product(views(shards, 1), 200).log_weights);
}

TEST(DensityProductTest, HundredsOfShardsAreNoTrouble) {
    std::vector<std::vector<double>> shards;
    for (std::uint32_t s = 0; s < 600; ++s) {
        shards.push_back(normal_draws({{1, 2}, {1, 0.5, 0.5, 1}}, 100, 3, s));
    }
    const WeightedPoints found = product(views(shards, 2), 400);
    const Moments moments = moments_of_points(found);
    EXPECT_LT(found.k, 0.7);
    EXPECT_NEAR(moments.mean[0], 1, 1.5 / std::sqrt(600.0));
    EXPECT_NEAR(moments.sd(0), 1 / std::sqrt(600.0), 0.25 / std::sqrt(600.0));
}

TEST(DensityProductTest, WithoutShardsThereIsNothingToMultiply) {
    EXPECT_THROW(product({}, 10), InputError);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
