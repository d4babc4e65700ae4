#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include <ClpDualRowSteepest.hpp>
#include <ClpFactorization.hpp>
#include <ClpSimplex.hpp>

#include "lp/backends.hpp"
#include "lp/optimality.hpp"

namespace lockstep::lp::detail {
namespace {

/// Bits of Clp's whatsChanged() that say "the basis is the one that was factorised".
constexpr int basis_unchanged = 512;

/// Second argument of ClpSimplex::dual and primal.
constexpr int keep_factorisation_and_arrays = 7;
constexpr int start_afresh = 1;  // and keep what arises for the next solve

/// Special options: ours are safe because every optimum is checked anew and crossed bounds are
/// counted.
constexpr unsigned no_sanity_checks = 128;
constexpr unsigned no_factorisation_after_few_pivots = 2048;
constexpr unsigned quiet = 32768;
constexpr unsigned careful = no_sanity_checks | quiet;
constexpr unsigned fast = careful | no_factorisation_after_few_pivots;
constexpr int optimal_at_once_if_factorised = 16777216;  // belongs to the "more special" options

constexpr double dual_bound = 1e8;  // the least at which no_factorisation_after_few_pivots works

/// A claim may be off by so many tolerances, and by so much of the numbers it is made of.
constexpr double tolerances_allowed = 2.0;
constexpr double rounding_allowed = 1e-11;
constexpr double last_resort_allowed = 1e-7;

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

double clp_bound(double bound) {
    return std::clamp(bound, -COIN_DBL_MAX, COIN_DBL_MAX);
}

std::vector<double> clp_bounds(const std::vector<double>& bounds) {
    std::vector<double> clamped(bounds.size());
    std::ranges::transform(bounds, clamped.begin(), clp_bound);
    return clamped;
}

ClpSimplex::Status clp_status(VariableStatus status) {
    switch (status) {
        case VariableStatus::basic:
            return ClpSimplex::basic;
        case VariableStatus::at_upper:
            return ClpSimplex::atUpperBound;
        case VariableStatus::free_at_zero:
            return ClpSimplex::isFree;
        case VariableStatus::at_lower:
            break;
    }
    return ClpSimplex::atLowerBound;
}

VariableStatus our_status(ClpSimplex::Status status) {
    switch (status) {
        case ClpSimplex::basic:
            return VariableStatus::basic;
        case ClpSimplex::atUpperBound:
            return VariableStatus::at_upper;
        case ClpSimplex::isFree:
        case ClpSimplex::superBasic:
            return VariableStatus::free_at_zero;
        case ClpSimplex::atLowerBound:
        case ClpSimplex::isFixed:
            break;
    }
    return VariableStatus::at_lower;
}

class ClpSolver final : public Solver {
public:
    explicit ClpSolver(const SolverOptions& options) : options_(options) { make_empty(); }

    std::string_view name() const noexcept override { return "clp"; }

    void load(const Model& model) override {
        // A new object is the only way to be sure that no tuning of the last model stays.
        make_empty();
        clp_->loadProblem(model.columns(),
                          model.rows(),
                          model.column_start.data(),
                          model.row_index.data(),
                          model.value.data(),
                          clp_bounds(model.column_lower).data(),
                          clp_bounds(model.column_upper).data(),
                          model.cost.data(),
                          clp_bounds(model.row_lower).data(),
                          clp_bounds(model.row_upper).data());
        clp_->createStatus();
        count_crossed_bounds();
    }

    void set_basis(const Basis& basis) override {
        for (int column = 0; column < columns(); ++column) {
            clp_->setColumnStatus(column, clp_status(basis.column[at(column)]));
        }
        for (int row = 0; row < rows(); ++row) {
            clp_->setRowStatus(row, clp_status(basis.row[at(row)]));
        }
        clp_->setWhatsChanged(clp_->whatsChanged() & ~basis_unchanged);
    }

    void get_basis(Basis& basis) const override {
        basis.column.resize(at(columns()));
        basis.row.resize(at(rows()));
        for (int column = 0; column < columns(); ++column) {
            basis.column[at(column)] = our_status(clp_->getColumnStatus(column));
        }
        for (int row = 0; row < rows(); ++row) {
            basis.row[at(row)] = our_status(clp_->getRowStatus(row));
        }
    }

