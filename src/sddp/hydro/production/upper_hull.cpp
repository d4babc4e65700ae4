#include "sddp/hydro/production/upper_hull.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <set>
#include <utility>

namespace lockstep::sddp {

namespace {

/// In units in which the points fill a box of side 1.
constexpr double flat = 1e-9;
/// Slopes below are the roundings of none.
constexpr double no_slope = 1e-12;

/// From the points to a box of side 1 and back.
struct Box {
    HullPoint low;
    HullPoint side;

    explicit Box(const std::vector<HullPoint>& points) {
        const auto range = [&](double HullPoint::*axis) {
            const auto [least, most] = std::minmax_element(
                points.begin(), points.end(), [axis](const auto& a, const auto& b) {
                    return a.*axis < b.*axis;
                });
            low.*axis = *least.*axis;
            side.*axis = *most.*axis - *least.*axis;
        };
        range(&HullPoint::x);
        range(&HullPoint::y);
        range(&HullPoint::z);
        side.z = side.z > 0 ? side.z : 1;
    }

    [[nodiscard]] HullPoint inside(const HullPoint& p) const {
        return {(p.x - low.x) / side.x, (p.y - low.y) / side.y, (p.z - low.z) / side.z};
    }

    [[nodiscard]] HullPlane outside(const HullPlane& plane) const {
        HullPlane out;
        out.x = plane.x * side.z / side.x;
        out.y = plane.y * side.z / side.y;
        out.constant = low.z + plane.constant * side.z - out.x * low.x - out.y * low.y;
        return out;
    }
};

/// Twice the area of a triangle as seen from above, positive where it turns left.
double turn(const HullPoint& a, const HullPoint& b, const HullPoint& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Walks from facet to facet over their edges. An edge (a, b) stands for the facet on its left.
class Wrapping {
public:
    using Edge = std::pair<std::size_t, std::size_t>;

    explicit Wrapping(std::vector<HullPoint> points) : points_(std::move(points)) {}

    std::vector<HullPlane> planes() {
        std::vector<HullPlane> out;
        std::vector<Edge> open{first_edge()};
        while (!open.empty()) {
            const Edge edge = open.back();
            open.pop_back();
            const std::size_t third = seen_.contains(edge) ? none : highest_left_of(edge);
            if (third == none) {
                continue;
            }
            out.push_back(through(edge, third));
            seen_.insert(edge);
            const auto corners = corners_of(out.back());
            for (std::size_t i = 0; i < corners.size(); ++i) {
                const Edge side{corners[i], corners[(i + 1) % corners.size()]};
                seen_.insert(side);
                open.emplace_back(side.second, side.first);
            }
        }
        return out;
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    /// On the rim of least x, the hull's edge at the largest y, towards smaller y.
    [[nodiscard]] Edge first_edge() const {
        std::size_t start = none;
        for (std::size_t i = 0; i < points_.size(); ++i) {
            const bool is_on_rim = points_[i].x <= 0;
            if (is_on_rim && (start == none || points_[i].y > points_[start].y)) {
                start = i;
            }
        }
        const auto slope = [&](std::size_t i) {
            return (points_[start].z - points_[i].z) / (points_[start].y - points_[i].y);
        };
        std::size_t next = none;
        for (std::size_t i = 0; i < points_.size(); ++i) {
            const bool is_below = points_[i].x <= 0 && points_[i].y < points_[start].y;
            if (is_below && (next == none || slope(i) <= slope(next))) {
                next = i;
            }
        }
        return {start, next};
    }

    /// The point that the facet on the left leans on, none on the rim.
    [[nodiscard]] std::size_t highest_left_of(const Edge& edge) const {
        std::size_t best = none;
        double steepest = 0;
        for (std::size_t i = 0; i < points_.size(); ++i) {
            const double distance = left_of(edge, i);
            if (distance > flat) {
                const double slope = above(edge, i) / distance;
                if (best == none || slope > steepest) {
                    best = i;
                    steepest = slope;
                }
            }
        }
        return best;
    }

    [[nodiscard]] double left_of(const Edge& edge, std::size_t i) const {
        return turn(points_[edge.first], points_[edge.second], points_[i]);
    }

    /// Height over the plane through the edge that is level across it.
    [[nodiscard]] double above(const Edge& edge, std::size_t i) const {
        const HullPoint& a = points_[edge.first];
        const HullPoint& b = points_[edge.second];
        const double dx = b.x - a.x;
        const double dy = b.y - a.y;
        const double share =
            ((points_[i].x - a.x) * dx + (points_[i].y - a.y) * dy) / (dx * dx + dy * dy);
        return points_[i].z - a.z - share * (b.z - a.z);
    }

    [[nodiscard]] HullPlane through(const Edge& edge, std::size_t third) const {
        const HullPoint& a = points_[edge.first];
        const HullPoint& b = points_[edge.second];
        const HullPoint& c = points_[third];
        const double area = turn(a, b, c);
        HullPlane plane;
        plane.x = ((b.z - a.z) * (c.y - a.y) - (c.z - a.z) * (b.y - a.y)) / area;
        plane.y = ((c.z - a.z) * (b.x - a.x) - (b.z - a.z) * (c.x - a.x)) / area;
        plane.x = std::abs(plane.x) > no_slope ? plane.x : 0;
        plane.y = std::abs(plane.y) > no_slope ? plane.y : 0;
        plane.constant = a.z - plane.x * a.x - plane.y * a.y;
        return plane;
    }

    /// Corners of a facet as seen from above, turning left.
    [[nodiscard]] std::vector<std::size_t> corners_of(const HullPlane& plane) const {
        std::vector<std::size_t> touched;
        for (std::size_t i = 0; i < points_.size(); ++i) {
            if (std::abs(plane.at(points_[i].x, points_[i].y) - points_[i].z) <= flat) {
                touched.push_back(i);
            }
        }
        std::stable_sort(touched.begin(), touched.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(points_[a].x, points_[a].y) < std::pair(points_[b].x, points_[b].y);
        });
        std::vector<std::size_t> corners = chain(touched);
        std::reverse(touched.begin(), touched.end());
        const std::vector<std::size_t> back = chain(touched);
        corners.insert(corners.end(), back.begin(), back.end());
        return corners;
    }

    /// One half of the rim of sorted points, without its last.
    [[nodiscard]] std::vector<std::size_t> chain(const std::vector<std::size_t>& sorted) const {
        std::vector<std::size_t> out;
        for (const std::size_t i : sorted) {
            while (out.size() >= 2 &&
                   turn(points_[out[out.size() - 2]], points_[out.back()], points_[i]) <= flat) {
                out.pop_back();
            }
            out.push_back(i);
        }
        out.pop_back();
        return out;
    }

    std::vector<HullPoint> points_;
    std::set<Edge> seen_;
};

bool are_same(const HullPlane& a, const HullPlane& b) {
    return std::abs(a.constant - b.constant) <= flat && std::abs(a.x - b.x) <= flat &&
           std::abs(a.y - b.y) <= flat;
}

}  // namespace

std::vector<HullPlane> upper_hull(const std::vector<HullPoint>& points) {
    const Box box(points);
    std::vector<HullPoint> scaled;
    for (const HullPoint& point : points) {
        scaled.push_back(box.inside(point));
    }
    std::vector<HullPlane> once;
    for (const HullPlane& plane : Wrapping(std::move(scaled)).planes()) {
        if (std::none_of(once.begin(), once.end(), [&](const HullPlane& other) {
                return are_same(plane, other);
            })) {
            once.push_back(plane);
        }
    }
    std::transform(once.begin(), once.end(), once.begin(), [&](const HullPlane& plane) {
        return box.outside(plane);
    });
    return once;
}

}  // namespace lockstep::sddp
