#include "support/extensive_form.hpp"

#include <span>
#include <string>
#include <vector>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "support/extensive_node.hpp"

namespace lockstep::test {
namespace {

/// Something that may come next, and with what probability.
struct Event {
    int node = 0;
    std::vector<double> noise;
    double probability = 0;
};

class TreeWriter {
public:
    explicit TreeWriter(const sddp::Problem& problem) : problem_(problem) {}

    lp::Model write(const TreeRoot& root) {
        std::vector<Event> events;
        add_events(root.stage, 1, events);
        add_outcomes(events, measure_before(root.stage), fixed_state(root), CostSink{});
        return builder_.build();
    }

private:
    [[nodiscard]] const sddp::Stage& stage(int t) const { return problem_.calendar.stages[at(t)]; }

    [[nodiscard]] const sddp::RiskMeasure& measure_before(int t) const {
        return stage(t == 0 ? 0 : t - 1).risk;
    }

    PathState fixed_state(const TreeRoot& root) {
        PathState state;
        for (const double v : root.storage_hm3) {
            state.storage.push_back(builder_.add_column(0, v, v));
        }
        add_transit(root, state);
        add_commitments(root, state);
        for (const double energy : root.energy_mwh) {
            state.energy.push_back(builder_.add_column(0, energy, energy));
        }
        for (const double a : root.lags_m3s) {
            state.lag.push_back(builder_.add_column(0, a, a));
        }
        state.lag_value = root.lags_m3s;
        return state;
    }

    void add_transit(const TreeRoot& root, PathState& state) {
        std::size_t place = 0;
        for (int h = 0; h < problem_.hydro_count(); ++h) {
            const int periods = problem_.system.hydros[at(h)].transit_periods();
            const int first = problem_.calendar.first_period(root.stage);
            for (int later = 0; later < periods; ++later) {
                const double volume = root.transit_hm3[place++];
                state.transit.push_back(
                    {h, first + later, builder_.add_column(0, volume, volume), 1});
            }
        }
    }

    void add_commitments(const TreeRoot& root, PathState& state) {
        int first = 0;
        for (const auto& thermal : problem_.system.thermals) {
            auto& committed = state.committed.emplace_back();
            for (const auto& delivery : thermal.deliveries) {
                if (delivery.stage >= root.stage && delivery.decided_in < root.stage) {
                    const double power =
                        root.committed_mw[at(first + delivery.stage % thermal.commitments)];
                    committed[delivery.stage] = builder_.add_column(0, power, power);
                }
            }
            first += thermal.commitments;
        }
    }

    // All that may happen at a node that is entered with some probability.
    void add_events(int node, double probability, std::vector<Event>& events) const {
        const auto& pinned = problem_.process.pinned_noise;
        if (!pinned.empty() && !pinned[at(node)].empty()) {
            events.push_back({node, pinned[at(node)], probability});
            return;
        }
        const auto& tree = problem_.process.tree;
        const int t = problem_.stage_of(node);
        const int count = tree.count[at(t)];
        for (int opening = 0; opening < count; ++opening) {
            events.push_back({node, noise_of(node, tree.noise(t, opening)), probability / count});
        }
    }

    // Inflows of a regime are those of the stage at a noise that is stretched and moved.
    [[nodiscard]] std::vector<double> noise_of(int node, std::span<const double> eta) const {
        std::vector<double> noise(eta.begin(), eta.end());
        const auto& regimes = problem_.process.node_noise;
        for (std::size_t h = 0; !regimes.empty() && h < regimes[at(node)].factor.size(); ++h) {
            noise[h] = noise[h] * regimes[at(node)].factor[h] + regimes[at(node)].shift[h];
        }
        return noise;
    }

    [[nodiscard]] std::vector<Event> events_after(int node) const {
        std::vector<Event> events;
        if (problem_.graph.is_chain() && node + 1 < problem_.stage_count()) {
            add_events(node + 1, 1, events);
        }
        for (const auto& arc : problem_.graph.arcs) {
            if (arc.from == node) {
                add_events(arc.to, arc.probability, events);
            }
        }
        return events;
    }

