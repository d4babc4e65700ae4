
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/resolve.hpp"
#include "formats/cobre/write/output_files.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* post_file = "post_study_stages.json";
constexpr const char* initial_file = "initial_conditions.json";
constexpr double hours_per_day = 24;
constexpr double rounding_hours = 1e-6;

/// A stage of the study or after it.
struct Interval {
    Date start{};
    Date end{};
    double from = 0;  ///< hours after the start of the study
    double to = 0;
    double weight = 1;  ///< discount factor to the start of the study
};

int days_of(const Interval& stage) {
    return static_cast<int>((stage.end - stage.start).count());
}

/// The stages of the study and those after it, one after the other.
std::vector<Interval> make_timeline(const raw::PostStudy& after, const Resolver& resolver) {
    std::vector<Interval> line;
    double hours = 0;
    double weight = 1;
    for (const sddp::Stage& stage : resolver.calendar.stages) {
        line.push_back({stage.start, stage.end, hours, hours + stage.hours(), weight});
        hours = line.back().to;
        weight *= stage.discount_factor();
    }
    sddp::Stage like = resolver.calendar.stages.back();
    for (const raw::PostStudyStage& stage : after.stages) {
        const Date expected = like.end;
        const Origin origin{fmt::format("{}:{}", post_file, stage.line), ""};
        if (stage.start_date != expected) {
            resolver.error(
                ProblemKind::invalid_value,
                origin,
                fmt::format("a stage starts on {}, must start on {}, when the one before "
                            "ends",
                            out::to_iso(stage.start_date),
                            out::to_iso(expected)));
        }
        like.start = stage.start_date;
        like.end =
            stage.start_date + std::chrono::days(std::lround(stage.duration_hours / hours_per_day));
        line.push_back({like.start, like.end, hours, hours + stage.duration_hours, weight});
        hours = line.back().to;
        weight *= like.discount_factor();
    }
    return line;
}

/// The deliveries of one plant.
class Deliveries {
public:
    Deliveries(const raw::Case& raw,
               const raw::Thermal& declared,
               const std::vector<Interval>& timeline,
               const Resolver& resolver,
               sddp::Thermal& thermal)
        : raw_(raw),
          declared_(declared),
          timeline_(timeline),
          resolver_(resolver),
          thermal_(thermal) {}

    void resolve() {
        if (!check_lead()) {
            return;
        }
        for (int stage = 0; stage < static_cast<int>(timeline_.size()); ++stage) {
            if (const int decided = deciding_stage(stage); decided < stage) {
                add(stage, decided);
            }
        }
        for (const sddp::Delivery& delivery : thermal_.deliveries) {
            thermal_.commitments =
                std::max(thermal_.commitments, delivery.stage - std::max(delivery.decided_in, -1));
        }
    }

private:
    [[nodiscard]] Origin origin() const {
        return line_of("system/thermals.json", declared_.line, "thermal", declared_.id);
    }
    [[nodiscard]] int stage_count() const { return resolver_.stage_count(); }
    [[nodiscard]] std::string name_of(int stage) const {
        return stage < stage_count()
                   ? fmt::format("stage {}", resolver_.calendar.stages[at(stage)].id)
                   : fmt::format("stage {} of {}", stage - stage_count(), post_file);
    }

    bool check_lead() const {
        const auto& lead = *declared_.anticipated_config;
        if (lead.lead_stages.has_value() == lead.lead_time_hours.has_value()) {
            resolver_.error(
                ProblemKind::invalid_value,
                origin(),
                "anticipated_config needs lead_stages or lead_time_hours, and not both");
            return false;
        }
        return true;
    }

    /// The stage in which the generation of a stage is decided, -1 before the study.
    [[nodiscard]] int deciding_stage(int stage) const {
        const auto& lead = *declared_.anticipated_config;
        if (lead.lead_stages) {
            return std::max(stage - *lead.lead_stages, -1);
        }
        const double moment = timeline_[at(stage)].to - *lead.lead_time_hours;
        if (moment <= rounding_hours) {
            return -1;
        }
        int decided = 0;
        while (timeline_[at(decided)].to < moment - rounding_hours) {
            ++decided;
        }
        return decided;
    }

    void add(int stage, int decided) {
        if (decided >= stage_count()) {
            return;  // no part of the study
        }
        sddp::Delivery delivery;
        delivery.stage = stage;
        delivery.start = timeline_[at(stage)].start;
        delivery.end = timeline_[at(stage)].end;
        delivery.decided_in = decided;
        if (!set_limits(delivery)) {
            return;
        }
        if (decided < 0) {
            set_commitment(delivery);
        }
        thermal_.deliveries.push_back(delivery);
    }

