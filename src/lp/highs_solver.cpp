#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <Highs.h>
#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "lp/abort_guard.hpp"
#include "lp/backends.hpp"
#include "lp/optimality.hpp"

namespace lockstep::lp::detail {
namespace {

void check(HighsStatus status, const char* call) {
    if (status == HighsStatus::kError) {
        throw BackendError(fmt::format("HiGHS refused {}", call));
    }
}

HighsBasisStatus highs_status(VariableStatus status) {
    switch (status) {
        case VariableStatus::basic:
            return HighsBasisStatus::kBasic;
        case VariableStatus::at_upper:
            return HighsBasisStatus::kUpper;
        case VariableStatus::free_at_zero:
            return HighsBasisStatus::kZero;
        case VariableStatus::at_lower:
            break;
    }
    return HighsBasisStatus::kLower;
}

VariableStatus our_status(HighsBasisStatus status) {
    switch (status) {
        case HighsBasisStatus::kBasic:
            return VariableStatus::basic;
        case HighsBasisStatus::kUpper:
            return VariableStatus::at_upper;
        case HighsBasisStatus::kZero:
            return VariableStatus::free_at_zero;
        case HighsBasisStatus::kNonbasic:  // before the first solve
        case HighsBasisStatus::kLower:
            break;
    }
    return VariableStatus::at_lower;
}

template <typename T>
void copy(std::span<const T> from, std::vector<T>& to) {
    to.assign(from.begin(), from.end());
}

HighsLp highs_lp(const Model& model) {
    HighsLp lp;
    lp.num_col_ = model.columns();
    lp.num_row_ = model.rows();
    copy<double>(model.cost, lp.col_cost_);
    copy<double>(model.column_lower, lp.col_lower_);
    copy<double>(model.column_upper, lp.col_upper_);
    copy<double>(model.row_lower, lp.row_lower_);
    copy<double>(model.row_upper, lp.row_upper_);
    lp.a_matrix_.format_ = MatrixFormat::kColwise;
    lp.a_matrix_.num_col_ = model.columns();
    lp.a_matrix_.num_row_ = model.rows();
    copy<int>(model.column_start, lp.a_matrix_.start_);
    copy<int>(model.row_index, lp.a_matrix_.index_);
    copy<double>(model.value, lp.a_matrix_.value_);
    return lp;
}

class HighsSolver final : public Solver {
public:
    explicit HighsSolver(const SolverOptions& options) : options_(options) { make_empty(); }

    std::string_view name() const noexcept override { return "highs"; }

    void load(const Model& model) override {
        make_empty();
        check(highs_->passModel(highs_lp(model)), "passModel");
    }

    void set_basis(const Basis& basis) override {
        expect_basis_size(basis, columns(), rows());
        HighsBasis given;
        given.col_status.reserve(basis.column.size());
        for (const VariableStatus status : basis.column) {
            given.col_status.push_back(highs_status(status));
        }
        given.row_status.reserve(basis.row.size());
        for (const VariableStatus status : basis.row) {
            given.row_status.push_back(highs_status(status));
        }
        given.valid = true;
        given.alien = true;  // HiGHS then repairs a wrong number of basic variables
        check(highs_->setBasis(given), "setBasis");
    }

    void get_basis(Basis& basis) const override {
        const HighsBasis& found = highs_->getBasis();
        basis.column.clear();
        for (const HighsBasisStatus status : found.col_status) {
            basis.column.push_back(our_status(status));
        }
        basis.row.clear();
        for (const HighsBasisStatus status : found.row_status) {
            basis.row.push_back(our_status(status));
        }
    }

