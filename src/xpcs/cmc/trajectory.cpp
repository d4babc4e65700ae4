#include "xpcs/cmc/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"

#include "xpcs/cmc/log_sum.hpp"

namespace lockstep::xpcs::cmc {
namespace {

// Of two neighbouring stretches a and b: whether the whole, a with the first momentum of b, and b
// with the last of a all still move apart.
bool goes_on(std::span<const double> a_first,
             std::span<const double> a_last,
             std::span<const double> a_sum,
             std::span<const double> b_first,
             std::span<const double> b_last,
             std::span<const double> b_sum) {
    std::array<double, 6> dot{};
    for (std::size_t i = 0; i < a_sum.size(); ++i) {
        const double whole = a_sum[i] + b_sum[i];
        dot[0] += a_first[i] * whole;
        dot[1] += b_last[i] * whole;
        const double near_a = a_sum[i] + b_first[i];
        dot[2] += a_first[i] * near_a;
        dot[3] += b_first[i] * near_a;
        const double near_b = b_sum[i] + a_last[i];
        dot[4] += a_last[i] * near_b;
        dot[5] += b_last[i] * near_b;
    }
    return std::all_of(dot.begin(), dot.end(), [](double value) { return value > 0; });
}

Point point_of(int dimension) {
    return {std::vector<double>(at(dimension)), std::vector<double>(at(dimension)), 0};
}

}  // namespace

ChainRandom::ChainRandom(const ChainKey& key)
    : item_(std::uint64_t{key.task} << 32 | key.chain),
      momentum_(key.seed, "xpcs.cmc.momentum"),
      direction_(key.seed, "xpcs.cmc.direction"),
      choice_(key.seed, "xpcs.cmc.choice"),
      search_(key.seed, "xpcs.cmc.step_size") {}

double PhasePoint::energy() const {
    double kinetic = 0;
    for (const double momentum : r) {
        kinetic += momentum * momentum;
    }
    const double energy = 0.5 * kinetic - point.log_density;
    return std::isnan(energy) ? std::numeric_limits<double>::infinity() : energy;
}

Leapfrog::Leapfrog(LogDensity& density, int dimension)
    : density_(&density), scratch_(at(dimension)) {}

void Leapfrog::evaluate(Point& point, const CovarianceFactor& metric) {
    point.log_density = density_->evaluate(point.x, scratch_);
    metric.multiply_transposed(scratch_, point.gradient);
}

void Leapfrog::step(PhasePoint& place, const CovarianceFactor& metric, double step_size) {
    Point& point = place.point;
    const std::size_t n = point.x.size();
    for (std::size_t i = 0; i < n; ++i) {
        place.r[i] += 0.5 * step_size * point.gradient[i];
    }
    metric.multiply(place.r, scratch_);
    for (std::size_t i = 0; i < n; ++i) {
        point.x[i] += step_size * scratch_[i];
    }
    evaluate(point, metric);
    for (std::size_t i = 0; i < n; ++i) {
        place.r[i] += 0.5 * step_size * point.gradient[i];
    }
}

Trajectory::Trajectory(LogDensity& density, int dimension, const NutsOptions& options)
    : max_depth_(options.max_tree_depth),
      max_energy_error_(options.max_energy_error),
      leapfrog_(density, dimension),
      ends_{PhasePoint{point_of(dimension), std::vector<double>(at(dimension))},
            PhasePoint{point_of(dimension), std::vector<double>(at(dimension))}},
      whole_(new_stretch(dimension)) {
    for (int level = 0; level <= max_depth_; ++level) {
        stack_.push_back(new_stretch(dimension));
    }
}

Trajectory::Stretch Trajectory::new_stretch(int dimension) const {
    const std::vector<double> zeros(at(dimension));
    return {zeros, zeros, zeros, point_of(dimension)};
}

Transition Trajectory::run(Point& point,
                           const CovarianceFactor& metric,
                           double step_size,
                           const ChainRandom& random,
                           std::uint32_t iteration,
                           const Stop& stop) {
    Walk walk{metric, random, iteration, stop, 0};
    start(point, walk);
    while (walk.result.depth < max_depth_ && extend(walk, walk.result.depth, step_size)) {
    }
    walk.result.acceptance = walk.acceptance / std::max(walk.result.leapfrogs, 1);
    walk.result.energy = whole_.draw_energy;
    if (!walk.result.is_stopped) {
        std::swap(point, whole_.draw);
    }
    return walk.result;
}

void Trajectory::start(const Point& point, Walk& walk) {
    PhasePoint& forward = ends_[1];
    forward.point = point;
    walk.random.fill_momentum(walk.iteration, forward.r);
    ends_[0] = forward;
    walk.start_energy = forward.energy();
    whole_.first = whole_.last = whole_.sum = forward.r;
    whole_.draw = point;
    whole_.draw_energy = walk.start_energy;
    whole_.log_weight = 0;
}

// Doubles the trajectory on one side. False: it ends here, turned back, diverged or stopped.
bool Trajectory::extend(Walk& walk, int doubling, double step_size) {
    const auto level = static_cast<std::uint32_t>(doubling);
    const bool forward = walk.random.direction(walk.iteration, level) > 0.5;
    PhasePoint& end = ends_[forward ? 1 : 0];
    if (!grow(walk, end, doubling, forward ? step_size : -step_size)) {
        return false;
    }
    ++walk.result.depth;
    // The criteria do not change when a stretch is read backwards.
    if (!forward) {
        std::swap(whole_.first, whole_.last);
    }
    Stretch& added = stack_[0];
    const bool take = walk.random.choice(walk.iteration, walk.merges++) <
                      math::exp(added.log_weight - whole_.log_weight);
    const bool persists =
        goes_on(whole_.first, whole_.last, whole_.sum, added.first, added.last, added.sum);
    if (take) {
        std::swap(whole_.draw, added.draw);
        whole_.draw_energy = added.draw_energy;
    }
    whole_.log_weight = log_sum(whole_.log_weight, added.log_weight);
    for (std::size_t i = 0; i < whole_.sum.size(); ++i) {
        whole_.sum[i] += added.sum[i];
    }
    std::swap(whole_.last, added.last);
    if (!forward) {
        std::swap(whole_.first, whole_.last);
    }
    return persists;
}

// Walks 2^doubling steps and leaves the stretch in stack_[0]. Stretches of equal length merge as
// soon as the second is there, like the carries of a binary counter. False: something in it turned
// back, diverged or was stopped.
bool Trajectory::grow(Walk& walk, PhasePoint& end, int doubling, double step_size) {
    std::size_t top = 0;
    for (std::uint32_t leaf = 0; leaf < (1U << static_cast<unsigned>(doubling)); ++leaf) {
        if (walk.stop && walk.stop()) {
            walk.result.is_stopped = true;
            return false;
        }
        if (!add_leaf(walk, end, stack_[top++], step_size)) {
            return false;
        }
        for (std::uint32_t carry = leaf; (carry & 1U) != 0; carry >>= 1) {
            --top;
            if (!merge(walk, stack_[top - 1], stack_[top])) {
                return false;
            }
        }
    }
    return true;
}

bool Trajectory::add_leaf(Walk& walk, PhasePoint& end, Stretch& leaf, double step_size) {
    leapfrog_.step(end, walk.metric, step_size);
    ++walk.result.leapfrogs;
    const double energy = end.energy();
    const double gain = walk.start_energy - energy;
    walk.acceptance += gain >= 0 ? 1 : math::exp(gain);
    if (-gain > max_energy_error_) {
        walk.result.is_divergent = true;
        return false;
    }
    leaf.first = leaf.last = leaf.sum = end.r;
    leaf.draw = end.point;
    leaf.draw_energy = energy;
    leaf.log_weight = gain;
    return true;
}

// b follows a and is added to it.
bool Trajectory::merge(Walk& walk, Stretch& a, Stretch& b) {
    const double weight = log_sum(a.log_weight, b.log_weight);
    if (walk.random.choice(walk.iteration, walk.merges++) < math::exp(b.log_weight - weight)) {
        std::swap(a.draw, b.draw);
        a.draw_energy = b.draw_energy;
    }
    a.log_weight = weight;
    const bool persists = goes_on(a.first, a.last, a.sum, b.first, b.last, b.sum);
    for (std::size_t i = 0; i < a.sum.size(); ++i) {
        a.sum[i] += b.sum[i];
    }
    std::swap(a.last, b.last);
    return persists;
}

}  // namespace lockstep::xpcs::cmc
