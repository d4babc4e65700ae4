#include "support/extensive_node.hpp"

#include <algorithm>
#include <cmath>

#include "support/extensive_hydro.hpp"

namespace lockstep::test {
namespace {

struct BusColumns {
    std::vector<std::vector<int>> deficit;  // [blocks][segments]
    std::vector<int> excess;                // [blocks]
};

// The power system of a node and the generic constraints, on top of its plants.
class PowerPart : public NodePart {
public:
    PowerPart(const NodePart& part, const HydroPart& hydros) : NodePart(part), hydros_(hydros) {}

    void write(const PathState& incoming, PathState& outgoing) {
        add_thermals();
        add_commitments(incoming, outgoing);
        add_batteries(incoming, outgoing);
        add_lines();
        add_sources();
        add_contracts();
        add_buses();
        for (int b = 0; b < static_cast<int>(system_.buses.size()); ++b) {
            for (int k = 0; k < blocks(); ++k) {
                add_load_balance(b, k);
            }
        }
        for (const auto& constraint : system_.constraints) {
            add_constraint(constraint);
        }
    }

private:
    void add_thermals() {
        for (const auto& thermal : system_.thermals) {
            thermals_.emplace_back();
            const double cost = thermal.delivered_in(t_) == nullptr ? thermal.cost[at(t_)] : 0;
            for (int k = 0; k < blocks(); ++k) {
                thermals_.back().push_back(
                    column(cost * hours(k), thermal.min_mw(t_, k), thermal.max_mw(t_, k)));
            }
        }
    }

    // What was decided for this stage is generated in it; what is decided now is known later.
    void add_commitments(const PathState& incoming, PathState& outgoing) {
        outgoing.committed = incoming.committed;
        decisions_.resize(system_.thermals.size());
        for (std::size_t j = 0; j < system_.thermals.size(); ++j) {
            const auto& thermal = system_.thermals[j];
            if (thermal.delivered_in(t_) != nullptr) {
                Terms terms{{incoming.committed[j].at(t_), -hours(-1)}};
                for (int k = 0; k < blocks(); ++k) {
                    terms.emplace_back(thermals_[j][at(k)], hours(k));
                }
                row(terms, 0, 0);
            }
            for (const auto& delivery : thermal.deliveries) {
                if (delivery.decided_in == t_) {
                    decisions_[j].push_back(
                        column(delivery.cost_per_mw, delivery.min_mw, delivery.max_mw));
                    outgoing.committed[j][delivery.stage] = decisions_[j].back();
                }
            }
        }
    }

    void add_lines() {
        for (const auto& line : system_.lines) {
            direct_.emplace_back();
            reverse_.emplace_back();
            for (int k = 0; k < blocks(); ++k) {
                const double cost = line.exchange_cost(t_, k) * hours(k);
                direct_.back().push_back(column(cost, 0, line.direct_mw(t_, k)));
                reverse_.back().push_back(column(cost, 0, line.reverse_mw(t_, k)));
            }
        }
    }

    // Power and what is curtailed of it share the availability.
    void add_sources() {
        for (int n = 0; n < static_cast<int>(system_.sources.size()); ++n) {
            const auto& source = system_.sources[at(n)];
            sources_.emplace_back();
            curtailed_.emplace_back();
            for (int k = 0; k < blocks(); ++k) {
                const double available = availability(n) * source.factor(t_, k);
                const int power = column(0, source.allow_curtailment ? 0 : available, available);
                const int curtailed =
                    column(source.curtailment_cost(t_, k) * hours(k), 0, lp::infinity);
                row({{power, 1}, {curtailed, 1}}, available, available);
                sources_.back().push_back(power);
                curtailed_.back().push_back(curtailed);
            }
        }
    }

