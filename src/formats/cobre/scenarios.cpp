#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "formats/cobre/bounds.hpp"
#include "formats/cobre/correlation.hpp"
#include "formats/cobre/openings.hpp"
#include "formats/cobre/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr std::int64_t default_tree_seed = 42;

/// Checks the (hydro, stage) keys of one statistics file.
class KeyedRows {
public:
    KeyedRows(const char* file, const Resolver& resolver) : file_(file), resolver_(resolver) {}

    /// Hydro index of a row, -1 after a report. `part` tells apart rows of the same key.
    int find(std::size_t row, int hydro_id, int stage_id, int part = 0) {
        const Origin origin = row_of(file_, row);
        const int hydro = resolver_.find(resolver_.hydros, hydro_id, origin);
        if (!resolver_.is_any_stage(stage_id)) {
            resolver_.error(ProblemKind::invalid_reference,
                            origin,
                            fmt::format("stage {} does not exist", stage_id));
            return -1;
        }
        if (hydro >= 0 && !seen_.emplace(hydro, stage_id, part).second) {
            resolver_.error(ProblemKind::duplicate_id,
                            origin,
                            fmt::format("hydro {}, stage {} has another row", hydro_id, stage_id));
            return -1;
        }
        return hydro;
    }
    [[nodiscard]] bool has(int hydro, int stage_id, int part = 0) const {
        return seen_.contains({hydro, stage_id, part});
    }

private:
    const char* file_;
    const Resolver& resolver_;
    std::set<std::tuple<int, int, int>> seen_;
};

/// Every plant needs statistics at every study stage once the file is there.
void check_coverage(const KeyedRows& rows,
                    const char* file,
                    const raw::Case& raw,
                    const Resolver& resolver) {
    for (std::size_t i = 0; i < raw.hydros.size(); ++i) {
        int missing = 0;
        int first = 0;
        for (const sddp::Stage& stage : resolver.calendar.stages) {
            if (!rows.has(static_cast<int>(i), stage.id) && missing++ == 0) {
                first = stage.id;
            }
        }
        if (missing > 0) {
            const std::string more = missing > 1 ? fmt::format(" and {} more", missing - 1) : "";
            resolver.error(ProblemKind::dimension_mismatch,
                           {file, fmt::format("hydro {}", raw.hydros[i].id)},
                           fmt::format("no row for stage {}{}", first, more));
        }
    }
}

/// The inflow model as the files give it.
class InflowTables {
public:
    InflowTables(const raw::Case& raw, const Resolver& resolver, sddp::ProcessData& out)
        : raw_(raw), resolver_(resolver), out_(out), statistics_(statistics_file, resolver) {}

    void run() {
        add_statistics();
        add_coefficients();
        add_annual();
    }

private:
    static constexpr const char* statistics_file = "scenarios/inflow_seasonal_stats.parquet";
    static constexpr const char* coefficients_file = "scenarios/inflow_ar_coefficients.parquet";
    static constexpr const char* annual_file = "scenarios/inflow_annual_component.parquet";

    void add_statistics() {
        if (!raw_.inflow_statistics) {
            return;
        }
        auto& out = out_.statistics.emplace();
        for (std::size_t i = 0; i < raw_.inflow_statistics->size(); ++i) {
            const raw::InflowStatistics& row = (*raw_.inflow_statistics)[i];
            if (const int hydro = statistics_.find(i, row.entity_id, row.stage_id); hydro >= 0) {
                out.push_back({hydro, row.stage_id, row.mean_m3s, row.std_m3s});
            }
        }
        check_coverage(statistics_, statistics_file, raw_, resolver_);
    }