    void set_row_bounds(int row, double lower, double upper) override {
        check(highs_->changeRowBounds(row, lower, upper), "changeRowBounds");
    }
    void set_column_bounds(int column, double lower, double upper) override {
        check(highs_->changeColBounds(column, lower, upper), "changeColBounds");
    }
    void set_cost(int column, double cost) override {
        check(highs_->changeColCost(column, cost), "changeColCost");
    }
    void set_row_bounds(int first,
                        std::span<const double> lower,
                        std::span<const double> upper) override {
        if (!lower.empty()) {
            const int last = first + static_cast<int>(lower.size()) - 1;
            check(highs_->changeRowsBounds(first, last, lower.data(), upper.data()),
                  "changeRowsBounds");
        }
    }
    void set_column_bounds(int first,
                           std::span<const double> lower,
                           std::span<const double> upper) override {
        if (!lower.empty()) {
            const int last = first + static_cast<int>(lower.size()) - 1;
            check(highs_->changeColsBounds(first, last, lower.data(), upper.data()),
                  "changeColsBounds");
        }
    }

    void add_rows(const RowBlock& block) override {
        if (block.rows() > 0) {
            check(highs_->addRows(block.rows(),
                                  block.lower.data(),
                                  block.upper.data(),
                                  static_cast<int>(block.value.size()),
                                  block.start.data(),
                                  block.column.data(),
                                  block.value.data()),
                  "addRows");
        }
    }

    void delete_rows_from(int first) override {
        if (first < rows()) {
            check(highs_->deleteRows(first, rows() - 1), "deleteRows");
        }
    }

    Status solve() override {
        iterations_ = 0;
        runs_ = 0;
        Status status = run();
        if (status != Status::optimal && status != Status::iteration_limit) {
            highs_->clearSolver();
            status = run();
        }
        if (status == Status::numerical_failure) {
            status = run_with_aids(dual_simplex);
        }
        if (status == Status::numerical_failure) {
            status = run_with_aids(primal_simplex);
        }
        return status == Status::numerical_failure && claims_optimum() &&
                       check_.holds(claim(), last_resort)
                   ? Status::optimal
                   : status;
    }

    int rows() const noexcept override { return highs_->getLp().num_row_; }
    int columns() const noexcept override { return highs_->getLp().num_col_; }

    double objective() const override { return highs_->getInfo().objective_function_value; }
    std::span<const double> primal() const override { return highs_->getSolution().col_value; }
    std::span<const double> row_activity() const override {
        return highs_->getSolution().row_value;
    }
    std::span<const double> dual() const override { return highs_->getSolution().row_dual; }
    std::span<const double> reduced_cost() const override { return highs_->getSolution().col_dual; }
    std::int64_t iterations() const override { return iterations_; }
    int retries() const noexcept override { return std::max(runs_ - 1, 0); }

private:
    static constexpr int dual_simplex = 1;  // as HiGHS numbers its strategies
    static constexpr int primal_simplex = 4;
    static constexpr int price_by_rows = 1;

    template <class Value>
    void set_option(const char* option, const Value& value) {
        check(highs_->setOptionValue(option, value), option);
    }

    void make_empty() {
        highs_ = std::make_unique<Highs>();
        set_option("output_flag", false);
        set_option("presolve", "off");
        set_option("solver", "simplex");
        set_option("threads", 1);
        set_option("parallel", "off");
        set_option("small_matrix_value", 1e-12);  // the least that HiGHS can keep
        set_aids(options_.highs.scales, options_.highs.cost_perturbation);
        set_profile(options_.highs);
        set_option("primal_simplex_bound_perturbation_multiplier", 0.0);
        set_option("primal_feasibility_tolerance", options_.primal_tolerance);
        set_option("dual_feasibility_tolerance", options_.dual_tolerance);
        set_option(
            "simplex_iteration_limit",
            static_cast<HighsInt>(std::min<std::int64_t>(options_.iteration_limit, kHighsIInf)));
    }

    void set_aids(bool scales, double perturbation) {
        constexpr int equilibration = 2;
        set_option("simplex_scale_strategy", scales ? equilibration : 0);
        set_option("dual_simplex_cost_perturbation_multiplier", perturbation);
    }

