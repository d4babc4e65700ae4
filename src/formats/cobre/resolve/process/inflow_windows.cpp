#include "formats/cobre/resolve/process/inflow_windows.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/write/output_files.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* history_file = "scenarios/inflow_history.parquet";

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

/// A run of zeros in a record that also has other values.
class ZeroRun {
public:
    void add(const sddp::InflowObservation& window) {
        has_other_ = has_other_ || window.value_m3s != 0;
        if (window.value_m3s != 0) {
            start_.reset();
            return;
        }
        if (!start_ || end_ != window.start) {
            start_ = window.start;
        }
        end_ = window.end;
        if (end_ - *start_ > longest_end_ - longest_start_) {
            longest_start_ = *start_;
            longest_end_ = end_;
        }
    }
    void report(int hydro_id, const Resolver& resolver) const {
        constexpr std::chrono::days years(5 * 365);
        if (has_other_ && longest_end_ - longest_start_ >= years) {
            resolver.error(ProblemKind::model_quality,
                           {history_file, fmt::format("hydro {}", hydro_id)},
                           fmt::format("every value from {} to {} is 0: a gap filled with zeros "
                                       "pulls the estimates down; leave missing windows out",
                                       out::to_iso(longest_start_),
                                       out::to_iso(longest_end_)));
        }
    }

private:
    bool has_other_ = false;
    std::optional<Date> start_;
    Date end_{};
    Date longest_start_{};
    Date longest_end_{};
};

void check_zeros(std::vector<sddp::InflowObservation> record,
                 const raw::Case& raw,
                 const Resolver& resolver) {
    std::stable_sort(record.begin(), record.end(), [](const auto& a, const auto& b) {
        return a.start < b.start;
    });
    std::map<int, ZeroRun> runs;
    for (const sddp::InflowObservation& window : record) {
        runs[window.hydro].add(window);
    }
    for (const auto& [hydro, run] : runs) {
        run.report(raw.hydros[at(hydro)].id, resolver);
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
    if (!raw.inflow_history || raw.inflow_history->empty()) {
        return std::nullopt;
    }
    std::vector<Window> windows;
    for (std::size_t i = 0; i < raw.inflow_history->size(); ++i) {
        const raw::InflowHistory& row = (*raw.inflow_history)[i];
        windows.push_back({{0, row.start_date, row.end_date, row.value_m3s},
                           row_of(history_file, i),
                           row.hydro_id});
    }
    auto record = take_windows(std::move(windows), resolver);
    check_zeros(record, raw, resolver);
    return record;
}

}  // namespace lockstep::formats::cobre
