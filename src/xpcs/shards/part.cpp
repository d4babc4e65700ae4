#include "xpcs/shards/part.hpp"

#include <cmath>
#include <cstddef>
#include <iterator>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {
namespace {

/// Of what was fitted to all angles what is of one, and of the others as if they were like it.
FitResult fit_of_angle(const FitResult& whole, std::size_t angle, const ScaleOptions& scale) {
    FitResult fit;
    fit.physical = whole.physical;
    fit.fitted = whole.fitted;
    fit.scales = {whole.scales[angle]};
    fit.sigma = {whole.sigma[angle]};
    if (scale.mode != ScaleMode::constant) {
        fit.names = {"contrast", "offset"};
        fit.values = {fit.scales[0].contrast, fit.scales[0].offset};
    }
    const std::size_t before = fit.values.size();
    const std::size_t linear = whole.values.size() - whole.fitted.size();
    const std::size_t all = whole.values.size();
    for (std::size_t k = linear; k < all; ++k) {
        fit.names.push_back(whole.names[k]);
        fit.values.push_back(whole.values[k]);
    }
    const std::size_t size = fit.values.size();
    fit.determinacy.inverse.assign(size * size, 0);
    for (std::size_t row = 0; row < whole.fitted.size(); ++row) {
        for (std::size_t column = 0; column < whole.fitted.size(); ++column) {
            fit.determinacy.inverse[(before + row) * size + before + column] =
                whole.determinacy.inverse[(linear + row) * all + linear + column];
        }
    }
    const auto angles = std::ssize(whole.scales);
    fit.pairs = whole.angle_pairs[angle] * angles;
    fit.chi_squared =
        whole.sums_of_squares[angle] / (fit.sigma[0] * fit.sigma[0]) * static_cast<double>(angles);
    fit.minimum.bounds = whole.minimum.bounds;
    fit.covariance.remark = whole.covariance.remark;
    return fit;
}

/// The prior of a scale that only this share of all shards knows of.
Prior widened(Prior prior, double share) {
    prior.deviation *= std::sqrt(share);
    return prior;
}

ShardSettings settings_of_angle(const ShardSettings& whole, const AngleDeal& deal, int angle) {
    ShardSettings settings = whole;
    settings.measurement.phi = {whole.measurement.phi[at(angle)]};
    if (!whole.options.scale.given.empty()) {
        settings.options.scale.given = {whole.options.scale.given[at(angle)]};
    }
    settings.fit = fit_of_angle(whole.fit, at(angle), whole.options.scale);
    if (whole.plan.is_tempered) {
        const double share = deal.shards_of_part(angle) / static_cast<double>(whole.plan.shards);
        auto& posterior = settings.sampling.posterior;
        posterior.contrast = widened(posterior.contrast, share);
        posterior.offset = widened(posterior.offset, share);
    }
    return settings;
}

}  // namespace

ShardPart::ShardPart(const ShardSettings& whole, const AngleDeal& deal, int part)
    : settings(deal.parts() == 1 ? whole : settings_of_angle(whole, deal, part)),
      frame(settings.measurement, settings.options, settings.fit, settings.sampling),
      coordinates(frame.coordinates(settings.plan.shards)),
      covariance(frame.covariance(settings.plan.shards)),
      prior_power(settings.plan.is_tempered ? 1.0 / settings.plan.shards : 1) {}

}  // namespace lockstep::xpcs
