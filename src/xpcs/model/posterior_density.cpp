#include "xpcs/model/posterior_density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"

namespace lockstep::xpcs {
namespace {

constexpr double nowhere = -std::numeric_limits<double>::infinity();
constexpr double furthest_log_factor = 50;

Summation summation_of(const Measurement& measurement,
                       const FitOptions& options,
                       const PairSelection* chosen) {
    return chosen == nullptr ? Summation(measurement, options.motion, options.shear)
                             : Summation(measurement, options.motion, options.shear, *chosen);
}

/// That are not masked.
double pairs_in(std::span<const double> c2) {
    return static_cast<double>(
        std::ranges::count_if(c2, [](double value) { return !std::isnan(value); }));
}

double pairs_of(const Measurement& measurement,
                const FitOptions& options,
                const FitResult& fit,
                const PairSelection* chosen) {
    if (chosen == nullptr) {
        return options.objective == FitObjective::pairs ? static_cast<double>(fit.pairs)
                                                        : pairs_in(measurement.c2);
    }
    double count = 0;
    for (const auto& c2 : chosen->c2) {
        count += pairs_in(c2);
    }
    return count;
}

}  // namespace

PosteriorDensity::PosteriorDensity(const Measurement& measurement,
                                   const FitOptions& options,
                                   const Scaling& scaling,
                                   const FitResult& fit,
                                   const PosteriorOptions& posterior,
                                   const PairSelection* chosen)
    : options_(posterior),
      free_(options.motion, options.held),
      parameters_(free_.count()),
      has_sigma_(posterior.sigma.deviation > 0),
      pairs_(posterior.times_counted * pairs_of(measurement, options, fit, chosen)),
      reference_(fit.values.begin(), fit.values.begin() + scaling.coefficients()),
      scales_(fit.scales),
      summation_(summation_of(measurement, options, chosen)),
      coordinates_(
          options.motion, measurement.dt, {measurement.first_frame, measurement.frames}, free_),
      marginal_(scaling, posterior.contrast, posterior.offset, posterior.prior_power),
      values_(fit.physical),
      physical_(fit.physical),
      gradient_(fit.physical.size()) {
    for (const double sigma : fit.sigma) {
        weights_.push_back(posterior.times_counted / (sigma * sigma));
    }
    of_ = {{}, weights_, reference_};
}

double PosteriorDensity::evaluate_at(std::span<const double> x, Level level) {
    free_.put(x.first(at(parameters_)), values_);
    if (!coordinates_.to_physical(values_, physical_)) {
        return nowhere;
    }
    double prior = 0;
    for (const int p : free_.places()) {
        prior += options_.physical[at(p)].at(physical_[at(p)]).log;
    }
    factor_ = 1;
    if (has_sigma_) {
        const double log_factor = x[at(parameters_)];
        if (!(std::abs(log_factor) < furthest_log_factor)) {
            return nowhere;
        }
        factor_ = math::exp(log_factor);
        prior += options_.sigma.at(factor_).log;
    }
    if (!(prior > nowhere)) {
        return nowhere;
    }
    of_.sums = threads_ == nullptr ? summation_.alone(physical_, level, scales_)
                                   : summation_.over(*threads_, physical_, level, scales_);
    return marginal_.log(of_, pairs_, factor_) + options_.prior_power * prior;
}

double PosteriorDensity::evaluate(std::span<const double> x) {
    const double log = evaluate_at(x, Level::value);
    if (!(log > nowhere)) {
        return nowhere;
    }
    return log + coordinates_.log_volume(physical_) + (has_sigma_ ? x[at(parameters_)] : 0);
}

double PosteriorDensity::evaluate(std::span<const double> x, std::span<double> gradient) {
    const double log = evaluate_at(x, Level::gradient);
    if (!(log > nowhere)) {
        return nowhere;
    }
    for (std::size_t p = 0; p < gradient_.size(); ++p) {
        gradient_[p] = options_.prior_power * options_.physical[p].at(physical_[p]).slope;
    }
    marginal_.gradient(of_, gradient_);
    const double volume = coordinates_.transform_gradient(physical_, gradient_);
    free_.take_part(gradient_, gradient);
    if (has_sigma_) {
        gradient[at(parameters_)] =
            marginal_.by_log_factor() + 1 +
            options_.prior_power * options_.sigma.at(factor_).slope * factor_;
    }
    return log + volume + (has_sigma_ ? x[at(parameters_)] : 0);
}

std::vector<double> PosteriorDensity::draw_scales(const runtime::Random& random,
                                                  std::uint64_t item) const {
    auto scales = marginal_.mean(of_);
    Eigen::VectorXd normals(static_cast<Eigen::Index>(scales.size()));
    random.fill_normal(item, 0, {normals.data(), scales.size()});
    const Eigen::VectorXd change = marginal_.covariance().llt().matrixL() * normals;
    for (std::size_t k = 0; k < scales.size(); ++k) {
        scales[k] += change[static_cast<Eigen::Index>(k)];
    }
    return scales;
}

}  // namespace lockstep::xpcs