    void add_coefficients() {
        if (!raw_.ar_coefficients) {
            return;
        }
        auto& out = out_.coefficients.emplace();
        KeyedRows keys(coefficients_file, resolver_);
        for (std::size_t i = 0; i < raw_.ar_coefficients->size(); ++i) {
            const raw::ArCoefficient& row = (*raw_.ar_coefficients)[i];
            if (const int hydro = keys.find(i, row.entity_id, row.stage_id, row.lag); hydro >= 0) {
                check_orphan(coefficients_file, i, hydro, row.entity_id, row.stage_id);
                out.push_back({hydro, row.stage_id, row.lag, row.coefficient});
            }
        }
        check_lags(keys);
    }

    /// The list of lags is positional: a gap would shift the rest.
    void check_lags(const KeyedRows& keys) const {
        for (std::size_t i = 0; i < raw_.ar_coefficients->size(); ++i) {
            const raw::ArCoefficient& row = (*raw_.ar_coefficients)[i];
            const int hydro = resolver_.hydros.find(row.entity_id);
            if (hydro >= 0 && row.lag > 1 && !keys.has(hydro, row.stage_id, row.lag - 1)) {
                resolver_.error(ProblemKind::invalid_value,
                                row_of(coefficients_file, i),
                                fmt::format("lag {} of hydro {}, stage {} has no row for lag {}",
                                            row.lag,
                                            row.entity_id,
                                            row.stage_id,
                                            row.lag - 1));
            }
        }
    }

    void add_annual() {
        if (!raw_.annual_component) {
            return;
        }
        auto& out = out_.annual.emplace();
        KeyedRows keys(annual_file, resolver_);
        for (std::size_t i = 0; i < raw_.annual_component->size(); ++i) {
            const raw::AnnualComponent& row = (*raw_.annual_component)[i];
            if (const int hydro = keys.find(i, row.entity_id, row.stage_id); hydro >= 0) {
                check_orphan(annual_file, i, hydro, row.entity_id, row.stage_id);
                out.push_back({hydro, row.stage_id, row.coefficient, row.mean_m3s, row.std_m3s});
            }
        }
    }

    void check_orphan(
        const char* file, std::size_t row, int hydro, int hydro_id, int stage_id) const {
        if (raw_.inflow_statistics && !statistics_.has(hydro, stage_id)) {
            resolver_.error(
                ProblemKind::invalid_reference,
                row_of(file, row),
                fmt::format(
                    "hydro {}, stage {} has no row in {}", hydro_id, stage_id, statistics_file));
        }
    }

    const raw::Case& raw_;
    const Resolver& resolver_;
    sddp::ProcessData& out_;
    KeyedRows statistics_;
};

/// A window with the place where it was said.
struct Window {
    sddp::InflowObservation observation;
    Origin origin;
    int hydro_id;
};

void check_overlaps(std::vector<Window> windows, const Resolver& resolver) {
    std::stable_sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) {
        return std::tuple(a.observation.hydro, a.observation.start) <
               std::tuple(b.observation.hydro, b.observation.start);
    });
    for (std::size_t i = 1; i < windows.size(); ++i) {
        const auto& before = windows[i - 1].observation;
        const auto& window = windows[i].observation;
        if (before.hydro == window.hydro && window.start < before.end) {
            resolver.error(
                ProblemKind::invalid_value,
                windows[i].origin,
                fmt::format("hydro {}: the window overlaps another one", windows[i].hydro_id));
        }
    }
}

/// Observations of known hydros; mistakes are reported.
std::vector<sddp::InflowObservation> take_windows(std::vector<Window> windows,
                                                  const Resolver& resolver) {
    std::vector<Window> sound;
    for (Window& window : windows) {
        window.observation.hydro = resolver.find(resolver.hydros, window.hydro_id, window.origin);
        if (window.observation.start >= window.observation.end) {
            resolver.error(
                ProblemKind::invalid_value, window.origin, "start_date must be before end_date");
        } else if (window.observation.hydro >= 0) {
            sound.push_back(window);
        }
    }
    check_overlaps(sound, resolver);
    std::vector<sddp::InflowObservation> out;
    for (const Window& window : sound) {
        out.push_back(window.observation);
    }
    return out;
}

