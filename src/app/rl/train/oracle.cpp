#include "app/rl/train/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "app/rl/games/games.hpp"
#include "app/rl/games/opponent.hpp"
#include "app/rl/start_value.hpp"

namespace lockstep::app {
namespace {

constexpr double share_of_time = 0.1;
constexpr auto none = -std::numeric_limits<double>::infinity();

double value_of(const rl::QTable& table, int s, int a) {
    return table.values[at(std::ptrdiff_t{s} * table.actions + a)];
}

// Expected reward and what follows, with the table's maxima as values.
double backed_up(
    const rl::Model& model, const std::vector<double>& maxima, double gamma, int s, int a) {
    double sum = 0;
    for (const auto& outcome : model.outcomes(s, a)) {
        const auto rest = outcome.terminated ? 0.0 : gamma * maxima[at(outcome.next)];
        sum += outcome.probability * (outcome.reward + rest);
    }
    return sum;
}

/// Of a model, a table and the best actions.
struct GreedyPolicy {
    std::vector<double> probabilities;  // [states, actions]
    std::vector<double> maxima;         // [states]
    double match = 1;

    GreedyPolicy(const rl::Model& model, const rl::QTable& table, const rl::Solution& solution)
        : probabilities(table.values.size()), maxima(at(table.states)) {
        std::int64_t right = 0;
        std::int64_t all = 0;
        for (int s = 0; s < table.states; ++s) {
            choose(model, table, s);
            count(model, solution, s, right, all);
        }
        match = all == 0 ? 1 : static_cast<double>(right) / static_cast<double>(all);
    }

private:
    void choose(const rl::Model& model, const rl::QTable& table, int s) {
        int best = -1;
        double most = none;
        for (int a = 0; a < table.actions; ++a) {
            if (model.is_legal(s, a) && value_of(table, s, a) > most) {
                most = value_of(table, s, a);
                best = a;
            }
        }
        if (best >= 0) {
            probabilities[at(std::ptrdiff_t{s} * table.actions + best)] = 1;
            maxima[at(s)] = most;
        }
    }

    void count(const rl::Model& model,
               const rl::Solution& solution,
               int s,
               std::int64_t& right,
               std::int64_t& all) const {
        const auto first = std::ptrdiff_t{s} * model.actions();
        bool has_worse = false;
        bool is_best = false;
        for (int a = 0; a < model.actions(); ++a) {
            const bool best = solution.optimal[at(first + a)] != 0;
            has_worse |= model.is_legal(s, a) && !best;
            is_best |= best && probabilities[at(first + a)] > 0;
        }
        all += has_worse ? 1 : 0;
        right += has_worse && is_best ? 1 : 0;
    }
};

double bellman_residual(const rl::Model& model, const std::vector<double>& maxima, double gamma) {
    double largest = 0;
    for (int s = 0; s < model.states(); ++s) {
        double most = none;
        for (int a = 0; a < model.actions(); ++a) {
            if (model.is_legal(s, a)) {
                most = std::max(most, backed_up(model, maxima, gamma, s, a));
            }
        }
        if (most > none) {
            largest = std::max(largest, std::abs(most - maxima[at(s)]));
        }
    }
    return largest;
}

}  // namespace

Oracle::Oracle(const Subject& subject, double discount_factor, runtime::ThreadTeam& team)
    : subject_(subject),
      team_(team),
      discount_factor_(discount_factor),
      is_game_(is_game(subject.record)) {
    const auto& record = subject.record;
    if (std::int64_t{record.states} * record.actions <= most_pairs) {
        model_ = model_of(subject);
    }
    if (model_) {
        solve();
    }
}

void Oracle::solve() {
    try {
        rl::SolveObserver nobody;
        solution_ = rl::solve(*model_, options(), team_, nobody);
        optimum_ = start_value(model_->starts(), solution_);
    } catch (const ModelError&) {
        // Infinite values: nothing to compare with.
    }
}

rl::SolveOptions Oracle::options() const {
    rl::SolveOptions options;
    options.gamma = discount_factor_;
    return options;
}

bool Oracle::is_due() const {
    return knows() && (clock_.seconds() - ended_at_) * share_of_time >= cost_;
}

std::optional<Worth> Oracle::worth_of(const rl::QTable& table) {
    if (!optimum_) {
        return std::nullopt;
    }
    const GreedyPolicy policy(*model_, table, solution_);
    try {
        rl::SolveObserver nobody;
        const auto found = rl::evaluate(*model_, policy.probabilities, options(), team_, nobody);
        const auto value = *start_value(model_->starts(), found);
        return Worth{value,
                     formats::rl::gap_to(*optimum_, value),
                     bellman_residual(*model_, policy.maxima, discount_factor_),
                     policy.match};
    } catch (const ModelError&) {
        return std::nullopt;  // a policy that never ends and pays for ever
    }
}

Judgement Oracle::judge(const rl::QTable& table) {
    const Stopwatch clock;
    Judgement judgement{worth_of(table), exploitability_of(subject_, table)};
    cost_ = clock.seconds();
    ended_at_ = clock_.seconds();
    return judgement;
}

int greedy_action(const rl::QTable& table, rl::ActionMask legal, int state) {
    int best = -1;
    double most = none;
    for (int a = 0; a < table.actions; ++a) {
        if ((legal >> static_cast<unsigned>(a) & 1U) != 0 && value_of(table, state, a) > most) {
            most = value_of(table, state, a);
            best = a;
        }
    }
    return best;
}

}  // namespace lockstep::app