    void add_outcomes(const std::vector<Event>& events,
                      const sddp::RiskMeasure& risk,
                      const PathState& incoming,
                      const CostSink& sink) {
        if (risk.is_neutral()) {
            add_expected(events, incoming, sink);
        } else {
            add_risk_adjusted(events, risk, incoming, sink);
        }
    }

    void add_expected(const std::vector<Event>& events,
                      const PathState& incoming,
                      const CostSink& sink) {
        for (const auto& event : events) {
            add_outcome(event, incoming, {sink.row, sink.weight * event.probability});
        }
    }

    // (1 - λ) Σ p V + λ (η + Σ p y / α) with y >= V - η, y >= 0.
    void add_risk_adjusted(const std::vector<Event>& events,
                           const sddp::RiskMeasure& risk,
                           const PathState& incoming,
                           const CostSink& sink) {
        const int eta = add_column(builder_, sink, risk.lambda, -lp::infinity, lp::infinity);
        for (const auto& event : events) {
            const double p = event.probability;
            const int value =
                add_column(builder_, sink, (1 - risk.lambda) * p, -lp::infinity, lp::infinity);
            const int excess =
                add_column(builder_, sink, risk.lambda * p / risk.alpha, 0, lp::infinity);
            const int tail = builder_.add_row(0, lp::infinity);
            builder_.add_entry(tail, excess, 1);
            builder_.add_entry(tail, value, -1);
            builder_.add_entry(tail, eta, 1);
            const int costs = builder_.add_row(0, 0);
            builder_.add_entry(costs, value, 1);
            add_outcome(event, incoming, {costs, 1});
        }
    }

    void add_outcome(const Event& event, const PathState& incoming, const CostSink& sink) {
        const int t = problem_.stage_of(event.node);
        const auto& pinned = problem_.process.pinned_inflow;
        const auto inflow = pinned.empty()
                                ? std::span<const double>()
                                : std::span<const double>(pinned[at(event.node)].flow_m3s);
        const PathState outgoing =
            add_node(builder_, problem_, t, {event.noise, inflow}, incoming, sink);
        if (t + 1 < problem_.stage_count()) {
            add_outcomes(events_after(event.node),
                         measure_before(t + 1),
                         outgoing,
                         {sink.row, sink.weight * stage(t).discount_factor()});
        }
    }

    const sddp::Problem& problem_;
    lp::ModelBuilder builder_;
};

}  // namespace

TreeRoot study_root(const sddp::Problem& problem) {
    TreeRoot root;
    for (const auto& hydro : problem.system.hydros) {
        root.storage_hm3.push_back(hydro.initial_storage_hm3);
    }
    root.lags_m3s = problem.process.inflow.initial_lags;
    for (const auto& battery : problem.system.batteries) {
        root.energy_mwh.push_back(battery.initial_energy_mwh);
    }
    for (const auto& hydro : problem.system.hydros) {
        const auto& transit = hydro.initial_transit_hm3;
        root.transit_hm3.insert(root.transit_hm3.end(), transit.begin(), transit.end());
    }
    for (const auto& thermal : problem.system.thermals) {
        const auto first = root.committed_mw.size();
        root.committed_mw.resize(first + at(thermal.commitments));
        for (const auto& delivery : thermal.deliveries) {
            if (delivery.decided_in < 0) {
                root.committed_mw[first + at(delivery.stage % thermal.commitments)] =
                    delivery.committed_mw;
            }
        }
    }
    return root;
}

lp::Model extensive_form(const sddp::Problem& problem, const TreeRoot& root) {
    return TreeWriter(problem).write(root);
}

double extensive_optimum(const sddp::Problem& problem, const TreeRoot& root, lp::SolverKind kind) {
    const auto solver = lp::make_solver(kind);
    solver->load(extensive_form(problem, root));
    const auto status = solver->solve();
    if (status != lp::Status::optimal) {
        throw ModelError("extensive form: " + std::string(lp::to_string(status)));
    }
    return solver->objective();
}

double extensive_optimum(const sddp::Problem& problem, lp::SolverKind solver) {
    return extensive_optimum(problem, study_root(problem), solver);
}

}  // namespace lockstep::test
