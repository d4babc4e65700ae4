#include "lockstep/lp/conflict.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "lockstep/base/index.hpp"

namespace lockstep::lp {
namespace {

/// One finite side of a row or column that may take part in a conflict.
struct Limit {
    enum class Kind { row, column_lower, column_upper };
    Kind kind;
    int index;
};

Conflict conflict_of(const std::vector<Limit>& limits, bool is_irreducible) {
    Conflict conflict;
    conflict.is_irreducible = is_irreducible;
    for (const Limit& limit : limits) {
        switch (limit.kind) {
            case Limit::Kind::row:
                conflict.rows.push_back(limit.index);
                break;
            case Limit::Kind::column_lower:
                conflict.column_lower.push_back(limit.index);
                break;
            case Limit::Kind::column_upper:
                conflict.column_upper.push_back(limit.index);
                break;
        }
    }
    return conflict;
}

/// A row or column whose own two bounds cross is a conflict by itself.
std::vector<Limit> crossed_bounds(const Model& model) {
    for (int row = 0; row < model.rows(); ++row) {
        if (model.row_lower[at(row)] > model.row_upper[at(row)]) {
            return {{Limit::Kind::row, row}};
        }
    }
    for (int column = 0; column < model.columns(); ++column) {
        if (model.column_lower[at(column)] > model.column_upper[at(column)]) {
            return {{Limit::Kind::column_lower, column}, {Limit::Kind::column_upper, column}};
        }
    }
    return {};
}

/// The model with free columns, its bounds written as rows, and a surplus and a shortage of each
/// row at a price of 1. Row i < rows is the model's row i; then come the bounds of the columns.
class RelaxedModel {
public:
    RelaxedModel(const Model& model, SolverKind kind, const SolverOptions& options)
        : model_(model), solver_(make_solver(kind, options)) {
        list_limits();
        solver_->load(relaxed());
    }

    [[nodiscard]] const std::vector<Limit>& limits() const noexcept { return limits_; }

    /// Solves with all limits that are not lifted.
    Status solve() { return solver_->solve(); }

    /// Least sum of violations, and whether a limit has a price in it.
    [[nodiscard]] double violation() const { return solver_->objective(); }
    [[nodiscard]] bool has_price(std::size_t limit) const {
        return std::abs(solver_->dual()[limit]) > 1e-9;
    }

    void lift(std::size_t limit) {
        solver_->set_row_bounds(static_cast<int>(limit), -infinity, infinity);
    }
    void restore(std::size_t limit) {
        const auto [lower, upper] = bounds_of(limits_[limit]);
        solver_->set_row_bounds(static_cast<int>(limit), lower, upper);
    }

private:
    struct Bounds {
        double lower;
        double upper;
    };

    [[nodiscard]] Bounds bounds_of(const Limit& limit) const {
        const std::size_t index = at(limit.index);
        switch (limit.kind) {
            case Limit::Kind::column_lower:
                return {model_.column_lower[index], infinity};
            case Limit::Kind::column_upper:
                return {-infinity, model_.column_upper[index]};
            case Limit::Kind::row:
                break;
        }
        return {model_.row_lower[index], model_.row_upper[index]};
    }

    void list_limits() {
        for (int row = 0; row < model_.rows(); ++row) {
            limits_.push_back({Limit::Kind::row, row});
        }
        for (int column = 0; column < model_.columns(); ++column) {
            if (std::isfinite(model_.column_lower[at(column)])) {
                limits_.push_back({Limit::Kind::column_lower, column});
            }
            if (std::isfinite(model_.column_upper[at(column)])) {
                limits_.push_back({Limit::Kind::column_upper, column});
            }
        }
    }

