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
    bool has_curtailed = false;  // bounds of such columns are set with the noise

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
    // columns
    Slot add_column(Tag tag, double cost, double lower, double upper);
    void add_storages();
    void add_cells();
    void add_cell(int hydro, const std::vector<const UnitGroup*>& groups);
    void add_releases(int hydro);
    void add_outflow_slacks(int hydro);
    void add_water_slacks(int hydro);
    void add_thermals();
    void add_lines();
    void add_buses();
    void add_sources();
    void add_contracts();
    void add_pumping_stations();
    // rows
    int add_row(Tag tag, double lower, double upper);
    void add_term(int row, const Slot& slot, double coefficient);
    void add_water_balance(int hydro);
    void add_load_balances();
    void add_planes(int cell);
    void add_cell_minima(int cell);
    void add_outflow_limits(int hydro, int block);
    void add_evaporation_line(int hydro);
    void add_generic(const GenericConstraint& constraint, int index, const ConstraintRow& row);
    void add_row_of(const GenericConstraint& constraint,
                    int index,
                    const ConstraintRow& row,
                    const Expression& expression);
    Expression express(const ConstraintRow& row) const;
    void express(const ConstraintTerm& term, int block, double weight, Expression& into) const;
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
    std::vector<std::vector<int>> upstream_, diverting_;   // [hydros]
};

}  // namespace lockstep::sddp