    void set_row_bounds(int row, double lower, double upper) override {
        crossed_bounds_ += (lower > upper) - (clp_->rowLower()[row] > clp_->rowUpper()[row]);
        clp_->setRowBounds(row, clp_bound(lower), clp_bound(upper));
    }
    void set_column_bounds(int column, double lower, double upper) override {
        crossed_bounds_ +=
            (lower > upper) - (clp_->columnLower()[column] > clp_->columnUpper()[column]);
        clp_->setColumnBounds(column, clp_bound(lower), clp_bound(upper));
    }
    void set_cost(int column, double cost) override { clp_->setObjectiveCoefficient(column, cost); }
    void set_row_bounds(int first,
                        std::span<const double> lower,
                        std::span<const double> upper) override {
        for (std::size_t i = 0; i < lower.size(); ++i) {
            set_row_bounds(first + static_cast<int>(i), lower[i], upper[i]);
        }
    }
    void set_column_bounds(int first,
                           std::span<const double> lower,
                           std::span<const double> upper) override {
        for (std::size_t i = 0; i < lower.size(); ++i) {
            set_column_bounds(first + static_cast<int>(i), lower[i], upper[i]);
        }
    }

    void add_rows(const RowBlock& block) override {
        if (block.rows() > 0) {
            clp_->addRows(block.rows(),
                          clp_bounds(block.lower).data(),
                          clp_bounds(block.upper).data(),
                          block.start.data(),
                          block.column.data(),
                          block.value.data());
            count_crossed_bounds();
        }
    }

    void delete_rows_from(int first) override {
        if (first < rows()) {
            std::vector<int> doomed(at(rows() - first));
            std::iota(doomed.begin(), doomed.end(), first);
            clp_->deleteRows(static_cast<int>(doomed.size()), doomed.data());
            count_crossed_bounds();
        }
    }

    Status solve() override {
        iterations_ = 0;
        if (crossed_bounds_ > 0) {
            return Status::infeasible;
        }
        set_fast_options();
        const Status first = run_dual(keep_factorisation_and_arrays);
        if (first == Status::optimal && claim_holds()) {
            return first;
        }
        set_careful_options();
        return first == Status::infeasible || first == Status::unbounded ? solve_from_scratch()
                                                                         : solve_carefully();
    }

    int rows() const noexcept override { return clp_->numberRows(); }
    int columns() const noexcept override { return clp_->numberColumns(); }

    /// Clp's own value is sometimes that of modified costs.
    double objective() const override {
        const std::span<const double> x = primal();
        return std::inner_product(x.begin(), x.end(), clp_->objective(), 0.0);
    }
    std::span<const double> primal() const override {
        return {clp_->primalColumnSolution(), at(columns())};
    }
    std::span<const double> row_activity() const override {
        return {clp_->primalRowSolution(), at(rows())};
    }
    std::span<const double> dual() const override { return {clp_->dualRowSolution(), at(rows())}; }
    std::span<const double> reduced_cost() const override {
        return {clp_->dualColumnSolution(), at(columns())};
    }
    std::int64_t iterations() const override { return iterations_; }

private:
    void make_empty() {
        clp_ = std::make_unique<ClpSimplex>();
        clp_->setLogLevel(0);
        clp_->scaling(0);
        clp_->setPerturbation(100);
        clp_->setPrimalTolerance(options_.primal_tolerance);
        clp_->setDualTolerance(options_.dual_tolerance);
        clp_->setMaximumIterations(
            static_cast<int>(std::min<std::int64_t>(options_.iteration_limit, COIN_INT_MAX)));
        clp_->setDualBound(dual_bound);
        clp_->factorization()->setDenseThreshold(0);  // dense means BLAS
        ClpDualRowSteepest steepest_edge(1);
        clp_->setDualRowPivotAlgorithm(steepest_edge);
    }

    void set_fast_options() {
        clp_->setSpecialOptions(fast);
        clp_->setMoreSpecialOptions(clp_->moreSpecialOptions() | optimal_at_once_if_factorised);
    }

    void set_careful_options() {
        clp_->setSpecialOptions(careful);
        clp_->setMoreSpecialOptions(clp_->moreSpecialOptions() & ~optimal_at_once_if_factorised);
    }

    /// Rungs of a ladder, each more expensive: from the last basis with a new factorisation by the
    /// dual and by the primal method, then from the slack basis.
    Status solve_carefully() {
        if (const Status by_dual = run_dual(start_afresh); is_final(by_dual)) {
            return by_dual;
        }
        if (const Status by_primal = run_primal(start_afresh); is_final(by_primal)) {
            return by_primal;
        }
        return solve_from_scratch();
    }

