#include "lp/rescue_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"

#include "lp/backends.hpp"
#include "lp/optimality.hpp"

namespace lockstep::lp::detail {
namespace {

constexpr double costs_below = 1e20;
constexpr double entries_below = 1e15;
constexpr double no_bound = 1e20;

/// How far off the second solver's optimum may be: it has its own tolerances, and is asked where
/// numbers are difficult.
constexpr Slack rescue_slack{1e-6, 1e-6, 1e-9, 1e-6};

bool are_below(std::span<const double> numbers, double limit) {
    return std::ranges::all_of(numbers, [&](double x) { return std::abs(x) < limit; });
}

bool are_bounds(std::span<const double> lower, std::span<const double> upper) {
    const auto is_lower = [](double x) { return x < no_bound; };
    const auto is_upper = [](double x) { return x > -no_bound; };
    return std::ranges::all_of(lower, is_lower) && std::ranges::all_of(upper, is_upper);
}

bool are_finite(std::span<const double> numbers) {
    return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

template <class T>
void copy(std::span<const T> from, std::vector<T>& to) {
    to.assign(from.begin(), from.end());
}

/// What the first solver was told since load(), for the second. Lists of its own: those of a Model
/// may lie in memory that others read.
class Record {
public:
    void load(const Model& model) {
        copy<double>(model.cost, cost_);
        copy<double>(model.column_lower, column_lower_);
        copy<double>(model.column_upper, column_upper_);
        copy<double>(model.row_lower, row_lower_);
        copy<double>(model.row_upper, row_upper_);
        copy<int>(model.column_start, column_start_);
        copy<int>(model.row_index, row_index_);
        copy<double>(model.value, value_);
        own_rows_ = model.rows();
        added_.clear();
        is_usable_ = has_usable_numbers(model);
    }
    void set_row_bounds(int first, std::span<const double> lower, std::span<const double> upper) {
        std::ranges::copy(lower, row_lower_.begin() + first);
        std::ranges::copy(upper, row_upper_.begin() + first);
        is_usable_ = is_usable_ && are_bounds(lower, upper);
    }
    void set_column_bounds(int first,
                           std::span<const double> lower,
                           std::span<const double> upper) {
        std::ranges::copy(lower, column_lower_.begin() + first);
        std::ranges::copy(upper, column_upper_.begin() + first);
        is_usable_ = is_usable_ && are_bounds(lower, upper);
    }
    void set_cost(int column, double cost) {
        cost_[at(column)] = cost;
        is_usable_ = is_usable_ && std::abs(cost) < costs_below;
    }
    void add_rows(const RowBlock& block) {
        for (int row = 0; row < block.rows(); ++row) {
            const std::size_t first = at(block.start[at(row)]);
            const std::size_t size = at(block.start[at(row) + 1]) - first;
            added_.add(0.0,
                       0.0,
                       std::span(block.column).subspan(first, size),
                       std::span(block.value).subspan(first, size));
        }
        row_lower_.insert(row_lower_.end(), block.lower.begin(), block.lower.end());
        row_upper_.insert(row_upper_.end(), block.upper.begin(), block.upper.end());
        is_usable_ = is_usable_ && are_bounds(block.lower, block.upper) &&
                     are_below(block.value, entries_below);
    }
    void delete_rows_from(int first) {
        if (at(first) < row_lower_.size()) {
            load(model_of_rows_before(first));
        }
    }

    /// Whether all numbers were of use when they came.
    [[nodiscard]] bool is_surely_usable() const noexcept { return is_usable_; }
    /// A number that was of no use may have been replaced since.
    bool is_usable() {
        is_usable_ = is_usable_ || has_usable_numbers(model());
        return is_usable_;
    }

    [[nodiscard]] Model model() const {
        return model_of_rows_before(static_cast<int>(row_lower_.size()));
    }

private:
    // With the added rows among the columns.
    [[nodiscard]] Model model_of_rows_before(int end) const {
        ModelBuilder builder;
        for (std::size_t j = 0; j < cost_.size(); ++j) {
            builder.add_column(cost_[j], column_lower_[j], column_upper_[j]);
        }
        for (int row = 0; row < end; ++row) {
            builder.add_row(row_lower_[at(row)], row_upper_[at(row)]);
        }
        const auto add = [&](int row, int column, double value) {
            if (row < end) {
                builder.add_entry(row, column, value);
            }
        };
        for (int column = 0; column < builder.columns(); ++column) {
            for (int k = column_start_[at(column)]; k < column_start_[at(column) + 1]; ++k) {
                add(row_index_[at(k)], column, value_[at(k)]);
            }
        }
        for (int row = 0; row < added_.rows(); ++row) {
            for (int k = added_.start[at(row)]; k < added_.start[at(row) + 1]; ++k) {
                add(own_rows_ + row, added_.column[at(k)], added_.value[at(k)]);
            }
        }
        return builder.build();
    }

    std::vector<double> cost_, column_lower_, column_upper_, value_;
    std::vector<double> row_lower_, row_upper_;  // of the added rows too
    std::vector<int> column_start_, row_index_;
    int own_rows_ = 0;
    RowBlock added_;  // entries alone
    bool is_usable_ = true;
};

class RescueSolver final : public Solver {
public:
    RescueSolver(SolverKind kind, const SolverOptions& options)
        : kind_(kind), options_(options), first_(make_backend(kind, options)) {}

    std::string_view name() const noexcept override { return first_->name(); }

    void load(const Model& model) override {
        record_.load(model);
        answering_ = first_.get();
        is_loaded_ = record_.is_surely_usable();
        if (is_loaded_) {
            first_->load(model);
        }
        runs_ = 0;
        pivots_ = 0;
    }

    void set_basis(const Basis& basis) override {
        if (is_loaded_) {
            first_->set_basis(basis);
        }
    }
    void get_basis(Basis& basis) const override { answering_->get_basis(basis); }

    void set_row_bounds(int row, double lower, double upper) override {
        set_row_bounds(row, {&lower, 1}, {&upper, 1});
    }
    void set_column_bounds(int column, double lower, double upper) override {
        set_column_bounds(column, {&lower, 1}, {&upper, 1});
    }
    void set_cost(int column, double cost) override {
        record_.set_cost(column, cost);
        if (keeps_up()) {
            first_->set_cost(column, cost);
        }
    }
    void set_row_bounds(int first,
                        std::span<const double> lower,
                        std::span<const double> upper) override {
        record_.set_row_bounds(first, lower, upper);
        if (keeps_up()) {
            first_->set_row_bounds(first, lower, upper);
        }
    }
    void set_column_bounds(int first,
                           std::span<const double> lower,
                           std::span<const double> upper) override {
        record_.set_column_bounds(first, lower, upper);
        if (keeps_up()) {
            first_->set_column_bounds(first, lower, upper);
        }
    }
    void add_rows(const RowBlock& rows) override {
        record_.add_rows(rows);
        if (keeps_up()) {
            first_->add_rows(rows);
        }
    }
    void delete_rows_from(int first) override {
        record_.delete_rows_from(first);
        if (keeps_up()) {
            first_->delete_rows_from(first);
        }
    }

    Status solve() override {
        answering_ = first_.get();
        runs_ = 0;
        pivots_ = 0;
        if (!record_.is_usable()) {
            is_loaded_ = false;
            return Status::numerical_failure;
        }
        if (!is_loaded_) {
            first_->load(record_.model());
            is_loaded_ = true;
        }
        const Status status = first_->solve();
        pivots_ = first_->iterations();
        runs_ = first_->retries();
        const bool is_answer = status == Status::iteration_limit ||
                               (status == Status::optimal && has_finite_results(*first_));
        return is_answer ? status : rescue(status);
    }

    int rows() const noexcept override { return answering_->rows(); }
    int columns() const noexcept override { return answering_->columns(); }
    double objective() const override { return answering_->objective(); }
    std::span<const double> primal() const override { return answering_->primal(); }
    std::span<const double> row_activity() const override { return answering_->row_activity(); }
    std::span<const double> dual() const override { return answering_->dual(); }
    std::span<const double> reduced_cost() const override { return answering_->reduced_cost(); }
    std::int64_t iterations() const override { return pivots_; }
    int retries() const noexcept override { return std::min(runs_, most_retries); }

private:
    // A number of no use is kept from the first, and with it all that follows.
    bool keeps_up() {
        is_loaded_ = is_loaded_ && record_.is_surely_usable();
        return is_loaded_;
    }

    // The first answered, or knew no answer.
    Status rescue(Status first) {
        const SolverKind other = kind_ == SolverKind::clp ? SolverKind::highs : SolverKind::clp;
        if (!is_built(other)) {
            return first == Status::optimal ? Status::numerical_failure : first;
        }
        const Model model = record_.model();
        second_ = make_backend(other, options_);
        second_->load(model);
        const Status second = second_->solve();
        pivots_ += second_->iterations();
        runs_ += 1 + second_->retries();
        first_->load(model);  // it may be in any state
        if (second == Status::optimal && fits(model)) {
            answering_ = second_.get();
            Basis basis;
            second_->get_basis(basis);
            first_->set_basis(basis);
            return Status::optimal;
        }
        const Status status = agreed(first, second);
        return status == Status::unbounded && is_bounded_below(model) ? Status::numerical_failure
                                                                      : status;
    }

    // A model without an optimum is one of which no solver says otherwise.
    static Status agreed(Status first, Status second) {
        const auto says_none = [](Status status) {
            return status == Status::infeasible || status == Status::unbounded;
        };
        if (says_none(first) && (second == first || second == Status::numerical_failure)) {
            return first;
        }
        return first == Status::numerical_failure && says_none(second) ? second
                                                                       : Status::numerical_failure;
    }

    static bool has_finite_results(const Solver& solver) {
        return are_finite(solver.primal()) && are_finite(solver.dual());
    }

    [[nodiscard]] bool fits(const Model& model) const {
        std::vector<int> length;
        for (std::size_t j = 0; j + 1 < model.column_start.size(); ++j) {
            length.push_back(model.column_start[j + 1] - model.column_start[j]);
        }
        OptimalityCheck check;
        return check.holds({model.cost,
                            model.column_lower,
                            model.column_upper,
                            model.row_lower,
                            model.row_upper,
                            model.column_start.data(),
                            length.data(),
                            model.row_index.data(),
                            model.value.data(),
                            second_->primal(),
                            second_->row_activity(),
                            second_->dual(),
                            second_->reduced_cost()},
                           rescue_slack);
    }

    SolverKind kind_;
    SolverOptions options_;
    std::unique_ptr<Solver> first_;
    std::unique_ptr<Solver> second_;
    Solver* answering_ = first_.get();
    Record record_;
    bool is_loaded_ = false;  // the first has the record's model
    int runs_ = 0;
    std::int64_t pivots_ = 0;
};

}  // namespace

bool has_usable_numbers(const Model& model) {
    return are_below(model.cost, costs_below) && are_below(model.value, entries_below) &&
           are_bounds(model.column_lower, model.column_upper) &&
           are_bounds(model.row_lower, model.row_upper);
}

bool is_bounded_below(const Model& model) {
    for (std::size_t j = 0; j < model.cost.size(); ++j) {
        if ((model.cost[j] > 0.0 && model.column_lower[j] <= -no_bound) ||
            (model.cost[j] < 0.0 && model.column_upper[j] >= no_bound)) {
            return false;
        }
    }
    return true;
}

std::unique_ptr<Solver> make_rescue_solver(SolverKind kind, const SolverOptions& options) {
    return std::make_unique<RescueSolver>(kind, options);
}

}  // namespace lockstep::lp::detail
