#include "sddp/hydro/process/inflow/inflow_moments.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/base/matrix_view.hpp"

#include "sddp/hydro/process/fitting/history.hpp"
#include "sddp/hydro/process/fitting/moments.hpp"

namespace lockstep::sddp {
namespace {

/// Enough values of a month to compare with.
constexpr int enough_values = 5;

/// Mean and covariance of the lags of one plant.
class LagMoments {
public:
    LagMoments(const InflowModel& model, int hydro)
        : model_(model),
          hydro_(hydro),
          lags_(at(model.lags)),
          mean_(lags_),
          covariance_(lags_ * lags_),
          with_inflow_(lags_),
          buffer_(lags_ * lags_) {
        for (std::size_t l = 0; l < lags_; ++l) {
            mean_[l] = model.initial_lags[l * at(model.hydros) + at(hydro)];
        }
    }

    /// Mean and deviation of the inflow of the stage after the lags; it becomes the first of them.
    std::pair<double, double> advance(int stage) {
        recall(stage);
        const auto& at_stage = model_.stages[at(stage)];
        double mean = at_stage.base[at(hydro_)];
        double variance = at_stage.scale[at(hydro_)] * at_stage.scale[at(hydro_)];
        for (std::size_t i = 0; i < lags_; ++i) {
            with_inflow_[i] = 0;
            for (std::size_t j = 0; j < lags_; ++j) {
                with_inflow_[i] += covariance_[i * lags_ + j] * weight(stage, j);
            }
            mean += weight(stage, i) * mean_[i];
            variance += weight(stage, i) * with_inflow_[i];
        }
        shift(mean, variance);
        return {mean, std::sqrt(std::max(variance, 0.0))};
    }

    [[nodiscard]] bool reads_lags(int stage) const {
        for (std::size_t l = 0; l < lags_; ++l) {
            if (weight(stage, l) != 0) {
                return true;
            }
        }
        return false;
    }

private:
    [[nodiscard]] double weight(int stage, std::size_t lag) const {
        return model_.stages[at(stage)].lag[lag * at(model_.hydros) + at(hydro_)];
    }
    /// The moments of the lags from those of the state.
    void recall(int stage) {
        const auto& terms = model_.stages[at(stage)].recall;
        if (terms.empty()) {
            return;
        }
        const auto multiply = [&](const std::vector<double>& from,
                                  std::vector<double>& to,
                                  std::size_t by_lag,
                                  std::size_t along,
                                  std::size_t count) {
            std::fill(to.begin(), to.end(), 0.0);
            for (const InflowModel::Recall& term : terms) {
                for (std::size_t i = 0; i < count; ++i) {
                    to[at(term.lag) * by_lag + i * along] +=
                        term.weight[at(hydro_)] * from[at(term.place) * by_lag + i * along];
                }
            }
        };
        multiply(mean_, with_inflow_, 1, 0, 1);
        mean_ = with_inflow_;
        multiply(covariance_, buffer_, lags_, 1, lags_);
        multiply(buffer_, covariance_, 1, lags_, lags_);
    }
    void shift(double mean, double variance) {
        for (std::size_t i = lags_; i-- > 1;) {
            mean_[i] = mean_[i - 1];
            for (std::size_t j = lags_; j-- > 1;) {
                covariance_[i * lags_ + j] = covariance_[(i - 1) * lags_ + j - 1];
            }
        }
        for (std::size_t i = 1; i < lags_; ++i) {
            covariance_[i] = with_inflow_[i - 1];
            covariance_[i * lags_] = with_inflow_[i - 1];
        }
        if (lags_ > 0) {
            mean_[0] = mean;
            covariance_[0] = variance;
        }
    }

    const InflowModel& model_;
    int hydro_;
    std::size_t lags_;
    std::vector<double> mean_;
    std::vector<double> covariance_;
    std::vector<double> with_inflow_;  ///< covariance of the lags with the new inflow
    std::vector<double> buffer_;
};

/// What inflows should look like: the record by calendar month, else the rows of the tables.
class Observed {
public:
    Observed(const Calendar& calendar, const System& system, const ProcessData& tables) {
        for (const InflowStatistics& row :
             tables.statistics.value_or(std::vector<InflowStatistics>())) {
            statistics_.emplace(std::pair(row.hydro, row.stage_id),
                                std::pair(row.mean_m3s, row.std_m3s));
        }
        if (tables.history && calendar.cycle == SeasonCycle::monthly) {
            Problems told_before;
            for (auto& windows : windows_by_hydro(system, *tables.history, "", told_before)) {
                records_.emplace_back(monthly_series(windows));
            }
        }
    }

