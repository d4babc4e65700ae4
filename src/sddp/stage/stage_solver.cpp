#include "sddp/stage/stage_solver.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"

namespace lockstep::sddp {

namespace {

// Cuts that enter the LP at once; one is most often enough, more only pay when the state is new.
constexpr std::size_t cuts_per_round = 4;

}  // namespace

StageSolver::StageSolver(const Problem& problem,
                         const std::vector<StageProblem>& stages,
                         const SolverSetup& setup,
                         std::unique_ptr<lp::Solver> solver)
    : problem_(problem),
      stages_(stages),
      setup_(setup),
      solver_(solver ? std::move(solver) : lp::make_solver(setup.kind, setup.tolerances)),
      storage_(at(problem.hydro_count())),
      inflow_slope_(at(problem.hydro_count())) {}

void StageSolver::begin(const UnitStart& start) {
    const Stopwatch clock;
    const auto* stored = start.basis != nullptr && !start.basis->empty() ? start.basis : nullptr;
    load(start, stored);
    work_.load_seconds += clock.seconds();
    if (stored != nullptr) {
        start_from(*stored);
    }
}

void StageSolver::load(const UnitStart& start, const StoredBasis* stored) {
    stage_ = &stages_[at(start.stage)];
    pool_ = start.pool;
    bounding_ = start.bounding;
    incoming_lags_ = start.incoming_lags;
    inflow_means_ = start.inflow_means;
    const auto& model = stage_->model;
    solver_->load(model);
    lower_.assign(model.row_lower.begin(), model.row_lower.end());
    upper_.assign(model.row_upper.begin(), model.row_upper.end());
    resident_.clear();
    fixed_part_.clear();
    rows_.clear();
    if (pool_ != nullptr) {
        const auto cuts = at(pool_->size());
        position_.assign(cuts, -1);
        priced_.resize(cuts);
        pool_->price_incoming(start.incoming_lags, priced_);
        if (setup_.speed.lazy_cuts) {
            for (const int cut : start.working_set) {
                append_cut_row(cut);
            }
            if (stored != nullptr) {  // a cut that is no longer basic must keep its row
                for (std::size_t i = 0; i < stored->cuts.size(); ++i) {
                    if (stored->basis.row[at(model.rows()) + i] != lp::VariableStatus::basic &&
                        position_[at(stored->cuts[i])] < 0) {
                        append_cut_row(stored->cuts[i]);
                    }
                }
            }
        } else {
            for (int cut = 0; cut < pool_->size(); ++cut) {
                append_cut_row(cut);
            }
        }
        if (rows_.rows() > 0) {
            solver_->add_rows(rows_);
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

// Equation (9): θ - Σ slope · storage >= intercept + lag part, in units of θ's column. Storages
// without a column are numbers: their part is returned.
double StageSolver::list_cut_entries(int cut,
                                     std::vector<int>& columns,
                                     std::vector<double>& values) const {
    columns.clear();
    values.clear();
    double fixed = 0;
    const auto slopes = pool_->slopes().storage(cut);
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        const auto& slot = stage_->map.storage[at(h)];
        const auto slope = slopes[h];
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
    columns.push_back(stage_->theta);
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

void StageSolver::set_right_hand_sides(std::span<const double> incoming_storage,
                                       const Realisation& realisation) {
    const auto& model = stage_->model;
    std::copy(model.row_lower.begin(), model.row_lower.end(), lower_.begin());
    std::copy(model.row_upper.begin(), model.row_upper.end(), upper_.begin());
    const auto shift = [&](int row, double amount) {
        lower_[at(row)] += amount;
        upper_[at(row)] += amount;
    };
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        for (const auto& coupling : stage_->storage_coupling.of(h)) {
            shift(coupling.row, coupling.coefficient * incoming_storage[at(h)]);
        }
        for (const auto& coupling : stage_->inflow_coupling.of(h)) {
            shift(coupling.row, coupling.coefficient * realisation.inflow[at(h)]);
        }
    }
    for (std::size_t i = 0; i < realisation.load.size(); ++i) {
        shift(stage_->map.load_row[i], realisation.load[i]);
    }
    for (std::size_t n = 0; n < problem_.system.sources.size(); ++n) {
        for (int k = 0; k < stage_->blocks; ++k) {
            shift(stage_->map.load_row[stage_->at(problem_.system.sources[n].bus, k)],
                  -realisation.available[stage_->at(static_cast<int>(n), k)]);
        }
    }
    if (pool_ != nullptr) {
        constant_ = priced_;
        pool_->add_inflow_part(realisation.inflow, constant_);
    }
    for (int position = 0; position < resident_cuts(); ++position) {
        set_cut_side(position);
    }
    solver_->set_row_bounds(0, lower_, upper_);
}

void StageSolver::set_availabilities(const Realisation& realisation) {
    for (const int n : problem_.process.layout.sources) {
        for (int k = 0; k < stage_->blocks; ++k) {
            const auto index = stage_->at(n, k);
            if (const int column = stage_->map.curtailed[index].column; column >= 0) {
                solver_->set_column_bounds(column, 0, realisation.available[index]);
            }
        }
    }
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

lp::Status StageSolver::solve(std::span<const double> incoming_storage,
                              const Realisation& realisation) {
    const Stopwatch clock;
    set_right_hand_sides(incoming_storage, realisation);
    set_availabilities(realisation);
    work_.bounds_seconds += clock.seconds();
    auto status = solve_once();
    while (status == lp::Status::optimal && add_violated_cuts()) {
        status = solve_once();
    }
    ++work_.units;
    work_.resident_cuts += resident_cuts();
    return status;
}

bool StageSolver::add_violated_cuts() {
    if (pool_ == nullptr || !setup_.speed.lazy_cuts || resident_cuts() == pool_->size()) {
        return false;
    }
    outgoing_storage(storage_);
    const auto theta = solver_->primal()[at(stage_->theta)] / stage_->theta_scale;
    const auto tolerance =
        std::max(setup_.tolerances.primal_tolerance / stage_->theta_scale, 1e-12 * std::abs(theta));
    value_ = constant_;
    pool_->add_storage_part(storage_, value_);
    violated_.clear();
    for (int cut = 0; cut < pool_->size(); ++cut) {
        if (value_[at(cut)] - theta > tolerance && position_[at(cut)] < 0) {
            violated_.emplace_back(theta - value_[at(cut)], cut);
        }
    }
    if (violated_.empty()) {
        return false;
    }
    const auto count = std::min(cuts_per_round, violated_.size());
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

void StageSolver::outgoing_storage(std::span<double> storage) const {
    const auto x = solver_->primal();
    const auto& model = stage_->model;
    for (std::size_t h = 0; h < storage.size(); ++h) {
        const auto& slot = stage_->map.storage[h];
        storage[h] = slot.column < 0 ? slot.constant
                                     : std::clamp(x[at(slot.column)],
                                                  model.column_lower[at(slot.column)],
                                                  model.column_upper[at(slot.column)]);
    }
}

// Equation (10); with the bounding cuts, p' of equation (13).
void StageSolver::find_inflow_slopes(const CutPool* cuts) {
    for (std::size_t h = 0; h < inflow_slope_.size(); ++h) {
        inflow_slope_[h] = 0;
        for (const auto& coupling : stage_->inflow_coupling.of(static_cast<int>(h))) {
            inflow_slope_[h] += coupling.coefficient * row_dual(coupling.row);
        }
    }
    for (int position = 0; cuts != nullptr && position < resident_cuts(); ++position) {
        const auto weight = cut_weight(position);
        if (weight == 0) {
            continue;
        }
        const auto own = cuts->slopes().inflow(resident_[at(position)]);
        for (std::size_t h = 0; h < inflow_slope_.size(); ++h) {
            inflow_slope_[h] += weight * own[static_cast<int>(h)];
        }
    }
}

// Equation (11).
void StageSolver::find_lag_slopes(const CutPool* cuts, std::span<double> slopes) const {
    std::fill(slopes.begin(), slopes.end(), 0.0);
    for (int position = 0; cuts != nullptr && position < resident_cuts(); ++position) {
        const auto weight = cut_weight(position);
        if (weight == 0) {
            continue;
        }
        const auto older = cuts->slopes().older(resident_[at(position)]);
        for (std::size_t i = 0; i < older.size(); ++i) {  // incoming lag l - 1 becomes lag l
            slopes[i] += weight * older[i];
        }
    }
    const auto hydros = inflow_slope_.size();
    const auto& psi = problem_.process.inflow.stages[at(stage_->stage)].lag;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        slopes[i] += psi[i] * inflow_slope_[i % hydros];
    }
}

// Equation (12), and (10) and (11) for the lags.
void StageSolver::gradient(std::span<double> slopes) {
    const auto hydros = at(problem_.hydro_count());
    std::fill_n(slopes.begin(), hydros, 0.0);
    for (std::size_t h = 0; h < hydros; ++h) {
        for (const auto& coupling : stage_->storage_coupling.of(static_cast<int>(h))) {
            slopes[h] += coupling.coefficient * row_dual(coupling.row);
        }
    }
    if (slopes.size() == hydros) {
        return;
    }
    find_inflow_slopes(pool_);
    find_lag_slopes(pool_, slopes.subspan(hydros));
}

// Equation (13) without the inflows: the duals are feasible for the LP with the bounding cuts too,
// whose rows differ in their right-hand sides alone: with those they bound its optimum.
double StageSolver::bounding_value() const {
    double value = objective();
    for (int position = 0; bounding_ != nullptr && position < resident_cuts(); ++position) {
        const auto cut = resident_[at(position)];
        if (const auto weight = cut_weight(position); weight != 0) {
            value +=
                weight * (bounding_->lag_part(cut, incoming_lags_, inflow_) - constant_[at(cut)]);
        }
    }
    return value;
}

// Equation (15): a truncated inflow is no affine function of the lags, its support takes its place.
double StageSolver::support_inflows(const Realisation& realisation) {
    const auto& scale = problem_.process.inflow.stages[at(stage_->stage)].scale;
    double change = 0;
    for (std::size_t h = 0; h < inflow_means_.size(); ++h) {
        if (scale[h] == 0) {
            continue;
        }
        const auto f = realisation.untruncated[h];
        const auto shock = realisation.shock[h];
        const auto& mean = inflow_means_[h];
        const auto support =
            support_of_truncated(inflow_slope_[h], f, {mean.low + shock, mean.high + shock});
        change += inflow_slope_[h] * (support.slope * f + support.constant - realisation.inflow[h]);
        inflow_slope_[h] *= support.slope;
    }
    return change;
}

double StageSolver::bound(const Realisation& realisation, std::span<double> lag_slopes) {
    inflow_ = realisation.inflow;
    find_inflow_slopes(bounding_);
    const auto value = bounding_value() + support_inflows(realisation);
    find_lag_slopes(bounding_, lag_slopes);
    return value;
}

void StageSolver::store_basis(StoredBasis& basis) const {
    solver_->get_basis(basis.basis);
    basis.cuts.assign(resident_.begin(), resident_.end());
}

void StageSolver::mark_active(std::span<std::uint64_t> bitmap) const {
    for (int position = 0; position < resident_cuts(); ++position) {
        if (cut_weight(position) > 1e-12) {
            bitmap[at(resident_[at(position)] / 64)] |= std::uint64_t{1}
                                                        << (resident_[at(position)] % 64);
        }
    }
}

lp::Model StageSolver::present_model() const {
    lp::ModelBuilder builder;
    const auto& model = stage_->model;
    for (int j = 0; j < model.columns(); ++j) {
        builder.add_column(model.cost[at(j)], model.column_lower[at(j)], model.column_upper[at(j)]);
    }
    for (std::size_t r = 0; r < lower_.size(); ++r) {
        builder.add_row(lower_[r], upper_[r]);
    }
    for (int j = 0; j < model.columns(); ++j) {
        for (int e = model.column_start[at(j)]; e < model.column_start[at(j) + 1]; ++e) {
            builder.add_entry(model.row_index[at(e)], j, model.value[at(e)]);
        }
    }
    std::vector<int> columns;
    std::vector<double> values;
    for (int position = 0; position < resident_cuts(); ++position) {
        list_cut_entries(resident_[at(position)], columns, values);
        for (std::size_t e = 0; e < columns.size(); ++e) {
            builder.add_entry(model.rows() + position, columns[e], values[e]);
        }
    }
    return builder.build();
}

std::vector<std::string> StageSolver::column_names() const {
    std::vector<std::string> names;
    for (const auto& tag : stage_->column_tags) {
        names.push_back(name_of(problem_, *stage_, tag));
    }
    return names;
}

std::vector<std::string> StageSolver::row_names() const {
    std::vector<std::string> names;
    for (const auto& tag : stage_->row_tags) {
        names.push_back(name_of(problem_, *stage_, tag));
    }
    for (const int cut : resident_) {
        names.push_back("cut " + std::to_string(cut));
    }
    return names;
}

PhaseReport StageSolver::take_work() {
    return std::exchange(work_, {});
}

}  // namespace lockstep::sddp
