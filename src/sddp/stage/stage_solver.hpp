#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lockstep/lp/solver.hpp"
#include "lockstep/sddp/options.hpp"
#include "lockstep/sddp/work.hpp"

#include "sddp/cuts/cut_pool.hpp"
#include "sddp/model/model.hpp"

namespace lockstep::sddp {

/// Basis of a stage LP: its own rows first, then the rows of the cuts that were resident.
struct StoredBasis {
    lp::Basis basis;
    std::vector<int> cuts;
    [[nodiscard]] bool empty() const noexcept { return basis.column.empty(); }
};

/// How the stage LPs of a run are solved.
struct SolverSetup {
    lp::SolverKind kind = lp::default_solver();
    lp::SolverOptions tolerances;
    SpeedOptions speed;
    std::optional<PassSolver> forward{};  ///< of the forward pass, where it has its own
};

/// What defines the state of the solver at the start of a unit of work.
struct UnitStart {
    int node = 0;
    const CutPool* pool = nullptr;       ///< cuts after the node; nullptr at the last stage
    std::span<const int> working_set;    ///< cuts resident from the start, ascending
    const StoredBasis* basis = nullptr;  ///< nullptr or empty: from scratch
    std::span<const double> carried;     ///< states before the node
    /// What bound() needs, where bounds are made apart: the bounding cuts after the node, numbered
    /// as those of `pool`.
    const CutPool* bounding = nullptr;
    bool is_forward = false;  ///< solved as the forward pass asks
};

/// Solves the LPs of one unit after another; one object a thread.
///
/// begin() forgets all that went before, so that the answers of a unit are a function of its start
/// and of the order of its solves. Inside a unit the solver keeps its factorisation and the cuts it
/// has met.
class StageSolver {
public:
    /// @param solver  instead of the one that `setup` names
    StageSolver(const Model& model,
                const SolverSetup& setup,
                std::unique_ptr<lp::Solver> solver = nullptr);

    void begin(const UnitStart& start);

    /// Optimum at incoming decided states and an outcome. With lazy cuts, cuts of the pool that the
    /// solution violates are added and the LP is solved again until there is none.
    lp::Status solve(std::span<const double> incoming, const Outcome& outcome);

    // After an optimal solve.
    [[nodiscard]] double objective() const;    ///< [$], future cost included
    [[nodiscard]] double future_cost() const;  ///< [$], discounted
    [[nodiscard]] std::span<const double> primal() const { return solver_->primal(); }
    [[nodiscard]] double row_dual(int row) const;  ///< [$ per unit of the row]
    /// The state after the node: decided numbers within their bounds, then carried ones.
    /// @param outcome  that of the solve
    void leave(const Outcome& outcome, std::span<double> state) const;
    /// Only the decided numbers.
    void outgoing(std::span<double> decided) const;
    /// d objective / d incoming state, equations (10) to (12), [states].
    ///
    /// By carried states as if nothing were truncated.
    void gradient(std::span<double> slopes);
    /// With the slopes of gradient() by the decided states, an affine function that lies below the
    /// cost on every path of the tree, equations (13) to (15), where the model makes bounds apart.
    /// @param outcome  that of the solve
    /// @param slopes   by the carried states
    /// @return  its value at the incoming state [$]
    double bound(const Outcome& outcome, std::span<double> slopes);
    void store_basis(StoredBasis& basis) const;
    /// Sets bit c of `bitmap` for every cut c that supports the optimum.
    void mark_active(std::span<std::uint64_t> bitmap) const;

    [[nodiscard]] int resident_cuts() const noexcept { return static_cast<int>(resident_.size()); }
    /// The LP as last given to the solver, with names for its rows and columns, for reports.
    [[nodiscard]] lp::Model present_model() const;
    [[nodiscard]] std::vector<std::string> column_names() const {
        return model_.column_names(node_);
    }
    [[nodiscard]] std::vector<std::string> row_names() const;

    /// Work since the last call; resets the count.
    PhaseReport take_work();

private:
    void choose_solver(bool is_forward);
    void load(const UnitStart& start, const StoredBasis* stored);
    void take_cuts(std::span<const int> working_set, const StoredBasis* stored);
    void keep_rows(const StoredBasis& stored);
    void leave_out_unselected();
    void start_from(const StoredBasis& stored);
    void set_right_hand_sides(std::span<const double> incoming, const Outcome& outcome);
    void set_cut_side(int position);
    double list_cut_entries(int cut, std::vector<int>& columns, std::vector<double>& values) const;
    void append_cut_row(int cut);
    void find_futures();
    bool add_violated_cuts();
    [[nodiscard]] double dual_of(const CouplingTable& couplings, int input) const;
    void find_drawn_slopes(const CutPool* cuts);
    void find_older_slopes(const CutPool* cuts);
    [[nodiscard]] double bounding_value(const Outcome& outcome) const;
    lp::Status solve_once();
    [[nodiscard]] double cut_weight(int position) const;

    const Model& model_;
    const StateLayout states_;
    SolverSetup setup_;
    std::unique_ptr<lp::Solver> own_solver_;
    std::unique_ptr<lp::Solver> forward_solver_;  // where the forward pass has its own
    lp::Solver* solver_;                          // of the unit
    double primal_tolerance_;                     // its
    int node_ = 0;
    const StageLp* stage_ = nullptr;
    const CutPool* pool_ = nullptr;
    const CutPool* bounding_ = nullptr;
    std::vector<int> resident_;       // cut of each cut row
    std::vector<int> position_;       // [cuts], row position or -1
    std::vector<double> fixed_part_;  // [cut rows], decided states that are no columns
    std::vector<double> priced_;      // [cuts], intercept + older states
    std::vector<double> constant_;    // [cuts], … + the fresh states of this solve
    std::vector<double> value_;       // [cuts], … + the decided states of the present solution
    std::vector<double> lower_, upper_;
    std::vector<double> decided_;  // of the present solution
    std::vector<double> older_;    // after the stage
    std::vector<double> drawn_slope_, older_slope_;
    std::vector<std::pair<double, double>> futures_;  // cost and tolerance: of all, by outcome
    std::vector<std::pair<double, int>> violated_;
    std::vector<int> row_columns_;
    std::vector<double> row_values_;
    lp::RowBlock rows_;
    lp::Basis basis_;
    PhaseReport work_;
};

}  // namespace lockstep::sddp
