#include "app/xpcs/fit_settings.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::app {
namespace {

using formats::homodyne::Configuration;
using formats::homodyne::LossName;
using Kind = xpcs::nlsq::Loss::Kind;

constexpr std::array losses{Kind::linear, Kind::soft_l1, Kind::huber, Kind::cauchy, Kind::arctan};

bool is_scale(std::string_view name) {
    return name == "contrast" || name == "offset";
}

/// Names of a flow's parameters say nothing of a sample at rest.
bool is_of(xpcs::Motion motion, std::string_view name) {
    return std::ranges::any_of(xpcs::parameters_of(motion),
                               [&](const auto& parameter) { return parameter.name == name; });
}

void require_physical(const std::string& name, std::string_view field) {
    if (!is_of(xpcs::Motion::laminar_flow, name)) {
        throw InputError(
            is_scale(name)
                ? fmt::format("{}: {} cannot be held: --scaling constant holds contrasts and "
                              "offsets",
                              field,
                              name)
                : fmt::format("{}: \"{}\" is no parameter", field, name));
    }
}

void hold(const std::string& name, xpcs::FitOptions& options) {
    if (is_of(options.motion, name) &&
        std::ranges::find(options.held, name) == options.held.end()) {
        options.held.push_back(name);
    }
}

void hold_configured(const Configuration& configuration, xpcs::FitOptions& options) {
    constexpr auto fixed = "initial_parameters.fixed_parameters";
    for (const auto& name : configuration.start.fixed) {
        require_physical(name, fixed);
        hold(name, options);
    }
    const auto& active = configuration.start.active;
    for (const auto& name : active) {
        if (!is_scale(name)) {
            require_physical(name, "initial_parameters.active_parameters");
        }
    }
    if (std::ranges::any_of(active,
                            [&](const auto& name) { return is_of(options.motion, name); })) {
        for (const auto& parameter : xpcs::parameters_of(options.motion)) {
            if (std::ranges::find(active, parameter.name) == active.end()) {
                hold(std::string(parameter.name), options);
            }
        }
    }
}

Kind loss_of(LossName name) {
    return losses[static_cast<std::size_t>(name)];
}

/// The widest bounds of a fitted parameter by the narrowest.
double spread_of_widths(const xpcs::FitOptions& options) {
    const auto box = options.box();
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (std::size_t p = 0; p < box.names.size(); ++p) {
        if (std::ranges::find(options.held, box.names[p]) == options.held.end()) {
            least = std::min(least, box.upper[p] - box.lower[p]);
            most = std::max(most, box.upper[p] - box.lower[p]);
        }
    }
    return most / least;
}

xpcs::SearchKind configured_search(const Configuration& configuration,
                                   const xpcs::FitOptions& options,
                                   std::vector<std::string>& notes) {
    const auto& nlsq = configuration.nlsq;
    if (nlsq.cmaes.is_on) {
        const double spread = spread_of_widths(options);
        const bool is_wide = spread >= nlsq.cmaes.scale_threshold;
        if (is_wide || !nlsq.cmaes.is_automatic) {
            return xpcs::SearchKind::cma_es;
        }
        notes.push_back(
            fmt::format("optimization.nlsq.cmaes: auto_select takes it where the widths of bounds "
                        "differ by a factor of {}; here it is {}",
                        exact(nlsq.cmaes.scale_threshold),
                        digits(spread, 3)));
    }
    return nlsq.multi_start.is_on ? xpcs::SearchKind::multi_start : xpcs::SearchKind::local;
}

xpcs::SearchKind search_named(const std::string& name) {
    for (const auto kind :
         {xpcs::SearchKind::local, xpcs::SearchKind::multi_start, xpcs::SearchKind::cma_es}) {
        if (to_string(kind) == name) {
            return kind;
        }
    }
    throw InputError(fmt::format("search is '{}': must be local, multi-start or cma-es", name));
}

xpcs::nlsq::MultiStartOptions multi_start_of(const XpcsRequest& request,
                                             const Configuration& configuration) {
    const auto& from = configuration.nlsq.multi_start;
    xpcs::nlsq::MultiStartOptions options;
    options.starts = request.starts.value_or(from.starts);
    options.kept = from.is_screened ? from.kept : 1;
    options.kept_at_least = from.refined;
    options.seed = static_cast<std::uint64_t>(request.seed.value_or(from.seed));
    options.near_best = from.degeneracy_threshold;
    return options;
}

xpcs::nlsq::CmaOptions evolution_of(const XpcsRequest& request,
                                    const Configuration& configuration,
                                    std::size_t parameters) {
    using formats::homodyne::Cmaes;
    const auto& from = configuration.nlsq.cmaes;
    auto options = xpcs::SearchOptions{}.cma_es;
    options.restarts = from.restarts == Cmaes::Restarts::none   ? xpcs::nlsq::Restarts::none
                       : from.restarts == Cmaes::Restarts::ipop ? xpcs::nlsq::Restarts::ipop
                                                                : xpcs::nlsq::Restarts::bipop;
    options.max_restarts = from.most_restarts;
    options.population = from.population.value_or(0);
    options.step = from.sigma;
    options.first_step = from.sigma_warm;
    options.cost_tolerance = from.tolerance_f.value_or(options.cost_tolerance);
    options.place_tolerance = from.tolerance_x.value_or(options.place_tolerance);
    options.seed =
        static_cast<std::uint64_t>(request.seed.value_or(configuration.nlsq.multi_start.seed));
    const auto generations =
        from.generations ? from.generations : formats::homodyne::generations_of(from.preset);
    if (generations) {
        const int usual = xpcs::nlsq::usual_population(static_cast<int>(parameters));
        options.max_evaluations =
            std::int64_t{*generations} * from.population.value_or(usual) *
            (options.restarts == xpcs::nlsq::Restarts::none ? 1 : 1 + from.most_restarts);
    }
    return options;
}

void set_sequential(const XpcsRequest& request,
                    const Configuration& configuration,
                    xpcs::FitOptions& options) {
    using Use = xpcs::SequentialOptions::Use;
    using Weighting = formats::homodyne::Sequential::Weighting;
    const auto& from = configuration.nlsq.sequential;
    auto& to = options.sequential;
    to.use = configuration.nlsq.is_sequential ? Use::always : Use::on_failure;
    if (!request.sequential.empty()) {
        to.use = request.sequential == "always"  ? Use::always
                 : request.sequential == "never" ? Use::never
                                                 : Use::on_failure;
    }
    to.weighting = from.weighting == Weighting::uniform  ? xpcs::AngleWeighting::uniform
                   : from.weighting == Weighting::points ? xpcs::AngleWeighting::points
                                                         : xpcs::AngleWeighting::inverse_variance;
    to.least_success = from.least_success;
}

void set_regularisation(const Configuration& configuration,
                        xpcs::FitOptions& options,
                        std::vector<std::string>& notes) {
    const auto& from = configuration.nlsq.regularization;
    if (!from.is_on) {
        return;
    }
    const bool differ = options.scale.mode == xpcs::ScaleMode::individual ||
                        options.scale.mode == xpcs::ScaleMode::fourier;
    if (!differ) {
        notes.emplace_back(
            "optimization.nlsq.anti_degeneracy.regularization: contrasts and offsets are the same "
            "or held in this scaling: there is nothing to draw together");
        return;
    }
    options.regularisation.is_relative =
        from.mode == formats::homodyne::Regularization::Mode::relative;
    options.regularisation.weight =
        from.is_tuned ? from.target_contribution / (from.target_cv * from.target_cv) : from.weight;
    notes.push_back(fmt::format(
        "optimization.nlsq.anti_degeneracy.regularization: contrasts are drawn towards each other, "
        "and offsets, with a weight of {}: differences between angles are made smaller",
        digits(options.regularisation.weight)));
}

void set_shear_weighting(const Configuration& configuration,
                         xpcs::FitOptions& options,
                         std::vector<std::string>& notes) {
    const auto& from = configuration.nlsq.shear_weighting;
    if (!from.is_on || options.motion == xpcs::Motion::diffusion) {
        return;
    }
    options.shear_weighting = {true, from.smallest, from.power, from.is_normalized};
    notes.emplace_back(
        "optimization.nlsq.anti_degeneracy.shear_weighting: angles along the flow count for more, "
        "as if their sigma was smaller");
}

}  // namespace

