#include "lockstep/xpcs/cmc/importance.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"
#include "lockstep/runtime/fixed_sum.hpp"
#include "lockstep/runtime/random.hpp"
#include "lockstep/xpcs/cmc/pareto.hpp"

#include "xpcs/cmc/beta_quantile.hpp"
#include "xpcs/cmc/log_sum.hpp"

namespace lockstep::xpcs::cmc {
namespace {

constexpr double log_two_pi = 1.8378770664093454836;
constexpr double log_pi = 1.1447298858494001741;

// Item of a task's point.
std::uint64_t item_of(std::uint32_t task, std::ptrdiff_t point) {
    return std::uint64_t{task} << 32 | static_cast<std::uint64_t>(point);
}

const Proposal& checked(const Proposal& proposal) {
    if (proposal.points < 1 || proposal.degrees_of_freedom < 0 || !(proposal.widening > 0)) {
        throw InputError(
            fmt::format("importance sampling with {} points, {} degrees of freedom, widening {}: "
                        "the first must "
                        "be 1 or more, the second 0 or more, the third above 0",
                        proposal.points,
                        proposal.degrees_of_freedom,
                        proposal.widening));
    }
    return proposal;
}

double sum_of_squares(std::span<const double> z) {
    return runtime::fixed_dot(z, z);
}

// What a thread needs to weigh points.
struct Scales {
    std::unique_ptr<LogDensity> density;
    ProposalPoints::Scratch scratch;
    std::vector<double> x;
};

double or_zero(double log_density) {
    return std::isnan(log_density) ? minus_infinity : log_density;
}

double log_mean(std::span<const double> logarithms) {
    const double largest = *std::max_element(logarithms.begin(), logarithms.end());
    std::vector<double> values;
    for (const double logarithm : logarithms) {
        values.push_back(math::exp(logarithm - largest));
    }
    return largest + math::log(runtime::fixed_sum(values) / static_cast<double>(logarithms.size()));
}

}  // namespace

ProposalPoints::ProposalPoints(LinearCoordinates coordinates,
                               const Proposal& proposal,
                               std::uint64_t seed,
                               std::uint32_t task)
    : coordinates_(std::move(coordinates)),
      proposal_(checked(proposal)),
      task_(task),
      normals_(seed, "xpcs.cmc.importance"),
      scales_(seed, "xpcs.cmc.importance.scale"),
      log_constant_(constant()) {}

double ProposalPoints::constant() const {
    const double n = dimension();
    const double volume =
        coordinates_.factor().log_determinant() + n * math::log(proposal_.widening);
    const double nu = proposal_.degrees_of_freedom;
    return nu > 0 ? log_gamma((nu + n) / 2) - log_gamma(nu / 2) - n / 2 * (math::log(nu) + log_pi) -
                        volume
                  : -n / 2 * log_two_pi - volume;
}

ProposalPoints::Scratch ProposalPoints::scratch() const {
    return {std::vector<double>(at(dimension())),
            std::vector<double>(at(proposal_.degrees_of_freedom))};
}

double ProposalPoints::draw(std::ptrdiff_t point, Scratch& scratch, std::span<double> x) const {
    const std::uint64_t item = item_of(task_, point);
    normals_.fill_normal(item, 0, scratch.z);
    double log_density = -0.5 * sum_of_squares(scratch.z);
    double scale = proposal_.widening;
    if (const double nu = proposal_.degrees_of_freedom; nu > 0) {
        scales_.fill_normal(item, 0, scratch.of_scale);
        const double stretch = nu / sum_of_squares(scratch.of_scale);
        const double square = stretch * sum_of_squares(scratch.z);
        log_density = -0.5 * (nu + dimension()) * math::log(1 + square / nu);
        scale *= std::sqrt(stretch);
    }
    for (double& value : scratch.z) {
        value *= scale;
    }
    coordinates_.to_x(scratch.z, x);
    return log_density + log_constant_;
}

WeightedPoints ProposalPoints::weigh(std::vector<double> log_density) const {
    if (std::ssize(log_density) != count()) {
        throw InputError(fmt::format("{} densities for {} points", log_density.size(), count()));
    }
    WeightedPoints points;
    points.dimension = dimension();
    points.values.resize(at(dimension()) * at(count()));
    points.log_density = std::move(log_density);
    points.log_weights.resize(at(count()));
    Scratch memory = scratch();
    for (std::ptrdiff_t point = 0; point < count(); ++point) {
        const auto x = std::span(points.values).subspan(at(point * dimension()), at(dimension()));
        const double proposed = draw(point, memory, x);
        points.log_density[at(point)] = or_zero(points.log_density[at(point)]);
        points.log_weights[at(point)] = points.log_density[at(point)] - proposed;
    }
    if (std::ranges::all_of(points.log_weights,
                            [](double weight) { return weight == minus_infinity; })) {
        throw ModelError(
            fmt::format("the density is zero at all {} points of importance sampling", count()));
    }
    points.log_evidence = log_mean(points.log_weights);
    SmoothedWeights smoothed = smooth_weights(points.log_weights);
    points.log_weights = std::move(smoothed.log_weights);
    points.k = smoothed.k;
    points.effective_size = smoothed.effective_size;
    return points;
}

WeightedPoints importance_sample(const MakeDensity& make,
                                 const LinearCoordinates& proposal_of,
                                 const Proposal& proposal,
                                 std::uint64_t seed,
                                 std::uint32_t task,
                                 runtime::ThreadTeam& threads,
                                 const Stop& stop) {
    const ProposalPoints points(proposal_of, proposal, seed, task);
    runtime::PerThread<Scales> scales(threads, [&](int) {
        return Scales{make(), points.scratch(), std::vector<double>(at(points.dimension()))};
    });
    if (scales[0].density->dimension() != points.dimension()) {
        throw InputError(fmt::format("the density has {} coordinates, the proposal {}",
                                     scales[0].density->dimension(),
                                     points.dimension()));
    }
    std::vector<double> log_density(at(points.count()));
    std::atomic<bool> is_stopped = false;
    constexpr std::ptrdiff_t block = 16;
    threads.parallel_for(
        (points.count() + block - 1) / block, [&](std::ptrdiff_t item, int thread) {
            Scales& with = scales[thread];
            const auto end = std::min<std::ptrdiff_t>((item + 1) * block, points.count());
            for (std::ptrdiff_t point = item * block; point < end; ++point) {
                if (stop && (is_stopped || stop())) {
                    is_stopped = true;
                    return;
                }
                points.draw(point, with.scratch, with.x);
                log_density[at(point)] = with.density->evaluate(with.x);
            }
        });
    if (is_stopped) {
        throw ModelError("importance sampling was stopped before all points had weights");
    }
    return points.weigh(std::move(log_density));
}

std::vector<double> resample(const WeightedPoints& points,
                             int count,
                             std::uint64_t seed,
                             std::uint32_t task) {
    const runtime::Random random(seed, "xpcs.cmc.resample");
    const double offset = random.uniform01(task, 0, 0);
    std::vector<int> chosen;
    double passed = 0;
    for (int i = 0; i < points.count(); ++i) {
        passed += math::exp(points.log_weights[at(i)]);
        while (static_cast<int>(chosen.size()) < count &&
               (static_cast<double>(chosen.size()) + offset) / count < passed) {
            chosen.push_back(i);
        }
    }
    chosen.resize(at(count), points.count() - 1);  // where the weights sum to a little below 1
    for (int i = count - 1; i > 0; --i) {
        const double u = random.uniform01(task, 1, static_cast<std::uint32_t>(i));
        std::swap(chosen[at(i)], chosen[static_cast<std::size_t>(u * (i + 1))]);
    }
    std::vector<double> draws;
    for (const int i : chosen) {
        const auto row = points.matrix().row(i);
        draws.insert(draws.end(), row.begin(), row.end());
    }
    return draws;
}

}  // namespace lockstep::xpcs::cmc
