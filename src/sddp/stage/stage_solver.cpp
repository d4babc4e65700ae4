#include "sddp/stage/stage_solver.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"

#include "sddp/stage/right_hand_sides.hpp"

namespace lockstep::sddp {

StageSolver::StageSolver(const Model& model,
                         const SolverSetup& setup,
                         std::unique_ptr<lp::Solver> solver)
    : model_(model),
      states_(model.states()),
      setup_(setup),
      own_solver_(solver ? std::move(solver) : lp::make_solver(setup.kind, setup.tolerances)),
      forward_solver_(setup.forward ? lp::make_solver(setup.kind, setup.forward->tolerances)
                                    : nullptr),
      solver_(own_solver_.get()),
      primal_tolerance_(setup.tolerances.primal_tolerance),
      decided_(at(states_.decided)),
      older_(at(states_.older)),
      older_slope_(at(states_.older)) {}

void StageSolver::begin(const UnitStart& start) {
    const Stopwatch clock;
    choose_solver(start.is_forward);
    const auto* stored = start.basis != nullptr && !start.basis->empty() ? start.basis : nullptr;
    load(start, stored);
    work_.load_seconds += clock.seconds();
    if (stored != nullptr) {
        start_from(*stored);
    }
}

void StageSolver::choose_solver(bool is_forward) {
    const bool has_own = is_forward && forward_solver_ != nullptr;
    solver_ = has_own ? forward_solver_.get() : own_solver_.get();
    primal_tolerance_ = (has_own ? setup_.forward->tolerances : setup_.tolerances).primal_tolerance;
}

void StageSolver::load(const UnitStart& start, const StoredBasis* stored) {
    node_ = start.node;
    stage_ = &model_.lp(node_);
    pool_ = start.pool;
    bounding_ = start.bounding;
    drawn_slope_.resize(at(stage_->drawn_coupling.inputs()));
    model_.carry(node_, start.carried, older_);
    const auto& model = stage_->model;
    solver_->load(model);
    lower_.assign(model.row_lower.begin(), model.row_lower.end());
    upper_.assign(model.row_upper.begin(), model.row_upper.end());
    resident_.clear();
    fixed_part_.clear();
    rows_.clear();
    if (pool_ != nullptr) {
        take_cuts(start.working_set, stored);
    }
}

void StageSolver::take_cuts(std::span<const int> working_set, const StoredBasis* stored) {
    const auto cuts = at(pool_->size());
    position_.assign(cuts, -1);
    priced_.resize(cuts);
    pool_->price_older(older_, priced_);
    if (setup_.speed.lazy_cuts) {
        for (const int cut : working_set) {
            append_cut_row(cut);
        }
    } else {
        for (int cut = 0; cut < pool_->size(); ++cut) {
            if (pool_->is_selected(cut)) {
                append_cut_row(cut);
            }
        }
    }
    if (stored != nullptr) {
        keep_rows(*stored);
    }
    leave_out_unselected();
    if (rows_.rows() > 0) {
        solver_->add_rows(rows_);
    }
}

// A cut that is no longer basic must keep its row.
void StageSolver::keep_rows(const StoredBasis& stored) {
    const auto own_rows = at(stage_->model.rows());
    for (std::size_t i = 0; i < stored.cuts.size(); ++i) {
        if (stored.basis.row[own_rows + i] != lp::VariableStatus::basic &&
            position_[at(stored.cuts[i])] < 0) {
            append_cut_row(stored.cuts[i]);
        }
    }
}

// Their price makes sure that no solution violates them.
void StageSolver::leave_out_unselected() {
    for (int cut = 0; pool_->selected_count() < pool_->size() && cut < pool_->size(); ++cut) {
        if (!pool_->is_selected(cut) && position_[at(cut)] < 0) {
            priced_[at(cut)] = -lp::infinity;
        }
    }
}

void StageSolver::start_from(const StoredBasis& stored) {
    const Stopwatch clock;
    const int rows = stage_->model.rows();
    basis_.column = stored.basis.column;
    basis_.row.assign(stored.basis.row.begin(), stored.basis.row.begin() + rows);
    basis_.row.resize(at(rows) + resident_.size(), lp::VariableStatus::basic);
    for (std::size_t i = 0; i < stored.cuts.size(); ++i) {
        if (pool_ != nullptr && position_[at(stored.cuts[i])] >= 0) {
            basis_.row[at(rows + position_[at(stored.cuts[i])])] = stored.basis.row[at(rows) + i];
        }
    }
    solver_->set_basis(basis_);
    ++work_.warm_starts;
    work_.basis_seconds += clock.seconds();
}

// Equation (9): θ - Σ slope · decided state >= intercept + carried part, in units of θ's column.
// Decided states without a column are numbers: their part is returned.
double StageSolver::list_cut_entries(int cut,
                                     std::vector<int>& columns,
                                     std::vector<double>& values) const {
    columns.clear();
    values.clear();
    double fixed = 0;
    const auto slopes = pool_->slopes().decided(cut);
    for (int i = 0; i < states_.decided; ++i) {
        const auto& slot = stage_->decided[at(i)];
        const auto slope = slopes[i];
        if (slope == 0) {
            continue;
        }
        if (slot.column < 0) {
            fixed += slope * slot.constant;
        } else {
            columns.push_back(slot.column);
            values.push_back(-slope * stage_->theta_scale);
        }
    }
    columns.push_back(stage_->theta_of(pool_->outcome(cut)));
    values.push_back(1);
    return fixed;
}

void StageSolver::append_cut_row(int cut) {
    fixed_part_.push_back(list_cut_entries(cut, row_columns_, row_values_));
    rows_.add(-lp::infinity, lp::infinity, row_columns_, row_values_);
    position_[at(cut)] = static_cast<int>(resident_.size());
    resident_.push_back(cut);
    lower_.push_back(-lp::infinity);
    upper_.push_back(lp::infinity);
}

void StageSolver::set_cut_side(int position) {
    lower_[at(stage_->model.rows() + position)] =
        stage_->theta_scale * (constant_[at(resident_[at(position)])] + fixed_part_[at(position)]);
}

void StageSolver::set_right_hand_sides(std::span<const double> incoming, const Outcome& outcome) {
    set_stage_sides(*stage_, incoming, outcome, lower_, upper_);
    if (pool_ != nullptr) {
        constant_ = priced_;
        pool_->add_fresh_part(outcome.drawn, constant_);
    }
    for (int position = 0; position < resident_cuts(); ++position) {
        set_cut_side(position);
    }
    solver_->set_row_bounds(0, lower_, upper_);
}

lp::Status StageSolver::solve_once() {
    const Stopwatch clock;
    const auto status = solver_->solve();
    work_.solve_seconds += clock.seconds();
    ++work_.solves;
    work_.pivots += solver_->iterations();
    if (const int retries = solver_->retries(); retries > 0) {
        ++work_.retried[at(retries - 1)];
    }
    return status;
}

lp::Status StageSolver::solve(std::span<const double> incoming, const Outcome& outcome) {
    const Stopwatch clock;
    set_right_hand_sides(incoming, outcome);
    for (const auto& bound : outcome.bounds) {
        solver_->set_column_bounds(bound.column, bound.lower, bound.upper);
    }
    work_.bounds_seconds += clock.seconds();
    auto status = solve_once();
    while (status == lp::Status::optimal && add_violated_cuts()) {
        status = solve_once();
    }
    ++work_.units;
    work_.resident_cuts += resident_cuts();
    return status;
}

// What the LP takes the future to cost, together and by outcome, and by how much a cut may say
// more.
void StageSolver::find_futures() {
    const auto count = stage_->outcome_theta.size() + 1;
    futures_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const int column = stage_->theta_of(static_cast<int>(i) - 1);
        const auto cost = solver_->primal()[at(column)] / stage_->theta_scale;
        futures_[i] = {cost,
                       std::max({primal_tolerance_ / stage_->theta_scale,
                                 1e-12 * std::abs(cost),
                                 setup_.speed.violation})};
    }
}

