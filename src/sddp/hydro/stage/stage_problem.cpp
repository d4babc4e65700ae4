#include "sddp/hydro/stage/stage_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lockstep/base/index.hpp"

#include "sddp/hydro/stage/river.hpp"
#include "sddp/hydro/stage/stage_builder.hpp"

namespace lockstep::sddp {

StageBuilder::StageBuilder(const Problem& problem, int stage, const SpeedOptions& options)
    : problem_(problem),
      system_(problem.system),
      stage_(problem.calendar.stages[at(stage)]),
      t_(stage),
      options_(options) {
    storage_.resize(system_.hydros.size());
    inflow_.resize(system_.hydros.size());
    available_.resize(system_.sources.size() * stage_.blocks.size());
    transit_.resize(at(system_.transit_count()));
    energy_.resize(system_.batteries.size());
    committed_.resize(at(system_.commitment_count()));
    trace_rivers();
    first_period_ = problem.calendar.first_period(stage);
    period_count_ = problem.calendar.first_period(problem.stage_count());
    out_.stage = stage;
    out_.blocks = static_cast<int>(stage_.blocks.size());
    out_.periods = stage_.periods();
    out_.hours = stage_.hours();
    out_.water_factor = hm3_per_m3s_hour * out_.hours;
    const bool has_future = stage + 1 < problem.stage_count() || problem.boundary.size() > 0 ||
                            problem.graph.is_cyclic();
    out_.discount = has_future ? stage_.discount_factor() : 1.0;
}

void StageBuilder::trace_rivers() {
    const auto hydros = system_.hydros.size();
    upstream_.resize(hydros);
    diverting_.resize(hydros);
    passing_.resize(hydros);
    int transits = 0;
    for (const auto& plant : system_.hydros) {
        first_transit_.push_back(transits);
        transits += plant.transit_periods();
    }
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        if (const int to = downstream_of(system_, t_, h); to >= 0) {
            upstream_[at(to)].push_back(h);
        }
        if (const int to = diversion_target_of(system_, t_, h); to >= 0) {
            diverting_[at(to)].push_back(h);
        }
        if (const int to = receiver(system_, t_, h); to >= 0 && to != h) {
            passing_[at(to)].push_back(h);
        }
    }
}

StageProblem StageBuilder::build() {
    add_storages();
    add_transits();
    add_cells();
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        add_releases(h);
        add_outflow_slacks(h);
        add_water_slacks(h);
    }
    add_thermals();
    add_commitments();
    add_lines();
    add_buses();
    add_sources();
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        add_water_balance(h);
    }
    add_transit_balances();
    add_load_balances();
    add_commitment_rows();
    add_energy_balances();
    for (int c = 0; c < static_cast<int>(out_.map.cells.size()); ++c) {
        add_planes(c);
        add_cell_minima(c);
    }
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        for (int k = 0; k < out_.blocks; ++k) {
            add_outflow_limits(h, k);
        }
        for (int p = 0; p < out_.periods; ++p) {
            add_evaporation_line(h, p);
        }
    }
    for (std::size_t c = 0; c < system_.constraints.size(); ++c) {
        for (const auto& row : system_.constraints[c].rows) {
            if (row.stage == t_) {
                add_generic(system_.constraints[c], static_cast<int>(c), row);
            }
        }
    }
    out_.model = lp_.build();
    scale();
    finish_states();
    return std::move(out_);
}

namespace {

// A solver tells reduced costs below about 1e-9 from nothing and has 16 digits: a cost must be
// large enough for the first and a penalty small enough for the second.
constexpr double least_scaled_cost = 1e-4;

// A bound of the future cost is kept to 1e-9 of its unit: a cent.
constexpr double largest_theta_unit = 1e7;  // [$]

// A deficit that costs more is a penalty, from which nobody learns what the future costs: next to
// costs that do without it a cent a stage is much. A smaller unit than this makes the entries of
// cuts that hold the penalty too large.
constexpr double dearest_deficit = 1e5;                // [$/MWh]
constexpr double theta_unit_beside_penalties = 65536;  // [$]

// [$], at most
double theta_unit(double deficit_cost) {
    return deficit_cost > dearest_deficit
               ? theta_unit_beside_penalties
               : std::clamp(deficit_cost / hm3_per_m3s_hour, 1.0, largest_theta_unit);
}

double power_of_two_near(double x) {
    return std::ldexp(1.0, std::ilogb(x));
}

}  // namespace

// Powers of two, so that scaling itself rounds nothing. The objective is centred between its
// smallest and largest cost, unless that would make the smallest too small; the future cost is
// measured in units of about the dearest water, so that cut rows have coefficients near 1, unless
// that water is dear by a penalty.
void StageBuilder::scale() {
    auto& model = out_.model;
    double least = lp::infinity;
    double most = 0;
    for (std::size_t j = 0; j < cost_.size(); ++j) {
        const auto cost = std::abs(cost_[j]);
        if (static_cast<int>(j) != out_.theta && cost > 0) {
            least = std::min(least, cost);
            most = std::max(most, cost);
        }
    }
    double deficit = 0;
    for (const auto& bus : system_.buses) {
        deficit = std::max(deficit, bus.deficit.back().cost);
    }
    const double centre = std::sqrt(least) * std::sqrt(most);
    out_.objective_scale =
        most > 0 ? 1 / power_of_two_near(std::min(centre, least / least_scaled_cost)) : 1;
    out_.theta_scale = 1 / power_of_two_near(theta_unit(deficit));
    for (std::size_t j = 0; j < cost_.size(); ++j) {
        model.cost[j] = cost_[j] * out_.objective_scale;
    }
    model.cost[at(out_.theta)] = out_.discount * out_.objective_scale / out_.theta_scale;
    model.column_lower = lower_;
    model.column_upper = upper_;
    model.row_lower = row_lower_;
    model.row_upper = row_upper_;
}

void StageBuilder::finish_states() {
    const auto flatten = [](const std::vector<std::vector<Coupling>>& lists) {
        CouplingTable table;
        for (const auto& list : lists) {
            table.first.push_back(static_cast<int>(table.entries.size()));
            for (const auto& coupling : list) {
                table.entries.push_back(coupling);
            }
        }
        table.first.push_back(static_cast<int>(table.entries.size()));
        return table;
    };
    out_.decided = out_.map.storage;
    for (const auto* slots : {&out_.map.transit, &out_.map.commitment}) {
        for (const auto& slot : *slots) {
            out_.decided.push_back(slot);
        }
    }
    for (int b = 0; b < static_cast<int>(system_.batteries.size()); ++b) {
        out_.decided.push_back(out_.map.energy[out_.in_period(b, out_.periods - 1)]);
    }
    for (const auto* couplings : {&transit_, &committed_, &energy_}) {
        storage_.insert(storage_.end(), couplings->begin(), couplings->end());
    }
    out_.decided_coupling = flatten(storage_);
    out_.drawn_coupling = flatten(inflow_);
    out_.available_coupling = flatten(available_);
}

StageProblem build_stage_problem(const Problem& problem, int stage, const SpeedOptions& options) {
    return StageBuilder(problem, stage, options).build();
}

}  // namespace lockstep::sddp
