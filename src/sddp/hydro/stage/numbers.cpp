#include "lockstep/sddp/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/stage/stage_problem.hpp"

namespace lockstep::sddp {
namespace {

constexpr double no_bound = 1e20;
constexpr double rounding = 1.1e-16;  // of one operation, relative
constexpr double roundings_of_a_sum = 10;
constexpr double tolerance_of_size = 1e-11;  // lp accepts rows within so much of their numbers

/// One LP, with its numbers in the units of the case.
class StageNumbers {
public:
    StageNumbers(const Problem& problem, int stage, const SpeedOptions& options)
        : problem_(problem), stage_(build_stage_problem(problem, stage, options)) {
        find_right_hand_sides();
    }

    [[nodiscard]] int stage_id() const { return problem_.calendar.stages[at(stage_.stage)].id; }
    [[nodiscard]] int future_cost() const noexcept { return stage_.theta; }
    [[nodiscard]] const lp::Model& model() const noexcept { return stage_.model; }

    /// [$ per unit and hour]
    [[nodiscard]] double cost(int column) const {
        return column == stage_.theta ? 0
                                      : model().cost[at(column)] / stage_.objective_scale /
                                            hours_of(stage_.column_tags[at(column)]);
    }
    [[nodiscard]] double right_hand_side(int row) const { return side_[at(row)]; }
    [[nodiscard]] double largest_bound(int column) const {
        return std::max(finite(model().column_lower[at(column)]),
                        finite(model().column_upper[at(column)]));
    }
    [[nodiscard]] bool is_bounded(int column) const {
        return std::abs(model().column_lower[at(column)]) < no_bound &&
               std::abs(model().column_upper[at(column)]) < no_bound;
    }
    [[nodiscard]] std::string column_name(int column) const {
        return words(stage_.column_tags[at(column)]);
    }
    [[nodiscard]] std::string row_name(int row) const { return words(stage_.row_tags[at(row)]); }
    [[nodiscard]] std::string kind_of(int row) const {
        return kind_name(stage_.row_tags[at(row)].kind);
    }

private:
    static double finite(double bound) { return std::abs(bound) < no_bound ? std::abs(bound) : 0; }

    // "water balance FURNAS"
    [[nodiscard]] std::string words(const Tag& tag) const {
        const auto kind = kind_name(tag.kind);
        return kind + name_of(problem_, stage_, tag).substr(kind.size());
    }

    [[nodiscard]] double hours_of(const Tag& tag) const {
        const auto& blocks = problem_.calendar.stages[at(stage_.stage)].blocks;
        return tag.block >= 0 ? blocks[at(tag.block)].hours : stage_.hours;
    }

    // Loads are no part of the template: they come with the noise.
    void find_right_hand_sides() {
        side_.resize(at(model().rows()));
        for (int row = 0; row < model().rows(); ++row) {
            side_[at(row)] =
                std::max(finite(model().row_lower[at(row)]), finite(model().row_upper[at(row)]));
        }
        for (int b = 0; b < std::ssize(problem_.system.buses); ++b) {
            const auto& bus = problem_.system.buses[at(b)];
            for (int k = 0; k < stage_.blocks; ++k) {
                side_[at(stage_.map.load_row[stage_.at(b, k)])] +=
                    std::abs(bus.mean_load_mw[at(stage_.stage)] * bus.load_factor(stage_.stage, k));
            }
        }
    }