    /// Infeasible and unbounded are believed when the primal method finds them too, or has no
    /// answer.
    Status solve_from_scratch() {
        const Status by_dual = solve_from_scratch_by_dual();
        if (is_final(by_dual)) {
            return by_dual;
        }
        take_slack_basis();
        const Status by_primal = run_primal(start_afresh);
        if (by_primal == Status::optimal) {
            return claim_holds() || claim_holds_within(last_resort_allowed)
                       ? Status::optimal
                       : Status::numerical_failure;
        }
        return by_primal == Status::numerical_failure && by_dual != Status::optimal ? by_dual
                                                                                    : by_primal;
    }

    /// Clp's dual method has been seen to give up too early, and to go on when asked again.
    Status solve_from_scratch_by_dual() {
        take_slack_basis();
        const Status status = run_dual(start_afresh);
        return is_final(status) ? status : run_dual(start_afresh);
    }

    bool is_final(Status status) {
        return status == Status::iteration_limit || (status == Status::optimal && claim_holds());
    }

    void take_slack_basis() {
        clp_->allSlackBasis(true);
        clp_->setWhatsChanged(0);
    }

    Status run_dual(int start) {
        set_iterations_left();
        clp_->dual(0, start);
        return outcome();
    }

    Status run_primal(int start) {
        set_iterations_left();
        clp_->primal(0, start);
        return outcome();
    }

    void set_iterations_left() {
        clp_->setMaximumIterations(static_cast<int>(
            std::min<std::int64_t>(options_.iteration_limit - iterations_, COIN_INT_MAX)));
    }

    Status outcome() {
        iterations_ += clp_->numberIterations();
        if (clp_->getNumElements() == 0) {  // Clp then puts row activities at a bound
            std::fill_n(clp_->primalRowSolution(), rows(), 0.0);
        }
        switch (clp_->status()) {
            case 0:
                return Status::optimal;
            case 1:
                return Status::infeasible;
            case 2:
                return Status::unbounded;
            case 3:  // Clp's own small limits, for example in a clean-up, end this way too
                return iterations_ >= options_.iteration_limit ? Status::iteration_limit
                                                               : Status::numerical_failure;
            default:
                return Status::numerical_failure;
        }
    }

    bool claim_holds() {
        const ClaimedOptimum optimum = claim();
        Slack slack{tolerances_allowed * options_.primal_tolerance,
                    tolerances_allowed * options_.dual_tolerance};
        if (check_.holds(optimum, slack)) {
            return true;
        }
        slack.relative = rounding_allowed;
        return !is_at_artificial_bound() && check_.holds(optimum, slack);
    }

    /// Clp's dual method bounds free columns for the time being. On an unbounded face of optima
    /// some may stay there, and the large numbers spoil all others.
    bool is_at_artificial_bound() const {
        return std::ranges::any_of(primal(), [](double x) { return std::abs(x) >= dual_bound; });
    }

    bool claim_holds_within(double share) { return check_.holds(claim(), {share, share, share}); }

    ClaimedOptimum claim() const {
        const CoinPackedMatrix* matrix = clp_->matrix();
        return {{clp_->objective(), at(columns())},
                {clp_->columnLower(), at(columns())},
                {clp_->columnUpper(), at(columns())},
                {clp_->rowLower(), at(rows())},
                {clp_->rowUpper(), at(rows())},
                matrix->getVectorStarts(),
                matrix->getVectorLengths(),
                matrix->getIndices(),
                matrix->getElements(),
                primal(),
                row_activity(),
                dual(),
                reduced_cost()};
    }

    void count_crossed_bounds() {
        crossed_bounds_ = 0;
        for (int column = 0; column < columns(); ++column) {
            crossed_bounds_ += clp_->columnLower()[column] > clp_->columnUpper()[column];
        }
        for (int row = 0; row < rows(); ++row) {
            crossed_bounds_ += clp_->rowLower()[row] > clp_->rowUpper()[row];
        }
    }

    SolverOptions options_;
    std::unique_ptr<ClpSimplex> clp_;
    OptimalityCheck check_;
    std::int64_t iterations_ = 0;
    int crossed_bounds_ = 0;
};

}  // namespace

std::unique_ptr<Solver> make_clp(const SolverOptions& options) {
    return std::make_unique<ClpSolver>(options);
}

bool clp_is_built() {
    return true;
}

}  // namespace lockstep::lp::detail