std::string_view name_of(Kind kind) noexcept {
    switch (kind) {
        case Kind::linear:
            return "linear";
        case Kind::soft_l1:
            return "soft_l1";
        case Kind::huber:
            return "huber";
        case Kind::cauchy:
            return "cauchy";
        case Kind::arctan:
            return "arctan";
    }
    return "";
}

void set_held(const XpcsRequest& request,
              const Configuration& configuration,
              xpcs::FitOptions& options,
              std::vector<std::string>& notes) {
    hold_configured(configuration, options);
    if (!options.held.empty()) {
        notes.push_back(
            fmt::format("initial_parameters: held at the start, in fit and posterior: {}; homodyne "
                        "fits them all the same",
                        fmt::join(options.held, ", ")));
    }
    for (const auto& [given, value] : request.held) {
        const std::string name(formats::homodyne::canonical_name(given));
        require_physical(name, "--fix");
        if (!is_of(options.motion, name)) {
            throw InputError(fmt::format("--fix: {} is no parameter of static mode", name));
        }
        hold(name, options);
        if (value) {
            const auto known = xpcs::parameters_of(options.motion);
            const auto place = std::ranges::find(known, name, &xpcs::ParameterDescription::name);
            options.start[at(place - known.begin())] = *value;
        }
    }
}

xpcs::FitObjective objective_of(const XpcsRequest& request, const Configuration& configuration) {
    using xpcs::FitObjective;
    if (request.objective.empty()) {
        return configuration.nlsq.objective == formats::homodyne::Objective::compat_grid
                   ? FitObjective::compat_grid
                   : FitObjective::pairs;
    }
    for (const auto objective : {FitObjective::pairs, FitObjective::compat_grid}) {
        if (to_string(objective) == request.objective) {
            return objective;
        }
    }
    throw InputError(
        fmt::format("objective is '{}': must be pairs or compat-grid", request.objective));
}

