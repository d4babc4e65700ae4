#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sddp/model/model.hpp"
#include "support/linear/linear_problem.hpp"

namespace lockstep::test {

/// A linear problem behind the seam of the engine: every state is decided.
class LinearModel final : public sddp::Model {
public:
    /// @param problem  of split_outcomes() or unrolled()
    explicit LinearModel(LinearProblem problem);

    [[nodiscard]] const sddp::Graph& graph() const override { return graph_; }
    [[nodiscard]] const sddp::StageLp& lp(int node) const override { return lps_[at(node)]; }
    [[nodiscard]] sddp::StateLayout states() const override {
        return {static_cast<int>(problem_.initial_state.size()), 0, 0};
    }
    [[nodiscard]] std::vector<double> initial_state() const override {
        return problem_.initial_state;
    }
    [[nodiscard]] const sddp::StageCuts& boundary() const override { return boundary_; }
    [[nodiscard]] bool is_in_cuts(int /*node*/, int /*state*/) const override { return true; }
    [[nodiscard]] int outcomes(int node) const override {
        return static_cast<int>(problem_.nodes[at(node)].outcomes.size());
    }
    [[nodiscard]] std::vector<int> outcome_path(int node) const override;
    /// The number of the outcome.
    [[nodiscard]] int noise_size() const override { return 1; }
    [[nodiscard]] std::span<const double> noise(int /*node*/, int outcome) const override {
        return std::span(numbers_).subspan(at(outcome), 1);
    }
    void draw(sddp::Purpose purpose,
              int iteration,
              int scenario,
              int scenarios,
              int node,
              std::span<double> noise) const override;
    [[nodiscard]] int next_node(int iteration, int scenario, int node) const override;
    [[nodiscard]] const sddp::RiskMeasure& risk_after(int node) const override {
        return problem_.nodes[at(node)].risk_after;
    }
    [[nodiscard]] const sddp::RiskMeasure& risk_at_root() const override {
        return problem_.risk_at_root;
    }
    [[nodiscard]] std::unique_ptr<sddp::Outcome> make_outcome() const override {
        return std::make_unique<sddp::Outcome>();
    }
    void realise(int node,
                 std::span<const double> carried,
                 std::span<const double> noise,
                 sddp::Outcome& out) const override;
    void carry(int /*node*/,
               std::span<const double> /*carried*/,
               std::span<double> /*older*/) const override {}
    void carry_back(int /*node*/,
                    std::span<const double> /*by_drawn*/,
                    std::span<const double> /*by_older*/,
                    std::span<double> /*by_carried*/) const override {}
    [[nodiscard]] bool is_convex() const override { return true; }
    [[nodiscard]] bool bounds_apart() const override { return false; }
    double support(int /*node*/,
                   const sddp::Outcome& /*outcome*/,
                   std::span<double> /*by_drawn*/) const override {
        return 0;
    }
    [[nodiscard]] sddp::StageResult record(int node,
                                           const sddp::StageSolver& solver,
                                           std::span<const double> state,
                                           const sddp::Outcome& outcome,
                                           double discount) const override;
    [[nodiscard]] std::vector<std::string> column_names(int node) const override;
    [[nodiscard]] std::vector<std::string> row_names(int node) const override;
    std::int64_t place(std::shared_ptr<comm::Communicator> /*machine*/) override { return 0; }

private:
    LinearProblem problem_;
    sddp::Graph graph_;
    sddp::StageCuts boundary_;
    std::vector<double> numbers_;                 // 0, 1, 2 …
    std::vector<sddp::StageLp> lps_;              // [nodes]
    std::vector<std::vector<int>> moved_bounds_;  // [nodes] columns
};

}  // namespace lockstep::test
