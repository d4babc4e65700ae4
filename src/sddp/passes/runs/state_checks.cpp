#include "sddp/passes/runs/state_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::sddp {

namespace {

/// Beyond what any run counts, and sums of such numbers stay in range.
constexpr std::int64_t largest_count = std::int64_t{1} << 53;

void need_number(double value, std::string_view what) {
    if (!std::isfinite(value)) {
        throw InputError(fmt::format("{} is {}, must be a finite number", what, value));
    }
}

/// Solvers take larger numbers for infinite.
constexpr double largest_money = 1e20;

void need_money(double value, std::string_view what) {
    need_number(value, what);
    if (std::abs(value) > largest_money) {
        throw InputError(fmt::format(
            "{} is {}, must be in [{}, {}]", what, value, -largest_money, largest_money));
    }
}

void need_within(std::int64_t value, std::int64_t low, std::int64_t high, std::string_view what) {
    if (value < low || value > high) {
        throw InputError(fmt::format("{} is {}, must be in [{}, {}]", what, value, low, high));
    }
}

void need_size(std::size_t found, std::size_t allowed, std::string_view what) {
    if (found != allowed) {
        throw InputError(fmt::format("a basis has {} {}, must have {}", found, what, allowed));
    }
}

/// A simplex basis has as many as rows; solvers do not survive another number.
std::size_t basic_variables(const lp::Basis& basis) {
    const auto count = [](const std::vector<lp::VariableStatus>& statuses) {
        return std::ranges::count(statuses, lp::VariableStatus::basic);
    };
    return static_cast<std::size_t>(count(basis.column) + count(basis.row));
}

void check_work(const PhaseReport& work) {
    for (const std::int64_t count :
         {work.solves, work.units, work.pivots, work.resident_cuts, work.warm_starts}) {
        need_within(count, 0, largest_count, "a count of work");
    }
    for (const std::int64_t count : work.retried) {
        need_within(count, 0, largest_count, "a count of retries");
    }
    for (const double seconds : {work.solve_seconds,
                                 work.wall_seconds,
                                 work.load_seconds,
                                 work.bounds_seconds,
                                 work.basis_seconds}) {
        need_number(seconds, "a time");
    }
}

void check_rank(const RankReport& rank) {
    for (const std::int64_t count : {rank.bytes_sent,
                                     rank.bytes_received,
                                     rank.borrowed_bytes,
                                     rank.solves,
                                     rank.trajectories}) {
        need_within(count, 0, largest_count, "a count of a rank");
    }
    for (const double seconds : {rank.compute_seconds,
                                 rank.communication_seconds,
                                 rank.wait_seconds,
                                 rank.io_seconds,
                                 rank.forward_seconds,
                                 rank.backward_seconds,
                                 rank.bound_seconds}) {
        need_number(seconds, "a time of a rank");
    }
}

void check_place(const WorkRow& row, const Model& model) {
    need_within(row.stage, 0, model.graph().stages() - 1, "a stage of the work");
    const auto& graph = model.graph();
    int openings = 0;
    for (int node = graph.first(row.stage); node < graph.first(row.stage) + graph.width(row.stage);
         ++node) {
        openings = std::max(openings, model.outcomes(node));
    }
    need_within(row.opening, -1, openings - 1, "an opening of the work");
}

void check_selection(const SelectionReport& selection, const Model& model) {
    need_within(selection.node, 0, model.graph().nodes() - 1, "a node of a selection");
    for (const std::int64_t count : {selection.cuts,
                                     selection.before,
                                     selection.deselected,
                                     selection.reselected,
                                     selection.evicted}) {
        need_within(count, 0, selection.cuts, "a count of selected cuts");
    }
    need_number(selection.seconds, "a time of a selection");
}

void check_report(const IterationReport& report, const Model& model) {
    for (const double figure : {report.lower_bound,
                                report.upper_bound,
                                report.upper_bound_std,
                                report.half_width_95,
                                report.gap,
                                report.mean_cuts_in_lp,
                                report.inner_seconds,
                                report.policy_cost_half_width_95,
                                report.policy_cost_seconds,
                                report.wall_seconds,
                                report.elapsed_seconds}) {
        need_number(figure, fmt::format("a figure of iteration {}", report.iteration));
    }
    if (!(report.inner_bound == lp::infinity)) {
        need_money(report.inner_bound, "an inner bound");
    }
    if (!(report.policy_cost == lp::infinity)) {
        need_money(report.policy_cost, "a cost of the policy");
    }
    need_within(report.cuts_added, 0, largest_count, "a number of new cuts");
    need_within(report.cuts_active, 0, largest_count, "a number of active cuts");
    for (const PhaseReport* phase : {&report.forward, &report.backward, &report.bound}) {
        check_work(*phase);
    }
    for (const RankReport& rank : report.ranks) {
        check_rank(rank);
    }
    for (const SelectionReport& selection : report.selection) {
        check_selection(selection, model);
    }
    for (const WorkRow& row : report.work.rows()) {
        check_place(row, model);
        check_work(row.work);
    }
}

}  // namespace

