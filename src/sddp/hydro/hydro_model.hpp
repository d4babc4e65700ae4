#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/sddp/options.hpp"
#include "lockstep/sddp/problem.hpp"

#include "sddp/hydro/process/inflow/inflow_range.hpp"
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

    [[nodiscard]] const Graph& graph() const override { return graph_; }
    [[nodiscard]] const StageProblem& lp(int node) const override {
        return stages_[at(lp_of_node_[at(node)])];
    }
    [[nodiscard]] StateLayout states() const override { return problem_.states(); }
    [[nodiscard]] std::vector<double> initial_state() const override;
    [[nodiscard]] const StageCuts& boundary() const override { return problem_.boundary; }
    [[nodiscard]] bool is_in_cuts(int node, int state) const override;
    [[nodiscard]] int outcomes(int node) const override;
    [[nodiscard]] std::vector<int> outcome_path(int node) const override;
    [[nodiscard]] int noise_size() const override { return problem_.process.layout.size(); }
    [[nodiscard]] std::span<const double> noise(int node, int outcome) const override;
    void draw(Purpose purpose,
              int iteration,
              int scenario,
              int scenarios,
              int node,
              std::span<double> noise) const override;
    [[nodiscard]] int next_node(int iteration, int scenario, int node) const override;
    [[nodiscard]] const RiskMeasure& risk_after(int node) const override {
        return problem_.calendar.stages[at(graph_.stage(node))].risk;
    }
    /// That of the first stage.
    [[nodiscard]] const RiskMeasure& risk_at_root() const override { return risk_after(0); }
    [[nodiscard]] std::unique_ptr<Outcome> make_outcome() const override {
        return std::make_unique<HydroOutcome>();
    }
    void realise(int node,
                 std::span<const double> carried,
                 std::span<const double> noise,
                 Outcome& out) const override;
    void carry(int node, std::span<const double> carried, std::span<double> older) const override;
    void carry_back(int node,
                    std::span<const double> by_drawn,
                    std::span<const double> by_older,
                    std::span<double> by_carried) const override;
    [[nodiscard]] bool is_convex() const override;
    [[nodiscard]] bool bounds_apart() const override { return !inflow_means_.empty(); }
    double support(int node, const Outcome& outcome, std::span<double> by_drawn) const override;
    [[nodiscard]] StageResult record(int node,
                                     const StageSolver& solver,
                                     std::span<const double> state,
                                     const Outcome& outcome,
                                     double discount) const override;
    [[nodiscard]] std::vector<std::string> column_names(int node) const override;
    [[nodiscard]] std::vector<std::string> row_names(int node) const override;
    std::int64_t place(std::shared_ptr<comm::Communicator> machine) override;

protected:
    std::vector<std::vector<Interval>> inflow_means_;  // [stages], where bounds_apart()

private:
    void set_floors();
    [[nodiscard]] double floor_for_ever() const;
    void split_futures();
    void make_node_noise();
    void move_to_node(int node, std::span<double> noise) const;
    [[nodiscard]] bool is_regime(int node) const {
        return !node_noise_.empty() && !node_noise_[at(node)].empty();
    }
    [[nodiscard]] bool is_pinned(int node) const {
        return !problem_.process.pinned_noise.empty() &&
               !problem_.process.pinned_noise[at(node)].empty();
    }

    /// Inflows of a node that do not depend on those before; empty of other nodes.
    [[nodiscard]] std::span<const double> pinned_inflow(int node) const {
        const auto& pinned = problem_.process.pinned_inflow;
        return pinned.empty() ? std::span<const double>()
                              : std::span<const double>(pinned[at(node)].flow_m3s);
    }

    const Problem& problem_;
    Graph graph_;
    std::vector<StageProblem> stages_;  // [stages]; behind them those that a node has for itself
    std::vector<std::vector<double>> node_noise_;  // [nodes][outcomes × noise size], or empty
    std::vector<int> lp_of_node_;                  // [nodes], index of stages_
};

}  // namespace lockstep::sddp
