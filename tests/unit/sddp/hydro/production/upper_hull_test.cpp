#include "sddp/hydro/production/upper_hull.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace lockstep::sddp {
namespace {

using Surface = std::function<double(double x, double y)>;

std::vector<HullPoint> grid(int nx, int ny, double width, double height, const Surface& z) {
    std::vector<HullPoint> points;
    for (int i = 0; i < nx; ++i) {
        for (int j = 0; j < ny; ++j) {
            const double x = width * i / (nx - 1);
            const double y = height * j / (ny - 1);
            points.push_back({x, y, z(x, y)});
        }
    }
    return points;
}

double least(const std::vector<HullPlane>& planes, const HullPoint& p) {
    double value = planes.front().at(p.x, p.y);
    for (const HullPlane& plane : planes) {
        value = std::min(value, plane.at(p.x, p.y));
    }
    return value;
}

TEST(UpperHullTest, GivesOnePlaneForACoplanarGrid) {
    const auto planes =
        upper_hull(grid(7, 5, 300, 40, [](double x, double y) { return 2 + 0.01 * x + 0.9 * y; }));

    ASSERT_EQ(planes.size(), 1U);
    EXPECT_NEAR(planes[0].constant, 2, 1e-12);
    EXPECT_NEAR(planes[0].x, 0.01, 1e-14);
    EXPECT_NEAR(planes[0].y, 0.9, 1e-13);
}

// x·y on the unit square lies below min(x, y), and on it in the corners.
TEST(UpperHullTest, ClosesAProductWithTwoPlanes) {
    auto planes = upper_hull(grid(5, 5, 1, 1, [](double x, double y) { return x * y; }));

    ASSERT_EQ(planes.size(), 2U);
    std::sort(planes.begin(), planes.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    EXPECT_NEAR(planes[0].y, 1, 1e-14);
    EXPECT_EQ(planes[0].x, 0);
    EXPECT_NEAR(planes[1].x, 1, 1e-14);
    EXPECT_EQ(planes[1].y, 0);
}

TEST(UpperHullTest, TouchesEveryPointOfAConcaveSurface) {
    const auto points = grid(6, 5, 10, 4, [](double x, double y) {
        return 30 - 0.1 * (x - 3) * (x - 3) - (y - 2) * (y - 2);
    });

    const auto planes = upper_hull(points);

    EXPECT_EQ(planes.size(), 5U * 4U);  // a facet a cell: the corners of each are coplanar
    for (const HullPoint& p : points) {
        EXPECT_NEAR(least(planes, p), p.z, 1e-9);
    }
}

TEST(UpperHullTest, CutsOffPlateaus) {
    const auto planes =
        upper_hull(grid(5, 9, 100, 8, [](double, double y) { return std::min(y, 5.0); }));

    ASSERT_EQ(planes.size(), 2U);
}

TEST(UpperHullTest, LiesOverRandomPointsAndEachPlaneTouchesThree) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        const auto drawn = [&] { return static_cast<double>(random() % 1000) / 100; };
        const auto points = grid(2 + static_cast<int>(random() % 7),
                                 2 + static_cast<int>(random() % 7),
                                 1 + drawn(),
                                 1 + drawn(),
                                 [&](double, double) { return drawn(); });

        const auto planes = upper_hull(points);

        for (const HullPoint& p : points) {
            EXPECT_GE(least(planes, p), p.z - 1e-7) << "round " << round;
        }
        for (const HullPlane& plane : planes) {
            EXPECT_GE(std::count_if(points.begin(),
                                    points.end(),
                                    [&](const HullPoint& p) {
                                        return std::abs(plane.at(p.x, p.y) - p.z) < 1e-7;
                                    }),
                      3)
                << "round " << round;
        }
    }
}

}  // namespace
}  // namespace lockstep::sddp