    [[nodiscard]] Model relaxed() const {
        ModelBuilder builder;
        for (int column = 0; column < model_.columns(); ++column) {
            builder.add_column(0.0, -infinity, infinity);
        }
        for (const Limit& limit : limits_) {
            const auto [lower, upper] = bounds_of(limit);
            const int row = builder.add_row(lower, upper);
            builder.add_entry(row, builder.add_column(1.0, 0.0, infinity), 1.0);
            builder.add_entry(row, builder.add_column(1.0, 0.0, infinity), -1.0);
            if (limit.kind != Limit::Kind::row) {
                builder.add_entry(row, limit.index, 1.0);
            }
        }
        for (int column = 0; column < model_.columns(); ++column) {
            const int end = model_.column_start[at(column) + 1];
            for (int k = model_.column_start[at(column)]; k < end; ++k) {
                builder.add_entry(model_.row_index[at(k)], column, model_.value[at(k)]);
            }
        }
        return builder.build();
    }

    const Model& model_;
    std::unique_ptr<Solver> solver_;
    std::vector<Limit> limits_;
};

/// The limits that still take part, and the filters that shorten the list.
class Filter {
public:
    Filter(RelaxedModel& relaxed, double least_violation, int solve_limit)
        : relaxed_(relaxed),
          least_violation_(least_violation),
          solves_left_(solve_limit),
          kept_(relaxed.limits().size(), 1) {}

    /// Least sum of violations of what is kept is above rounding.
    bool is_conflict() {
        --solves_left_;
        return relaxed_.solve() == Status::optimal && relaxed_.violation() > least_violation_;
    }

    /// The duals of the relaxed optimum are a proof, and it names only limits with a price.
    void keep_only_priced() {
        std::vector<char> priced(kept_.size());
        for (std::size_t limit = 0; limit < kept_.size(); ++limit) {
            priced[limit] = relaxed_.has_price(limit) ? 1 : 0;
        }
        keep(priced);
        if (!is_conflict()) {  // a price was lost to rounding
            keep(std::vector<char>(kept_.size(), 1));
        }
    }

    /// Leaves out whatever the conflict does not need.
    /// @return whether every limit has had its turn
    bool delete_one_by_one() {
        for (std::size_t limit = 0; limit < kept_.size(); ++limit) {
            if (kept_[limit] == 0) {
                continue;
            }
            if (solves_left_ <= 0) {
                return false;
            }
            relaxed_.lift(limit);
            kept_[limit] = is_conflict() ? 0 : 1;
            if (kept_[limit] != 0) {
                relaxed_.restore(limit);
            }
        }
        return true;
    }

    [[nodiscard]] std::vector<Limit> members() const {
        std::vector<Limit> members;
        for (std::size_t limit = 0; limit < kept_.size(); ++limit) {
            if (kept_[limit] != 0) {
                members.push_back(relaxed_.limits()[limit]);
            }
        }
        return members;
    }

private:
    void keep(const std::vector<char>& wanted) {
        kept_ = wanted;
        for (std::size_t limit = 0; limit < kept_.size(); ++limit) {
            if (kept_[limit] != 0) {
                relaxed_.restore(limit);
            } else {
                relaxed_.lift(limit);
            }
        }
    }

    RelaxedModel& relaxed_;
    double least_violation_;
    int solves_left_;
    std::vector<char> kept_;
};

constexpr double tolerances_that_are_rounding = 100.0;

}  // namespace

Conflict find_conflict(const Model& model,
                       SolverKind kind,
                       const SolverOptions& options,
                       int solve_limit) {
    if (const std::vector<Limit> crossed = crossed_bounds(model); !crossed.empty()) {
        return conflict_of(crossed, true);
    }
    RelaxedModel relaxed(model, kind, options);
    Filter filter(relaxed, tolerances_that_are_rounding * options.primal_tolerance, solve_limit);
    if (!filter.is_conflict()) {
        return {};
    }
    filter.keep_only_priced();
    const bool is_irreducible = filter.delete_one_by_one();
    return conflict_of(filter.members(), is_irreducible);
}

}  // namespace lockstep::lp
