#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include <ClpSimplex.hpp>

#include "lockstep/base/index.hpp"

#include "lp/backends.hpp"
#include "lp/clp_ladder.hpp"

namespace lockstep::lp::detail {
namespace {

double clp_bound(double bound) {
    return std::clamp(bound, -COIN_DBL_MAX, COIN_DBL_MAX);
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
    explicit ClpSolver(const SolverOptions& options) : ladder_(options) {}

    std::string_view name() const noexcept override { return "clp"; }

    void load(const Model& model) override {
        ladder_.reset();
        clp().loadProblem(model.columns(),
                          model.rows(),
                          model.column_start.data(),
                          model.row_index.data(),
                          model.value.data(),
                          clamped(model.column_lower, column_lower_),
                          clamped(model.column_upper, column_upper_),
                          model.cost.data(),
                          clamped(model.row_lower, row_lower_),
                          clamped(model.row_upper, row_upper_));
        clp().createStatus();
        count_crossed_bounds();
    }

    void set_basis(const Basis& basis) override {
        expect_basis_size(basis, columns(), rows());
        for (int column = 0; column < columns(); ++column) {
            clp().setColumnStatus(column, clp_status(basis.column[at(column)]));
        }
        for (int row = 0; row < rows(); ++row) {
            clp().setRowStatus(row, clp_status(basis.row[at(row)]));
        }
        mend_basis();
        ladder_.forget_factorisation();
    }

    void get_basis(Basis& basis) const override {
        basis.column.resize(at(columns()));
        basis.row.resize(at(rows()));
        for (int column = 0; column < columns(); ++column) {
            basis.column[at(column)] = our_status(clp().getColumnStatus(column));
        }
        for (int row = 0; row < rows(); ++row) {
            basis.row[at(row)] = our_status(clp().getRowStatus(row));
        }
    }

    void set_row_bounds(int row, double lower, double upper) override {
        crossed_bounds_ += (lower > upper) - (clp().rowLower()[row] > clp().rowUpper()[row]);
        clp().setRowBounds(row, clp_bound(lower), clp_bound(upper));
    }
    void set_column_bounds(int column, double lower, double upper) override {
        crossed_bounds_ +=
            (lower > upper) - (clp().columnLower()[column] > clp().columnUpper()[column]);
        clp().setColumnBounds(column, clp_bound(lower), clp_bound(upper));
    }
    void set_cost(int column, double cost) override { clp().setObjectiveCoefficient(column, cost); }
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
            clp().addRows(block.rows(),
                          clamped(block.lower, row_lower_),
                          clamped(block.upper, row_upper_),
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
            clp().deleteRows(static_cast<int>(doomed.size()), doomed.data());
            count_crossed_bounds();
            mend_basis();
        }
    }

    Status solve() override { return crossed_bounds_ > 0 ? Status::infeasible : ladder_.solve(); }

    int rows() const noexcept override { return clp().numberRows(); }
    int columns() const noexcept override { return clp().numberColumns(); }

    /// Clp's own value is sometimes that of modified costs.
    double objective() const override {
        const std::span<const double> x = primal();
        return std::inner_product(x.begin(), x.end(), clp().objective(), 0.0);
    }
    std::span<const double> primal() const override {
        return {clp().primalColumnSolution(), at(columns())};
    }
    std::span<const double> row_activity() const override {
        return {clp().primalRowSolution(), at(rows())};
    }
    std::span<const double> dual() const override { return {clp().dualRowSolution(), at(rows())}; }
    std::span<const double> reduced_cost() const override {
        return {clp().dualColumnSolution(), at(columns())};
    }
    std::int64_t iterations() const override {
        return crossed_bounds_ > 0 ? 0 : ladder_.iterations();
    }
    int retries() const noexcept override { return crossed_bounds_ > 0 ? 0 : ladder_.retries(); }

private:
    ClpSimplex& clp() noexcept { return ladder_.clp(); }
    const ClpSimplex& clp() const noexcept { return ladder_.clp(); }

    static const double* clamped(std::span<const double> bounds, std::vector<double>& into) {
        into.resize(bounds.size());
        std::ranges::transform(bounds, into.begin(), clp_bound);
        return into.data();
    }

    [[nodiscard]] int basic_variables() const {
        int count = 0;
        for (int variable = 0; variable < columns() + rows(); ++variable) {
            count += clp().getStatus(variable) == ClpSimplex::basic;
        }
        return count;
    }

    /// Clp lists the basic variables in an array of as many places as rows, and writes beyond it
    /// when there are more. Slacks take or leave the places that are missing or too many, columns
    /// after them; what is then singular Clp mends itself.
    void mend_basis() {
        int missing = rows() - basic_variables();
        for (int row = 0; row < rows() && missing > 0; ++row) {
            missing -= clp().getRowStatus(row) != ClpSimplex::basic;
            clp().setRowStatus(row, ClpSimplex::basic);
        }
        for (int variable = columns() + rows() - 1; variable >= 0 && missing < 0; --variable) {
            if (clp().getStatus(variable) == ClpSimplex::basic) {
                clp().setStatus(variable, ClpSimplex::atLowerBound);
                ++missing;
            }
        }
    }

    void count_crossed_bounds() {
        crossed_bounds_ = 0;
        for (int column = 0; column < columns(); ++column) {
            crossed_bounds_ += clp().columnLower()[column] > clp().columnUpper()[column];
        }
        for (int row = 0; row < rows(); ++row) {
            crossed_bounds_ += clp().rowLower()[row] > clp().rowUpper()[row];
        }
    }

    ClpLadder ladder_;
    int crossed_bounds_ = 0;
    std::vector<double> column_lower_, column_upper_, row_lower_, row_upper_;  // what Clp copies
};

}  // namespace

std::unique_ptr<Solver> make_clp(const SolverOptions& options) {
    return std::make_unique<ClpSolver>(options);
}

bool clp_is_built() {
    return true;
}

}  // namespace lockstep::lp::detail
