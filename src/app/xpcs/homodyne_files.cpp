#include "app/xpcs/homodyne_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/build_info.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/homodyne/results.hpp"
#include "lockstep/xpcs/simulate.hpp"

#include "app/job/stale.hpp"
#include "app/xpcs/settings.hpp"

namespace lockstep::app {
namespace {

namespace homodyne = formats::homodyne;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

homodyne::Subject subject_of(const HomodyneRun& run, std::int64_t points) {
    const auto& measurement = run.loaded.measurement;
    return {run.timestamp,
            run.configuration.motion,
            measurement.q,
            measurement.phi,
            measurement.frames + (run.loaded.dropped.empty() ? 0 : 1),
            points,
            run.input_digest,
            std::string(build_info().version)};
}

/// Error of a value by name; NaN where it was not fitted.
double error_of(const formats::xpcs::FitRecord& record, const std::string& name) {
    for (const auto& value : record.values) {
        if (value.name == name) {
            return value.error.value_or(nan);
        }
    }
    return nan;
}

double scale_error(const formats::xpcs::FitRecord& record, const std::string& what, int angle) {
    const double own = error_of(record, what + "_" + std::to_string(angle));
    return std::isnan(own) ? error_of(record, what) : own;
}

/// homodyne's bands.
std::string quality_of(double reduced) {
    return reduced < 1.5 ? "good" : reduced < 3 ? "marginal" : "poor";
}

std::vector<double> flat(const std::vector<std::vector<std::optional<double>>>& rows) {
    std::vector<double> values;
    for (const auto& row : rows) {
        for (const auto& value : row) {
            values.push_back(value.value_or(nan));
        }
    }
    return values;
}

/// As homodyne's, where the values tell them.
void add_checks(double most_reduced, homodyne::FitRecord& out) {
    const bool is_low = out.reduced_chi_squared() <= most_reduced;
    if (!is_low) {
        out.warnings.push_back(fmt::format("reduced chi squared {} is above {}",
                                           digits(out.reduced_chi_squared(), 4),
                                           exact(most_reduced)));
    }
    if (!out.at_bounds.empty()) {
        out.warnings.push_back(fmt::format("at bounds: {}", fmt::join(out.at_bounds, ", ")));
    }
    out.checks = {{"reduced_chi_squared", is_low},
                  {"physical_bounds", out.at_bounds.empty()},
                  {"convergence_status", out.status == "converged"}};
}

homodyne::FitRecord fit_record_of(const HomodyneRun& run,
                                  const xpcs::FitResult& fit,
                                  const formats::xpcs::FitRecord& record) {
    homodyne::FitRecord out;
    out.subject = subject_of(run, fit.pairs);
    out.chi_squared = fit.chi_squared;
    out.degrees_of_freedom = record.degrees_of_freedom;
    out.status = record.is_converged ? "converged" : "max_iterations";
    out.quality = quality_of(fit.reduced_chi_squared());
    out.iterations = record.iterations;
    out.seconds = record.seconds;
    const auto& names = xpcs::parameters_of(run.options.motion);
    homodyne::NamedCovariance covariance{
        record.error_method, fit.names, flat(record.covariance), record.remark};
    for (std::size_t p = 0; p < names.size(); ++p) {
        const std::string name(names[p].name);
        out.physical.push_back({name, fit.physical[p], error_of(record, name)});
        out.start.push_back({name, run.options.start[p], 0});
    }
    for (int angle = 0; angle < run.loaded.measurement.angles(); ++angle) {
        const auto& scale = fit.scales[at(angle)];
        out.scales.push_back({scale.contrast,
                              scale_error(record, "contrast", angle),
                              scale.offset,
                              scale_error(record, "offset", angle)});
    }
    for (const auto& value : record.values) {
        if (!value.bound.empty()) {
            out.at_bounds.push_back(value.name);
        }
    }
    out.covariances.push_back(std::move(covariance));
    out.condition_number = record.condition.value_or(std::numeric_limits<double>::infinity());
    out.evaluations = record.evaluations;
    out.gradient = record.gradient;
    out.ending = record.ending;
    out.undetermined = record.remark;
    out.settings = {{"scaling", record.scaling},
                    {"shear_term", record.shear_term},
                    {"errors", record.error_method},
                    {"loss", record.loss},
                    {"search", record.search ? record.search->kind : "local"},
                    {"objective", record.objective},
                    {"pairs",
                     fit.model_squares > 0 ? "each pair of frames counts twice, and the diagonal"
                                           : "each pair of frames counts once"}};
    add_checks(run.configuration.nlsq.reduced_chi_squared_threshold, out);
    out.notes = record.data.notes;
    return out;
}

/// g1² of the whole matrices with the first frame.
// Packed pairs at the beginning of the room become a symmetric matrix: from the last on, so that no
// pair is overwritten before it is read.
void unpack(std::span<double> full, int frames) {
    for (int i = frames - 1; i >= 0; --i) {
        for (int j = frames - 1; j > i; --j) {
            full[at(i * std::int64_t{frames} + j)] =
                full[at(xpcs::pair_row(i, frames) + j - i - 1)];
        }
        full[at(i * std::int64_t{frames} + i)] = 1;
    }
    for (int i = 0; i < frames; ++i) {
        for (int j = i + 1; j < frames; ++j) {
            full[at(j * std::int64_t{frames} + i)] = full[at(i * std::int64_t{frames} + j)];
        }
    }
}

homodyne::Theory theory_of(const HomodyneRun& run, const xpcs::FitResult& fit) {
    xpcs::Measurement like = run.loaded.measurement.without_values();
    if (!run.loaded.dropped.empty()) {
        like.first_frame -= 1;
        like.frames += 1;
    }
    xpcs::Truth truth{run.options.motion, run.options.shear, fit.physical, {}};
    return [like = std::move(like), truth = std::move(truth)](int angle, std::span<double> full) {
        xpcs::fill_g1_squared(like, truth, angle, full.first(at(xpcs::pair_count(like.frames))));
        unpack(full, like.frames);
    };
}

homodyne::ShardDiagnostics diagnostics_of(const formats::xpcs::ShardRecord& shard,
                                          xpcs::Motion motion,
                                          std::int64_t draws) {
    homodyne::ShardDiagnostics out;
    out.points = shard.pairs;
    out.draws = shard.values.empty() ? 0 : draws;
    out.verdict = shard.verdict;
    out.has_converged = shard.verdict == "kept";
    out.acceptance = shard.acceptance.value_or(nan);
    out.divergences = shard.divergences;
    const auto& parameters = xpcs::parameters_of(motion);
    for (const auto& of : shard.values) {
        const auto place = std::ranges::find(
            parameters, of.name, [](const auto& parameter) { return std::string(parameter.name); });
        out.marginals.push_back(
            {static_cast<int>(place - parameters.begin()),
             {of.name, of.mean, of.sd, of.rhat.value_or(nan), of.ess.value_or(nan), nan}});
    }
    return out;
}

}  // namespace

void write_homodyne_fit(const std::filesystem::path& output,
                        const HomodyneRun& run,
                        const xpcs::FitResult& fit,
                        const formats::xpcs::FitRecord& record) {
    const auto out = fit_record_of(run, fit, record);
    homodyne::write_summary(output, out, run.summary_format);
    homodyne::write_fit(output, out);
    if (run.has_fitted_data) {
        homodyne::write_fitted_data(output / "nlsq", run.loaded, theory_of(run, fit), out.scales);
    } else {
        remove_stale(output / "nlsq" / "fitted_data.npz");
    }
}

void write_homodyne_samples(const std::filesystem::path& output,
                            const HomodyneRun& run,
                            const xpcs::SampleOptions& sampling,
                            const xpcs::SampleResult& sample,
                            const formats::xpcs::PosteriorRecord& record) {
    homodyne::SampleRecord out;
    out.subject = subject_of(run, record.data.pairs);
    out.method = record.method == "chains" ? "nuts" : "importance";
    out.asked_draws = sampling.draws;
    out.asked_warmup = sampling.warmup;
    out.chains = sample.chains;
    out.seconds = record.seconds;
    out.divergences = record.divergences.value_or(0);
    out.r_hat_threshold = run.configuration.cmc.most_r_hat;
    out.ess_threshold = run.configuration.cmc.least_ess;
    if (record.consensus) {
        out.shards = record.method == "shards" ? record.consensus->shards : 1;
        for (const auto& shard : record.consensus->each) {
            out.each_shard.push_back(diagnostics_of(
                shard, run.options.motion, std::int64_t{sampling.chains} * sampling.draws));
        }
    }
    for (const auto& of : record.quantities) {
        out.marginals.push_back(
            {of.name, of.mean, of.sd, of.rhat.value_or(nan), of.ess_bulk, of.ess_tail});
    }
    out.draws = sample.values;
    homodyne::write_samples(output, out);
}

}  // namespace lockstep::app