    bool set_limits(sddp::Delivery& delivery) const {
        double cost = 0;
        if (delivery.stage < stage_count()) {
            delivery.min_mw = thermal_.min_mw(delivery.stage, 0);
            delivery.max_mw = thermal_.max_mw(delivery.stage, 0);
            cost = thermal_.cost[at(delivery.stage)];
        } else {
            const auto* row = bounds_after(delivery.stage - stage_count());
            if (row == nullptr) {
                return false;
            }
            delivery.min_mw = row->min_mw;
            delivery.max_mw = row->max_mw;
            cost = row->cost_per_mwh;
        }
        const Interval& when = timeline_[at(delivery.stage)];
        const double then = when.weight / timeline_[at(std::max(delivery.decided_in, 0))].weight;
        delivery.cost_per_mw = cost * (when.to - when.from) * then;
        return true;
    }

    [[nodiscard]] const raw::PostStudyBounds* bounds_after(int index) const {
        for (const raw::PostStudyBounds& row : raw_.post_study.thermal_bounds) {
            if (row.thermal_id == declared_.id && row.post_study_stage_index == index) {
                return &row;
            }
        }
        resolver_.error(ProblemKind::business_rule_violation,
                        {post_file, fmt::format("thermal {}", declared_.id)},
                        fmt::format("thermal_bounds has no entry for stage {}, whose generation is "
                                    "decided before",
                                    index));
        return nullptr;
    }

    // Mean of the windows, which cover the stage without a gap.
    void set_commitment(sddp::Delivery& delivery) const {
        const Interval& stage = timeline_[at(delivery.stage)];
        double sum = 0;
        int days = 0;
        for (const raw::Commitment& window : raw_.initial_conditions.past_anticipated_commitments) {
            if (window.thermal_id == declared_.id) {
                const auto from = std::max(window.start_date, stage.start);
                const auto to = std::min(window.end_date, stage.end);
                const int overlap = std::max(0, static_cast<int>((to - from).count()));
                sum += overlap * window.value_mw;
                days += overlap;
            }
        }
        const int length = days_of(stage);
        if (days != length) {
            return resolver_.error(
                ProblemKind::business_rule_violation,
                {initial_file, fmt::format("thermal {}", declared_.id)},
                fmt::format("past_anticipated_commitments covers {} of the {} days of {}, "
                            "whose generation was decided before the study",
                            days,
                            length,
                            name_of(delivery.stage)));
        }
        delivery.committed_mw = sum / days;
        const double slack = 1e-9 * std::max(1.0, delivery.max_mw);
        if (delivery.committed_mw < delivery.min_mw - slack ||
            delivery.committed_mw > delivery.max_mw + slack) {
            resolver_.error(ProblemKind::invalid_value,
                            {initial_file, fmt::format("thermal {}", declared_.id)},
                            fmt::format("{} MW committed for {}, outside the limits [{}, {}]",
                                        delivery.committed_mw,
                                        name_of(delivery.stage),
                                        delivery.min_mw,
                                        delivery.max_mw));
        }
    }

    const raw::Case& raw_;
    const raw::Thermal& declared_;
    const std::vector<Interval>& timeline_;
    const Resolver& resolver_;
    sddp::Thermal& thermal_;
};

/// Windows of plants that decide nothing before the study, or of other times.
void check_windows(const raw::Case& raw,
                   const std::vector<Interval>& timeline,
                   const Resolver& resolver,
                   const sddp::System& system) {
    for (const raw::Commitment& window : raw.initial_conditions.past_anticipated_commitments) {
        const Origin origin = line_of(initial_file, window.line, "thermal", window.thermal_id);
        const int plant = resolver.find(resolver.thermals, window.thermal_id, origin);
        if (plant < 0) {
            continue;
        }
        int days = 0;
        for (const sddp::Delivery& delivery : system.thermals[at(plant)].deliveries) {
            if (delivery.decided_in < 0) {
                const Interval& stage = timeline[at(delivery.stage)];
                const auto from = std::max(window.start_date, stage.start);
                const auto to = std::min(window.end_date, stage.end);
                days += std::max(0, static_cast<int>((to - from).count()));
            }
        }
        const int length = static_cast<int>((window.end_date - window.start_date).count());
        if (length <= 0 || days != length) {
            resolver.error(
                ProblemKind::business_rule_violation,
                origin,
                fmt::format("the window from {} to {} of past_anticipated_commitments is "
                            "not within stages whose generation was decided before the "
                            "study",
                            out::to_iso(window.start_date),
                            out::to_iso(window.end_date)));
        }
    }
}

}  // namespace

void resolve_deliveries(const raw::Case& raw, const Resolver& resolver, sddp::System& system) {
    const auto timeline = resolver.calendar.stages.empty()
                              ? std::vector<Interval>()
                              : make_timeline(raw.post_study, resolver);
    for (std::size_t i = 0; i < system.thermals.size(); ++i) {
        if (raw.thermals[i].anticipated_config) {
            Deliveries(raw, raw.thermals[i], timeline, resolver, system.thermals[i]).resolve();
        }
    }
    check_windows(raw, timeline, resolver, system);
}

}  // namespace lockstep::formats::cobre
