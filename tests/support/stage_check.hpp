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
        expect_equal(what, found, wanted, 1 + 1e-3 * result_.cost.immediate);
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
        double sum = 0;
        for (int j = 0; j < problem_.hydro_count(); ++j) {
            if (system_.hydros[at(j)].downstream == h) {
                sum += in(hydro().turbined_m3s, j, k) + in(hydro().spillage_m3s, j, k);
            }
            if (system_.hydros[at(j)].diversion_target == h) {
                sum += in(hydro().diverted_m3s, j, k);
            }
        }
        return sum;
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
    std::vector<std::string>& faults_;
};

}  // namespace lockstep::test
