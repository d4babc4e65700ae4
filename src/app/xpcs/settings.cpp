#include "app/xpcs/settings.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "app/xpcs/fit_settings.hpp"
#include "app/xpcs/shards/shard_farm.hpp"

namespace lockstep::app {
namespace {

using formats::homodyne::Configuration;
using formats::homodyne::PerAngle;

constexpr double homodyne_sigma = 0.01;

/// homodyne's rule, of which few angles and static data get scales of their own.
xpcs::ScaleMode usual_mode(const Configuration& configuration, int angles) {
    if (configuration.motion == xpcs::Motion::diffusion) {
        return xpcs::ScaleMode::individual;
    }
    const auto& nlsq = configuration.nlsq;
    switch (nlsq.per_angle) {
        case PerAngle::automatic:
            return angles >= nlsq.constant_scaling_threshold ? xpcs::ScaleMode::averaged
                                                             : xpcs::ScaleMode::individual;
        case PerAngle::constant:
        case PerAngle::constant_averaged:
            return xpcs::ScaleMode::constant;
        case PerAngle::individual:
            return xpcs::ScaleMode::individual;
        case PerAngle::fourier:
            return angles >= 1 + 2 * nlsq.fourier_order ? xpcs::ScaleMode::fourier
                                                        : xpcs::ScaleMode::individual;
    }
    return xpcs::ScaleMode::individual;
}

xpcs::ScaleMode mode_named(const std::string& name) {
    for (const auto mode : {xpcs::ScaleMode::individual,
                            xpcs::ScaleMode::averaged,
                            xpcs::ScaleMode::constant,
                            xpcs::ScaleMode::fourier}) {
        if (name_of(mode) == name) {
            return mode;
        }
    }
    throw InputError(
        fmt::format("scaling is '{}': must be individual, averaged, constant or fourier", name));
}

/// What a list of parameters is, by the configuration's entry or the model's table.
template <typename F>
std::vector<double> by_parameter(xpcs::Motion motion, F value_of) {
    std::vector<double> values;
    for (const auto& parameter : xpcs::parameters_of(motion)) {
        values.push_back(value_of(parameter));
    }
    return values;
}

/// c2 of the first frame and the one before it, [angles]; empty: that was not dropped.
std::vector<double> first_neighbours_of(const formats::homodyne::Loaded& loaded) {
    std::vector<double> neighbours;
    const std::size_t row = at(loaded.measurement.frames) + 1;
    for (std::size_t diagonal = 0; diagonal < loaded.dropped.size(); diagonal += row) {
        neighbours.push_back(loaded.dropped[diagonal + 1]);
    }
    return neighbours;
}

void tell_of_starts_at_bounds(const xpcs::FitOptions& options, std::vector<std::string>& notes) {
    const auto box = options.box();
    for (std::size_t p = 0; p < box.names.size(); ++p) {
        const bool is_lower = options.start[p] == box.lower[p];
        if ((is_lower || options.start[p] == box.upper[p]) &&
            std::ranges::find(options.held, box.names[p]) == options.held.end()) {
            notes.push_back(fmt::format(
                "initial_parameters: {} starts at its {} bound, {}: the fit may stay there; start "
                "within the bounds, or widen parameter_space.bounds",
                box.names[p],
                is_lower ? "lower" : "upper",
                exact(options.start[p])));
        }
    }
}

/// initial_parameters.per_angle_scaling, [angles]; empty: nothing to hold scales at.
std::vector<xpcs::Scale> scale_start_of(const Configuration& configuration, int angles) {
    const auto value = [&](const std::vector<double>& list, const char* key, int angle) {
        if (list.size() != 1 && list.size() != at(angles)) {
            throw InputError(
                fmt::format("initial_parameters.per_angle_scaling.{} has {} values: must be 1 or "
                            "{}, one for each angle in ascending order",
                            key,
                            list.size(),
                            angles));
        }
        return list.size() == 1 ? list.front() : list[at(angle)];
    };
    const auto& from = configuration.start;
    std::vector<xpcs::Scale> scales;
    for (int angle = 0; angle < angles; ++angle) {
        const double contrast = from.contrast.empty() ? 0 : value(from.contrast, "contrast", angle);
        const double offset = from.offset.empty() ? 0 : value(from.offset, "offset", angle);
        scales.push_back({contrast, offset});
    }
    return from.contrast.empty() || from.offset.empty() ? std::vector<xpcs::Scale>{} : scales;
}

double start_of(const XpcsRequest& request,
                const Configuration& configuration,
                const xpcs::ParameterDescription& parameter) {
    for (const auto& [name, value] : request.start) {
        if (formats::homodyne::canonical_name(name) == parameter.name) {
            return value;
        }
    }
    return configuration.start.find(parameter.name).value_or(parameter.start);
}

xpcs::Prior prior_of(const formats::homodyne::Bound* bound, double lower, double upper) {
    using formats::homodyne::PriorKind;
    xpcs::Prior prior;
    prior.lower = lower;
    prior.upper = upper;
    prior.kind = xpcs::Prior::Kind::normal;
    prior.mean = (lower + upper) / 2;
    prior.deviation = (upper - lower) / 4;
    if (bound == nullptr) {
        return prior;
    }
    prior.mean = bound->prior_mean.value_or(prior.mean);
    prior.deviation = bound->prior_deviation.value_or(prior.deviation);
    switch (bound->prior) {
        case PriorKind::uniform:
            prior.kind = xpcs::Prior::Kind::uniform;
            break;
        case PriorKind::log_normal:
            prior.kind = xpcs::Prior::Kind::log_normal;
            break;
        case PriorKind::half_normal:
            prior.kind = xpcs::Prior::Kind::half_normal;
            break;
        default:
            break;
    }
    return prior;
}

}  // namespace

std::string_view name_of(xpcs::ScaleMode mode) noexcept {
    switch (mode) {
        case xpcs::ScaleMode::individual:
            return "individual";
        case xpcs::ScaleMode::averaged:
            return "averaged";
        case xpcs::ScaleMode::constant:
            return "constant";
        case xpcs::ScaleMode::fourier:
            return "fourier";
    }
    return "";
}

std::string_view name_of(xpcs::Motion motion) noexcept {
    return motion == xpcs::Motion::diffusion ? "static" : "laminar_flow";
}

std::string_view name_of(xpcs::ShearTerm term) noexcept {
    return term == xpcs::ShearTerm::homodyne ? "homodyne" : "paper";
}

Configuration configured(const XpcsRequest& request) {
    return configured(request, formats::homodyne::read_configuration(request.run.input));
}

Configuration configured(const XpcsRequest& request, Configuration configuration) {
    check_cluster_request(request.cluster);
    if (!request.data_file.empty()) {
        configuration.data.file = request.data_file;
    }
    if (!request.mode.empty()) {
        configuration.motion = motion_named(request.mode);
    }
    return configuration;
}

xpcs::Motion motion_named(std::string_view mode) noexcept {
    return mode == name_of(xpcs::Motion::diffusion) ? xpcs::Motion::diffusion
                                                    : xpcs::Motion::laminar_flow;
}

xpcs::ScaleMode scale_mode_of(const XpcsRequest& request,
                              const Configuration& configuration,
                              int angles) {
    if (!request.scaling.empty()) {
        return mode_named(request.scaling);
    }
    return objective_of(request, configuration) == xpcs::FitObjective::compat_grid
               ? xpcs::ScaleMode::individual
               : usual_mode(configuration, angles);
}

xpcs::FitOptions planned_fit(const XpcsRequest& request,
                             const Configuration& configuration,
                             int angles,
                             std::vector<std::string>& notes) {
    xpcs::FitOptions options;
    options.motion = configuration.motion;
    options.shear = request.shear;
    options.objective = objective_of(request, configuration);
    const bool is_grid = options.objective == xpcs::FitObjective::compat_grid;
    options.sigma = request.sigma.value_or(is_grid ? homodyne_sigma : 0);
    if (is_grid) {
        notes.emplace_back(
            "objective compat-grid: homodyne's below 100,000 points, each pair of frames twice and "
            "the diagonal as the mean of its neighbours; errors are classical, and smaller by a "
            "factor of about sqrt(2) than where each pair counts once");
    }
    options.scale.mode = scale_mode_of(request, configuration, angles);
    options.scale.harmonics = configuration.nlsq.fourier_order;
    const auto start = scale_start_of(configuration, angles);
    if (options.scale.mode == xpcs::ScaleMode::constant) {
        options.scale.given = start;
        notes.emplace_back(start.empty()
                               ? "contrast and offset of each angle are estimated from quantiles "
                                 "of c2 and held: fits are biased by their errors"
                               : "contrast and offset of each angle are held where "
                                 "initial_parameters.per_angle_scaling has them");
    }
    options.start = by_parameter(options.motion, [&](const auto& parameter) {
        return start_of(request, configuration, parameter);
    });
    const auto bound = [&](auto member, auto fallback) {
        return by_parameter(options.motion, [&](const auto& parameter) {
            const auto* entry = configuration.bound(parameter.name);
            return entry != nullptr && (entry->*member) ? *(entry->*member) : parameter.*fallback;
        });
    };
    options.lower = bound(&formats::homodyne::Bound::min, &xpcs::ParameterDescription::lower);
    options.upper = bound(&formats::homodyne::Bound::max, &xpcs::ParameterDescription::upper);
    if (const auto* entry = configuration.bound("contrast")) {
        options.scale.lower.contrast = entry->min.value_or(options.scale.lower.contrast);
        options.scale.upper.contrast = entry->max.value_or(options.scale.upper.contrast);
    }
    if (const auto* entry = configuration.bound("offset")) {
        options.scale.lower.offset = entry->min.value_or(options.scale.lower.offset);
        options.scale.upper.offset = entry->max.value_or(options.scale.upper.offset);
    }
    set_held(request, configuration, options, notes);
    tell_of_starts_at_bounds(options, notes);
    set_step_sizes(configuration, options, notes);
    set_loss(request, configuration, options, notes);
    set_search(request, configuration, options, notes);
    set_anti_degeneracy(request, configuration, options, notes);
    set_tolerances(request, configuration, options);
    if (!configuration.nlsq.is_parallel) {
        notes.emplace_back(
            "optimization.nlsq.parallel_chunks: the fit takes one thread of each rank, with the "
            "same bits");
    }
    return options;
}

xpcs::FitOptions fit_options(const XpcsRequest& request,
                             const Configuration& configuration,
                             const formats::homodyne::Loaded& loaded,
                             std::vector<std::string>& notes) {
    const auto& measurement = loaded.measurement;
    auto options = planned_fit(request, configuration, measurement.angles(), notes);
    if (options.scale.mode == xpcs::ScaleMode::constant && options.scale.given.empty()) {
        const xpcs::ScaleOptions usual{options.scale.mode, options.scale.harmonics};
        options.scale.given = xpcs::quantile_scales(measurement, usual);
    }
    if (options.objective == xpcs::FitObjective::compat_grid) {
        options.first_neighbours = first_neighbours_of(loaded);
    }
    return options;
}

std::uint64_t sampling_seed(const XpcsRequest& request,
                            const formats::homodyne::Cmc& configuration) {
    return static_cast<std::uint64_t>(request.seed.value_or(configuration.seed));
}

xpcs::SampleOptions sample_options(const XpcsRequest& request,
                                   const Configuration& configuration,
                                   const xpcs::Measurement& measurement,
                                   const xpcs::FitOptions& fitting,
                                   const xpcs::FitResult& fit) {
    const auto& cmc = configuration.cmc;
    xpcs::SampleOptions options;
    options.method = request.method;
    options.chains = request.chains.value_or(cmc.chains);
    options.warmup = request.warmup.value_or(cmc.warmup);
    options.draws = request.draws.value_or(cmc.draws);
    options.target_acceptance = cmc.target_acceptance;
    options.max_tree_depth = cmc.deepest_tree;
    options.seed = sampling_seed(request, cmc);
    options.time_limit = request.time_limit;
    const auto box = fitting.box();
    for (std::size_t p = 0; p < box.names.size(); ++p) {
        options.posterior.physical.push_back(
            prior_of(configuration.bound(box.names[p]), box.lower[p], box.upper[p]));
    }
    options.posterior.contrast = prior_of(configuration.bound("contrast"),
                                          fitting.scale.lower.contrast,
                                          fitting.scale.upper.contrast);
    options.posterior.offset = prior_of(
        configuration.bound("offset"), fitting.scale.lower.offset, fitting.scale.upper.offset);
    options.posterior.times_counted = fitting.objective == xpcs::FitObjective::compat_grid ? 2 : 1;
    options.posterior.sigma = {xpcs::Prior::Kind::half_normal,
                               0,
                               1.5 * xpcs::signal_spread_of(measurement) / fit.sigma.front(),
                               0,
                               std::numeric_limits<double>::infinity()};
    return options;
}

}  // namespace lockstep::app
