#include "support/extensive_form.hpp"

#include <string>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "support/extensive_node.hpp"

namespace lockstep::test {
namespace {

class TreeWriter {
public:
    explicit TreeWriter(const sddp::Problem& problem) : problem_(problem) {}

    lp::Model write(const TreeRoot& root) {
        add_outcomes(root.stage, measure_before(root.stage), fixed_state(root), CostSink{});
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
        for (const double a : root.lags_m3s) {
            state.lag.push_back(builder_.add_column(0, a, a));
        }
        state.lag_value = root.lags_m3s;
        return state;
    }

    void add_outcomes(int t,
                      const sddp::RiskMeasure& risk,
                      const PathState& incoming,
                      const CostSink& sink) {
        if (risk.is_neutral()) {
            add_expected(t, incoming, sink);
        } else {
            add_risk_adjusted(t, risk, incoming, sink);
        }
    }

    void add_expected(int t, const PathState& incoming, const CostSink& sink) {
        const int count = problem_.process.tree.count[at(t)];
        for (int opening = 0; opening < count; ++opening) {
            add_outcome(t, opening, incoming, {sink.row, sink.weight / count});
        }
    }

    // (1 - λ) Σ p V + λ (η + Σ p y / α) with y >= V - η, y >= 0.
    void add_risk_adjusted(int t,
                           const sddp::RiskMeasure& risk,
                           const PathState& incoming,
                           const CostSink& sink) {
        const int count = problem_.process.tree.count[at(t)];
        const double p = 1.0 / count;
        const int eta = add_column(builder_, sink, risk.lambda, -lp::infinity, lp::infinity);
        for (int opening = 0; opening < count; ++opening) {
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
            add_outcome(t, opening, incoming, {costs, 1});
        }
    }

    void add_outcome(int t, int opening, const PathState& incoming, const CostSink& sink) {
        const auto noise = problem_.process.tree.noise(t, opening);
        const PathState outgoing = add_node(builder_, problem_, t, noise, incoming, sink);
        if (t + 1 < problem_.stage_count()) {
            add_outcomes(t + 1,
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