    [[nodiscard]] std::optional<InflowMomentCheck> of(int hydro, const Stage& stage) const {
        InflowMomentCheck check;
        const int month = calendar_month(month_number(stage.start));
        if (!records_.empty() && records_[at(hydro)].count(month) >= enough_values) {
            check.record_years = records_[at(hydro)].count(month);
            check.observed_mean_m3s = records_[at(hydro)].mean(month);
            check.observed_std_m3s = records_[at(hydro)].std(month);
            return check;
        }
        const auto row = statistics_.find({hydro, stage.id});
        if (row == statistics_.end()) {
            return std::nullopt;
        }
        std::tie(check.observed_mean_m3s, check.observed_std_m3s) = row->second;
        return check;
    }

private:
    std::map<std::pair<int, int>, std::pair<double, double>> statistics_;
    std::vector<SeasonMoments> records_;  ///< [hydros], empty without history
};

// --- what is too far off -------------------------------------------------------------------------

constexpr double most_deviations = 4;
constexpr double widest = 2;
constexpr double narrowest = 0.5;

/// How far off a cell is in units of what is still taken; above 1 it is told.
double excess(const InflowMomentCheck& check) {
    const double observed = check.observed_std_m3s;
    const double rounding = 1e-6 * std::max(1.0, std::abs(check.observed_mean_m3s));
    const double off = std::abs(check.model_mean_m3s - check.observed_mean_m3s);
    const double mean = off / (most_deviations * observed + rounding);
    const double wide = check.model_std_m3s / (widest * observed + rounding);
    const double narrow = check.is_settled && observed > rounding
                              ? narrowest * observed / (check.model_std_m3s + rounding)
                              : 0;
    return std::max({mean, wide, narrow});
}

std::string others(const std::vector<const InflowMomentCheck*>& cells) {
    std::set<int> plants;
    for (const InflowMomentCheck* cell : cells) {
        plants.insert(cell->hydro);
    }
    return cells.size() == 1
               ? std::string()
               : fmt::format("; {} stages of {} plants are like this", cells.size(), plants.size());
}

}  // namespace

std::vector<InflowMomentCheck> check_moments(const Calendar& calendar,
                                             const System& system,
                                             const ProcessData& tables,
                                             const InflowModel& model) {
    const Observed observed(calendar, system, tables);
    constexpr std::chrono::days a_year(365);
    std::vector<InflowMomentCheck> result;
    for (int hydro = 0; hydro < model.hydros; ++hydro) {
        LagMoments lags(model, hydro);
        for (int t = 0; t < calendar.stage_count(); ++t) {
            const bool reads_lags = lags.reads_lags(t);
            const auto [mean, std] = lags.advance(t);
            if (auto check = observed.of(hydro, calendar.stages[at(t)])) {
                check->hydro = hydro;
                check->stage = t;
                check->model_mean_m3s = mean;
                check->model_std_m3s = std;
                check->is_settled =
                    !reads_lags ||
                    calendar.stages[at(t)].start - calendar.stages.front().start >= a_year;
                result.push_back(*check);
            }
        }
    }
    return result;
}

void report_moments(const Calendar& calendar,
                    const System& system,
                    const std::vector<InflowMomentCheck>& checks,
                    Problems& problems) {
    std::vector<const InflowMomentCheck*> off;
    for (const InflowMomentCheck& check : checks) {
        if (!(excess(check) <= 1)) {
            off.push_back(&check);
        }
    }
    if (off.empty()) {
        return;
    }
    const InflowMomentCheck& worst = **std::ranges::max_element(
        off, {}, [](const InflowMomentCheck* check) { return excess(*check); });
    problems.add(
        ProblemKind::model_quality,
        "inflow model",
        fmt::format("hydro {}, stage {}",
                    system.hydros[at(worst.hydro)].id,
                    calendar.stages[at(worst.stage)].id),
        fmt::format("the process has the mean {:.4g} and the deviation {:.4g} m³/s, {} {:.4g} and "
                    "{:.4g}{}",
                    worst.model_mean_m3s,
                    worst.model_std_m3s,
                    worst.record_years > 0 ? "the record" : "its statistics",
                    worst.observed_mean_m3s,
                    worst.observed_std_m3s,
                    others(off)));
}

}  // namespace lockstep::sddp
