#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/process_data.hpp"
#include "lockstep/sddp/system.hpp"

#include "sddp/hydro/process/seasons/season_walk.hpp"

namespace lockstep::sddp {

/// Mean and standard deviation of an inflow [m³/s].
struct InflowMoments {
    double mean = 0;
    double std = 0;
};

/// The rows of the inflow model, found by (hydro, stage id).
///
/// Rows that contradict each other, or coefficients without statistics, go into `problems`.
class InflowTables {
public:
    InflowTables(const Calendar& calendar,
                 const System& system,
                 const ProcessData& data,
                 Problems& problems);

    [[nodiscard]] std::optional<InflowMoments> moments(int hydro, int stage_id) const;
    /// Of the inflow `lag` seasons before, whatever ids the stages have: by the row of a stage in
    /// that season of that year; else by any row of the season, study stages first.
    [[nodiscard]] std::optional<InflowMoments> find_lag_moments(int hydro,
                                                                const Stage& stage,
                                                                int lag) const;
    /// The same, zeros where there is no row.
    [[nodiscard]] InflowMoments lag_moments(int hydro, const Stage& stage, int lag) const {
        return find_lag_moments(hydro, stage, lag).value_or(InflowMoments{});
    }
    /// The stages before the study with a row of coefficients or of the annual part, last first:
    /// id, dates and season, the rest is empty. A stage that the calendar does not declare is the
    /// season that its id counts back to from the next stage that it does.
    [[nodiscard]] std::vector<Stage> past_stages_with_memory(int hydro) const;
    /// The season of a stage in its year. Of one that its season does not meet: its days.
    [[nodiscard]] Occurrence occurrence(const Stage& stage) const;
    [[nodiscard]] const SeasonWalk& walk() const noexcept { return walk_; }
    /// φ*_1 …, empty for white noise.
    [[nodiscard]] const std::vector<double>& coefficients(int hydro, int stage_id) const;
    [[nodiscard]] const AnnualComponent* annual(int hydro, int stage_id) const;

private:
    using Key = std::pair<int, int>;

    const Calendar& calendar_;
    SeasonWalk walk_;
    std::map<Key, InflowMoments> moments_;
    std::map<std::tuple<int, Date, Date>, InflowMoments> occurrence_moments_;  ///< by hydro
    std::map<Key, InflowMoments> season_moments_;                              ///< (hydro, season)
    std::map<Key, std::vector<double>> coefficients_;
    std::map<Key, AnnualComponent> annual_;

    /// Nothing for an id that lies between those of the study.
    [[nodiscard]] std::optional<Occurrence> occurrence_of(int stage_id) const;
    [[nodiscard]] Occurrence occurrence_of_past(int stage_id) const;
    void add_statistics(const System& system, const ProcessData& data, Problems& problems);
    void add_occurrence_moments();
    void add_season_moments(const System& system);
    void add_coefficients(const System& system, const ProcessData& data, Problems& problems);
    void add_annual(const System& system, const ProcessData& data, Problems& problems);
    void check_statistics(const char* file,
                          const System& system,
                          Key key,
                          Problems& problems) const;
};

}  // namespace lockstep::sddp