void check_cuts(const CutPool& pool, int iterations, bool is_last_stage) {
    if (is_last_stage && pool.size() > 0) {
        throw InputError(fmt::format("the last stage has {} cuts, must have none", pool.size()));
    }
    for (int cut = 0; cut < pool.size(); ++cut) {
        need_money(pool.intercept(cut), fmt::format("the intercept of cut {}", cut));
        need_within(pool.iteration(cut), 0, iterations, "the iteration of a cut");
        need_within(pool.trajectory(cut), 0, largest_count, "the trajectory of a cut");
        need_within(pool.last_active(cut),
                    pool.iteration(cut),
                    iterations,
                    "the iteration in which a cut was last active");
    }
}

void check_outcomes(const CutPool& pool, const StageLp& stage) {
    const auto most = static_cast<std::int64_t>(stage.outcome_theta.size()) - 1;
    for (int cut = 0; cut < pool.size(); ++cut) {
        need_within(pool.outcome(cut), -1, most, "the outcome of a cut");
    }
}

void check_slopes(std::span<const std::byte> slopes) {
    for (std::size_t place = 0; place + sizeof(double) <= slopes.size(); place += sizeof(double)) {
        double slope = 0;
        std::memcpy(&slope, slopes.subspan(place).data(), sizeof slope);
        need_money(slope, "a slope of a cut");
    }
}

void check_basis(const StoredBasis& basis, const StageLp& stage, int cuts) {
    const bool is_none =
        basis.basis.column.empty() && basis.basis.row.empty() && basis.cuts.empty();
    if (is_none) {
        return;
    }
    need_size(basis.basis.column.size(), at(stage.model.columns()), "columns");
    need_size(basis.basis.row.size(), at(stage.model.rows()) + basis.cuts.size(), "rows");
    need_size(basic_variables(basis.basis), basis.basis.row.size(), "basic variables");
    for (const int cut : basis.cuts) {
        need_within(cut, 0, std::int64_t{cuts} - 1, "a cut of a basis");
    }
}

void check_earlier(std::span<const double> bounds, int iteration) {
    need_within(std::ssize(bounds), 0, iteration - 1, "the number of earlier iterations");
    for (const double bound : bounds) {
        need_number(bound, "the bound of an earlier iteration");
    }
}

void check_history(std::span<const IterationReport> history,
                   int earlier,
                   int iteration,
                   const Model& model) {
    if (history.size() != at(iteration - earlier)) {
        throw InputError(fmt::format(
            "the history has {} iterations, must have {}", history.size(), iteration - earlier));
    }
    int number = earlier;
    for (const IterationReport& report : history) {
        ++number;
        need_within(report.iteration, number, number, "the number of an iteration");
        check_report(report, model);
    }
}

}  // namespace lockstep::sddp
