#include "sddp/hydro/stage/recorder.hpp"

#include <vector>

#include "lockstep/base/index.hpp"

#include "sddp/hydro/stage/river.hpp"

namespace lockstep::sddp {

namespace {

class Recorder {
public:
    Recorder(const Problem& problem, const StageProblem& stage, const StageSolver& solver)
        : problem_(problem),
          system_(problem.system),
          stage_(stage),
          map_(stage.map),
          solver_(solver),
          x_(solver.primal()),
          blocks_(problem.calendar.stages[at(stage.stage)].blocks) {}

    StageResult record(std::span<const double> incoming_state,
                       const Realisation& realisation,
                       double discount);

private:
    [[nodiscard]] std::vector<double> values(std::span<const Slot> slots) const;
    [[nodiscard]] double hours(std::size_t index) const {
        return blocks_[index % at(stage_.blocks)].hours;
    }
    [[nodiscard]] int block_of(std::size_t index) const {
        return static_cast<int>(index % at(stage_.blocks));
    }
    // Of a place in tables of hydros and blocks.
    [[nodiscard]] const HydroCosts& costs_of(std::size_t index) const {
        return system_.hydros[index / at(stage_.blocks)].costs_in(stage_.stage, block_of(index));
    }
    [[nodiscard]] double flow_hm3(int block) const {
        return hm3_per_m3s_hour * blocks_[at(block)].hours;
    }
    void record_storages(std::span<const double> incoming_state);
    void record_releases();
    void record_cells();
    void record_arrivals();
    void record_releases_into(int to, int from);
    void record_transits(std::span<const double> incoming_state);
    [[nodiscard]] double rate_of(int hydro) const;
    void record_power(const Realisation& realisation);
    void record_batteries(std::span<const double> incoming_state);
    void record_commitments(std::span<const double> incoming_state);
    void record_generic();
    void charge_hydros();
    void charge_power();

