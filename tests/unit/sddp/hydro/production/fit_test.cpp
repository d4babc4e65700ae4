#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/sddp/production.hpp"

namespace lockstep::sddp {
namespace {

/// A head that grows with the volume, on a level tailrace.
FitTask plant() {
    FitTask task;
    task.generation = [](double v, double q, double) { return 0.009 * q * (40 + 0.1 * v); };
    task.max_volume_hm3 = 200;
    task.max_turbined_m3s = 50;
    task.max_generation_mw = 1000;
    task.max_spilled_m3s = 100;
    return task;
}

double allowed(const std::vector<ProductionPlane>& planes, double v, double q, double s) {
    double least = std::numeric_limits<double>::infinity();
    for (const ProductionPlane& p : planes) {
        least = std::min(least, p.intercept + p.volume * v + p.turbined * q + p.spilled * s);
    }
    return least;
}

TEST(FitProductionTest, FindsTheTwoPlanesOverAProduct) {
    const ProductionFit fit = fit_production(plant());

    // the hull of q·(a + b·v) is min(q·(a + b·V), Q·b·v + a·q)
    ASSERT_EQ(fit.planes.size(), 2U);
    EXPECT_NEAR(fit.planes[0].turbined, fit.scale * 0.009 * 60, 1e-12);
    EXPECT_EQ(fit.planes[0].volume, 0);
    EXPECT_NEAR(fit.planes[0].intercept, 0, 1e-12);
    EXPECT_NEAR(fit.planes[1].turbined, fit.scale * 0.009 * 40, 1e-12);
    EXPECT_NEAR(fit.planes[1].volume, fit.scale * 0.009 * 0.1 * 50, 1e-12);
    EXPECT_NEAR(fit.planes[1].intercept, 0, 1e-12);
    EXPECT_EQ(fit.planes[0].spilled, 0);
}

TEST(FitProductionTest, ScalesByLeastSquares) {
    const ProductionFit fit = fit_production(plant());

    double product = 0;
    double square = 0;
    for (const FitPoint& point : fit.points) {
        const double hull = point.fitted_mw / fit.scale;
        product += hull * point.generation_mw;
        square += hull * hull;
    }
    EXPECT_NEAR(fit.scale, product / square, 1e-12);
    EXPECT_LT(fit.scale, 1);
    EXPECT_LT(fit.mean_deviation, 0.05);
}

TEST(FitProductionTest, IsExactWhereGenerationIsALineInTheFlow) {
    FitTask task = plant();
    task.generation = [](double, double q, double) { return 0.5 * q; };

    const ProductionFit fit = fit_production(task);

    ASSERT_EQ(fit.planes.size(), 1U);
    EXPECT_NEAR(fit.planes[0].turbined, 0.5, 1e-12);
    EXPECT_NEAR(fit.scale, 1, 1e-12);
    EXPECT_NEAR(fit.mean_deviation, 0, 1e-12);
}

TEST(FitProductionTest, CapsGeneration) {
    FitTask task = plant();
    task.max_generation_mw = 12;

    const ProductionFit fit = fit_production(task);

    EXPECT_EQ(std::max_element(
                  fit.points.begin(),
                  fit.points.end(),
                  [](const auto& a, const auto& b) { return a.generation_mw < b.generation_mw; })
                  ->generation_mw,
              12);
    EXPECT_TRUE(std::any_of(fit.planes.begin(), fit.planes.end(), [](const auto& p) {
        return p.turbined == 0 && p.volume == 0;
    }));
}

TEST(FitProductionTest, GivesRunOfRiverPlantsNoSlopeByVolume) {
    FitTask task = plant();
    task.min_volume_hm3 = task.max_volume_hm3 = 80;
    task.generation = [](double v, double q, double) { return 0.01 * v * q - 0.001 * q * q; };

    const ProductionFit fit = fit_production(task);

    EXPECT_EQ(fit.planes.size(), 4U);  // one between two flows of the grid
    for (const ProductionPlane& plane : fit.planes) {
        EXPECT_EQ(plane.volume, 0);
    }
}

// The tailrace rises by 1 cm with each m³/s: 0.009·50·0.01 MW less where the most is generated.
TEST(FitProductionTest, TakesTheSlopeBySpillageWhereAPlaneIsTight) {
    FitTask task = plant();
    task.generation = [](double v, double q, double s) {
        return 0.009 * q * (40 + 0.1 * v - 0.01 * (q + s));
    };

    const ProductionFit fit = fit_production(task);

    EXPECT_NEAR(fit.planes.back().spilled, -0.009 * 50 * 0.01, 1e-12);
}

TEST(FitProductionTest, RefusesPlantsThatDoNotGenerate) {
    FitTask task = plant();
    task.generation = [](double, double, double) { return 0.0; };
    EXPECT_THROW(fit_production(task), ModelError);
    task.generation = [](double v, double q, double) { return 0.1 * q * (300 - v) / 300; };
    EXPECT_THROW(fit_production(task), ModelError);
}

TEST(FitProductionTest, MergesNeighboursThatAreAlike) {
    FitTask task = plant();
    task.flows = 9;
    task.generation = [](double v, double q, double) {
        return 0.009 * q * (40 + 0.1 * v - 0.2 * q);
    };
    const std::size_t all = fit_production(task).planes.size();
    task.reduction = {PlaneReduction::Method::angle, 2, 1};
    const std::size_t by_angle = fit_production(task).planes.size();
    task.reduction = {PlaneReduction::Method::distance, 0.01, 64};
    const std::size_t by_distance = fit_production(task).planes.size();

    EXPECT_LT(by_angle, all);
    EXPECT_LT(by_distance, all);
    task.reduction = {PlaneReduction::Method::angle, 0, 1};
    EXPECT_EQ(fit_production(task).planes.size(), all);
}

/// A plant with random geometry, losses, tailrace, window and grid.
FitTask random_plant(std::mt19937& random) {
    const auto between = [&](double low, double high) {
        return low + (high - low) * static_cast<double>(random() % 10000) / 10000;
    };
    FitTask task;
    const double level = between(20, 400);
    const double rise = between(0.001, 0.1);
    const double bend = between(0, 0.4) * rise / 1000;
    const double tail = between(0, 0.005);
    task.generation = [=](double v, double q, double s) {
        return 0.009 * q * std::max(0.0, level + rise * v - bend * v * v - tail * (q + s));
    };
    task.min_volume_hm3 = between(0, 300);
    task.max_volume_hm3 = task.min_volume_hm3 + (random() % 5 == 0 ? 0 : between(1, 900));
    task.volumes = 2 + static_cast<int>(random() % 8);
    task.flows = 2 + static_cast<int>(random() % 8);
    task.max_turbined_m3s = between(5, 900);
    task.max_generation_mw = 0.009 * task.max_turbined_m3s * level * between(0.5, 2);
    task.max_spilled_m3s = between(1, 2000);
    return task;
}

TEST(FitProductionTest, HoldsItsPropertiesForRandomPlants) {
    std::mt19937 random(3);
    for (int round = 0; round < 500; ++round) {
        FitTask task = random_plant(random);

        const ProductionFit fit = fit_production(task);

        const double unit = task.max_generation_mw;
        for (const FitPoint& p : fit.points) {
            // unscaled, no plane cuts off what the plant can do
            EXPECT_GE(p.fitted_mw / fit.scale, p.generation_mw - 1e-8 * unit) << round;
            EXPECT_EQ(p.fitted_mw, allowed(fit.planes, p.volume_hm3, p.turbined_m3s, 0)) << round;
        }
        for (const ProductionPlane& plane : fit.planes) {
            EXPECT_GE(plane.volume, 0);
            EXPECT_GE(plane.turbined, 0);
            EXPECT_LE(plane.spilled, 0);
            EXPECT_TRUE(std::any_of(
                fit.points.begin(),
                fit.points.end(),
                [&](const FitPoint& p) {
                    return std::abs(plane.intercept + plane.volume * p.volume_hm3 +
                                    plane.turbined * p.turbined_m3s - p.fitted_mw) <= 1e-8 * unit;
                }))
                << "a plane of round " << round << " is tight nowhere";
        }
        task.reduction = {PlaneReduction::Method::distance, 1e-4, 50};
        const ProductionFit merged = fit_production(task);
        EXPECT_LE(merged.planes.size(), fit.planes.size());
        EXPECT_EQ(merged.scale, fit.scale);
    }
}

}  // namespace
}  // namespace lockstep::sddp