std::vector<sddp::InflowObservation> resolve_recent(const raw::Case& raw,
                                                    const Resolver& resolver) {
    std::vector<Window> windows;
    for (const raw::Observation& entry : raw.initial_conditions.recent_observations) {
        const Origin origin =
            line_of("initial_conditions.json", entry.line, "hydro", entry.hydro_id);
        if (!resolver.calendar.stages.empty() &&
            entry.end_date > resolver.calendar.stages.front().start) {
            resolver.error(
                ProblemKind::invalid_value, origin, "the observation ends after the study starts");
        }
        windows.push_back(
            {{0, entry.start_date, entry.end_date, entry.value_m3s}, origin, entry.hydro_id});
    }
    return take_windows(std::move(windows), resolver);
}

std::optional<std::vector<sddp::InflowObservation>> resolve_history(const raw::Case& raw,
                                                                    const Resolver& resolver) {
    if (!raw.inflow_history) {
        return std::nullopt;
    }
    std::vector<Window> windows;
    for (std::size_t i = 0; i < raw.inflow_history->size(); ++i) {
        const raw::InflowHistory& row = (*raw.inflow_history)[i];
        windows.push_back({{0, row.start_date, row.end_date, row.value_m3s},
                           row_of("scenarios/inflow_history.parquet", i),
                           row.hydro_id});
    }
    return take_windows(std::move(windows), resolver);
}

sddp::ForwardScheme resolve_scheme(raw::Scheme scheme) {
    return scheme == raw::Scheme::out_of_sample ? sddp::ForwardScheme::out_of_sample
                                                : sddp::ForwardScheme::in_sample;
}

sddp::ScenarioSource resolve_source(const raw::ScenarioSource& source) {
    sddp::ScenarioSource out;
    out.inflow = resolve_scheme(source.inflow.scheme);
    out.load = resolve_scheme(source.load.scheme);
    out.source = resolve_scheme(source.ncs.scheme);
    out.seed = source.seed;
    out.openings_from_file =
        source.openings && source.openings->source == raw::OpeningsSource::file;
    return out;
}

sddp::EstimationOptions resolve_estimation(const raw::Estimation& estimation) {
    sddp::EstimationOptions out;
    out.max_order = estimation.max_order;
    out.order_selection = estimation.order_selection == raw::OrderSelection::pacf_annual
                              ? sddp::OrderSelection::pacf_annual
                              : sddp::OrderSelection::pacf;
    out.min_observations_per_season = estimation.min_observations_per_season;
    out.max_coefficient_magnitude = estimation.max_coefficient_magnitude;
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

/// The format takes the absolute value of the seed.
std::int64_t resolve_seed(const std::optional<std::int64_t>& seed) {
    const std::int64_t value = seed.value_or(default_tree_seed);
    return value == std::numeric_limits<std::int64_t>::min() ? value : std::abs(value);
}

}  // namespace

sddp::ProcessData resolve_process(const raw::Case& raw,
                                  const Resolver& resolver,
                                  const sddp::System& system) {
    sddp::ProcessData out;
    InflowTables(raw, resolver, out).run();
    out.history = resolve_history(raw, resolver);
    out.recent = resolve_recent(raw, resolver);
    if (raw.correlation) {
        out.correlation = resolve_correlation(*raw.correlation, resolver);
    }
    out.estimation = resolve_estimation(raw.config.estimation);
    out.non_negativity = resolve_non_negativity(raw.config.modeling.inflow_non_negativity.method);
    out.tree_seed = resolve_seed(raw.config.training.tree_seed);
    out.training = resolve_source(raw.config.training.scenario_source);
    const auto& simulation = raw.config.simulation.scenario_source;
    out.simulation = simulation ? resolve_source(*simulation) : out.training;
    out.simulation.openings_from_file = out.training.openings_from_file;
    if (raw.noise_openings) {
        out.openings = resolve_openings(*raw.noise_openings, resolver, system);
    }
    return out;
}

}  // namespace lockstep::formats::cobre