    const Problem& problem_;
    const System& system_;
    const StageProblem& stage_;
    const StageMap& map_;
    const StageSolver& solver_;
    std::span<const double> x_;
    const std::vector<Block>& blocks_;
    StageResult out_;
};

std::vector<double> Recorder::values(std::span<const Slot> slots) const {
    std::vector<double> result(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
        result[i] = slots[i].value(x_);
    }
    return result;
}

StageResult Recorder::record(std::span<const double> incoming_state,
                             const Realisation& realisation,
                             double discount) {
    out_.stage = stage_.stage;
    out_.blocks = stage_.blocks;
    out_.periods = stage_.periods;
    out_.hydro.incremental_inflow_m3s = realisation.inflow;
    out_.incoming_lags_m3s.assign(realisation.lags.begin(), realisation.lags.end());
    record_storages(incoming_state);
    record_releases();
    record_cells();
    record_arrivals();
    record_transits(incoming_state);
    record_power(realisation);
    record_commitments(incoming_state);
    record_batteries(incoming_state);
    record_generic();
    charge_hydros();
    charge_power();
    out_.cost.future = solver_.future_cost();
    out_.cost.immediate = solver_.objective() - out_.cost.future;
    out_.cost.discount = discount;
    return std::move(out_);
}

void Recorder::record_storages(std::span<const double> incoming_state) {
    auto& hydro = out_.hydro;
    const auto hydros = at(problem_.hydro_count());
    hydro.storage_initial_hm3.assign(incoming_state.begin(),
                                     incoming_state.begin() + static_cast<std::ptrdiff_t>(hydros));
    hydro.storage_final_hm3.resize(at(problem_.states().decided));
    solver_.outgoing(hydro.storage_final_hm3);
    hydro.storage_final_hm3.resize(hydros);
    hydro.evaporation_m3s = values(map_.evaporation);
    hydro.storage_between_hm3 = values(map_.between);
    for (const int row : map_.water_row) {
        hydro.water_value_per_hm3.push_back(solver_.row_dual(row));
    }
    for (std::size_t h = 0; h < hydros; ++h) {
        const auto& line = system_.hydros[h].evaporation[at(stage_.stage)];
        if (map_.evaporation_substituted[h] != 0) {  // in stages of one period
            hydro.evaporation_m3s[h] =
                line->k0 +
                line->kv * (hydro.storage_initial_hm3[h] + hydro.storage_final_hm3[h]) / 2;
        }
    }
    hydro.evaporation_above_m3s = values(map_.evaporation_above);
    hydro.evaporation_below_m3s = values(map_.evaporation_below);
    hydro.withdrawal_above_m3s = values(map_.withdrawal_above);
    hydro.withdrawal_below_m3s = values(map_.withdrawal_below);
    hydro.inflow_slack_m3s = values(map_.inflow_slack);
    hydro.storage_below_hm3 = values(map_.storage_below);
}

void Recorder::record_releases() {
    auto& hydro = out_.hydro;
    hydro.spillage_m3s = values(map_.spillage);
    hydro.diverted_m3s = values(map_.diversion);
    hydro.outflow_slack_below_m3s = values(map_.outflow_below);
    hydro.outflow_slack_above_m3s = values(map_.outflow_above);
    hydro.turbined_m3s.assign(hydro.spillage_m3s.size(), 0.0);
    hydro.generation_mw = hydro.turbined_slack_m3s = hydro.generation_slack_mw = hydro.turbined_m3s;
    hydro.arriving_m3s = hydro.turbined_m3s;
    for (std::size_t i = 0; i < hydro.spillage_m3s.size(); ++i) {
        hydro.spillage_cost.push_back(costs_of(i).spillage * hours(i) * hydro.spillage_m3s[i]);
    }
}

void Recorder::record_cells() {
    auto& hydro = out_.hydro;
    auto& cell = out_.cell;
    cell.turbined_m3s = values(map_.turbined);
    cell.generation_mw = values(map_.generation);
    for (std::size_t c = 0; c < map_.cells.size(); ++c) {
        const auto& here = map_.cells[c];
        cell.hydro.push_back(here.hydro);
        cell.bus.push_back(here.bus);
        for (int k = 0; k < stage_.blocks; ++k) {
            const auto from = stage_.at(static_cast<int>(c), k);
            const auto to = stage_.at(here.hydro, k);
            if (!here.has_planes) {
                cell.generation_mw[from] = here.productivity * cell.turbined_m3s[from];
            }
            hydro.turbined_m3s[to] += cell.turbined_m3s[from];
            hydro.generation_mw[to] += cell.generation_mw[from];
            hydro.turbined_slack_m3s[to] += map_.turbined_below[from].value(x_);
            hydro.generation_slack_mw[to] += map_.generation_below[from].value(x_);
        }
    }
}

// What comes to the site of a plant, less what is withdrawn there [m³/s].
double Recorder::rate_of(int hydro) const {
    const auto& result = out_.hydro;
    const auto h = at(hydro);
    return result.incremental_inflow_m3s[h] + result.inflow_slack_m3s[h] -
           system_.hydros[h].withdrawal_m3s[at(stage_.stage)] + result.withdrawal_below_m3s[h] -
           result.withdrawal_above_m3s[h];
}

// What plant `from` turbines and spills in the stage and comes to plant `to` in it.
void Recorder::record_releases_into(int to, int from) {
    auto& hydro = out_.hydro;
    const int first = problem_.calendar.first_period(stage_.stage);
    for (int k = 0; k < stage_.blocks; ++k) {
        const auto i = stage_.at(from, k);
        const int period = stage_.period_of(k);
        for (int into = k; into < (stage_.periods > 1 ? stage_.blocks : k + 1); ++into) {
            hydro.arriving_m3s[stage_.at(to, into)] +=
                system_.hydros[at(from)].arrival_share(first + period,
                                                       stage_.period_of(into) - period) *
                (flow_hm3(k) / flow_hm3(into)) * (hydro.turbined_m3s[i] + hydro.spillage_m3s[i]);
        }
    }
}

void Recorder::record_arrivals() {
    auto& hydro = out_.hydro;
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        if (const int to = downstream_of(system_, stage_.stage, h); to >= 0) {
            record_releases_into(to, h);
        }
        for (int k = 0; k < stage_.blocks; ++k) {
            const auto from = stage_.at(h, k);
            if (const int to = diversion_target_of(system_, stage_.stage, h); to >= 0) {
                hydro.arriving_m3s[stage_.at(to, k)] += hydro.diverted_m3s[from];
            }
            const int below = receiver(system_, stage_.stage, h);
            if (below >= 0 && below != h) {
                hydro.arriving_m3s[stage_.at(below, k)] += rate_of(h);
            }
        }
    }
}

// Water that was on its way arrives at a constant rate in each period.
void Recorder::record_transits(std::span<const double> incoming_state) {
    out_.transit_hm3 = values(map_.transit);
    auto place = at(problem_.hydro_count());
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        const int ahead = system_.hydros[at(h)].transit_periods();
        const int to = receiver(system_, stage_.stage, h);
        for (int k = 0; to >= 0 && k < stage_.blocks; ++k) {
            const int period = stage_.period_of(k);
            if (period < ahead) {
                out_.hydro.arriving_m3s[stage_.at(to, k)] +=
                    incoming_state[place + at(period)] /
                    (stage_.periods > 1 ? flow_hm3(k) : stage_.water_factor);
            }
        }
        place += at(ahead);
    }
}

