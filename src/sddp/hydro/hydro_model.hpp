#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/sddp/options.hpp"
#include "lockstep/sddp/problem.hpp"

#include "sddp/hydro/process/inflow_range.hpp"
#include "sddp/hydro/process/realisation.hpp"
#include "sddp/hydro/stage/stage_problem.hpp"
#include "sddp/model/model.hpp"

namespace lockstep::sddp {

/// An outcome in the terms of a planner; what is drawn are the inflows [m³/s].
struct HydroOutcome final : Outcome {
    Realisation realisation;
};

/// Hydrothermal dispatch: storages are decided, inflow lags carried.
class HydroModel : public Model {
public:
    /// @param problem  must live longer
    HydroModel(const Problem& problem, const SpeedOptions& options);

    [[nodiscard]] int stage_count() const override { return problem_.stage_count(); }
    [[nodiscard]] const StageProblem& lp(int stage) const override { return stages_[at(stage)]; }
    [[nodiscard]] StateLayout states() const override { return problem_.states(); }
    [[nodiscard]] std::vector<double> initial_state() const override;
    [[nodiscard]] bool is_in_cuts(int stage, int state) const override;
    [[nodiscard]] int outcomes(int stage) const override {
        return problem_.process.tree.count[at(stage)];
    }
    [[nodiscard]] std::vector<int> outcome_path(int stage) const override;
    [[nodiscard]] int noise_size() const override { return problem_.process.layout.size(); }
    [[nodiscard]] std::span<const double> noise(int stage, int outcome) const override {
        return problem_.process.tree.noise(stage, outcome);
    }
    void draw(Purpose purpose,
              int iteration,
              int scenario,
              int scenarios,
              int stage,
              std::span<double> noise) const override;
    /// That of the stage before, of the first its own.
    [[nodiscard]] const RiskMeasure& risk(int stage) const override;
    [[nodiscard]] std::unique_ptr<Outcome> make_outcome() const override {
        return std::make_unique<HydroOutcome>();
    }
    void realise(int stage,
                 std::span<const double> carried,
                 std::span<const double> noise,
                 Outcome& out) const override;
    void carry(int stage, std::span<const double> carried, std::span<double> older) const override;
    void carry_back(int stage,
                    std::span<const double> by_drawn,
                    std::span<const double> by_older,
                    std::span<double> by_carried) const override;
    [[nodiscard]] bool bounds_apart() const override { return !inflow_means_.empty(); }
    double support(int stage, const Outcome& outcome, std::span<double> by_drawn) const override;
    [[nodiscard]] StageResult record(int stage,
                                     const StageSolver& solver,
                                     std::span<const double> state,
                                     const Outcome& outcome,
                                     double discount) const override;
    [[nodiscard]] std::vector<std::string> column_names(int stage) const override;
    [[nodiscard]] std::vector<std::string> row_names(int stage) const override;
    std::int64_t place(std::shared_ptr<comm::Communicator> node) override;

protected:
    std::vector<std::vector<Interval>> inflow_means_;  // [stages], where bounds_apart()

private:
    const Problem& problem_;
    std::vector<StageProblem> stages_;
};

}  // namespace lockstep::sddp
