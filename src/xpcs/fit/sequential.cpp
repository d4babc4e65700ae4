#include "xpcs/fit/sequential.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {
namespace {

Measurement angle_of(const Measurement& whole, int angle) {
    Measurement one = whole.without_values();
    one.phi = {whole.phi[at(angle)]};
    const auto pairs = pair_count(whole.frames);
    const auto first = whole.c2.begin() + angle * pairs;
    one.c2 = std::vector<double>(first, first + pairs);
    const auto diagonal = whole.diagonal.begin() + std::ptrdiff_t{angle} * whole.frames;
    one.diagonal.assign(diagonal, diagonal + whole.frames);
    return one;
}

// As homodyne has it: a limit that all angles together ran into says nothing of one.
constexpr int least_evaluations = 1000;

FitOptions options_of(const FitOptions& whole, int angle) {
    FitOptions one = whole;
    one.search = {};
    one.sequential.use = SequentialOptions::Use::never;
    one.regularisation = {};
    one.shear_weighting = {};
    one.trust_region.max_evaluations =
        std::max(whole.trust_region.max_evaluations, least_evaluations);
    if (!one.first_neighbours.empty()) {
        one.first_neighbours = {whole.first_neighbours[at(angle)]};
    }
    if (one.scale.mode == ScaleMode::constant) {
        one.scale.given = {whole.scale.given[at(angle)]};
    } else {
        one.scale.mode = ScaleMode::individual;
    }
    return one;
}

/// Of the physical parameters that were fitted; NaN variances where there are none.
AngleEstimate estimate_of(const FitResult& fit) {
    AngleEstimate estimate;
    estimate.points = static_cast<double>(fit.pairs);
    const std::size_t size = fit.values.size();
    for (std::size_t k = size - fit.fitted.size(); k < size; ++k) {
        estimate.values.push_back(fit.values[k]);
        estimate.variances.push_back(
            fit.covariance.matrix.empty() ? std::nan("") : fit.covariance.matrix[k * (size + 1)]);
    }
    return estimate;
}

bool is_usable(const FitResult& fit, const AngleEstimate& estimate, AngleWeighting weighting) {
    const bool has_errors = std::ranges::none_of(
        estimate.variances, [](double variance) { return std::isnan(variance); });
    return nlsq::converged(fit.minimum.stop) &&
           (has_errors || weighting != AngleWeighting::inverse_variance);
}

}  // namespace

SequentialEnd fit_angles(const Measurement& measurement,
                         const FitOptions& options,
                         runtime::Team& team) {
    SequentialEnd end;
    std::vector<AngleEstimate> estimates;
    for (int angle = 0; angle < measurement.angles(); ++angle) {
        const auto found = fit(angle_of(measurement, angle), options_of(options, angle), team);
        auto estimate = estimate_of(found);
        const bool is_used = is_usable(found, estimate, options.sequential.weighting);
        end.report.angles.push_back({measurement.phi[at(angle)],
                                     is_used,
                                     found.chi_squared,
                                     found.physical,
                                     nlsq::text(found.minimum.stop)});
        end.iterations += found.minimum.iterations;
        end.evaluations += found.minimum.evaluations;
        if (is_used) {
            estimates.push_back(std::move(estimate));
        }
    }
    end.report.used = static_cast<int>(estimates.size());
    const double share = static_cast<double>(estimates.size()) / measurement.angles();
    end.report.is_used = !estimates.empty() && share >= options.sequential.least_success;
    if (end.report.is_used) {
        end.combined = combine_angles(estimates, options.sequential.weighting);
    }
    return end;
}

}  // namespace lockstep::xpcs