void Recorder::record_power(const Realisation& realisation) {
    out_.thermal_mw = values(map_.thermal);
    out_.direct_mw = values(map_.direct);
    out_.reverse_mw = values(map_.reverse);
    out_.excess_mw = values(map_.excess);
    out_.curtailed_mw = values(map_.curtailed);
    out_.contract_mw = values(map_.contract);
    out_.pumped_m3s = values(map_.pumped);
    out_.load_mw = realisation.load;
    out_.available_mw = realisation.available;
    out_.deficit_mw.assign(out_.load_mw.size(), 0.0);
    for (std::size_t b = 0; b < system_.buses.size(); ++b) {
        for (int k = 0; k < stage_.blocks; ++k) {
            for (int s = map_.first_segment[b]; s < map_.first_segment[b + 1]; ++s) {
                out_.deficit_mw[stage_.at(static_cast<int>(b), k)] +=
                    map_.deficit[stage_.at(s, k)].value(x_);
            }
        }
    }
    for (std::size_t i = 0; i < map_.load_row.size(); ++i) {
        out_.spot_price.push_back(solver_.row_dual(map_.load_row[i]) / hours(i));
    }
}

void Recorder::record_commitments(std::span<const double> incoming_state) {
    out_.committed_mw.assign(system_.thermals.size(), 0.0);
    out_.decided_mw = out_.committed_mw;
    out_.pending_mw = values(map_.commitment);
    int first = 0;
    for (std::size_t j = 0; j < system_.thermals.size(); ++j) {
        const auto& thermal = system_.thermals[j];
        if (thermal.delivered_in(stage_.stage) != nullptr) {
            const int place = first + stage_.stage % thermal.commitments;
            out_.committed_mw[j] =
                incoming_state[at(problem_.hydro_count() + system_.transit_count() + place)];
        }
        const auto decided = thermal.decided_in(stage_.stage);
        for (const auto& delivery : decided) {
            const int place = first + delivery.stage % thermal.commitments;
            const double power = out_.pending_mw[at(place)];
            out_.decided_mw[j] += power / static_cast<double>(decided.size());
            out_.cost.anticipated += delivery.cost_per_mw * power;
        }
        first += thermal.commitments;
    }
}

void Recorder::record_batteries(std::span<const double> incoming_state) {
    out_.charge_mw = values(map_.charge);
    out_.discharge_mw = values(map_.discharge);
    for (int b = 0; b < static_cast<int>(system_.batteries.size()); ++b) {
        out_.energy_initial_mwh.push_back(incoming_state[at(problem_.first_battery() + b)]);
        out_.energy_final_mwh.push_back(
            map_.energy[stage_.in_period(b, stage_.periods - 1)].value(x_));
    }
}

void Recorder::record_generic() {
    for (const auto& row : map_.generic) {
        const auto above = row.above.value(x_);
        const auto below = row.below.value(x_);
        const auto cost = row.unit_cost * (above + below);
        const bool is_band = row.above.column >= 0 && row.below.column >= 0;
        out_.generic.push_back({row.constraint,
                                row.block,
                                is_band ? below - above : above + below,
                                cost,
                                system_.constraints[at(row.constraint)].has_slack});
        out_.cost.generic += cost;
    }
}