    [[nodiscard]] double availability(int n) const {
        const auto& source = system_.sources[at(n)];
        const auto& layout = problem_.process.layout;
        if (!source.is_stochastic) {
            return source.in_service[at(t_)] * source.available_mw[at(t_)];
        }
        const auto found = std::find(layout.sources.begin(), layout.sources.end(), n);
        const auto position = layout.hydros + static_cast<int>(layout.buses.size()) +
                              static_cast<int>(found - layout.sources.begin());
        const double share = source.mean[at(t_)] + source.std[at(t_)] * noise_[at(position)];
        return source.in_service[at(t_)] * source.max_generation_mw * std::clamp(share, 0.0, 1.0);
    }

    void add_contracts() {
        for (const auto& contract : system_.contracts) {
            contracts_.emplace_back();
            for (int k = 0; k < blocks(); ++k) {
                contracts_.back().push_back(column(contract.price(t_, k) * hours(k),
                                                   contract.min_mw(t_, k),
                                                   contract.max_mw(t_, k)));
            }
        }
    }

    // Energy before, plus what is charged, less what is discharged, for each period of the stage.
    void add_batteries(const PathState& incoming, PathState& outgoing) {
        const int periods = stage_.is_chronological ? blocks() : 1;
        for (std::size_t b = 0; b < system_.batteries.size(); ++b) {
            const auto& battery = system_.batteries[b];
            charge_.emplace_back();
            discharge_.emplace_back();
            energy_.push_back({incoming.energy[b]});
            for (int p = 0; p < periods; ++p) {
                const int after =
                    column(0, battery.min_energy_mwh[at(t_)], battery.max_energy_mwh[at(t_)]);
                Terms terms{{after, 1}, {energy_[b].back(), -1}};
                for (int k = periods > 1 ? p : 0; k < (periods > 1 ? p + 1 : blocks()); ++k) {
                    charge_[b].push_back(column(0, 0, battery.max_charge_mw(t_, k)));
                    discharge_[b].push_back(column(0, 0, battery.max_discharge_mw(t_, k)));
                    terms.emplace_back(charge_[b].back(), -hours(k) * battery.charge_efficiency);
                    terms.emplace_back(discharge_[b].back(),
                                       hours(k) / battery.discharge_efficiency);
                }
                row(terms, 0, 0);
                energy_[b].push_back(after);
            }
            outgoing.energy.push_back(energy_[b].back());
        }
    }

    void add_buses() {
        for (const auto& bus : system_.buses) {
            buses_.emplace_back();
            for (int k = 0; k < blocks(); ++k) {
                auto& segments = buses_.back().deficit.emplace_back();
                for (const auto& segment : bus.deficit) {
                    segments.push_back(column(segment.cost * hours(k), 0, segment.depth_mw));
                }
                buses_.back().excess.push_back(
                    column(bus.excess_cost(t_, k) * hours(k), 0, lp::infinity));
            }
        }
    }

    [[nodiscard]] double load(int b, int k) const {
        const auto& bus = system_.buses[at(b)];
        const auto& layout = problem_.process.layout;
        double mean = bus.mean_load_mw[at(t_)];
        const auto found = std::find(layout.buses.begin(), layout.buses.end(), b);
        if (found != layout.buses.end()) {
            const auto position = layout.hydros + static_cast<int>(found - layout.buses.begin());
            mean = std::max(0.0, mean + bus.load_std_mw[at(t_)] * noise_[at(position)]);
        }
        return mean * bus.load_factor(t_, k);
    }

