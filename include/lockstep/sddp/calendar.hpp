#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/base/date.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/shared_array.hpp"

namespace lockstep::sddp {

/// A load block: some hours of a stage, dispatched at one level.
struct Block {
    std::string name;
    double hours = 0;  ///< > 0
};

/// A weighted mean of risk measures: CVaR over the costliest share `alpha`, the costliest outcome,
/// the entropic measure ln(E e^(gamma·cost))/gamma, and the expectation, which has the rest.
/// @par Source  [RockafellarUryasev2002], [FoellmerSchied2002]; nested over the stages as in
///              [Shapiro2011]
struct RiskMeasure {
    double alpha = 1;   ///< tail share, in (0, 1]
    double lambda = 0;  ///< weight of the tail mean; no weight is below 0, their sum not above 1
    double worst_case = 0;  ///< weight of the costliest outcome
    double entropic = 0;    ///< weight of the entropic measure
    double gamma = 0;       ///< [1/$], > 0 where `entropic` is
    [[nodiscard]] bool is_neutral() const noexcept {
        return (lambda == 0 || alpha == 1) && worst_case == 0 && entropic == 0;
    }
};

/// How the openings of a stage are drawn.
enum class Sampling {
    saa,     ///< independently
    lhs,     ///< Latin hypercube: each dimension has one point in each of n equal shares
    sobol,   ///< scrambled Sobol points, best in powers of two [JoeKuo2008]
    halton,  ///< scrambled Halton points
    historical_residuals,  ///< what the model leaves of a year of the record, the same of all
                           ///< plants
};

/// One decision period. Blocks are parallel: they share the stage's water.
struct Stage {
    int id = 0;  ///< as in the input, >= 0
    Date start{};
    Date end{};       ///< exclusive
    int season = -1;  ///< season id, -1 when none
    std::vector<Block> blocks;
    int openings = 1;  ///< number of equally likely outcomes
    Sampling sampling = Sampling::saa;
    RiskMeasure risk;
    double annual_discount_rate = 0;  ///< of the step from this stage to the next
    bool storage_in_cuts = true;      ///< cuts of the pool *before* this stage may use storages
    bool lags_in_cuts = true;         ///< … and inflow lags
    bool is_chronological = false;    ///< storages run from block to block, not over all at once

    [[nodiscard]] double hours() const noexcept;  ///< sum over blocks, in block order
    /// Parts of the stage that have water balances of their own: its blocks, or one for all.
    [[nodiscard]] int periods() const noexcept {
        return is_chronological ? static_cast<int>(blocks.size()) : 1;
    }
    [[nodiscard]] int calendar_days() const noexcept {
        return static_cast<int>((end - start).count());
    }
    /// (1 + rate)^(-days / 365.25), exactly 1 for rate 0.
    [[nodiscard]] double discount_factor() const;
};

/// A stage before the study; it only tells the calendar of past statistics.
struct PastStage {
    int id = 0;  ///< negative
    Date start{};
    Date end{};
    int season = -1;
};

/// What parts of a year the seasons are; memory of inflows needs them.
enum class SeasonCycle { none, monthly, weekly, custom };

/// A part of the year that shares statistics. Ranges are inclusive and may wrap the year's end.
struct Season {
    int id = 0;
    std::string label;
    unsigned month_start = 1;
    unsigned day_start = 1;
    unsigned month_end = 12;
    unsigned day_end = 31;
};

/// Stages in time order, with the seasons they refer to.
struct Calendar {
    std::vector<Stage> stages;
    std::vector<PastStage> past;
    SeasonCycle cycle = SeasonCycle::none;
    std::vector<Season> seasons;

    [[nodiscard]] int stage_count() const noexcept { return static_cast<int>(stages.size()); }
    /// Number of a stage's first period, counted over the study; of the stage after the last one
    /// how many there are.
    [[nodiscard]] int first_period(int stage) const noexcept;
    /// Season id of a date by the season map, -1 when none matches.
    [[nodiscard]] int season_of(Date date) const;
};

/// One value a stage.
using ByStage = SharedArray<double>;

/// One value a (stage, block).
class ByBlock {
public:
    ByBlock() = default;
    ByBlock(const Calendar& calendar, double fill);

    double& operator()(int stage, int block) noexcept { return value_[index(stage, block)]; }
    double operator()(int stage, int block) const noexcept { return value_[index(stage, block)]; }
    /// f(list) for every list that the table consists of.
    template <typename F>
    void visit(F&& f) {
        f(first_);
        f(value_);
    }

private:
    [[nodiscard]] std::size_t index(int stage, int block) const noexcept {
        return first_[at(stage)] + static_cast<std::size_t>(block);
    }
    SharedArray<std::size_t> first_;
    SharedArray<double> value_;
};

/// Hm³ per m³/s kept up for one hour.
inline constexpr double hm3_per_m3s_hour = 0.0036;

}  // namespace lockstep::sddp
