#include <cmath>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/rl/solve.hpp"

#include "rl/solve/policies/chosen.hpp"

namespace lockstep::rl {
namespace {

constexpr double sum_tolerance = 1e-9;

/// What a policy makes of a model: one action, 0, in each state.
class PolicyRows : public RowSource {
public:
    PolicyRows(const Model& model, std::span<const double> policy)
        : model_(model), policy_(policy) {}
    [[nodiscard]] int states() const override { return model_.states(); }
    [[nodiscard]] int actions() const override { return 1; }

    void write(int s, RowWriter& writer) const override {
        bool is_begun = false;
        for (int a = 0; a < model_.actions(); ++a) {
            const double share = policy_[at(s) * at(model_.actions()) + at(a)];
            if (share > 0) {
                if (!is_begun) {
                    writer.pair(0);
                    is_begun = true;
                }
                write_action(s, a, share, writer);
            }
        }
    }

private:
    void write_action(int s, int a, double share, RowWriter& writer) const {
        double total = 0;
        for (const Outcome& outcome : model_.outcomes(s, a)) {
            total += outcome.probability;
        }
        for (const Outcome& outcome : model_.outcomes(s, a)) {
            writer.outcome(share * outcome.probability / total,
                           outcome.next,
                           outcome.reward,
                           outcome.terminated);
        }
    }

    const Model& model_;
    std::span<const double> policy_;
};

/// The rows of one action a state. What holds for all pairs holds for these, and rows that are
/// copied do not tell what they were made from.
class PolicyTable : public RowTable {
public:
    PolicyTable(const RowSource& rows,
                const std::vector<std::int32_t>& choice,
                runtime::ThreadTeam& team)
        : RowTable(Chosen(rows, choice), team), facts_(rows.facts(team)) {}
    [[nodiscard]] RowFacts facts(runtime::ThreadTeam& /*team*/) const override { return facts_; }

private:
    RowFacts facts_;
};

void check_state(const Model& model, std::span<const double> shares, int s) {
    double sum = 0;
    bool has_action = false;
    for (int a = 0; a < model.actions(); ++a) {
        const double share = shares[at(a)];
        if (!(share >= 0 && share <= 1)) {
            throw InputError(fmt::format(
                "policy, state {}, action {}: probability {} must be 0 to 1", s, a, share));
        }
        if (share > 0 && !model.is_legal(s, a)) {
            throw InputError(
                fmt::format("policy, state {}: takes action {}, which is not legal", s, a));
        }
        sum += share;
        has_action |= model.is_legal(s, a);
    }
    if (has_action && !(std::abs(sum - 1) <= sum_tolerance)) {
        throw InputError(
            fmt::format("policy, state {}: the probabilities add up to {}, must be 1", s, sum));
    }
}

void check_policy(const Model& model, std::span<const double> policy) {
    const std::size_t actions = at(model.actions());
    if (policy.size() != at(model.states()) * actions) {
        throw InputError(fmt::format("policy: {} numbers for {} states with {} actions",
                                     policy.size(),
                                     model.states(),
                                     model.actions()));
    }
    for (int s = 0; s < model.states(); ++s) {
        check_state(model, policy.subspan(at(s) * actions, actions), s);
    }
}

}  // namespace

Solution evaluate(const Model& model,
                  std::span<const double> policy,
                  const SolveOptions& options,
                  runtime::ThreadTeam& team,
                  SolveObserver& observer) {
    options.validate();
    check_policy(model, policy);
    return solve(
        RowTable(PolicyRows(model, policy), team), model.starts(), options, team, observer);
}

Solution evaluate(const RowSource& rows,
                  std::span<const Start> starts,
                  std::span<const std::int32_t> policy,
                  const SolveOptions& options,
                  runtime::ThreadTeam& team,
                  SolveObserver& observer) {
    options.validate();
    const auto choice = choice_of(rows, policy, "policy");
    return solve(PolicyTable(rows, choice, team), starts, options, team, observer);
}

}  // namespace lockstep::rl
