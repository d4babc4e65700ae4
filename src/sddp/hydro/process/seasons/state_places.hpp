#pragma once

#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/process.hpp"

#include "sddp/hydro/process/fitting/history.hpp"
#include "sddp/hydro/process/seasons/season_walk.hpp"

namespace lockstep::sddp {

/// What was observed before the study.
class PastInflows {
public:
    /// Overlapping windows are problems of their subjects.
    PastInflows(const Calendar& calendar,
                const System& system,
                const ProcessData& data,
                Problems& problems);

    /// Mean of the days of a season that lie before the study; recent_observations come before
    /// inflow_history day by day.
    [[nodiscard]] CoveredMean of(const Occurrence& season, int hydro) const;
    [[nodiscard]] Date study_start() const noexcept { return start_; }

private:
    Date start_;
    std::vector<ObservationWindows> recent_;
    std::vector<ObservationWindows> history_;
};

/// What the lags of the stages are, and how the state brings them from stage to stage.
///
/// Lag l of a stage is the mean inflow of the season l + 1 before its own, where all days weigh
/// alike that a stage or an observation covers. Behind its lags a stage keeps the means so far of
/// seasons that have begun and that later stages read: of the month whose first weeks are over, of
/// the quarter that a month belongs to.
class StatePlaces {
public:
    /// @param lags  the longest memory, >= 1
    StatePlaces(const Calendar& calendar, int lags);

    /// Places that a state needs.
    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] int lags() const noexcept { return lags_; }
    /// Seasons whose means a stage has after the recall: its lags, then the others.
    [[nodiscard]] const std::vector<Occurrence>& seasons(int stage) const {
        return seasons_[at(stage)];
    }
    /// How a stage makes these means from the state; empty where they are the state.
    [[nodiscard]] std::vector<InflowModel::Recall> recall(int stage,
                                                          int hydros,
                                                          const PastInflows& past) const;
    /// Days of a season that observations or stages before `stage` cover.
    [[nodiscard]] int covered_days(const Occurrence& season,
                                   int stage,
                                   int hydro,
                                   const PastInflows& past) const;

private:
    const Calendar& calendar_;
    int lags_;
    int size_ = 0;
    std::vector<std::vector<Occurrence>> seasons_;

    void add_stage(int stage, std::vector<Occurrence>& needed, const SeasonWalk& walk);
    [[nodiscard]] bool begins_before(const Occurrence& season, int stage) const;
};

}  // namespace lockstep::sddp
