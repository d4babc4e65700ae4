#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/model.hpp"

namespace lockstep::test {

/// An oracle that shares no line with the engine: plain sweeps over all states, until none changes
/// by more than 1e-15 of the values' size.
class ValueIteration {
public:
    ValueIteration(const rl::Model& model, double discount) : model_(model), discount_(discount) {}

    [[nodiscard]] double worth(int s, int a, const std::vector<double>& values) const {
        double sum = 0;
        for (const rl::Outcome& outcome : model_.outcomes(s, a)) {
            const double rest = outcome.terminated ? 0 : discount_ * values[at(outcome.next)];
            sum += outcome.probability * (outcome.reward + rest);
        }
        return sum;
    }

    /// Values of the best actions.
    [[nodiscard]] std::vector<double> optimal() const {
        return settled([this](int s, const std::vector<double>& values) {
            double best = -std::numeric_limits<double>::infinity();
            for (int a = 0; a < model_.actions(); ++a) {
                if (model_.is_legal(s, a)) {
                    best = std::max(best, worth(s, a, values));
                }
            }
            return std::isfinite(best) ? best : 0.0;
        });
    }

    /// Values of a policy: share(s, a) is the probability of an action.
    [[nodiscard]] std::vector<double> of(const std::function<double(int, int)>& share) const {
        return settled([&, this](int s, const std::vector<double>& values) {
            return average(s, values, share);
        });
    }

    /// Values of a policy with so many steps to go.
    [[nodiscard]] std::vector<double> within(int steps,
                                             const std::function<double(int, int)>& share) const {
        std::vector<double> values(at(model_.states()), 0);
        for (int i = 0; i < steps; ++i) {
            std::vector<double> next = values;
            for (int s = 0; s < model_.states(); ++s) {
                next[at(s)] = average(s, values, share);
            }
            values = next;
        }
        return values;
    }

    [[nodiscard]] double at_start(const std::vector<double>& values) const {
        double sum = 0;
        for (const rl::Start& start : model_.starts()) {
            sum += start.probability * values[at(start.state)];
        }
        return sum;
    }

private:
    [[nodiscard]] double average(int s,
                                 const std::vector<double>& values,
                                 const std::function<double(int, int)>& share) const {
        double sum = 0;
        for (int a = 0; a < model_.actions(); ++a) {
            if (model_.is_legal(s, a)) {
                sum += share(s, a) * worth(s, a, values);
            }
        }
        return sum;
    }

    template <typename Update>
    [[nodiscard]] std::vector<double> settled(const Update& update) const {
        std::vector<double> values(at(model_.states()), 0);
        double size = 0;
        double change = 1;
        for (int sweep = 0; sweep < 100'000 && change > 1e-15 * std::max(size, 1e-3); ++sweep) {
            change = 0;
            for (int s = 0; s < model_.states(); ++s) {
                const double value = update(s, values);
                change = std::max(change, std::abs(value - values[at(s)]));
                size = std::max(size, std::abs(value));
                values[at(s)] = value;
            }
        }
        return values;
    }

    const rl::Model& model_;
    double discount_;
};

/// Every legal action alike.
inline std::function<double(int, int)> random_policy(const rl::Model& model) {
    return [&model](int s, int /*a*/) {
        int legal = 0;
        for (int a = 0; a < model.actions(); ++a) {
            legal += static_cast<int>(model.is_legal(s, a));
        }
        return 1.0 / legal;
    };
}

}  // namespace lockstep::test
