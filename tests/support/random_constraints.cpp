#include "support/random_constraints.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"

namespace lockstep::test {
namespace {

using sddp::Quantity;

constexpr double infinity = std::numeric_limits<double>::infinity();

class ConstraintWriter {
public:
    ConstraintWriter(sddp::Problem& problem, Dice& dice) : problem_(problem), dice_(dice) {}

    void write() {
        const int soft = dice_.integer(0, 3);
        for (int i = 0; i < soft; ++i) {
            add(soft_constraint());
        }
        const int hard = dice_.integer(0, 2);
        for (int i = 0; i < hard; ++i) {
            add(hard_constraint());
        }
    }

private:
    void add(sddp::GenericConstraint constraint) {
        auto& all = problem_.system.constraints;
        constraint.id = static_cast<int>(all.size());
        constraint.name = numbered('C', constraint.id);
        all.push_back(std::move(constraint));
    }

    [[nodiscard]] int entities(Quantity quantity) const {
        const auto& system = problem_.system;
        std::size_t count = system.hydros.size();
        if (quantity == Quantity::thermal_generation ||
            quantity == Quantity::anticipated_decision) {
            count = system.thermals.size();
        }
        if (quantity == Quantity::line_direct || quantity == Quantity::line_reverse) {
            count = system.lines.size();
        }
        if (quantity == Quantity::bus_deficit || quantity == Quantity::bus_excess) {
            count = system.buses.size();
        }
        if (quantity == Quantity::contract_power) {
            count = system.contracts.size();
        }
        if (is_of_battery(quantity)) {
            count = system.batteries.size();
        }
        if (quantity == Quantity::pumping_flow) {
            count = system.pumping_stations.size();
        }
        if (quantity == Quantity::source_generation || quantity == Quantity::source_curtailment) {
            count = system.sources.size();
        }
        return static_cast<int>(count);
    }

    [[nodiscard]] int blocks(int stage) const {
        return static_cast<int>(problem_.calendar.stages[at(stage)].blocks.size());
    }

    sddp::ConstraintTerm term_of(Quantity quantity, double coefficient, int stage) {
        sddp::ConstraintTerm term;
        term.coefficient = coefficient;
        term.quantity = quantity;
        term.entity = dice_.integer(0, entities(quantity) - 1);
        const bool stock = is_stock(quantity);
        if (stock ? problem_.calendar.stages[at(stage)].is_chronological && dice_.chance(0.5)
                  : dice_.chance(0.25)) {
            term.block = dice_.integer(0, blocks(stage) - 1);
        }
        const bool by_cell =
            quantity == Quantity::hydro_turbined || quantity == Quantity::hydro_generation;
        if (by_cell && dice_.chance(0.4)) {
            const auto& groups = problem_.system.hydros[at(term.entity)].groups;
            const int pick = dice_.integer(0, static_cast<int>(groups.size()) - 1);
            term.bus = groups[at(pick)].bus;
        }
        return term;
    }

    static bool is_of_battery(Quantity quantity) {
        return quantity == Quantity::battery_charge || quantity == Quantity::battery_discharge ||
               quantity == Quantity::battery_energy_initial ||
               quantity == Quantity::battery_energy_final;
    }

    static bool is_stock(Quantity quantity) {
        return quantity == Quantity::hydro_storage_initial ||
               quantity == Quantity::hydro_storage_final ||
               quantity == Quantity::hydro_evaporation || quantity == Quantity::hydro_withdrawal ||
               quantity == Quantity::battery_energy_initial ||
               quantity == Quantity::battery_energy_final;
    }

    Quantity any_of(const std::vector<Quantity>& candidates) {
        std::vector<Quantity> usable;
        std::copy_if(candidates.begin(),
                     candidates.end(),
                     std::back_inserter(usable),
                     [this](Quantity quantity) { return entities(quantity) > 0; });
        return usable[at(dice_.integer(0, static_cast<int>(usable.size()) - 1))];
    }

    // A typical size of a quantity, so that limits bind now and then.
    static double scale(Quantity quantity) {
        switch (quantity) {
            case Quantity::hydro_storage_initial:
            case Quantity::hydro_storage_final:
                return 150;
            case Quantity::battery_energy_initial:
            case Quantity::battery_energy_final:
                return 1000;
            case Quantity::hydro_evaporation:
            case Quantity::hydro_withdrawal:
                return 3;
            default:
                return 40;
        }
    }

