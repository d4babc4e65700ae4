#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "lockstep/base/index.hpp"

#include "support/random_system.hpp"

namespace lockstep::test {
namespace {

using sddp::Problem;

using Check = std::function<bool(const Problem&)>;

template <typename Entities, typename F>
bool any(const Entities& entities, F&& holds) {
    return std::any_of(entities.begin(), entities.end(), holds);
}

template <typename F>
bool any_hydro(const Problem& problem, F&& holds) {
    return any(problem.system.hydros, holds);
}

template <typename F>
bool any_block(const Problem& problem, F&& holds) {
    for (int t = 0; t < problem.stage_count(); ++t) {
        const auto& blocks = problem.calendar.stages[at(t)].blocks;
        for (int k = 0; k < static_cast<int>(blocks.size()); ++k) {
            if (holds(t, k)) {
                return true;
            }
        }
    }
    return false;
}

// Whether a table of some plant has a value that `holds`.
Check plant_table(sddp::ByBlock sddp::Hydro::*table, bool (*holds)(double)) {
    return [table, holds](const Problem& problem) {
        return any_hydro(problem, [&](const sddp::Hydro& plant) {
            return any_block(problem, [&](int t, int k) { return holds((plant.*table)(t, k)); });
        });
    };
}

Check group_table(sddp::ByBlock sddp::UnitGroup::*table) {
    return [table](const Problem& problem) {
        return any_hydro(problem, [&](const sddp::Hydro& plant) {
            return any(plant.groups, [&](const sddp::UnitGroup& group) {
                return any_block(problem, [&](int t, int k) { return (group.*table)(t, k) > 0; });
            });
        });
    };
}

Check withdrawal(double sign) {
    return [sign](const Problem& problem) {
        return any_hydro(problem, [sign](const sddp::Hydro& plant) {
            return any(plant.withdrawal_m3s, [sign](double w) { return sign * w > 0; });
        });
    };
}

Check evaporation(double sign) {
    return [sign](const Problem& problem) {
        return any_hydro(problem, [sign](const sddp::Hydro& plant) {
            return any(plant.evaporation,
                       [sign](const auto& line) { return line && sign * line->k0 > 0; });
        });
    };
}

Check phase(sddp::HydroPhase wanted) {
    return [wanted](const Problem& problem) {
        return any_hydro(problem, [wanted](const sddp::Hydro& plant) {
            return any(plant.phases, [wanted](auto phase) { return phase == wanted; });
        });
    };
}

Check mode(sddp::NonNegativity wanted) {
    return [wanted](const Problem& problem) { return problem.process.non_negativity == wanted; };
}

Check lags(int count) {
    return [count](const Problem& problem) { return problem.process.inflow.lags == count; };
}

template <typename F>
bool any_row(const Problem& problem, F&& holds) {
    return any(problem.system.constraints, [&](const sddp::GenericConstraint& constraint) {
        return any(constraint.rows,
                   [&](const sddp::ConstraintRow& row) { return holds(constraint, row); });
    });
}

Check quantity(sddp::Quantity wanted) {
    return [wanted](const Problem& problem) {
        return any_row(problem, [wanted](const auto&, const sddp::ConstraintRow& row) {
            return any(row.terms, [wanted](const sddp::ConstraintTerm& term) {
                return term.quantity == wanted;
            });
        });
    };
}

Check term(bool (*holds)(const sddp::ConstraintTerm&)) {
    return [holds](const Problem& problem) {
        return any_row(problem, [holds](const auto&, const sddp::ConstraintRow& row) {
            return any(row.terms, holds);
        });
    };
}

bool is_positive(double value) {
    return value > 0;
}

std::size_t bus_count(const sddp::Hydro& plant) {
    std::set<int> buses;
    for (const auto& group : plant.groups) {
        buses.insert(group.bus);
    }
    return buses.size();
}

std::vector<std::pair<std::string, Check>> hydro_checks() {
    using sddp::Hydro;
    return {
        {"cascade",
         [](const Problem& p) {
             return any_hydro(p, [](const Hydro& h) { return h.downstream >= 0; });
         }},
        {"several groups",
         [](const Problem& p) {
             return any_hydro(p, [](const Hydro& h) { return h.groups.size() > 1; });
         }},
        {"several buses of a plant",
         [](const Problem& p) {
             return any_hydro(p, [](const Hydro& h) { return bus_count(h) > 1; });
         }},
        {"planes",
         [](const Problem& p) {
             return any_hydro(p, [](const Hydro& h) {
                 return any(h.planes, [](const auto& planes) { return !planes.empty(); });
             });
         }},
        {"planes on several buses",
         [](const Problem& p) {
             return any_hydro(p, [](const Hydro& h) {
                 return bus_count(h) > 1 &&
                        any(h.planes, [](const auto& planes) { return !planes.empty(); });
             });
         }},
        {"evaporation", evaporation(1)},
        {"negative evaporation", evaporation(-1)},
        {"withdrawal", withdrawal(1)},
        {"return flow", withdrawal(-1)},
        {"diversion", plant_table(&Hydro::max_diversion_m3s, is_positive)},
        {"minimum diversion", plant_table(&Hydro::min_diversion_m3s, is_positive)},
        {"minimum outflow", plant_table(&Hydro::min_outflow_m3s, is_positive)},
        {"maximum outflow",
         plant_table(&Hydro::max_outflow_m3s, [](double x) { return std::isfinite(x); })},
        {"minimum spillage", plant_table(&Hydro::min_spillage_m3s, is_positive)},
        {"maximum spillage",
         plant_table(&Hydro::max_spillage_m3s, [](double x) { return std::isfinite(x); })},
        {"minimum turbined", group_table(&sddp::UnitGroup::min_turbined_m3s)},
        {"minimum generation", group_table(&sddp::UnitGroup::min_generation_mw)},
        {"travel time",
         [](const Problem& p) {
             return any_hydro(p, [](const Hydro& h) { return !h.arrival_shares.empty(); });
         }},
        {"water on its way at the start",
         [](const Problem& p) {
             return any_hydro(p, [](const Hydro& h) {
                 return any(h.initial_transit_hm3, [](double x) { return x > 0; });
             });
         }},
        {"travel time in ordered blocks",
         [](const Problem& p) {
             return any(p.calendar.stages, [](const auto& s) { return s.periods() > 1; }) &&
                    any_hydro(p, [](const Hydro& h) { return !h.arrival_shares.empty(); });
         }},
        {"costs by block",
         [](const Problem& p) {
             return any_hydro(p, [](const Hydro& h) { return !h.block_costs.empty(); });
         }},
        {"site without a dam", phase(sddp::HydroPhase::not_built)},
        {"filling", phase(sddp::HydroPhase::filling)},
        {"storage target",
         [](const Problem& p) {
             return any_hydro(p, [](const Hydro& h) {
                 return any(h.storage_target_hm3, [](double x) { return x > 0; });
             });
         }},
        {"varying storage limits",
         [](const Problem& p) {
             return any_hydro(p, [](const Hydro& h) {
                 return h.min_storage_hm3.front() != h.min_storage_hm3.back();
             });
         }},
    };
}

std::vector<std::pair<std::string, Check>> power_checks() {
    return {
        {"lines", [](const Problem& p) { return !p.system.lines.empty(); }},
        {"line losses",
         [](const Problem& p) {
             return any(p.system.lines, [](const auto& l) { return l.loss_share > 0; });
         }},
        {"minimum thermal",
         [](const Problem& p) {
             return any(p.system.thermals, [](const auto& t) { return t.min_mw(0, 0) > 0; });
         }},
        {"deficit segments",
         [](const Problem& p) {
             return any(p.system.buses, [](const auto& b) { return b.deficit.size() > 1; });
         }},
        {"stochastic load", [](const Problem& p) { return !p.process.layout.buses.empty(); }},
        {"known source",
         [](const Problem& p) {
             return any(p.system.sources, [](const auto& s) { return !s.is_stochastic; });
         }},
        {"stochastic source", [](const Problem& p) { return !p.process.layout.sources.empty(); }},
        {"must-run source",
         [](const Problem& p) {
             return any(p.system.sources, [](const auto& s) { return !s.allow_curtailment; });
         }},
        {"decision ahead",
         [](const Problem& p) {
             return any(p.system.thermals, [](const auto& t) { return !t.decided_in(0).empty(); });
         }},
        {"delivery decided before the study",
         [](const Problem& p) {
             return any(p.system.thermals,
                        [](const auto& t) { return t.delivered_in(0) != nullptr; });
         }},
        {"several decisions at once",
         [](const Problem& p) {
             return any(p.system.thermals,
                        [](const auto& t) { return t.decided_in(0).size() > 1; });
         }},
        {"decided before the study for after it",
         [](const Problem& p) {
             return any(p.system.thermals, [&](const auto& t) {
                 return any(t.decided_in(-1),
                            [&](const auto& d) { return d.stage >= p.stage_count(); });
             });
         }},
        {"several commitments",
         [](const Problem& p) {
             return any(p.system.thermals, [](const auto& t) { return t.commitments > 1; });
         }},
        {"delivery after the study",
         [](const Problem& p) {
             return any(p.system.thermals, [&](const auto& t) {
                 return !t.deliveries.empty() && t.deliveries.back().stage >= p.stage_count();
             });
         }},
        {"import",
         [](const Problem& p) {
             return any(p.system.contracts, [](const auto& c) { return c.is_import; });
         }},
        {"export",
         [](const Problem& p) {
             return any(p.system.contracts, [](const auto& c) { return !c.is_import; });
         }},
        {"minimum of a contract",
         [](const Problem& p) {
             return any(p.system.contracts, [](const auto& c) { return c.min_mw(0, 0) > 0; });
         }},
        {"battery", [](const Problem& p) { return !p.system.batteries.empty(); }},
        {"energy limits by stage",
         [](const Problem& p) {
             return any(p.system.batteries, [](const auto& b) {
                 return b.min_energy_mwh.front() != b.min_energy_mwh.back() ||
                        b.max_energy_mwh.front() != b.max_energy_mwh.back();
             });
         }},
        {"pumping", [](const Problem& p) { return !p.system.pumping_stations.empty(); }},
        {"minimum pumping",
         [](const Problem& p) {
             return any(p.system.pumping_stations,
                        [](const auto& s) { return s.min_m3s(0, 0) > 0; });
         }},
        {"several blocks",
         [](const Problem& p) { return any_block(p, [](int, int k) { return k > 0; }); }},
        {"chronological blocks",
         [](const Problem& p) {
             return any(p.calendar.stages, [](const auto& s) { return s.periods() > 1; });
         }},
        {"discount",
         [](const Problem& p) { return p.calendar.stages[0].annual_discount_rate > 0; }},
        {"risk aversion", [](const Problem& p) { return !p.calendar.stages[0].risk.is_neutral(); }},
    };
}

std::vector<std::pair<std::string, Check>> inflow_checks() {
    using sddp::NonNegativity;
    return {
        {"no lag", lags(0)},
        {"1 lag", lags(1)},
        {"2 lags", lags(2)},
        {"3 lags", lags(3)},
        {"method none", mode(NonNegativity::none)},
        {"method penalty", mode(NonNegativity::penalty)},
        {"method truncation", mode(NonNegativity::truncation)},
        {"method truncation_with_penalty", mode(NonNegativity::truncation_with_penalty)},
    };
}

std::vector<std::pair<std::string, Check>> constraint_checks() {
    using enum sddp::Quantity;
    using sddp::ConstraintTerm;
    return {
        {"hydro_storage_initial", quantity(hydro_storage_initial)},
        {"hydro_storage_final", quantity(hydro_storage_final)},
        {"hydro_evaporation", quantity(hydro_evaporation)},
        {"hydro_inflow", quantity(hydro_inflow)},
        {"hydro_turbined", quantity(hydro_turbined)},
        {"hydro_spillage", quantity(hydro_spillage)},
        {"hydro_diversion", quantity(hydro_diversion)},
        {"hydro_outflow", quantity(hydro_outflow)},
        {"hydro_generation", quantity(hydro_generation)},
        {"thermal_generation", quantity(thermal_generation)},
        {"line_direct", quantity(line_direct)},
        {"line_reverse", quantity(line_reverse)},
        {"bus_deficit", quantity(bus_deficit)},
        {"bus_excess", quantity(bus_excess)},
        {"anticipated_decision", quantity(anticipated_decision)},
        {"contract_power", quantity(contract_power)},
        {"pumping_flow", quantity(pumping_flow)},
        {"hydro_withdrawal", quantity(hydro_withdrawal)},
        {"source_generation", quantity(source_generation)},
        {"source_curtailment", quantity(source_curtailment)},
        {"battery_charge", quantity(battery_charge)},
        {"battery_discharge", quantity(battery_discharge)},
        {"battery_energy_initial", quantity(battery_energy_initial)},
        {"battery_energy_final", quantity(battery_energy_final)},
        {"term of a block", term([](const ConstraintTerm& t) { return t.block >= 0; })},
        {"storage of a block", term([](const ConstraintTerm& t) {
             return t.block >= 0 &&
                    (t.quantity == hydro_storage_initial || t.quantity == hydro_storage_final);
         })},
        {"term of a cell", term([](const ConstraintTerm& t) { return t.bus >= 0; })},
        {"hard constraint",
         [](const Problem& p) {
             return any_row(p, [](const auto& c, const auto&) { return !c.has_slack; });
         }},
        {"equality with slack",
         [](const Problem& p) {
             return any_row(p, [](const auto& c, const auto& row) {
                 return c.has_slack && row.lower == row.upper;
             });
         }},
        {"band with slack",
         [](const Problem& p) {
             return any_row(p, [](const auto& c, const auto& row) {
                 return c.has_slack && row.lower < row.upper && std::isfinite(row.lower) &&
                        std::isfinite(row.upper);
             });
         }},
        {"constraint of a stage",
         [](const Problem& p) {
             return any_row(p, [](const auto&, const auto& row) { return row.block < 0; });
         }},
    };
}

const std::vector<std::pair<std::string, Check>>& checks() {
    static const auto all = [] {
        std::vector<std::pair<std::string, Check>> list;
        for (const auto& part :
             {hydro_checks(), power_checks(), inflow_checks(), constraint_checks()}) {
            list.insert(list.end(), part.begin(), part.end());
        }
        return list;
    }();
    return all;
}

}  // namespace

std::vector<std::string> features_of(const Problem& problem) {
    std::vector<std::string> names;
    for (const auto& [name, holds] : checks()) {
        if (holds(problem)) {
            names.push_back(name);
        }
    }
    return names;
}

std::vector<std::string> all_features() {
    std::vector<std::string> names;
    for (const auto& check : checks()) {
        names.push_back(check.first);
    }
    return names;
}

}  // namespace lockstep::test
