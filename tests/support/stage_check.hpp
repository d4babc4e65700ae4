#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/problem.hpp"
#include "lockstep/sddp/stage_result.hpp"

namespace lockstep::test {

/// Compares figures of one stage and collects what does not agree.
class StageCheck {
public:
    StageCheck(const sddp::Problem& problem,
               const sddp::StageResult& result,
               std::vector<double> noise,
               std::vector<std::string>& faults)
        : problem_(problem),
          system_(problem.system),
          result_(result),
          t_(result.stage),
          stage_(problem.calendar.stages[at(result.stage)]),
          noise_(std::move(noise)),
          faults_(faults) {}

    /// @param due  water that was on its way and comes to each plant in each period of this stage
    ///             [hm³]
    void set_due(std::vector<std::vector<double>> due) { due_hm3_ = std::move(due); }

protected:
    [[nodiscard]] const sddp::StageResult::Hydro& hydro() const { return result_.hydro; }
    [[nodiscard]] double hours(int k) const {
        return k < 0 ? stage_.hours() : stage_.blocks[at(k)].hours;
    }
    [[nodiscard]] double in(const std::vector<double>& values, int entity, int block) const {
        return values[at(entity * result_.blocks + block)];
    }

    // `size`: of what the figure is a part
    void expect_equal(const std::string& what, double found, double wanted, double size = 1) {
        if (!(std::abs(found - wanted) <= 1e-6 * (size + std::abs(wanted)))) {
            fault(what, found, wanted);
        }
    }
    void expect_cost(const std::string& what, double found, double wanted) {
        expect_equal(what, found, wanted, 1 + 1e-3 * std::abs(result_.cost.immediate));
    }
    void expect_within(const std::string& what, double found, double lower, double upper) {
        if (!(found >= lower - 1e-6 * (1 + std::abs(lower)))) {
            fault(what + " below", found, lower);
        }
        if (!(found <= upper + 1e-6 * (1 + std::abs(upper)))) {
            fault(what + " above", found, upper);
        }
    }
    void fault(const std::string& what, double found, double wanted) {
        faults_.push_back("stage " + std::to_string(t_) + ": " + what + " " +
                          std::to_string(found) + ", not " + std::to_string(wanted));
    }

    [[nodiscard]] double arriving(int h, int k) const {
        double sum = released_into(h, k) + due(h, k);
        for (int j = 0; j < problem_.hydro_count(); ++j) {
            sum += passes(j, h) ? rate(j) : 0;
        }
        return sum;
    }
    // Mean flow of what was on its way before the stage, or its earlier blocks.
    [[nodiscard]] double due(int h, int k) const {
        const int period = period_of(k);
        double sum = 0;
        for (int j = 0; j < problem_.hydro_count(); ++j) {
            sum += ends_at(j) == h ? due_hm3_[at(j)][at(period)] : 0;
            for (int from = 0; ends_at(system_.hydros[at(j)].downstream) == h && from < period;
                 ++from) {
                sum += system_.hydros[at(j)].arrival_share(first_period() + from, period - from) *
                       sddp::hm3_per_m3s_hour * hours(from) *
                       (in(hydro().turbined_m3s, j, from) + in(hydro().spillage_m3s, j, from));
            }
        }
        return sum / (sddp::hm3_per_m3s_hour * period_hours(period));
    }
    [[nodiscard]] int first_period() const { return problem_.calendar.first_period(t_); }
    // Whether what comes to site j, where no dam stands, ends at h.
    [[nodiscard]] bool passes(int j, int h) const { return j != h && ends_at(j) == h; }
    [[nodiscard]] double released_into(int h, int k) const {
        double sum = 0;
        for (int j = 0; j < problem_.hydro_count(); ++j) {
            if (ends_at(system_.hydros[at(j)].downstream) == h) {
                sum += system_.hydros[at(j)].arrival_share(first_period() + period_of(k), 0) *
                       (in(hydro().turbined_m3s, j, k) + in(hydro().spillage_m3s, j, k));
            }
            if (ends_at(system_.hydros[at(j)].diversion_target) == h) {
                sum += in(hydro().diverted_m3s, j, k);
            }
        }
        return sum;
    }
    [[nodiscard]] int periods() const { return result_.periods; }
    [[nodiscard]] int period_of(int block) const { return periods() > 1 ? block : 0; }
    [[nodiscard]] double period_hours(int period) const {
        return hours(periods() > 1 ? period : -1);
    }
    [[nodiscard]] double in_period(const std::vector<double>& values, int h, int period) const {
        return values[at(h * periods() + period)];
    }
    [[nodiscard]] double storage_before(int h, int period) const {
        return period == 0 ? hydro().storage_initial_hm3[at(h)] : storage_after(h, period - 1);
    }
    [[nodiscard]] double storage_after(int h, int period) const {
        const int between = periods() - 1;
        return period < between ? hydro().storage_between_hm3[at(h * between + period)]
                                : hydro().storage_final_hm3[at(h)];
    }

    // Inflow less withdrawal at the site of a plant.
    [[nodiscard]] double rate(int h) const {
        const auto i = at(h);
        return hydro().incremental_inflow_m3s[i] + hydro().inflow_slack_m3s[i] -
               (system_.hydros[i].withdrawal_m3s[at(t_)] + hydro().withdrawal_above_m3s[i] -
                hydro().withdrawal_below_m3s[i]);
    }
    // The first plant with a dam down the river from `h`, itself included.
    [[nodiscard]] int ends_at(int h) const {
        while (h >= 0 && !system_.hydros[at(h)].is_built(t_)) {
            h = system_.hydros[at(h)].downstream;
        }
        return h;
    }

    // What pumps bring to a plant less what they take from it.
    [[nodiscard]] double lifted(int h, int k) const {
        double sum = 0;
        for (int j = 0; j < static_cast<int>(system_.pumping_stations.size()); ++j) {
            const auto& station = system_.pumping_stations[at(j)];
            sum += station.destination == h ? in(result_.pumped_m3s, j, k) : 0;
            sum -= station.source == h ? in(result_.pumped_m3s, j, k) : 0;
        }
        return sum;
    }

    const sddp::Problem& problem_;
    const sddp::System& system_;
    const sddp::StageResult& result_;
    int t_;
    const sddp::Stage& stage_;
    std::vector<double> noise_;
    std::vector<std::vector<double>> due_hm3_;  // [hydros][periods]
    std::vector<std::string>& faults_;
};

}  // namespace lockstep::test
