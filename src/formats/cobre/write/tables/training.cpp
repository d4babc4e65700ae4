#include "formats/cobre/write/tables/training.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lockstep::formats::cobre::out {
namespace {

using sddp::IterationReport;

std::int64_t milliseconds(double seconds) {
    return std::llround(seconds * 1e3);
}

// Collectives of rank 0, waiting for the others included.
double exchange_seconds(const IterationReport& r) {
    return r.ranks.empty() ? 0
                           : r.ranks.front().communication_seconds + r.ranks.front().wait_seconds;
}

double accounted_seconds(const IterationReport& r) {
    return r.forward.wall_seconds + r.backward.wall_seconds + r.bound.wall_seconds +
           exchange_seconds(r);
}

double selection_seconds(const IterationReport& r) {
    return std::accumulate(
        r.selection.begin(), r.selection.end(), 0.0, [](double sum, const auto& node) {
            return sum + node.seconds;
        });
}

double gap_percent(double upper, const IterationReport& r) {
    return 100 * (upper - r.lower_bound) / std::max(1.0, std::abs(r.lower_bound));
}

std::optional<double> finite(double value) {
    return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

}  // namespace

const TableDefinition<ConvergenceRow>& convergence_table() {
    using Row = ConvergenceRow;
    static const TableDefinition<Row> table(
        "training/convergence",
        {
            {"iteration",
             "",
             "Iteration, from 1",
             [](const Row& r) -> std::int32_t { return r.report->iteration; }},
            {"lower_bound",
             "$",
             "Bound of the expected cost by the cuts after this iteration",
             [](const Row& r) { return r.report->lower_bound; }},
            {"upper_bound",
             "$",
             "Mean discounted cost of this iteration's trajectories; of enumerated passes the cost "
             "of the policy",
             [](const Row& r) { return r.report->upper_bound; }},
            {"upper_bound_std",
             "$",
             "Sample standard deviation of those costs; null for one trajectory and where the "
             "upper "
             "bound is exact",
             [](const Row& r) {
                 return r.forward_passes > 1 && !r.report->is_upper_bound_exact
                            ? finite(r.report->upper_bound_std)
                            : std::nullopt;
             }},
            {"upper_bound_kind",
             "",
             "How the upper bound was found: statistical (a mean of samples) or exact (all of a "
             "tree)",
             [](const Row& r) {
                 return std::string(r.report->is_upper_bound_exact ? "exact" : "statistical");
             }},
            {"gap_percent",
             "%",
             "100 (upper_bound - lower_bound) / max(1, |lower_bound|)",
             [](const Row& r) { return finite(100 * r.report->gap); }},
            {"cuts_added",
             "",
             "Cuts made in this iteration, all stages",
             [](const Row& r) -> std::int32_t { return r.report->cuts_added; }},
            {"cuts_removed",
             "",
             "Cuts switched off in this iteration, all stages",
             [](const Row& r) { return static_cast<std::int32_t>(r.cuts_removed); }},
            {"cuts_active",
             "",
             "Active cuts after this iteration, all stages",
             [](const Row& r) { return r.report->cuts_active; }},
            {"time_forward_ms",
             "ms",
             "Wall time of the forward pass",
             [](const Row& r) { return milliseconds(r.report->forward.wall_seconds); }},
            {"time_backward_ms",
             "ms",
             "Wall time of the backward pass",
             [](const Row& r) { return milliseconds(r.report->backward.wall_seconds); }},
            {"time_total_ms",
             "ms",
             "Wall time of the iteration",
             [](const Row& r) { return milliseconds(r.report->wall_seconds); }},
            {"forward_passes",
             "",
             "Trajectories of this iteration, all ranks",
             [](const Row& r) -> std::int32_t { return r.forward_passes; }},
            {"lp_solves",
             "",
             "LP solves of this iteration on the writing rank",
             [](const Row& r) {
                 return r.report->forward.solves + r.report->backward.solves +
                        r.report->bound.solves;
             }},
            {"mean_rows_in_lp",
             "",
             "Mean number of cut rows in an LP of the backward pass",
             [](const Row& r) { return r.report->mean_cuts_in_lp; }},
        });
    return table;
}

const TableDefinition<IterationReport>& timing_table() {
    using Row = IterationReport;
    static const TableDefinition<Row> table(
        "training/timing/iterations",
        {
            {"iteration",
             "",
             "Iteration, from 1",
             [](const Row& r) -> std::int32_t { return r.iteration; }},
            {"rank",
             "",
             "Rank whose times these are",
             [](const Row&) -> std::optional<std::int32_t> { return 0; }},
            {"worker_id",
             "",
             "Null: times of the whole rank",
             [](const Row&) -> std::optional<std::int32_t> { return std::nullopt; }},
            {"forward_wall_ms",
             "ms",
             "Forward pass",
             [](const Row& r) { return milliseconds(r.forward.wall_seconds); }},
            {"backward_wall_ms",
             "ms",
             "Backward pass",
             [](const Row& r) { return milliseconds(r.backward.wall_seconds); }},
            {"cut_selection_ms",
             "ms",
             "Pricing cuts at visited states for their selection, summed over threads",
             [](const Row& r) { return milliseconds(selection_seconds(r)); }},
            {"mpi_allreduce_ms",
             "ms",
             "Communication between ranks, waiting included",
             [](const Row& r) { return milliseconds(exchange_seconds(r)); }},
            zero<std::int64_t, Row>("cut_sync_ms", "ms"),
            {"lower_bound_ms",
             "ms",
             "Evaluation of the lower bound",
             [](const Row& r) { return milliseconds(r.bound.wall_seconds); }},
            zero<std::int64_t, Row>("state_exchange_ms", "ms"),
            zero<std::int64_t, Row>("cut_batch_build_ms", "ms"),
            zero<std::int64_t, Row>("bwd_setup_ms", "ms"),
            zero<std::int64_t, Row>("bwd_load_imbalance_ms", "ms"),
            zero<std::int64_t, Row>("bwd_scheduling_overhead_ms", "ms"),
            zero<std::int64_t, Row>("fwd_setup_ms", "ms"),
            zero<std::int64_t, Row>("fwd_load_imbalance_ms", "ms"),
            zero<std::int64_t, Row>("fwd_scheduling_overhead_ms", "ms"),
            {"overhead_ms",
             "ms",
             "What the columns before leave of the iteration's wall time",
             [](const Row& r) {
                 return milliseconds(std::max(0.0, r.wall_seconds - accounted_seconds(r)));
             }},
            zero<std::int64_t, Row>("lazy_scoring_ms", "ms"),
        });
    return table;
}

const TableDefinition<IterationReport>& inner_bound_table() {
    using Row = IterationReport;
    static const TableDefinition<Row> table(
        "training/inner_bounds",
        {
            {"iteration",
             "",
             "Iteration, from 1",
             [](const Row& r) -> std::int32_t { return r.iteration; }},
            {"inner_bound",
             "$",
             "Lowest upper bound from within so far; null before there is one",
             [](const Row& r) { return finite(r.inner_bound); }},
            {"gap_percent",
             "%",
             "100 (inner_bound - lower_bound) / max(1, |lower_bound|)",
             [](const Row& r) { return finite(gap_percent(r.inner_bound, r)); }},
            {"time_ms",
             "ms",
             "Wall time of its evaluation; 0 where the iteration had none",
             [](const Row& r) { return 1e3 * r.inner_seconds; }},
        });
    return table;
}

const TableDefinition<IterationReport>& policy_cost_table() {
    using Row = IterationReport;
    static const TableDefinition<Row> table(
        "training/policy_costs",
        {
            {"iteration",
             "",
             "Iteration, from 1",
             [](const Row& r) -> std::int32_t { return r.iteration; }},
            {"policy_cost",
             "$",
             "Last estimate of the policy's cost under its risk measures; null before there is one",
             [](const Row& r) { return finite(r.policy_cost); }},
            {"half_width_95",
             "$",
             "Half of its 95 % interval",
             [](const Row& r) { return r.policy_cost_half_width_95; }},
            {"gap_percent",
             "%",
             "100 (policy_cost - lower_bound) / max(1, |lower_bound|)",
             [](const Row& r) { return finite(gap_percent(r.policy_cost, r)); }},
            {"time_ms",
             "ms",
             "Wall time of the estimate; 0 where the iteration had none",
             [](const Row& r) { return 1e3 * r.policy_cost_seconds; }},
        });
    return table;
}

const TableDefinition<CutSelectionRow>& cut_selection_table() {
    using Row = CutSelectionRow;
    static const TableDefinition<Row> table(
        "training/cut_selection/iterations",
        {
            {"iteration",
             "",
             "Iteration, from 1",
             [](const Row& r) -> std::int32_t { return r.iteration; }},
            {"stage_id",
             "",
             "Stage id as declared; a row for each of its nodes",
             [](const Row& r) -> std::int32_t { return r.stage_id; }},
            {"cuts_populated",
             "",
             "Cuts that there are after the node",
             [](const Row& r) -> std::int32_t { return r.report->cuts; }},
            {"cuts_active_before",
             "",
             "Of these active before the selection",
             [](const Row& r) -> std::int32_t { return r.report->before; }},
            {"cuts_deactivated",
             "",
             "Switched off by the method",
             [](const Row& r) -> std::int32_t { return r.report->deselected; }},
            {"cuts_reactivated",
             "",
             "Switched on again",
             [](const Row& r) -> std::int32_t { return r.report->reselected; }},
            {"cuts_active_after",
             "",
             "Active after the method",
             [](const Row& r) -> std::int32_t { return r.report->after() + r.report->evicted; }},
            {"selection_time_ms",
             "ms",
             "Pricing the node's cuts at visited states; 0 where another rank did",
             [](const Row& r) { return 1e3 * r.report->seconds; }},
            {"budget_evicted",
             "",
             "Switched off for max_active_per_stage; null without it",
             [](const Row& r) { return r.within_budget(r.report->evicted); }},
            {"active_after_budget",
             "",
             "Active in the end; null without max_active_per_stage",
             [](const Row& r) { return r.within_budget(r.report->after()); }},
        });
    return table;
}

const TableDefinition<RankRow>& rank_table() {
    using Row = RankRow;
    static const TableDefinition<Row> table(
        "training/timing/ranks",
        {
            {"iteration",
             "",
             "Iteration, from 1",
             [](const Row& r) -> std::int32_t { return r.iteration; }},
            {"rank", "", "Rank, from 0", [](const Row& r) -> std::int32_t { return r.rank; }},
            {"trajectories",
             "",
             "Trajectories that the rank ran",
             [](const Row& r) { return r.report->trajectories; }},
            {"lp_solves",
             "",
             "LP solves of the rank",
             [](const Row& r) { return r.report->solves; }},
            {"compute_ms",
             "ms",
             "Everything but the next three",
             [](const Row& r) { return 1e3 * r.report->compute_seconds; }},
            {"communication_ms",
             "ms",
             "In collectives once all ranks had come",
             [](const Row& r) { return 1e3 * r.report->communication_seconds; }},
            {"wait_ms",
             "ms",
             "In collectives until all ranks had come",
             [](const Row& r) { return 1e3 * r.report->wait_seconds; }},
            {"io_ms",
             "ms",
             "Writing the checkpoint before the iteration",
             [](const Row& r) { return 1e3 * r.report->io_seconds; }},
            {"forward_ms",
             "ms",
             "Wall time of the forward pass",
             [](const Row& r) { return 1e3 * r.report->forward_seconds; }},
            {"backward_ms",
             "ms",
             "Wall time of the backward pass",
             [](const Row& r) { return 1e3 * r.report->backward_seconds; }},
            {"lower_bound_ms",
             "ms",
             "Wall time of the lower bound",
             [](const Row& r) { return 1e3 * r.report->bound_seconds; }},
            {"bytes_sent",
             "B",
             "Contributions to collectives",
             [](const Row& r) { return r.report->bytes_sent; }},
            {"bytes_received",
             "B",
             "Contributions of the other ranks",
             [](const Row& r) { return r.report->bytes_received; }},
            {"bytes_borrowed",
             "B",
             "Cuts and stage LPs that the rank reads in memory of another one of its node",
             [](const Row& r) { return r.report->borrowed_bytes; }},
        });
    return table;
}

const TableDefinition<BoundRow>& bounds_table() {
    using Row = BoundRow;
    static const TableDefinition<Row> table(
        "training/dictionaries/bounds",
        {
            {"entity_type_code",
             "",
             "Entity type, see codes.json",
             [](const Row& r) { return static_cast<std::int8_t>(r.entity); }},
            {"entity_id",
             "",
             "Id of the entity in its type",
             [](const Row& r) -> std::int32_t { return r.id; }},
            {"hydro_id",
             "",
             "Plant of a unit group; null for other entities",
             [](const Row& r) { return r.hydro_id; }},
            {"stage_id",
             "",
             "Stage id as declared",
             [](const Row& r) -> std::int32_t { return r.stage_id; }},
            {"block_id",
             "",
             "Block index, from 0; null when the bound holds in all blocks",
             [](const Row& r) { return r.block; }},
            {"bound_type_code",
             "",
             "Which bound, see codes.json",
             [](const Row& r) { return static_cast<std::int8_t>(r.bound); }},
            {"bound_value",
             "by bound type",
             "Resolved bound: hm3, m3/s, MW or MWh; no row where there is no limit",
             [](const Row& r) { return r.value; }},
        });
    return table;
}

void describe_training_tables(std::vector<ColumnDescription>& out) {
    convergence_table().describe(out);
    timing_table().describe(out);
    inner_bound_table().describe(out);
    policy_cost_table().describe(out);
    cut_selection_table().describe(out);
    rank_table().describe(out);
    bounds_table().describe(out);
}

}  // namespace lockstep::formats::cobre::out
