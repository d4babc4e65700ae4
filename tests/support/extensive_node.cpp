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

    void write() {
        add_thermals();
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
            for (int k = 0; k < blocks(); ++k) {
                thermals_.back().push_back(column(
                    thermal.cost[at(t_)] * hours(k), thermal.min_mw(t_, k), thermal.max_mw(t_, k)));
            }
        }
    }

    void add_lines() {
        for (const auto& line : system_.lines) {
            direct_.emplace_back();
            reverse_.emplace_back();
            for (int k = 0; k < blocks(); ++k) {
                const double cost = line.exchange_cost[at(t_)] * hours(k);
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
                    column(source.curtailment_cost[at(t_)] * hours(k), 0, lp::infinity);
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

    void add_buses() {
        for (const auto& bus : system_.buses) {
            buses_.emplace_back();
            for (int k = 0; k < blocks(); ++k) {
                auto& segments = buses_.back().deficit.emplace_back();
                for (const auto& segment : bus.deficit) {
                    segments.push_back(column(segment.cost * hours(k), 0, segment.depth_mw));
                }
                buses_.back().excess.push_back(
                    column(bus.excess_cost[at(t_)] * hours(k), 0, lp::infinity));
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
            const double sign =
                (system_.lines[l].target == b ? 1 : 0) - (system_.lines[l].source == b ? 1 : 0);
            terms.emplace_back(direct_[l][at(k)], sign);
            terms.emplace_back(reverse_[l][at(k)], -sign);
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

    [[nodiscard]] Terms quantity_in(const sddp::ConstraintTerm& term, int k, double factor) const {
        using enum sddp::Quantity;
        const int e = term.entity;
        switch (term.quantity) {
            case hydro_storage_initial:
                return {{hydros_.columns(e).storage_in, factor}};
            case hydro_storage_final:
                return {{hydros_.columns(e).storage_out, factor}};
            case hydro_evaporation:
                return hydros_.columns(e).evaporation < 0
                           ? Terms{}
                           : Terms{{hydros_.columns(e).evaporation, factor}};
            case hydro_inflow: {
                Terms terms = hydros_.arrivals(e, k, factor);
                terms.emplace_back(hydros_.columns(e).inflow, factor);
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
        }
        return {};
    }

    const HydroPart& hydros_;
    std::vector<std::vector<int>> thermals_, direct_, reverse_;  // [entity][block]
    std::vector<std::vector<int>> sources_, curtailed_, contracts_;
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
                   std::span<const double> noise,
                   const PathState& incoming,
                   const CostSink& sink) {
    HydroPart hydros(builder, problem, stage, noise, sink);
    PathState outgoing = hydros.write(incoming);
    PowerPart(hydros, hydros).write();
    return outgoing;
}

}  // namespace lockstep::test
