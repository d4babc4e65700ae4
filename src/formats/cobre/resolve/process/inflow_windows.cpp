#include "formats/cobre/resolve/process/inflow_windows.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace lockstep::formats::cobre {

namespace {

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
                fmt::format("the window overlaps another one of hydro {}", windows[i].hydro_id));
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

}  // namespace

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

}  // namespace lockstep::formats::cobre