    void set_profile(const HighsProfile& profile) {
        if (profile.edge_weight) {
            set_option("simplex_dual_edge_weight_strategy",
                       static_cast<HighsInt>(*profile.edge_weight));
        }
        if (profile.prices_by_rows) {
            set_option("simplex_price_strategy", static_cast<HighsInt>(price_by_rows));
        }
        if (profile.update_limit) {
            set_option("simplex_update_limit", static_cast<HighsInt>(*profile.update_limit));
        }
        if (profile.rebuild_tolerance) {
            set_option("rebuild_refactor_solution_error_tolerance", *profile.rebuild_tolerance);
        }
        if (profile.pivot_threshold) {
            set_option("factor_pivot_threshold", *profile.pivot_threshold);
        }
        if (profile.devex_threshold) {
            set_option("dual_steepest_edge_weight_log_error_threshold", *profile.devex_threshold);
        }
    }

    // HiGHS has been seen to end undecided on feasible models of badly mixed sizes; its own scaling
    // and perturbation, which are off for equal bits on every machine, then help.
    Status run_with_aids(int strategy) {
        highs_->clearSolver();
        set_option("simplex_strategy", strategy);
        set_aids(true, 1);
        const Status status = run();
        set_aids(options_.highs.scales, options_.highs.cost_perturbation);
        set_option("simplex_strategy", dual_simplex);
        return status;
    }

    [[nodiscard]] bool claims_optimum() const {
        return highs_->getModelStatus() == HighsModelStatus::kOptimal;
    }

    bool claim_holds() {
        const ClaimedOptimum optimum = claim();
        Slack slack = tight_slack(options_);
        if (check_.holds(optimum, slack)) {
            return true;
        }
        slack.relative = rounding_allowed;
        return check_.holds(optimum, slack);
    }

    ClaimedOptimum claim() {
        const HighsLp& lp = highs_->getLp();
        const HighsSolution& solution = highs_->getSolution();
        const std::vector<int>& start = lp.a_matrix_.start_;  // by columns, as it was given
        column_length_.resize(at(lp.num_col_));
        for (std::size_t j = 0; j < column_length_.size(); ++j) {
            column_length_[j] = start[j + 1] - start[j];
        }
        return {lp.col_cost_,
                lp.col_lower_,
                lp.col_upper_,
                lp.row_lower_,
                lp.row_upper_,
                start.data(),
                column_length_.data(),
                lp.a_matrix_.index_.data(),
                lp.a_matrix_.value_.data(),
                solution.col_value,
                solution.row_value,
                solution.row_dual,
                solution.col_dual};
    }

    Status run() {
        ++runs_;
        HighsStatus called = HighsStatus::kError;
        if (!survives_abort([&] { called = highs_->run(); })) {
            static_cast<void>(highs_.release());  // in the middle of a step: left alone
            make_empty();
            return Status::numerical_failure;
        }
        if (called == HighsStatus::kError) {
            return Status::numerical_failure;
        }
        iterations_ += highs_->getInfo().simplex_iteration_count;
        switch (highs_->getModelStatus()) {
            case HighsModelStatus::kModelEmpty:
                return Status::optimal;
            case HighsModelStatus::kOptimal:
                return claim_holds() ? Status::optimal : Status::numerical_failure;
            case HighsModelStatus::kInfeasible:
                return Status::infeasible;
            case HighsModelStatus::kUnbounded:
            case HighsModelStatus::kUnboundedOrInfeasible:
                return Status::unbounded;
            case HighsModelStatus::kIterationLimit:
                return Status::iteration_limit;
            default:
                return Status::numerical_failure;
        }
    }

    SolverOptions options_;
    std::unique_ptr<Highs> highs_;
    OptimalityCheck check_;
    std::vector<int> column_length_;
    std::int64_t iterations_ = 0;
    int runs_ = 0;
};

}  // namespace

std::unique_ptr<Solver> make_highs(const SolverOptions& options) {
    return std::make_unique<HighsSolver>(options);
}

}  // namespace lockstep::lp::detail
