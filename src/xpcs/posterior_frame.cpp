#include "xpcs/posterior_frame.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"
#include "lockstep/runtime/random.hpp"

namespace lockstep::xpcs {
namespace {

/// Covariance [p, p] of the physical parameters as the density has it: with the errors that it
/// assumes, not those that the residuals have. 0 for those that are held.
std::vector<double> physical_covariance(const FitResult& fit) {
    const std::size_t all = fit.physical.size();
    const std::size_t size = fit.values.size();
    const std::size_t linear = size - fit.fitted.size();
    std::vector<double> covariance(all * all, 0.0);
    for (std::size_t row = 0; row < fit.fitted.size(); ++row) {
        for (std::size_t column = 0; column < fit.fitted.size(); ++column) {
            covariance[at(fit.fitted[row]) * all + at(fit.fitted[column])] =
                fit.determinacy.inverse[(linear + row) * size + linear + column];
        }
    }
    return covariance;
}

void require_covariance(const FitResult& fit) {
    const auto bounded = std::ranges::find_if(
        fit.minimum.bounds, [](nlsq::AtBound bound) { return bound != nlsq::AtBound::no; });
    if (bounded != fit.minimum.bounds.end()) {
        throw ModelError(fmt::format(
            "the posterior has no centre to start from: the fit has {} at its bound; widen the "
            "bounds, or hold the parameter (--fix)",
            fit.names[fit.values.size() - fit.fitted.size() +
                      at(bounded - fit.minimum.bounds.begin())]));
    }
    if (fit.determinacy.inverse.empty()) {
        throw ModelError(
            fmt::format("the posterior has no shape to start from: {}", fit.covariance.remark));
    }
}

/// Itself, once there is a covariance.
const FitResult& checked(const FitResult& fit) {
    require_covariance(fit);
    return fit;
}

}  // namespace

PosteriorFrame::PosteriorFrame(const Measurement& measurement,
                               const FitOptions& options,
                               const FitResult& fit,
                               const SampleOptions& sampling)
    : measurement_(measurement),
      options_(options),
      fit_(checked(fit)),
      sampling_(sampling),
      scaling_(options.scale, measurement.phi),
      parameters_(options.motion, options.held),
      time_coordinates_(options.motion,
                        measurement.dt,
                        {measurement.first_frame, measurement.frames},
                        parameters_),
      dimension_(parameters_.count() + (has_sigma() ? 1 : 0)),
      scale_draws_(sampling.seed, "xpcs.sample.scale") {}

std::unique_ptr<PosteriorDensity> PosteriorFrame::make() const {
    return std::make_unique<PosteriorDensity>(
        measurement_, options_, scaling_, fit_, sampling_.posterior);
}

std::unique_ptr<PosteriorDensity> PosteriorFrame::make(const PairSelection& chosen,
                                                       double prior_power) const {
    auto posterior = sampling_.posterior;
    posterior.prior_power = prior_power;
    return std::make_unique<PosteriorDensity>(
        measurement_, options_, scaling_, fit_, posterior, &chosen);
}

cmc::LinearCoordinates PosteriorFrame::coordinates(double widening) const {
    return {centre(), covariance(widening)};
}

/// The fit, and the σ that its residuals have.
std::vector<double> PosteriorFrame::centre() const {
    std::vector<double> values(fit_.physical.size());
    time_coordinates_.to_values(fit_.physical, values);
    auto centre = parameters_.part_of(values);
    if (has_sigma()) {
        centre.push_back(math::log(fit_.reduced_chi_squared()) / 2);
    }
    return centre;
}

std::vector<double> PosteriorFrame::covariance(double widening) const {
    const auto whole =
        time_coordinates_.transform_covariance(fit_.physical, physical_covariance(fit_));
    const std::size_t fitted = at(parameters_.count());
    std::vector<double> physical(fitted * fitted);
    parameters_.take_square(whole, physical);
    const double variance = widening * (has_sigma() ? fit_.reduced_chi_squared() : 1);
    const std::size_t size = at(dimension_);
    std::vector<double> covariance(size * size, 0.0);
    for (std::size_t row = 0; row < fitted; ++row) {
        for (std::size_t column = 0; column < fitted; ++column) {
            covariance[row * size + column] = variance * physical[row * fitted + column];
        }
    }
    if (has_sigma()) {
        covariance.back() = widening * 0.5 / static_cast<double>(fit_.pairs);
    }
    return covariance;
}

std::vector<std::string> PosteriorFrame::names() const {
    const auto scales = fit_.names.begin() + scaling_.coefficients();
    std::vector<std::string> names(scales, fit_.names.end());
    if (has_sigma()) {
        names.emplace_back("sigma");
    }
    names.insert(names.end(), fit_.names.begin(), scales);
    return names;
}

std::vector<std::string> PosteriorFrame::physical_names() const {
    return {fit_.names.end() - parameters_.count(), fit_.names.end()};
}

void PosteriorFrame::physical_of(std::span<const double> x, std::span<double> physical) const {
    auto values = fit_.physical;
    auto whole = fit_.physical;
    parameters_.put(x.first(at(parameters_.count())), values);
    time_coordinates_.to_physical(values, whole);
    parameters_.take_part(whole, physical);
}

cmc::Proposal PosteriorFrame::proposal() const {
    constexpr int points_a_draw = 2;  // that are weighed
    cmc::Proposal proposal;
    proposal.points = points_a_draw * sampling_.chains * sampling_.draws;
    return proposal;
}

cmc::NutsOptions PosteriorFrame::nuts_options(std::vector<double> covariance) const {
    cmc::NutsOptions nuts;
    nuts.warmup = sampling_.warmup;
    nuts.draws = sampling_.draws;
    nuts.target_acceptance = sampling_.target_acceptance;
    nuts.max_tree_depth = sampling_.max_tree_depth;
    nuts.covariance = std::move(covariance);
    return nuts;
}

void PosteriorFrame::describe(std::span<const double> points,
                              runtime::ThreadTeam& threads,
                              SampleResult& result) const {
    const auto width = static_cast<std::ptrdiff_t>(result.names.size());
    const std::ptrdiff_t draws = std::ssize(points) / dimension_;
    result.values.assign(at(draws * width), 0.0);
    result.log_density.assign(at(draws), 0.0);
    runtime::PerThread<std::unique_ptr<PosteriorDensity>> densities(threads,
                                                                    [&](int) { return make(); });
    threads.parallel_for(draws, [&](std::ptrdiff_t draw, int thread) {
        result.log_density[at(draw)] =
            describe(*densities[thread],
                     points.subspan(at(draw * dimension_), at(dimension_)),
                     static_cast<std::uint64_t>(draw),
                     std::span(result.values).subspan(at(draw * width), at(width)));
    });
}

double PosteriorFrame::describe(PosteriorDensity& density,
                                std::span<const double> x,
                                std::uint64_t number,
                                std::span<double> values) const {
    const double log = density.evaluate(x);
    parameters_.take_part(density.physical(), values);
    std::size_t next = at(parameters_.count());
    if (has_sigma()) {
        values[next++] = fit_.sigma.front() * math::exp(x.back());
    }
    const auto scales = density.draw_scales(scale_draws_, number);
    std::ranges::copy(scales, values.begin() + static_cast<std::ptrdiff_t>(next));
    return log;
}

}  // namespace lockstep::xpcs