    void add_load_balance(int b, int k) {
        Terms terms;
        for (int h = 0; h < hydro_count(); ++h) {
            append(terms, hydros_.generation(h, k, 1, b));
        }
        for (std::size_t j = 0; j < thermals_.size(); ++j) {
            if (system_.thermals[j].bus == b) {
                terms.emplace_back(thermals_[j][at(k)], 1);
            }
        }
        for (std::size_t n = 0; n < sources_.size(); ++n) {
            if (system_.sources[n].bus == b) {
                terms.emplace_back(sources_[n][at(k)], 1);
            }
        }
        for (std::size_t l = 0; l < direct_.size(); ++l) {
            const auto& line = system_.lines[l];
            const double arrives = 1 - line.loss_share;
            if (line.target == b) {
                terms.emplace_back(direct_[l][at(k)], arrives);
                terms.emplace_back(reverse_[l][at(k)], -1);
            }
            if (line.source == b) {
                terms.emplace_back(direct_[l][at(k)], -1);
                terms.emplace_back(reverse_[l][at(k)], arrives);
            }
        }
        for (std::size_t c = 0; c < contracts_.size(); ++c) {
            if (system_.contracts[c].bus == b) {
                terms.emplace_back(contracts_[c][at(k)], system_.contracts[c].is_import ? 1 : -1);
            }
        }
        for (int j = 0; j < static_cast<int>(system_.pumping_stations.size()); ++j) {
            const auto& station = system_.pumping_stations[at(j)];
            if (station.bus == b) {
                append(terms, hydros_.pumped(j, k, -station.consumption_mw_per_m3s));
            }
        }
        for (std::size_t i = 0; i < charge_.size(); ++i) {
            if (system_.batteries[i].bus == b) {
                terms.emplace_back(discharge_[i][at(k)], 1);
                terms.emplace_back(charge_[i][at(k)], -1);
            }
        }
        append(terms, deficit(b, k, 1));
        terms.emplace_back(buses_[at(b)].excess[at(k)], -1);
        row(terms, load(b, k), load(b, k));
    }

    [[nodiscard]] Terms deficit(int b, int k, double factor) const {
        Terms terms;
        for (const int segment : buses_[at(b)].deficit[at(k)]) {
            terms.emplace_back(segment, factor);
        }
        return terms;
    }

    void add_constraint(const sddp::GenericConstraint& constraint) {
        for (const auto& limits : constraint.rows) {
            if (limits.stage != t_) {
                continue;
            }
            Terms terms;
            double demand = 0;
            for (const auto& term : limits.terms) {
                append(terms, quantity(term, term.block >= 0 ? term.block : limits.block));
                if (term.quantity == sddp::Quantity::hydro_withdrawal) {
                    demand +=
                        term.coefficient * system_.hydros[at(term.entity)].withdrawal_m3s[at(t_)];
                }
            }
            const double penalty = constraint.penalty * hours(limits.block);
            if (constraint.has_slack && std::isfinite(limits.lower)) {
                terms.emplace_back(column(penalty, 0, lp::infinity), 1);
            }
            if (constraint.has_slack && std::isfinite(limits.upper)) {
                terms.emplace_back(column(penalty, 0, lp::infinity), -1);
            }
            row(terms, limits.lower - demand, limits.upper - demand);
        }
    }

    // Over a whole stage a rate is its mean over the hours.
    [[nodiscard]] Terms quantity(const sddp::ConstraintTerm& term, int block) const {
        if (block >= 0) {
            return quantity_in(term, block, term.coefficient);
        }
        Terms terms;
        for (int k = 0; k < blocks(); ++k) {
            append(terms, quantity_in(term, k, term.coefficient * hours(k) / hours(-1)));
        }
        return terms;
    }

    // Storages are those of the term's block, not of the row's.
    [[nodiscard]] int first_period(const sddp::ConstraintTerm& term) const {
        return term.block < 0 ? 0 : hydros_.period_of(term.block);
    }
    [[nodiscard]] int last_period(const sddp::ConstraintTerm& term) const {
        return hydros_.period_of(term.block < 0 ? blocks() - 1 : term.block);
    }

