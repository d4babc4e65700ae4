#include <cstdlib>
#include <limits>

#include "formats/cobre/resolve/process/correlation.hpp"
#include "formats/cobre/resolve/process/external.hpp"
#include "formats/cobre/resolve/process/inflow_tables.hpp"
#include "formats/cobre/resolve/process/inflow_windows.hpp"
#include "formats/cobre/resolve/process/openings.hpp"
#include "formats/cobre/resolve/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr std::int64_t default_tree_seed = 42;

sddp::ForwardScheme resolve_scheme(raw::Scheme scheme) {
    switch (scheme) {
        case raw::Scheme::out_of_sample:
            return sddp::ForwardScheme::out_of_sample;
        case raw::Scheme::historical:
            return sddp::ForwardScheme::historical;
        case raw::Scheme::external:
            return sddp::ForwardScheme::external;
        default:
            return sddp::ForwardScheme::in_sample;
    }
}

sddp::ScenarioSource resolve_source(const raw::ScenarioSource& source) {
    sddp::ScenarioSource out;
    out.inflow = resolve_scheme(source.inflow.scheme);
    out.load = resolve_scheme(source.load.scheme);
    out.source = resolve_scheme(source.ncs.scheme);
    out.seed = source.seed;
    if (source.historical_years) {
        out.historical_years = source.historical_years->years;
    }
    out.openings_from_file =
        source.openings && source.openings->source == raw::OpeningsSource::file;
    return out;
}

sddp::EstimationOptions resolve_estimation(const raw::Estimation& estimation,
                                           const raw::Compat& compat) {
    sddp::EstimationOptions out;
    out.max_order = estimation.max_order;
    out.order_selection = estimation.order_selection == raw::OrderSelection::pacf_annual
                              ? sddp::OrderSelection::pacf_annual
                              : sddp::OrderSelection::pacf;
    out.min_observations_per_season = estimation.min_observations_per_season;
    out.max_coefficient_magnitude = estimation.max_coefficient_magnitude;
    out.rounded_moments = compat.rounded_moments;
    return out;
}

sddp::NonNegativity resolve_non_negativity(raw::NonNegativity method) {
    switch (method) {
        case raw::NonNegativity::none:
            return sddp::NonNegativity::none;
        case raw::NonNegativity::penalty:
            return sddp::NonNegativity::penalty;
        case raw::NonNegativity::truncation:
            return sddp::NonNegativity::truncation;
        default:
            return sddp::NonNegativity::truncation_with_penalty;
    }
}

sddp::BoundSlopes resolve_slopes(raw::BoundSlopes slopes) {
    return slopes == raw::BoundSlopes::tangent ? sddp::BoundSlopes::tangent
                                               : sddp::BoundSlopes::secant;
}

/// The format takes the absolute value of the seed.
std::int64_t resolve_seed(const std::optional<std::int64_t>& seed) {
    const std::int64_t value = seed.value_or(default_tree_seed);
    return value == std::numeric_limits<std::int64_t>::min() ? value : std::abs(value);
}

}  // namespace

sddp::ProcessData resolve_process(const raw::Case& raw,
                                  const Resolver& resolver,
                                  sddp::System& system) {
    sddp::ProcessData out;
    resolve_inflow_tables(raw, resolver, out);
    out.history = resolve_history(raw, resolver);
    out.recent = resolve_recent(raw, resolver);
    if (raw.correlation) {
        out.correlation = resolve_correlation(*raw.correlation, resolver);
    }
    out.estimation = resolve_estimation(raw.config.estimation, raw.config.compat);
    const auto& non_negativity = raw.config.modeling.inflow_non_negativity;
    out.non_negativity = resolve_non_negativity(non_negativity.method);
    out.bound_slopes = resolve_slopes(non_negativity.bound_slopes);
    out.tree_seed = resolve_seed(raw.config.training.tree_seed);
    out.training = resolve_source(raw.config.training.scenario_source);
    const auto& simulation = raw.config.simulation.scenario_source;
    out.simulation = simulation ? resolve_source(*simulation) : out.training;
    if (!simulation || !simulation->openings) {
        out.simulation.openings_from_file = out.training.openings_from_file;
    }
    resolve_external(raw, resolver, system, out);
    if (raw.noise_openings) {
        out.openings = resolve_openings(*raw.noise_openings, resolver, system);
    }
    return out;
}

}  // namespace lockstep::formats::cobre
