#include "app/xpcs/records.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "app/xpcs/fit_settings.hpp"
#include "app/xpcs/settings.hpp"

namespace lockstep::app {
namespace {

using formats::xpcs::ValueRecord;

// Fits of the same data whose χ² differs by more than so many standard deviations of what chance
// would take away.
constexpr double beyond_chance = 5;

std::optional<double> finite(double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<double> error_at(const xpcs::nlsq::Covariance& covariance,
                               std::size_t size,
                               std::size_t k) {
    return covariance.matrix.empty() ? std::nullopt
                                     : finite(std::sqrt(covariance.matrix[k * size + k]));
}

std::string unit_of(xpcs::Motion motion, const std::string& name) {
    for (const auto& parameter : xpcs::parameters_of(motion)) {
        if (parameter.name == name) {
            return std::string(parameter.unit);
        }
    }
    return "1";
}

std::string bound_text(xpcs::nlsq::AtBound bound) {
    switch (bound) {
        case xpcs::nlsq::AtBound::no:
            return "";
        case xpcs::nlsq::AtBound::lower:
            return "lower";
        case xpcs::nlsq::AtBound::upper:
            return "upper";
    }
    return "";
}

std::string cut_text(const xpcs::Nearness& of) {
    return of.reaches_lower && of.reaches_upper ? "both"
           : of.reaches_lower                   ? "lower"
           : of.reaches_upper                   ? "upper"
                                                : "";
}

std::vector<xpcs::Nearness> nearness_of(const xpcs::FitResult& fit,
                                        const xpcs::ErrorBars& errors,
                                        std::optional<double> tolerance) {
    std::vector<double> deviations;
    for (std::size_t k = 0; k < fit.values.size(); ++k) {
        const auto error = error_at(errors.covariance, fit.values.size(), k);
        deviations.push_back(error.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    return tolerance ? xpcs::nearness_to_bounds(fit, deviations, *tolerance)
                     : xpcs::nearness_to_bounds(fit, deviations);
}

std::vector<ValueRecord> values_of(const xpcs::FitResult& fit,
                                   xpcs::Motion motion,
                                   const xpcs::ErrorBars& errors,
                                   std::optional<double> tolerance = {}) {
    std::vector<ValueRecord> values;
    const std::size_t size = fit.values.size();
    const auto nearness = nearness_of(fit, errors, tolerance);
    for (std::size_t k = 0; k < size; ++k) {
        values.push_back({fit.names[k],
                          unit_of(motion, fit.names[k]),
                          fit.values[k],
                          error_at(errors.covariance, size, k),
                          error_at(fit.covariance, size, k),
                          bound_text(nearness[k].at),
                          cut_text(nearness[k])});
    }
    return values;
}

std::vector<formats::xpcs::HeldRecord> held_of(const xpcs::FitResult& fit, xpcs::Motion motion) {
    std::vector<formats::xpcs::HeldRecord> held;
    const auto parameters = xpcs::parameters_of(motion);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        if (!std::ranges::binary_search(fit.fitted, static_cast<int>(p))) {
            held.push_back({std::string(parameters[p].name),
                            std::string(parameters[p].unit),
                            fit.physical[p]});
        }
    }
    return held;
}

std::optional<formats::xpcs::SearchRecord> search_record(const xpcs::SearchReport& report) {
    if (report.kind == xpcs::SearchKind::local) {
        return std::nullopt;
    }
    formats::xpcs::SearchRecord record;
    record.kind = to_string(report.kind);
    record.starts = report.starts;
    record.runs = report.runs;
    record.evaluations = report.evaluations;
    record.start_chi_squared = report.start_chi_squared;
    record.is_skipped = report.is_skipped;
    record.is_result = report.is_result;
    for (const auto& minimum : report.minima) {
        record.minima.push_back({minimum.chi_squared, minimum.starts, minimum.physical});
    }
    return record;
}

std::optional<formats::xpcs::SequentialRecord> sequential_record(
    const xpcs::SequentialReport& report, xpcs::AngleWeighting weighting) {
    if (report.angles.empty()) {
        return std::nullopt;
    }
    formats::xpcs::SequentialRecord record;
    record.is_used = report.is_used;
    record.weighting = to_string(weighting);
    for (const auto& angle : report.angles) {
        record.angles.push_back({angle.phi,
                                 angle.is_used,
                                 std::max(angle.chi_squared, 0.0),
                                 std::string(angle.ending),
                                 angle.physical});
    }
    return record;
}

/// Of what a fit is told as: its values and their errors.
Digest digest_of(const xpcs::FitResult& fit, const xpcs::ErrorBars& errors) {
    DigestBuilder builder;
    for (const auto word : xpcs::digest_of(fit)) {
        builder.add(word);
    }
    builder.add(errors.covariance.matrix);
    return builder.digest();
}

/// What the fit minimises and the density does not have.
std::vector<std::string> remarks_of(const xpcs::FitOptions& options) {
    std::vector<std::string> remarks;
    if (options.objective == xpcs::FitObjective::compat_grid) {
        remarks.emplace_back(
            "each pair of frames counts twice, as homodyne has both triangles of the matrices: "
            "widths are smaller by sqrt(2); the diagonal does not count");
    }
    if (options.regularisation.weight > 0) {
        remarks.emplace_back(
            "the fit draws contrasts and offsets towards each other (regularization), the "
            "posterior does not: its priors alone hold them");
    }
    if (options.loss.kind != xpcs::nlsq::Loss::Kind::linear) {
        remarks.push_back(
            fmt::format("the fit holds outliers back ({}), the posterior takes all "
                        "errors for normal",
                        name_of(options.loss.kind)));
    }
    return remarks;
}

std::vector<formats::xpcs::QuantityRecord> quantities_of(const xpcs::SampleResult& sample) {
    std::vector<formats::xpcs::QuantityRecord> quantities;
    for (int k = 0; k < static_cast<int>(sample.names.size()); ++k) {
        const auto summary = sample.summary(k);
        quantities.push_back({sample.names[at(k)],
                              summary.mean,
                              summary.sd,
                              summary.q05,
                              summary.median,
                              summary.q95,
                              finite(summary.rhat.value()),
                              summary.ess_bulk,
                              summary.ess_tail,
                              summary.mcse_mean});
    }
    return quantities;
}

std::vector<formats::xpcs::ShardValueRecord> shard_values(const std::vector<std::string>& names,
                                                          const xpcs::ShardFigures& shard) {
    std::vector<formats::xpcs::ShardValueRecord> values;
    for (std::size_t k = 0; k < shard.summaries.size(); ++k) {
        const auto& of = shard.summaries[k];
        values.push_back({names[k], of.mean, of.sd, finite(of.rhat.value()), finite(of.ess_bulk)});
    }
    return values;
}

formats::xpcs::ShardRecord shard_record(const xpcs::ShardFigures& shard) {
    formats::xpcs::ShardRecord record;
    const bool has_chains = shard.method == xpcs::SampleMethod::chains;
    record.pairs = shard.pairs;
    record.method = has_chains ? "chains" : "importance";
    record.k = finite(shard.k);
    record.rhat = has_chains ? finite(shard.largest_rhat) : std::nullopt;
    record.acceptance = has_chains ? finite(shard.acceptance) : std::nullopt;
    record.divergences = shard.divergences;
    record.verdict = to_string(shard.verdict);
    record.attempts = shard.attempts;
    record.seconds = shard.seconds;
    record.failure = shard.failure;
    return record;
}

}  // namespace

formats::xpcs::DataRecord data_record(const std::string& file,
                                      const formats::homodyne::Loaded& loaded,
                                      std::int64_t pairs) {
    const auto& measurement = loaded.measurement;
    return {file,
            loaded.selection.layout,
            measurement.q,
            measurement.gap,
            measurement.dt,
            measurement.frames,
            measurement.angles(),
            pairs,
            loaded.selection.notes};
}

formats::xpcs::FitRecord fit_record(const xpcs::Measurement& measurement,
                                    const xpcs::FitOptions& options,
                                    const xpcs::FitResult& fit,
                                    const xpcs::ErrorBars& errors,
                                    std::optional<double> tolerance) {
    formats::xpcs::FitRecord record;
    record.mode = name_of(options.motion);
    record.shear_term = name_of(options.shear);
    record.scaling = name_of(options.scale.mode);
    record.objective = to_string(options.objective);
    if (options.objective == xpcs::FitObjective::compat_grid) {
        record.legacy_chi_squared = fit.model_squares;
    }
    record.loss = name_of(options.loss.kind);
    record.loss_scale = options.loss.scale;
    record.minimised = std::max(fit.minimised, 0.0);
    record.chi_squared = std::max(fit.chi_squared, 0.0);
    record.degrees_of_freedom = fit.pairs - static_cast<std::int64_t>(fit.values.size());
    record.ending = xpcs::nlsq::text(fit.minimum.stop);
    record.is_converged = xpcs::nlsq::converged(fit.minimum.stop);
    if (fit.search.is_result) {
        record.ending = "not refined: the best point of the search";
    }
    if (fit.sequential.is_used) {
        record.is_converged = true;
        record.ending = fmt::format("combined: {} of {} angles, each fitted alone",
                                    fit.sequential.used,
                                    fit.sequential.angles.size());
    }
    record.iterations = fit.minimum.iterations;
    record.evaluations = fit.minimum.evaluations;
    record.gradient = fit.minimum.gradient;
    record.condition = finite(fit.determinacy.condition);
    record.remark = fit.covariance.remark;
    record.error_method = to_string(errors.method);
    record.values = values_of(fit, options.motion, errors, tolerance);
    record.held = held_of(fit, options.motion);
    record.search = search_record(fit.search);
    record.sequential = sequential_record(fit.sequential, options.sequential.weighting);
    record.penalty = fit.penalty;
    for (int angle = 0; angle < measurement.angles(); ++angle) {
        const std::size_t a = at(angle);
        formats::xpcs::AngleRecord of;
        of.phi = measurement.phi[a];
        of.contrast = fit.scales[a].contrast;
        of.offset = fit.scales[a].offset;
        of.sigma = fit.sigma[a];
        // Sums of a perfect fit cancel to below nothing.
        const double squares = std::max(fit.sums_of_squares[a], 0.0);
        of.residual = std::sqrt(squares / static_cast<double>(fit.angle_pairs[a]));
        if (!errors.speckle.empty()) {
            of.photons = finite(errors.speckle[a].photons);
            of.pixels = finite(errors.speckle[a].pixels);
        }
        record.angles.push_back(of);
    }
    const std::size_t size = fit.values.size();
    for (std::size_t row = 0; row * size < errors.covariance.matrix.size(); ++row) {
        auto& to = record.covariance.emplace_back();
        for (std::size_t column = 0; column < size; ++column) {
            to.push_back(finite(errors.covariance.matrix[row * size + column]));
        }
    }
    record.start = options.start;
    record.digest = to_string(digest_of(fit, errors));
    return record;
}

formats::xpcs::IndividualRecord individual_record(const xpcs::FitResult& fit,
                                                  const xpcs::FitResult& individual,
                                                  const xpcs::ErrorBars& errors) {
    formats::xpcs::IndividualRecord record;
    record.chi_squared = individual.chi_squared;
    record.chi_squared_drop = fit.chi_squared - individual.chi_squared;
    record.more_parameters =
        static_cast<std::int64_t>(individual.values.size() - fit.values.size());
    // Chance takes away as many as there are parameters, with twice that as its variance, in units
    // of the noise that the data have.
    const auto more = static_cast<double>(record.more_parameters);
    record.is_better = record.chi_squared_drop / individual.reduced_chi_squared() >
                       more + beyond_chance * std::sqrt(2 * more);
    record.values = values_of(
        individual,
        individual.physical.size() == 3 ? xpcs::Motion::diffusion : xpcs::Motion::laminar_flow,
        errors);
    return record;
}

formats::xpcs::PosteriorRecord posterior_record(const xpcs::FitOptions& options,
                                                const xpcs::SampleResult& sample) {
    formats::xpcs::PosteriorRecord record;
    record.mode = name_of(options.motion);
    record.scaling = name_of(options.scale.mode);
    record.method = sample.method == xpcs::SampleMethod::chains ? "chains" : "importance";
    record.chains = sample.chains;
    record.draws = sample.draws;
    record.quantities = quantities_of(sample);
    if (sample.importance.points > 0) {
        record.points = sample.importance.points;
        record.pareto_k = finite(sample.importance.k);
        record.effective_size = sample.importance.effective_size;
    }
    if (sample.method == xpcs::SampleMethod::chains) {
        record.leapfrogs = sample.chain_figures.leapfrogs;
        record.divergences = sample.chain_figures.divergences;
        record.acceptance = sample.chain_figures.acceptance;
        for (const double value : sample.chain_figures.e_bfmi) {
            record.e_bfmi.push_back(std::isfinite(value) ? value : 0);
        }
    }
    record.remarks = remarks_of(options);
    record.is_complete = sample.is_complete;
    record.digest = to_string(digest_of(sample));
    return record;
}

formats::xpcs::ConsensusRecord consensus_record(const xpcs::ConsensusResult& consensus,
                                                const xpcs::Measurement& measurement,
                                                const ShardChoice& choice,
                                                const xpcs::SampleResult* whole) {
    formats::xpcs::ConsensusRecord record;
    record.shards = static_cast<int>(consensus.shards.size());
    for (const auto& shard : consensus.shards) {
        record.kept += shard.verdict == xpcs::cmc::ShardVerdict::kept ? 1 : 0;
        auto& each = record.each.emplace_back(shard_record(shard));
        each.values = shard_values(consensus.parameters, shard);
        if (choice.how.sharding == xpcs::Sharding::per_angle) {
            each.phi = measurement.phi[(record.each.size() - 1) % measurement.phi.size()];
        }
    }
    record.sharding = choice.sharding;
    record.combination = {
        std::string(name_of(consensus.combination)), choice.combination_asked, consensus.remark};
    if (!consensus.variation.parameter.empty()) {
        record.variation = formats::xpcs::VariationRecord{consensus.variation.parameter,
                                                          consensus.variation.value};
    }
    record.shortfall = consensus.shortfall;
    if (!consensus.shortfall.empty()) {
        return record;
    }
    if (whole != nullptr) {
        const auto difference = xpcs::compare_draws(consensus.draws, *whole);
        record.largest_shift = difference.largest_shift();
        const auto [narrow, wide] = std::ranges::minmax_element(difference.width_ratio);
        record.smallest_width = *narrow;
        record.largest_width = *wide;
        record.largest_correlation_difference = difference.largest_correlation_difference();
    }
    record.quantities = quantities_of(consensus.draws);
    record.digest = to_string(digest_of(consensus.draws));
    return record;
}

}  // namespace lockstep::app