    sddp::GenericConstraint soft_constraint() {
        static const std::vector<Quantity> stocks{Quantity::hydro_storage_initial,
                                                  Quantity::hydro_storage_final,
                                                  Quantity::hydro_evaporation,
                                                  Quantity::battery_energy_initial,
                                                  Quantity::battery_energy_final};
        static const std::vector<Quantity> rates{
            Quantity::hydro_inflow,       Quantity::hydro_turbined,
            Quantity::hydro_spillage,     Quantity::hydro_diversion,
            Quantity::hydro_outflow,      Quantity::hydro_generation,
            Quantity::thermal_generation, Quantity::line_direct,
            Quantity::line_reverse,       Quantity::bus_deficit,
            Quantity::bus_excess,         Quantity::anticipated_decision,
            Quantity::contract_power,     Quantity::pumping_flow,
            Quantity::pumping_flow,       Quantity::hydro_withdrawal,
            Quantity::source_generation,  Quantity::source_curtailment,
            Quantity::battery_charge,     Quantity::battery_discharge};
        sddp::GenericConstraint constraint;
        constraint.has_slack = true;
        constraint.penalty = dice_.uniform(1, 300);
        const bool whole_stage = dice_.chance(0.3);
        const int count = dice_.integer(1, 3);
        const int side = dice_.integer(0, 3);  // <=, >=, ==, band
        for (int t = 0; t < problem_.stage_count(); ++t) {
            sddp::ConstraintRow row;
            row.stage = t;
            double middle = 0;
            for (int i = 0; i < count; ++i) {
                const bool stock = dice_.chance(whole_stage ? 0.7 : 0.25);
                const auto quantity = any_of(stock ? stocks : rates);
                const double sign = dice_.chance(0.75) ? 1 : -1;
                row.terms.push_back(term_of(quantity, sign * dice_.uniform(0.5, 2), t));
                middle += row.terms.back().coefficient * scale(quantity) * dice_.uniform(0.2, 1.2);
            }
            row.lower = side == 0 ? -infinity : middle;
            row.upper = side == 1 ? infinity : side == 3 ? middle + dice_.uniform(1, 30) : middle;
            add_rows(constraint, row, whole_stage);
        }
        return constraint;
    }

    // One row for the stage, for every block or for one of them.
    void add_rows(sddp::GenericConstraint& constraint,
                  const sddp::ConstraintRow& row,
                  bool whole_stage) {
        if (dice_.chance(0.2)) {
            return;
        }
        const int only = dice_.chance(0.3) ? dice_.integer(0, blocks(row.stage) - 1) : -1;
        const int count = whole_stage ? 1 : blocks(row.stage);
        for (int k = 0; k < count; ++k) {
            if (!whole_stage && only >= 0 && k != only) {
                continue;
            }
            constraint.rows.push_back(row);
            constraint.rows.back().block = whole_stage ? -1 : k;
        }
    }

    // Caps on what may be zero or at its minimum whatever happens.
    sddp::GenericConstraint hard_constraint() {
        static const std::vector<Quantity> capped{Quantity::hydro_turbined,
                                                  Quantity::hydro_generation,
                                                  Quantity::thermal_generation,
                                                  Quantity::line_direct,
                                                  Quantity::line_reverse};
        sddp::GenericConstraint constraint;
        const int count = dice_.integer(1, 3);
        const bool band = dice_.chance(0.3);
        for (int t = 0; t < problem_.stage_count(); ++t) {
            sddp::ConstraintRow row;
            row.stage = t;
            for (int i = 0; i < count; ++i) {
                row.terms.push_back(term_of(any_of(capped), dice_.uniform(0.5, 1.5), t));
            }
            row.lower = band ? -1 : -infinity;
            row.upper = floor_of(row) + dice_.uniform(10, 120);
            add_rows(constraint, row, false);
        }
        return constraint;
    }

    [[nodiscard]] double floor_of(const sddp::ConstraintRow& row) const {
        double sum = 0;
        for (const auto& term : row.terms) {
            if (term.quantity == Quantity::thermal_generation) {
                const auto& thermal = problem_.system.thermals[at(term.entity)];
                double most = 0;
                for (int k = 0; k < blocks(row.stage); ++k) {
                    const auto& least = thermal.delivered_in(row.stage) == nullptr
                                            ? thermal.min_mw
                                            : thermal.max_mw;  // whatever was decided
                    most = std::max(most, least(row.stage, k));
                }
                sum += term.coefficient * most;
            }
        }
        return sum;
    }

    sddp::Problem& problem_;
    Dice& dice_;
};

}  // namespace

void add_random_constraints(sddp::Problem& problem, Dice& dice) {
    ConstraintWriter(problem, dice).write();
}

}  // namespace lockstep::test