void set_loss(const XpcsRequest& request,
              const Configuration& configuration,
              xpcs::FitOptions& options,
              std::vector<std::string>& notes) {
    const auto& nlsq = configuration.nlsq;
    const bool is_grid = options.objective == xpcs::FitObjective::compat_grid;
    const auto scale = request.loss_scale ? request.loss_scale : nlsq.loss_scale;
    options.loss.kind = loss_of(nlsq.loss.value_or(is_grid ? LossName::soft_l1 : LossName::linear));
    options.loss.scale = scale.value_or(is_grid ? 1 / options.sigma : 1);
    for (const auto kind : losses) {
        if (request.loss == name_of(kind)) {
            options.loss.kind = kind;
        }
    }
    if (options.loss.kind == Kind::linear || is_grid) {
        return;
    }
    if (request.loss.empty() && !scale) {
        notes.push_back(fmt::format(
            "optimization.nlsq.loss: {} acts from 1 on in the unit of c2 in homodyne, where "
            "residuals are so much smaller that it is linear, and is linear here; --loss {}, or "
            "lockstep.fit.loss_scale in standard deviations, makes it act",
            name_of(options.loss.kind),
            name_of(options.loss.kind)));
        options.loss.kind = Kind::linear;
        return;
    }
    if (request.work != XpcsWork::fit) {
        notes.push_back(
            fmt::format("the posterior takes errors for normal: outliers that {} holds back in the "
                        "fit count in full there",
                        name_of(options.loss.kind)));
    }
}

void set_search(const XpcsRequest& request,
                const Configuration& configuration,
                xpcs::FitOptions& options,
                std::vector<std::string>& notes) {
    const auto& cmaes = configuration.nlsq.cmaes;
    auto& search = options.search;
    search.is_refined = cmaes.is_refined;
    search.multi_start = multi_start_of(request, configuration);
    search.cma_es =
        evolution_of(request, configuration, options.lower.size() - options.held.size());
    if (!request.search.empty()) {
        search.kind = search_named(request.search);
    } else if (request.starts) {
        search.kind = xpcs::SearchKind::multi_start;
    } else {
        search.kind = configured_search(configuration, options, notes);
        search.good_enough = cmaes.is_skippable ? cmaes.skip_threshold : 0;
    }
}

void set_anti_degeneracy(const XpcsRequest& request,
                         const Configuration& configuration,
                         xpcs::FitOptions& options,
                         std::vector<std::string>& notes) {
    set_sequential(request, configuration, options);
    if (configuration.nlsq.is_against_degeneracy) {
        set_regularisation(configuration, options, notes);
        set_shear_weighting(configuration, options, notes);
    }
}

void set_tolerances(const XpcsRequest& request,
                    const Configuration& configuration,
                    xpcs::FitOptions& options) {
    const auto& nlsq = configuration.nlsq;
    const bool is_evolved = options.search.kind == xpcs::SearchKind::cma_es;
    const auto refinement = is_evolved ? nlsq.cmaes : formats::homodyne::Cmaes{};
    const auto first_of = [](auto first, auto second, auto usual) {
        return first ? *first : second.value_or(usual);
    };
    auto& to = options.trust_region;
    to.max_evaluations = request.max_evaluations.value_or(
        refinement.most_evaluations.value_or(nlsq.most_iterations));
    to.cost_tolerance = first_of(refinement.ftol, nlsq.ftol, to.cost_tolerance);
    to.step_tolerance = first_of(refinement.xtol, nlsq.xtol, to.step_tolerance);
    to.gradient_tolerance =
        request.tolerance.value_or(first_of(refinement.gtol, nlsq.gtol, to.gradient_tolerance));
    if (request.loss.empty() && refinement.loss && *refinement.loss != LossName::linear) {
        options.loss = {loss_of(*refinement.loss), 1};
    }
}

void set_step_sizes(const Configuration& configuration,
                    xpcs::FitOptions& options,
                    std::vector<std::string>& notes) {
    const auto& nlsq = configuration.nlsq;
    if (!nlsq.step_size && nlsq.step_sizes.empty()) {
        return;
    }
    const auto size_of = [&](std::string_view name) {
        const auto found = std::ranges::find(
            nlsq.step_sizes, name, [](const auto& each) { return std::string_view(each.first); });
        return found == nlsq.step_sizes.end() ? nlsq.step_size.value_or(1) : found->second;
    };
    for (const auto& parameter : xpcs::parameters_of(options.motion)) {
        options.step_sizes.push_back(size_of(parameter.name));
    }
    options.scale_step_sizes = {size_of("contrast"), size_of("offset")};
    notes.emplace_back(
        "optimization.nlsq.x_scale: steps are as long as it says, not by the curvature; where "
        "there "
        "are several minima the fit may end at another one");
}

}  // namespace lockstep::app