bool StageSolver::add_violated_cuts() {
    if (pool_ == nullptr || !setup_.speed.lazy_cuts || resident_cuts() == pool_->size()) {
        return false;
    }
    outgoing(decided_);
    find_futures();
    value_ = constant_;
    pool_->add_decided_part(decided_, value_);
    violated_.clear();
    for (int cut = 0; cut < pool_->size(); ++cut) {
        const auto& [cost, tolerance] = futures_[at(pool_->outcome(cut) + 1)];
        if (value_[at(cut)] - cost > tolerance && position_[at(cut)] < 0) {
            violated_.emplace_back(cost - value_[at(cut)], cut);
        }
    }
    if (violated_.empty()) {
        return false;
    }
    const auto count =
        std::min(at(setup_.speed.cuts_per_round) * std::max(futures_.size() - 1, std::size_t{1}),
                 violated_.size());
    std::partial_sort(
        violated_.begin(), violated_.begin() + static_cast<std::ptrdiff_t>(count), violated_.end());
    rows_.clear();
    const int first = resident_cuts();
    for (std::size_t i = 0; i < count; ++i) {
        append_cut_row(violated_[i].second);
    }
    for (int position = first; position < resident_cuts(); ++position) {
        set_cut_side(position);
        rows_.lower[at(position - first)] = lower_[at(stage_->model.rows() + position)];
    }
    solver_->add_rows(rows_);
    return true;
}

double StageSolver::objective() const {
    return solver_->objective() / stage_->objective_scale + stage_->constant_cost;
}

double StageSolver::future_cost() const {
    return stage_->discount * (solver_->primal()[at(stage_->theta)] / stage_->theta_scale);
}

double StageSolver::row_dual(int row) const {
    return solver_->dual()[at(row)] / stage_->objective_scale;
}

// Dollars of objective per dollar of the cut's right-hand side.
double StageSolver::cut_weight(int position) const {
    return solver_->dual()[at(stage_->model.rows() + position)] * stage_->theta_scale /
           stage_->objective_scale;
}