void Recorder::charge_hydros() {
    auto& cost = out_.cost;
    const auto& hydro = out_.hydro;
    const auto t = at(stage_.stage);
    for (std::size_t h = 0; h < system_.hydros.size(); ++h) {
        const auto& unit = system_.hydros[h].costs[t];
        for (int p = 0; p < stage_.periods; ++p) {
            const auto i = stage_.in_period(static_cast<int>(h), p);
            const bool is_block = stage_.periods > 1;
            const auto& price = system_.hydros[h].costs_in(stage_.stage, is_block ? p : -1);
            cost.evaporation += (is_block ? hours(at(p)) : stage_.hours) *
                                (price.evaporation_above * hydro.evaporation_above_m3s[i] +
                                 price.evaporation_below * hydro.evaporation_below_m3s[i]);
        }
        cost.withdrawal += stage_.hours * (unit.withdrawal_above * hydro.withdrawal_above_m3s[h] +
                                           unit.withdrawal_below * hydro.withdrawal_below_m3s[h]);
        cost.inflow_slack += stage_.hours * unit.inflow_slack * hydro.inflow_slack_m3s[h];
        if (system_.hydros[h].phase(stage_.stage) == HydroPhase::filling) {
            cost.filling_below += unit.filling_below * hydro.storage_below_hm3[h];
        } else {
            cost.storage_below += unit.storage_below * hydro.storage_below_hm3[h];
        }
    }
    for (std::size_t i = 0; i < hydro.turbined_m3s.size(); ++i) {
        const auto& unit = costs_of(i);
        cost.turbined += hours(i) * unit.turbined * hydro.turbined_m3s[i];
        cost.spillage += hydro.spillage_cost[i] + hours(i) * unit.diversion * hydro.diverted_m3s[i];
        cost.outflow_below += hours(i) * unit.outflow_below * hydro.outflow_slack_below_m3s[i];
        cost.outflow_above += hours(i) * unit.outflow_above * hydro.outflow_slack_above_m3s[i];
        cost.turbined_below += hours(i) * unit.turbined_below * hydro.turbined_slack_m3s[i];
        cost.generation_below += hours(i) * unit.generation_below * hydro.generation_slack_mw[i];
    }
}

void Recorder::charge_power() {
    auto& cost = out_.cost;
    const auto t = at(stage_.stage);
    for (std::size_t i = 0; i < out_.thermal_mw.size(); ++i) {
        const auto& thermal = system_.thermals[i / at(stage_.blocks)];
        if (thermal.delivered_in(stage_.stage) == nullptr) {
            cost.thermal += hours(i) * thermal.cost[t] * out_.thermal_mw[i];
        }
    }
    for (std::size_t i = 0; i < out_.direct_mw.size(); ++i) {
        cost.exchange +=
            hours(i) *
            system_.lines[i / at(stage_.blocks)].exchange_cost(stage_.stage, block_of(i)) *
            (out_.direct_mw[i] + out_.reverse_mw[i]);
    }
    for (std::size_t i = 0; i < out_.excess_mw.size(); ++i) {
        cost.excess += hours(i) *
                       system_.buses[i / at(stage_.blocks)].excess_cost(stage_.stage, block_of(i)) *
                       out_.excess_mw[i];
    }
    for (std::size_t i = 0; i < out_.curtailed_mw.size(); ++i) {
        cost.curtailment +=
            hours(i) *
            system_.sources[i / at(stage_.blocks)].curtailment_cost(stage_.stage, block_of(i)) *
            out_.curtailed_mw[i];
    }
    for (int c = 0; c < static_cast<int>(system_.contracts.size()); ++c) {
        for (int k = 0; k < stage_.blocks; ++k) {
            cost.contract += blocks_[at(k)].hours *
                             system_.contracts[at(c)].price(stage_.stage, k) *
                             out_.contract_mw[stage_.at(c, k)];
        }
    }
    for (std::size_t b = 0; b < system_.buses.size(); ++b) {
        for (std::size_t s = 0; s < system_.buses[b].deficit.size(); ++s) {
            for (int k = 0; k < stage_.blocks; ++k) {
                cost.deficit +=
                    blocks_[at(k)].hours * system_.buses[b].deficit[s].cost *
                    map_.deficit[stage_.at(map_.first_segment[b] + static_cast<int>(s), k)].value(
                        x_);
            }
        }
    }
}

}  // namespace

StageResult record_stage(const Problem& problem,
                         const StageProblem& stage,
                         const StageSolver& solver,
                         std::span<const double> incoming_state,
                         const Realisation& realisation,
                         double discount) {
    return Recorder(problem, stage, solver).record(incoming_state, realisation, discount);
}

}  // namespace lockstep::sddp