    [[nodiscard]] Terms quantity_in(const sddp::ConstraintTerm& term, int k, double factor) const {
        using enum sddp::Quantity;
        const int e = term.entity;
        switch (term.quantity) {
            case hydro_storage_initial:
                return {{hydros_.storage_before(e, first_period(term)), factor}};
            case hydro_storage_final:
                return {{hydros_.storage_after(e, last_period(term)), factor}};
            case hydro_evaporation:
                return hydros_.columns(e).evaporation.empty()
                           ? Terms{}
                           : Terms{{hydros_.columns(e).evaporation[at(hydros_.period_of(k))],
                                    factor}};
            case hydro_inflow: {
                Terms terms = hydros_.arrivals(e, k, factor);
                append(terms, hydros_.maturing(e, hydros_.period_of(k), factor));
                for (int j = 0; j < hydro_count(); ++j) {
                    if (j == e || hydros_.ends_at(j) == e) {
                        terms.emplace_back(hydros_.columns(j).inflow, factor);
                    }
                }
                return terms;
            }
            case hydro_turbined:
                return hydros_.turbined(e, k, factor, term.bus);
            case hydro_spillage:
                return {{hydros_.columns(e).spilled[at(k)], factor}};
            case hydro_diversion:
                return {{hydros_.columns(e).diverted[at(k)], factor}};
            case hydro_outflow:
                return hydros_.outflow(e, k, factor);
            case hydro_generation:
                return hydros_.generation(e, k, factor, term.bus);
            case thermal_generation:
                return {{thermals_[at(e)][at(k)], factor}};
            case line_direct:
                return {{direct_[at(e)][at(k)], factor}};
            case line_reverse:
                return {{reverse_[at(e)][at(k)], factor}};
            case bus_deficit:
                return deficit(e, k, factor);
            case bus_excess:
                return {{buses_[at(e)].excess[at(k)], factor}};
            case anticipated_decision:
                return mean_of(decisions_[at(e)], factor);
            case contract_power:
                return {{contracts_[at(e)][at(k)], factor}};
            case pumping_flow:
                return hydros_.pumped(e, k, factor);
            case hydro_withdrawal:
                return {{hydros_.columns(e).withdrawal_above, factor},
                        {hydros_.columns(e).withdrawal_below, -factor}};
            case source_generation:
                return {{sources_[at(e)][at(k)], factor}};
            case source_curtailment:
                return {{curtailed_[at(e)][at(k)], factor}};
            case battery_charge:
                return {{charge_[at(e)][at(k)], factor}};
            case battery_discharge:
                return {{discharge_[at(e)][at(k)], factor}};
            case battery_energy_initial:
                return {{energy_[at(e)][at(first_period(term))], factor}};
            case battery_energy_final:
                return {{energy_[at(e)][at(last_period(term) + 1)], factor}};
        }
        return {};
    }

    static Terms mean_of(const std::vector<int>& columns, double factor) {
        Terms terms;
        for (const int col : columns) {
            terms.emplace_back(col, factor / static_cast<double>(columns.size()));
        }
        return terms;
    }

    const HydroPart& hydros_;
    std::vector<std::vector<int>> thermals_, direct_, reverse_;  // [entity][block]
    std::vector<std::vector<int>> sources_, curtailed_, contracts_;
    std::vector<std::vector<int>> charge_, discharge_;  // [batteries][blocks]
    std::vector<std::vector<int>> decisions_;           // [thermals][deliveries]
    std::vector<std::vector<int>> energy_;              // [batteries], before and after periods
    std::vector<BusColumns> buses_;
};

}  // namespace

int add_column(
    lp::ModelBuilder& builder, const CostSink& sink, double cost, double lower, double upper) {
    const double weighted = sink.weight * cost;
    const int column = builder.add_column(sink.row < 0 ? weighted : 0, lower, upper);
    if (sink.row >= 0) {
        builder.add_entry(sink.row, column, -weighted);
    }
    return column;
}

PathState add_node(lp::ModelBuilder& builder,
                   const sddp::Problem& problem,
                   int stage,
                   const NodeOutcome& outcome,
                   const PathState& incoming,
                   const CostSink& sink) {
    HydroPart hydros(builder, problem, stage, outcome.noise, sink);
    hydros.pin(outcome.inflow);
    PathState outgoing = hydros.write(incoming);
    PowerPart(hydros, hydros).write(incoming, outgoing);
    return outgoing;
}

}  // namespace lockstep::test
