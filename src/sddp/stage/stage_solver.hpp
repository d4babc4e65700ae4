#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lockstep/lp/solver.hpp"
#include "lockstep/sddp/options.hpp"
#include "lockstep/sddp/work.hpp"

#include "sddp/cuts/cut_pool.hpp"
#include "sddp/hydro/process/inflow_range.hpp"
#include "sddp/hydro/process/realisation.hpp"
#include "sddp/hydro/stage/stage_problem.hpp"

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
};

/// What defines the state of the solver at the start of a unit of work.
struct UnitStart {
    int stage = 0;
    const CutPool* pool = nullptr;       ///< cuts after the stage; nullptr at the last stage
    std::span<const int> working_set;    ///< cuts resident from the start, ascending
    const StoredBasis* basis = nullptr;  ///< nullptr or empty: from scratch
    std::span<const double> incoming_lags;
    /// What bound() needs, where inflows are truncated: the bounding cuts after the stage, numbered
    /// as those of `pool`, and between what the inflows of the stage lie before their noise,
    /// [hydros].
    const CutPool* bounding = nullptr;
    std::span<const Interval> inflow_means = {};
};

/// Solves the LPs of one unit after another; one object a thread.
///
/// begin() forgets all that went before, so that the answers of a unit are a function of its start
/// and of the order of its solves. Inside a unit the solver keeps its factorisation and the cuts it
/// has met.
class StageSolver {
public:
    /// @param solver  instead of the one that `setup` names
    StageSolver(const Problem& problem,
                const std::vector<StageProblem>& stages,
                const SolverSetup& setup,
                std::unique_ptr<lp::Solver> solver = nullptr);

    void begin(const UnitStart& start);

    /// Optimum at an incoming storage and a realisation. With lazy cuts, cuts of the pool that the
    /// solution violates are added and the LP is solved again until there is none.
    lp::Status solve(std::span<const double> incoming_storage, const Realisation& realisation);

    // After an optimal solve.
    [[nodiscard]] double objective() const;    ///< [$], future cost included
    [[nodiscard]] double future_cost() const;  ///< [$], discounted
    [[nodiscard]] std::span<const double> primal() const { return solver_->primal(); }
    [[nodiscard]] double row_dual(int row) const;  ///< [$ per unit of the row]
    /// Outgoing storages within their bounds, [hydros].
    void outgoing_storage(std::span<double> storage) const;
    /// d objective / d (incoming storages, incoming lags), equations (10) to (12), [hydros × (1 +
    /// lags)].
    ///
    /// By the lags as if no inflow were truncated.
    void gradient(std::span<double> slopes);
    /// With the slopes of gradient() by the storages, an affine function that lies below the cost
    /// on every path of the tree, equations (13) to (15), where inflows are truncated.
    /// @param realisation  that of the solve
    /// @param lag_slopes   [lags × hydros]
    /// @return  its value at the incoming state [$]
    double bound(const Realisation& realisation, std::span<double> lag_slopes);
    void store_basis(StoredBasis& basis) const;
    /// Sets bit c of `bitmap` for every cut c that supports the optimum.
    void mark_active(std::span<std::uint64_t> bitmap) const;

    [[nodiscard]] int resident_cuts() const noexcept { return static_cast<int>(resident_.size()); }
    /// The LP as last given to the solver, with names for its rows and columns, for reports.
    [[nodiscard]] lp::Model present_model() const;
    [[nodiscard]] std::vector<std::string> column_names() const;
    [[nodiscard]] std::vector<std::string> row_names() const;

    /// Work since the last call; resets the count.
    PhaseReport take_work();

private:
    void load(const UnitStart& start, const StoredBasis* stored);
    void start_from(const StoredBasis& stored);
    void set_right_hand_sides(std::span<const double> incoming_storage,
                              const Realisation& realisation);
    void set_cut_side(int position);
    void set_availabilities(const Realisation& realisation);
    double list_cut_entries(int cut, std::vector<int>& columns, std::vector<double>& values) const;
    void append_cut_row(int cut);
    bool add_violated_cuts();
    void find_inflow_slopes(const CutPool* cuts);
    void find_lag_slopes(const CutPool* cuts, std::span<double> slopes) const;
    [[nodiscard]] double bounding_value() const;
    double support_inflows(const Realisation& realisation);
    lp::Status solve_once();
    [[nodiscard]] double cut_weight(int position) const;

    const Problem& problem_;
    const std::vector<StageProblem>& stages_;
    SolverSetup setup_;
    std::unique_ptr<lp::Solver> solver_;
    const StageProblem* stage_ = nullptr;
    const CutPool* pool_ = nullptr;
    const CutPool* bounding_ = nullptr;
    std::span<const double> incoming_lags_;
    std::span<const Interval> inflow_means_;
    std::vector<int> resident_;       // cut of each cut row
    std::vector<int> position_;       // [cuts], row position or -1
    std::vector<double> fixed_part_;  // [cut rows], storages that are no columns
    std::vector<double> priced_;      // [cuts], intercept + older lags
    std::vector<double> constant_;    // [cuts], … + the inflow of this solve
    std::vector<double> value_;       // [cuts], … + the storages of the present solution
    std::vector<double> lower_, upper_;
    std::vector<double> storage_;  // outgoing storages of the present solution
    std::vector<double> inflow_slope_;
    std::vector<double> inflow_;
    std::vector<std::pair<double, int>> violated_;
    std::vector<int> row_columns_;
    std::vector<double> row_values_;
    lp::RowBlock rows_;
    lp::Basis basis_;
    PhaseReport work_;
};

}  // namespace lockstep::sddp