    const Problem& problem_;
    StageProblem stage_;
    std::vector<double> side_;
};

/// Calls visit(row, column, value) for each entry.
template <typename Visit>
void for_each_entry(const lp::Model& model, Visit&& visit) {
    for (int column = 0; column < model.columns(); ++column) {
        for (int k = model.column_start[at(column)]; k < model.column_start[at(column) + 1]; ++k) {
            visit(model.row_index[at(k)], column, model.value[at(k)]);
        }
    }
}

class Ranges {
public:
    /// @param name  makes the place, where it is needed
    template <typename Name>
    void add(const std::string& kind, int stage, double number, Name&& name) {
        const double size = std::abs(number);
        if (size == 0 || size >= no_bound) {
            return;
        }
        auto range = std::find_if(
            ranges_.begin(), ranges_.end(), [&](const auto& r) { return r.kind == kind; });
        if (range == ranges_.end()) {
            ranges_.push_back({kind, {size, stage, name()}, {size, stage, name()}});
            return;
        }
        if (size < range->least.size) {
            range->least = {size, stage, name()};
        }
        if (size > range->most.size) {
            range->most = {size, stage, name()};
        }
    }
    [[nodiscard]] std::vector<NumberRange> take() { return std::move(ranges_); }

private:
    std::vector<NumberRange> ranges_;
};

void add_coefficients(const StageNumbers& numbers, Ranges& ranges) {
    const int stage = numbers.stage_id();
    for_each_entry(numbers.model(), [&](int row, int column, double value) {
        ranges.add(numbers.kind_of(row), stage, value, [&] {
            return numbers.column_name(column) + " in " + numbers.row_name(row);
        });
    });
}

void add_sides(const StageNumbers& numbers, Ranges& ranges) {
    for (int row = 0; row < numbers.model().rows(); ++row) {
        ranges.add("right-hand sides", numbers.stage_id(), numbers.right_hand_side(row), [&] {
            return numbers.row_name(row);
        });
    }
}

void add_columns(const StageNumbers& numbers, Ranges& bounds, Ranges& costs) {
    const auto& model = numbers.model();
    for (int column = 0; column < model.columns(); ++column) {
        const auto name = [&] { return numbers.column_name(column); };
        bounds.add("bounds", numbers.stage_id(), model.column_lower[at(column)], name);
        bounds.add("bounds", numbers.stage_id(), model.column_upper[at(column)], name);
        costs.add("costs", numbers.stage_id(), numbers.cost(column), name);
    }
}

/// The two costs of a stage that lie furthest apart.
struct CostRange {
    double least = 0, most = 0;  // [$ per unit and hour]
    double scaled_least = 0, scaled_most = 0;
    std::string cheapest, dearest;
    int stage = 0;
};

CostRange costs_of(const StageNumbers& numbers) {
    CostRange range;
    const auto& model = numbers.model();
    int least = -1;
    int most = -1;
    for (int column = 0; column < model.columns(); ++column) {
        const double cost = column == numbers.future_cost() ? 0 : model.cost[at(column)];
        if (cost > 0 && (least < 0 || cost < model.cost[at(least)])) {
            least = column;
        }
        if (cost > 0 && (most < 0 || cost > model.cost[at(most)])) {
            most = column;
        }
    }
    if (least >= 0) {
        range = {numbers.cost(least),
                 numbers.cost(most),
                 model.cost[at(least)],
                 model.cost[at(most)],
                 numbers.column_name(least),
                 numbers.column_name(most),
                 numbers.stage_id()};
    }
    return range;
}

void warn_of_costs(const CostRange& worst, double dual_tolerance, Problems& problems) {
    const double error = roundings_of_a_sum * rounding * worst.scaled_most;
    if (error <= dual_tolerance) {
        return;
    }
    const double digits = std::max(0.0, std::log10(worst.scaled_least / error));
    problems.add(
        ProblemKind::model_quality,
        subject::numbers,
        fmt::format("stage {}", worst.stage),
        fmt::format("costs from {:.3g} ({}) to {:.3g} $ per unit and hour ({}): of the smallest "
                    "{:.1f} digits are left where the solver's tolerance asks for {:.1f}; "
                    "penalties of at most {:.1g} would leave enough",
                    worst.least,
                    worst.cheapest,
                    worst.most,
                    worst.dearest,
                    digits,
                    std::log10(worst.scaled_least / dual_tolerance),
                    worst.most * dual_tolerance / error));
}

/// Terms too small to be seen beside the tolerance of their row.
struct LostTerms {
    int count = 0;
    std::string first;
    int stage = 0;
};

void add_lost_terms(const StageNumbers& numbers, double primal_tolerance, LostTerms& lost) {
    for_each_entry(numbers.model(), [&](int row, int column, double value) {
        const double largest = std::abs(value) * numbers.largest_bound(column);
        const double tolerance =
            std::max(primal_tolerance, tolerance_of_size * numbers.right_hand_side(row));
        if (numbers.is_bounded(column) && largest > 0 && largest < tolerance) {
            if (lost.count == 0) {
                lost.first = fmt::format("{} in {} is at most {:.2g} of it",
                                         numbers.column_name(column),
                                         numbers.row_name(row),
                                         largest);
                lost.stage = numbers.stage_id();
            }
            ++lost.count;
        }
    });
}

void warn_of_lost_terms(const LostTerms& lost, Problems& problems) {
    if (lost.count > 0) {
        problems.add(ProblemKind::model_quality,
                     subject::numbers,
                     fmt::format("stage {}", lost.stage),
                     fmt::format("{} terms of constraints are smaller than the tolerance of the "
                                 "solver and have no effect, the first: {}",
                                 lost.count,
                                 lost.first));
    }
}

}  // namespace

std::vector<NumberRange> number_ranges(const Problem& problem, const SpeedOptions& options) {
    Ranges coefficients;
    Ranges sides;
    Ranges bounds;
    Ranges costs;
    for (int t = 0; t < problem.stage_count(); ++t) {
        const StageNumbers numbers(problem, t, options);
        add_coefficients(numbers, coefficients);
        add_sides(numbers, sides);
        add_columns(numbers, bounds, costs);
    }
    auto all = coefficients.take();
    for (auto* part : {&sides, &bounds, &costs}) {
        for (auto& range : part->take()) {
            all.push_back(std::move(range));
        }
    }
    return all;
}

void check_numbers(const Problem& problem,
                   const SpeedOptions& options,
                   const lp::SolverOptions& tolerances,
                   Problems& problems) {
    CostRange worst;
    LostTerms lost;
    for (int t = 0; t < problem.stage_count(); ++t) {
        const StageNumbers numbers(problem, t, options);
        if (auto range = costs_of(numbers); range.scaled_most > worst.scaled_most) {
            worst = std::move(range);
        }
        add_lost_terms(numbers, tolerances.primal_tolerance, lost);
    }
    warn_of_costs(worst, tolerances.dual_tolerance, problems);
    warn_of_lost_terms(lost, problems);
}

}  // namespace lockstep::sddp
