#include "lockstep/xpcs/cmc/pareto.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/json.hpp"

#include "support/json_numbers.hpp"
#include "support/places.hpp"
#include "support/xpcs/simple_normals.hpp"

namespace lockstep::xpcs::cmc {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(ParetoTest, AgreesWithArvizOnWeightsMadeByTheSameRecipe) {
    const io::Json json = io::read_json(test::source_dir() / "tests/data/xpcs/arviz/expected.json");
    for (const io::Json& expected : test::array(test::member(json, {"weights"}))) {
        const auto value = [&](const char* key) {
            return test::number(test::member(expected, {key}));
        };
        test::SimpleNormals noise(test::integer(test::member(expected, {"seed"})));
        std::vector<double> log_weights;
        for (auto i = test::integer(test::member(expected, {"count"})); i > 0; --i) {
            const double x = noise.next();
            log_weights.push_back(value("factor") * (x * x));
        }

        const SmoothedWeights found = smooth_weights(log_weights);

        EXPECT_NEAR(found.k, value("k"), 1e-9);
        EXPECT_NEAR(found.effective_size, value("ess"), 1e-9 * value("ess"));
        for (const io::Json& one : test::array(test::member(expected, {"largest"}))) {
            const auto at = static_cast<std::size_t>(test::integer(test::member(one, {"at"})));
            EXPECT_NEAR(
                found.log_weights[at], test::number(test::member(one, {"log_weight"})), 1e-9);
        }
    }
}

TEST(ParetoTest, EqualWeightsStayEqual) {
    const SmoothedWeights found = smooth_weights(std::vector<double>(100, -5.0));

    EXPECT_EQ(found.k, -infinity);
    EXPECT_NEAR(found.effective_size, 100, 1e-9);
}

TEST(ParetoTest, OneWeightOfManyHasNoTailToFit) {
    std::vector<double> log_weights(50, -infinity);
    log_weights[7] = 3;

    const SmoothedWeights found = smooth_weights(log_weights);

    EXPECT_EQ(found.k, infinity);
    EXPECT_EQ(found.effective_size, 1);
    EXPECT_EQ(found.log_weights[7], 0);
}

TEST(ParetoTest, WeightsThatAreNoneAreRefused) {
    EXPECT_THROW(smooth_weights(std::vector<double>(3, -infinity)), InputError);
    EXPECT_THROW(smooth_weights(std::vector<double>{0, std::nan("")}), InputError);
    EXPECT_THROW(smooth_weights(std::vector<double>{0, infinity}), InputError);
    EXPECT_THROW(smooth_weights({}), InputError);
}

TEST(ParetoTest, TheShapeOfExactQuantilesIsFound) {
    constexpr double k = 0.6;
    constexpr int n = 2000;
    std::vector<double> x;
    for (int i = 0; i < n; ++i) {
        x.push_back(2 * std::expm1(-k * std::log1p(-(i + 0.5) / n)) / k);
    }

    const ParetoFit fit = fit_pareto(x);

    EXPECT_NEAR(fit.k, k, 0.01);
    EXPECT_NEAR(fit.sigma, 2, 0.02);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
