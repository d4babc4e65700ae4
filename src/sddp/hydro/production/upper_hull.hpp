#pragma once

#include <vector>

namespace lockstep::sddp {

struct HullPoint {
    double x = 0;
    double y = 0;
    double z = 0;
};

/// z = constant + x·x + y·y
struct HullPlane {
    double constant = 0;
    double x = 0;
    double y = 0;
    [[nodiscard]] double at(double px, double py) const noexcept {
        return constant + x * px + y * py;
    }
};

/// Planes of the facets that close the convex hull of some points from above, each once, in an
/// order that the points alone decide. Points that lie in one plane to about nine digits, which is
/// how grids are, make one facet.
/// @pre points with the least x lie at two values of y or more, and others at larger x
std::vector<HullPlane> upper_hull(const std::vector<HullPoint>& points);

}  // namespace lockstep::sddp
