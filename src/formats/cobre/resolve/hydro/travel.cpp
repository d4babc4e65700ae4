#include "formats/cobre/resolve/hydro/travel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* initial_file = "initial_conditions.json";
constexpr double hours_per_day = 24;
constexpr double rounding_hours = 1e-6;

/// Hours from one moment to another.
struct Span {
    double from = 0;
    double to = 0;
};

double overlap(const Span& a, const Span& b) {
    return std::max(0.0, std::min(a.to, b.to) - std::max(a.from, b.from));
}

/// The periods of a study: its stages, or their blocks where these follow each other.
struct Periods {
    std::vector<Span> spans;
    std::vector<std::size_t> end_of_stage;  ///< [periods], the first period after its stage

    explicit Periods(const sddp::Calendar& calendar) {
        double hours = 0;
        for (const sddp::Stage& stage : calendar.stages) {
            const auto count = static_cast<std::size_t>(stage.periods());
            for (std::size_t p = 0; p < count; ++p) {
                const double length = count > 1 ? stage.blocks[p].hours : stage.hours();
                spans.push_back({hours, hours + length});
                hours = spans.back().to;
            }
            end_of_stage.resize(spans.size(), spans.size());
        }
    }
};

double travel_hours(const raw::Hydro& hydro) {
    return hydro.downstream_id ? hydro.travel_time_hours.value_or(0) : 0;
}

/// One plant whose water takes its time.
class Arc {
public:
    Arc(const raw::Case& raw,
        const raw::Hydro& declared,
        const Periods& periods,
        const Resolver& resolver,
        sddp::System& system)
        : raw_(raw),
          declared_(declared),
          periods_(periods.spans),
          end_of_stage_(periods.end_of_stage),
          resolver_(resolver),
          plant_(system.hydros[at(resolver.hydros.find(declared.id))]),
          below_(system.hydros[at(plant_.downstream)]) {}

    void resolve() {
        if (check()) {
            set_shares();
            set_initial();
        }
    }

private:
    [[nodiscard]] Origin origin() const {
        return line_of("system/hydros.json", declared_.line, "hydro", declared_.id);
    }

    bool check() const {
        if (!below_.phases.empty() && below_.phase(0) != sddp::HydroPhase::operating) {
            resolver_.error(
                ProblemKind::business_rule_violation,
                origin(),
                fmt::format(
                    "travel_time_hours leads to hydro {}, which enters service in the study",
                    below_.id));
            return false;
        }
        return true;
    }

    // Water released at a constant rate over a period comes at a constant rate for as long. What
    // arrives after the study is lost.
    void set_shares() {
        const double time = *declared_.travel_time_hours;
        for (std::size_t p = 0; p < periods_.size(); ++p) {
            const Span arrival{periods_[p].from + time, periods_[p].to + time};
            std::vector<double> shares;
            for (std::size_t later = p; later < periods_.size(); ++later) {
                shares.push_back(overlap(arrival, periods_[later]) /
                                 (periods_[p].to - periods_[p].from));
            }
            while (shares.size() > 1 && shares.back() == 0) {
                shares.pop_back();
            }
            reserve(p + shares.size(), end_of_stage_[p]);
            plant_.arrival_shares.push_back(std::move(shares));
        }
    }

    /// Room for what arrives before period `end`, as known when a stage ends before period `from`.
    void reserve(std::size_t end, std::size_t from) {
        const std::size_t ahead = std::max(end, from) - from;
        below_.initial_transit_hm3.resize(std::max(below_.initial_transit_hm3.size(), ahead));
    }

    void set_initial() {
        const double time = *declared_.travel_time_hours;
        const Date start = resolver_.calendar.stages.front().start;
        double covered = 0;
        for (const raw::Observation& window : raw_.initial_conditions.past_defluences) {
            if (window.hydro_id != declared_.id) {
                continue;
            }
            const Span release{
                hours_per_day * static_cast<double>((window.start_date - start).count()),
                hours_per_day * static_cast<double>((window.end_date - start).count())};
            check(window, release);
            covered += overlap(release, {-time, 0});
            add({release.from + time, std::min(release.to, 0.0) + time}, window.value_m3s);
        }
        if (std::abs(covered - time) > rounding_hours) {
            resolver_.error(
                ProblemKind::business_rule_violation,
                {initial_file, fmt::format("hydro {}", declared_.id)},
                fmt::format("past_defluences covers {} of the {} hours before the study "
                            "whose outflow is on its way",
                            covered,
                            time));
        }
    }

    void check(const raw::Observation& window, const Span& release) const {
        const Origin where = line_of(initial_file, window.line, "hydro", window.hydro_id);
        if (release.to <= release.from || release.to > 0) {
            resolver_.error(ProblemKind::invalid_value,
                            where,
                            "a window of past_defluences must end after it starts, and not after "
                            "the study starts");
        }
        if (window.value_m3s < 0) {
            resolver_.error(
                ProblemKind::invalid_value, where, "value_m3s of past_defluences must be >= 0");
        }
    }

    void add(const Span& arrival, double flow) {
        for (std::size_t p = 0; p < periods_.size(); ++p) {
            const double hours = overlap(arrival, periods_[p]);
            if (hours > 0) {
                reserve(p + 1, 0);
                below_.initial_transit_hm3[p] += sddp::hm3_per_m3s_hour * hours * flow;
            }
        }
    }

    const raw::Case& raw_;
    const raw::Hydro& declared_;
    const std::vector<Span>& periods_;
    const std::vector<std::size_t>& end_of_stage_;
    const Resolver& resolver_;
    sddp::Hydro& plant_;
    sddp::Hydro& below_;
};

void warn_of_windows(const raw::Case& raw, const Resolver& resolver) {
    for (const raw::Observation& window : raw.initial_conditions.past_defluences) {
        const Origin origin = line_of(initial_file, window.line, "hydro", window.hydro_id);
        const int plant = resolver.find(resolver.hydros, window.hydro_id, origin);
        if (plant >= 0 && travel_hours(raw.hydros[at(plant)]) == 0) {
            resolver.error(ProblemKind::unused_entity,
                           origin,
                           "past_defluences has no effect: the plant's outflow has no travel time");
        }
    }
}

}  // namespace

void resolve_travel(const raw::Case& raw, const Resolver& resolver, sddp::System& system) {
    const Periods periods(resolver.calendar);
    for (std::size_t i = 0; i < raw.hydros.size(); ++i) {
        if (travel_hours(raw.hydros[i]) > 0 && system.hydros[i].downstream >= 0 &&
            !periods.spans.empty()) {
            Arc(raw, raw.hydros[i], periods, resolver, system).resolve();
        }
    }
    warn_of_windows(raw, resolver);
}

}  // namespace lockstep::formats::cobre
