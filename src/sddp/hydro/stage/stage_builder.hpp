#pragma once

#include <map>
#include <utility>
#include <vector>

#include "sddp/hydro/stage/stage_problem.hpp"

namespace lockstep::sddp {

/// Sum of columns, constants and couplings: a side of a generic constraint.
struct Expression {
    std::map<int, double> columns;
    double constant = 0;
    std::vector<std::pair<int, double>> storage;  // (hydro, coefficient of the incoming storage)
    std::vector<std::pair<int, double>> inflow;   // (hydro, coefficient of the realised inflow)
    // (source × block, coefficient of its availability)
    std::vector<std::pair<std::size_t, double>> available;
    bool has_curtailed = false;                   // bounds of such columns are set with the noise
    std::vector<std::pair<int, double>> transit;  // (place, coefficient of the incoming water)
    std::vector<std::pair<int, double>> energy;   // (battery, coefficient of its incoming energy)

    void add(const Slot& slot, double coefficient) {
        if (slot.column < 0) {
            constant += coefficient * slot.constant;
        } else {
            columns[slot.column] += coefficient;
        }
    }
    void add_curtailed(const Slot& slot, double coefficient) {
        add(slot, coefficient);
        has_curtailed = true;
    }
};

/// Columns and rows of one stage in dollars; scaled at the end.
class StageBuilder {
public:
    StageBuilder(const Problem& problem, int stage, const SpeedOptions& options);
    StageProblem build();

private:
    void trace_rivers();
    // columns
    Slot add_column(Tag tag, double cost, double lower, double upper);
    void add_storages();
    void add_transits();
    [[nodiscard]] bool is_lost(int later) const;
    void add_evaporation(int hydro, bool has_line);
    void add_storage_slack(int hydro);
    void add_cells();
    void add_cell(int hydro, const std::vector<const UnitGroup*>& groups);
    void add_releases(int hydro);
    void add_outflow_slacks(int hydro);
    void add_water_slacks(int hydro);
    void add_thermals();
    void add_commitments();
    [[nodiscard]] const Delivery* pending(const Thermal& thermal, int place) const;
    void add_lines();
    void add_buses();
    void add_sources();
    void add_contracts();
    void add_pumping_stations();
    void add_batteries();
    // rows
    int add_row(Tag tag, double lower, double upper);
    void add_term(int row, const Slot& slot, double coefficient);
    void add_water_balance(int hydro);
    void add_water_balance(int hydro, int period);
    void add_still_water(int hydro, int period);
    void add_rates(int row, int hydro, int period);
    void add_flows(int row, int hydro, int block);
    void add_arrivals(int row, int hydro, int period);
    void add_storage_target(int hydro);
    void add_transit_balances();
    void add_transit_balance(int hydro, int later);
    void add_release(int row, int hydro, int block, double coefficient);
    void add_load_balances();
    void add_commitment_rows();
    void add_energy_balances();
    void add_planes(int cell);
    void add_cell_minima(int cell);
    void add_outflow_limits(int hydro, int block);
    void add_evaporation_line(int hydro, int period);
    void add_generic(const GenericConstraint& constraint, int index, const ConstraintRow& row);
    void add_row_of(const GenericConstraint& constraint,
                    int index,
                    const ConstraintRow& row,
                    const Expression& expression);
    Expression express(const ConstraintRow& row) const;
    void express(const ConstraintTerm& term, int block, double weight, Expression& into) const;
    void express_arrivals(int hydro, int block, double coefficient, Expression& into) const;
    void express_decisions(int thermal, double coefficient, Expression& into) const;
    /// Place in the list of all commitments.
    [[nodiscard]] int commitment_of(int thermal, int delivery_stage) const;
    // storages and hours of the periods
    void add_storage_before(int row, int hydro, int period, double coefficient);
    [[nodiscard]] const Slot& storage_after(int hydro, int period) const;
    [[nodiscard]] double period_hours(int period) const {
        return out_.periods > 1 ? stage_.blocks[at(period)].hours : out_.hours;
    }
    [[nodiscard]] int block_of(int period) const { return out_.periods > 1 ? period : -1; }
    // what the plant's water meets
    [[nodiscard]] bool has_outflow_limits(int hydro, int block) const;
    [[nodiscard]] bool spills_alike_in_blocks(int hydro) const;
    [[nodiscard]] double group_maximum(const UnitGroup& group,
                                       int block,
                                       double productivity) const;
    void scale();
    void finish_states();

    const Problem& problem_;
    const System& system_;
    const Stage& stage_;
    const int t_;
    const SpeedOptions& options_;
    StageProblem out_;
    lp::ModelBuilder lp_;
    std::vector<double> cost_, lower_, upper_;  // columns
    std::vector<double> row_lower_, row_upper_;
    std::vector<std::vector<Coupling>> storage_, inflow_;  // [hydros]
    std::vector<std::vector<Coupling>> available_;         // [sources × blocks]
    std::vector<std::vector<Coupling>> transit_;           // [transits]
    std::vector<std::vector<Coupling>> committed_;         // [commitments]
    std::vector<std::vector<Coupling>> energy_;            // [batteries]
    std::vector<int> first_transit_;                       // [hydros]
    int first_period_ = 0;                                 // of the stage, in the study
    int period_count_ = 0;                                 // of the study
    std::vector<std::vector<int>> upstream_, diverting_;   // [hydros]
    std::vector<std::vector<int>> passing_;  // [hydros], plants not built whose water it gets
};

}  // namespace lockstep::sddp