void StageSolver::outgoing(std::span<double> decided) const {
    const auto x = solver_->primal();
    const auto& model = stage_->model;
    for (std::size_t i = 0; i < decided.size(); ++i) {
        const auto& slot = stage_->decided[i];
        decided[i] = slot.column < 0 ? slot.constant
                                     : std::clamp(x[at(slot.column)],
                                                  model.column_lower[at(slot.column)],
                                                  model.column_upper[at(slot.column)]);
    }
}

void StageSolver::leave(const Outcome& outcome, std::span<double> state) const {
    outgoing(state.first(at(states_.decided)));
    const auto fresh = state.subspan(at(states_.decided), at(states_.fresh));
    std::copy_n(outcome.drawn.begin(), fresh.size(), fresh.begin());
    std::copy(older_.begin(), older_.end(), state.last(older_.size()).begin());
}

double StageSolver::dual_of(const CouplingTable& couplings, int input) const {
    double slope = 0;
    for (const auto& coupling : couplings.of(input)) {
        slope += coupling.coefficient * row_dual(coupling.row);
    }
    return slope;
}

// Equation (10); with the bounding cuts, p' of equation (13).
void StageSolver::find_drawn_slopes(const CutPool* cuts) {
    for (std::size_t i = 0; i < drawn_slope_.size(); ++i) {
        drawn_slope_[i] = dual_of(stage_->drawn_coupling, static_cast<int>(i));
    }
    for (int position = 0; cuts != nullptr && position < resident_cuts(); ++position) {
        const auto weight = cut_weight(position);
        if (weight == 0) {
            continue;
        }
        const auto own = cuts->slopes().fresh(resident_[at(position)]);
        for (int i = 0; i < states_.fresh; ++i) {
            drawn_slope_[at(i)] += weight * own[i];
        }
    }
}

void StageSolver::find_older_slopes(const CutPool* cuts) {
    std::fill(older_slope_.begin(), older_slope_.end(), 0.0);
    for (int position = 0; cuts != nullptr && position < resident_cuts(); ++position) {
        const auto weight = cut_weight(position);
        if (weight == 0) {
            continue;
        }
        const auto older = cuts->slopes().older(resident_[at(position)]);
        for (std::size_t i = 0; i < older.size(); ++i) {
            older_slope_[i] += weight * older[i];
        }
    }
}

// Equation (12); equation (11) by the carried states.
void StageSolver::gradient(std::span<double> slopes) {
    for (int i = 0; i < states_.decided; ++i) {
        slopes[at(i)] = dual_of(stage_->decided_coupling, i);
    }
    if (states_.carried() == 0) {
        return;
    }
    find_drawn_slopes(pool_);
    find_older_slopes(pool_);
    model_.carry_back(node_, drawn_slope_, older_slope_, slopes.subspan(at(states_.decided)));
}

// Equation (13) without what is drawn: the duals are feasible for the LP with the bounding cuts
// too, whose rows differ in their right-hand sides alone: with those they bound its optimum.
double StageSolver::bounding_value(const Outcome& outcome) const {
    double value = objective();
    for (int position = 0; bounding_ != nullptr && position < resident_cuts(); ++position) {
        const auto cut = resident_[at(position)];
        if (const auto weight = cut_weight(position); weight != 0) {
            value +=
                weight * (bounding_->carried_part(cut, older_, outcome.drawn) - constant_[at(cut)]);
        }
    }
    return value;
}

double StageSolver::bound(const Outcome& outcome, std::span<double> slopes) {
    find_drawn_slopes(bounding_);
    const auto value = bounding_value(outcome) + model_.support(node_, outcome, drawn_slope_);
    find_older_slopes(bounding_);
    model_.carry_back(node_, drawn_slope_, older_slope_, slopes);
    return value;
}

void StageSolver::store_basis(StoredBasis& basis) const {
    solver_->get_basis(basis.basis);
    basis.cuts.assign(resident_.begin(), resident_.end());
}

void StageSolver::mark_active(std::span<std::uint64_t> bitmap) const {
    for (int position = 0; position < resident_cuts(); ++position) {
        if (cut_weight(position) > std::max(1e-12, setup_.speed.activity)) {
            bitmap[at(resident_[at(position)] / 64)] |= std::uint64_t{1}
                                                        << (resident_[at(position)] % 64);
        }
    }
}

lp::Model StageSolver::present_model() const {
    lp::ModelBuilder builder;
    builder.add(stage_->model);
    std::vector<int> columns;
    std::vector<double> values;
    for (int position = 0; position < resident_cuts(); ++position) {
        const int row = builder.add_row(-lp::infinity, lp::infinity);
        list_cut_entries(resident_[at(position)], columns, values);
        for (std::size_t e = 0; e < columns.size(); ++e) {
            builder.add_entry(row, columns[e], values[e]);
        }
    }
    auto model = builder.build();
    model.row_lower = lower_;
    model.row_upper = upper_;
    return model;
}

std::vector<std::string> StageSolver::row_names() const {
    auto names = model_.row_names(node_);
    for (const int cut : resident_) {
        names.push_back("cut " + std::to_string(cut));
    }
    return names;
}

PhaseReport StageSolver::take_work() {
    return std::exchange(work_, {});
}

}  // namespace lockstep::sddp
