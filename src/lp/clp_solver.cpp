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

namespace lockstep::lp::detail {
namespace {

/// Bits of Clp's whatsChanged() that say "the basis is the one that was factorised".
constexpr int basis_unchanged = 512;

/// Second argument of ClpSimplex::dual and primal.
constexpr int keep_factorisation_and_arrays = 7;
constexpr int start_afresh = 1;  // and keep what arises for the next solve

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
        clp_->setRowBounds(row, clp_bound(lower), clp_bound(upper));
    }
    void set_column_bounds(int column, double lower, double upper) override {
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
        }
    }

    void delete_rows_from(int first) override {
        if (first < rows()) {
            std::vector<int> doomed(at(rows() - first));
            std::iota(doomed.begin(), doomed.end(), first);
            clp_->deleteRows(static_cast<int>(doomed.size()), doomed.data());
        }
    }

    Status solve() override {
        iterations_ = 0;
        Status status = run_dual(keep_factorisation_and_arrays);
        if (status == Status::optimal || status == Status::iteration_limit) {
            return status;
        }
        status = run_dual(start_afresh);
        if (status == Status::optimal) {
            return status;
        }
        return solve_from_scratch();
    }

    int rows() const noexcept override { return clp_->numberRows(); }
    int columns() const noexcept override { return clp_->numberColumns(); }

    double objective() const override { return clp_->rawObjectiveValue(); }
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
        clp_->factorization()->setDenseThreshold(0);  // dense means BLAS
        ClpDualRowSteepest steepest_edge(1);
        clp_->setDualRowPivotAlgorithm(steepest_edge);
    }

    Status run_dual(int start) {
        clp_->dual(0, start);
        return outcome();
    }

    Status run_primal(int start) {
        clp_->primal(0, start);
        return outcome();
    }

    Status solve_from_scratch() {
        clp_->allSlackBasis(true);
        clp_->setWhatsChanged(0);
        const Status by_dual = run_dual(start_afresh);
        if (by_dual == Status::optimal) {
            return by_dual;
        }
        clp_->allSlackBasis(true);
        clp_->setWhatsChanged(0);
        const Status by_primal = run_primal(start_afresh);
        return by_primal == by_dual || by_primal == Status::optimal ? by_primal
                                                                    : Status::numerical_failure;
    }

    Status outcome() {
        iterations_ += clp_->numberIterations();
        switch (clp_->status()) {
            case 0:
                return Status::optimal;
            case 1:
                return Status::infeasible;
            case 2:
                return Status::unbounded;
            case 3:
                return Status::iteration_limit;
            default:
                return Status::numerical_failure;
        }
    }

    SolverOptions options_;
    std::unique_ptr<ClpSimplex> clp_;
    std::int64_t iterations_ = 0;
};

}  // namespace

std::unique_ptr<Solver> make_clp(const SolverOptions& options) {
    return std::make_unique<ClpSolver>(options);
}

bool clp_is_built() {
    return true;
}

}  // namespace lockstep::lp::detail
