#include "lockstep/rl/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::rl {
namespace {

constexpr double sum_tolerance = 1e-9;

[[noreturn]] void refuse(int s, int a, const std::string& what) {
    throw InputError(fmt::format("state {}, action {}: {}", s, a, what));
}

void check_probability(double probability, const std::string& where) {
    if (!(probability > 0 && probability <= 1)) {
        throw InputError(
            fmt::format("{}: probability {} must be above 0 and at most 1", where, probability));
    }
}

void check_sum(double sum, const std::string& where) {
    if (!(std::abs(sum - 1) <= sum_tolerance)) {
        throw InputError(fmt::format("{}: the probabilities add up to {}, must be 1", where, sum));
    }
}

double sum_of(std::span<const Outcome> outcomes) {
    double sum = 0;
    for (const Outcome& outcome : outcomes) {
        sum += outcome.probability;
    }
    return sum;
}

bool has_legal_action(const Model& model, int s) {
    for (int a = 0; a < model.actions(); ++a) {
        if (model.is_legal(s, a)) {
            return true;
        }
    }
    return false;
}

void check_outcomes(const Model& model, int s, int a) {
    const auto outcomes = model.outcomes(s, a);
    if (outcomes.empty()) {
        return;
    }
    check_sum(sum_of(outcomes), fmt::format("state {}, action {}", s, a));
    for (const Outcome& outcome : outcomes) {
        if (!outcome.terminated && !has_legal_action(model, outcome.next)) {
            refuse(s,
                   a,
                   fmt::format("goes on to state {}, which has no legal action: mark the "
                               "transition terminated, or give the state an action",
                               outcome.next));
        }
    }
}

void check_starts(const Model& model) {
    double sum = 0;
    for (const Start& start : model.starts()) {
        sum += start.probability;
        if (!has_legal_action(model, start.state)) {
            throw InputError(
                fmt::format("state {}: episodes start there, but no action is legal", start.state));
        }
    }
    if (!model.starts().empty()) {
        check_sum(sum, "start");
    }
}

}  // namespace

std::span<const Outcome> Model::outcomes(int s, int a) const noexcept {
    const std::size_t pair = at(s) * at(actions_) + at(a);
    return std::span(outcomes_).subspan(first_[pair], first_[pair + 1] - first_[pair]);
}

ModelBuilder::ModelBuilder(int states, int actions) : states_(states), actions_(actions) {
    if (states < 1 || actions < 1 ||
        std::int64_t{states} * actions > std::numeric_limits<std::int32_t>::max()) {
        throw InputError(
            fmt::format("{} states with {} actions: must be at least 1, and at most 2^31 - 1 pairs",
                        states,
                        actions));
    }
}

void ModelBuilder::add(int s, int a, const Outcome& outcome) {
    if (s < 0 || s >= states_ || a < 0 || a >= actions_) {
        refuse(s, a, fmt::format("states are 0 to {}, actions 0 to {}", states_ - 1, actions_ - 1));
    }
    if (outcome.next < 0 || outcome.next >= states_) {
        refuse(s, a, fmt::format("next state {} must be 0 to {}", outcome.next, states_ - 1));
    }
    if (!std::isfinite(outcome.reward)) {
        refuse(s, a, fmt::format("reward {} must be finite", outcome.reward));
    }
    check_probability(outcome.probability, fmt::format("state {}, action {}", s, a));
    rows_.push_back({std::int64_t{s} * actions_ + a, outcome});
}

void ModelBuilder::add_start(const Start& start) {
    if (start.state < 0 || start.state >= states_) {
        throw InputError(fmt::format("start: state {} must be 0 to {}", start.state, states_ - 1));
    }
    check_probability(start.probability, fmt::format("start in state {}", start.state));
    starts_.push_back(start);
}

Model ModelBuilder::build() {
    std::stable_sort(
        rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.pair < b.pair; });
    std::stable_sort(starts_.begin(), starts_.end(), [](const Start& a, const Start& b) {
        return a.state < b.state;
    });
    Model model;
    model.states_ = states_;
    model.actions_ = actions_;
    model.first_.assign(at(states_) * at(actions_) + 1, 0);
    for (const Row& row : rows_) {
        ++model.first_[at(row.pair) + 1];
        model.outcomes_.push_back(row.outcome);
    }
    for (std::size_t pair = 1; pair < model.first_.size(); ++pair) {
        model.first_[pair] += model.first_[pair - 1];
    }
    model.starts_ = starts_;
    for (int s = 0; s < states_; ++s) {
        for (int a = 0; a < actions_; ++a) {
            check_outcomes(model, s, a);
        }
    }
    check_starts(model);
    return model;
}

}  // namespace lockstep::rl
