#include "xpcs/nlsq/search_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "lockstep/base/index.hpp"

#include "xpcs/nlsq/cost_order.hpp"
#include "xpcs/nlsq/evolution.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Where the distribution is longer than wide by more, its axes are rounding.
constexpr double most_elongation = 1e7;

// Into [0, 1], mirrored at both ends.
double folded(double x) {
    const double rest = std::abs(x - 2 * std::floor(x / 2));
    return rest > 1 ? 2 - rest : rest;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Whether the best costs of the generations still fall.
class Progress {
public:
    Progress(int population, Index dimension, double tolerance)
        : tolerance_(tolerance),
          short_(10 + static_cast<std::size_t>(
                          std::ceil(30.0 * static_cast<double>(dimension) / population))),
          long_(100 + short_) {}

    void add(const std::vector<double>& costs, const std::vector<int>& order) {
        best_.push_back(costs[at(order.front())]);
        spread_ = costs[at(order.back())] - best_.back();
    }

    [[nodiscard]] bool equal() const {
        if (best_.size() < short_) {
            return false;
        }
        const auto [low, high] =
            std::minmax_element(best_.end() - static_cast<std::ptrdiff_t>(short_), best_.end());
        const double range = std::max(*high - *low, spread_);
        return range <= tolerance_ * std::abs(*low);
    }

    [[nodiscard]] bool stagnant() const {
        const std::size_t window = std::max(long_, best_.size() / 5);
        if (best_.size() < window) {
            return false;
        }
        const std::size_t part = window * 3 / 10;
        const auto first = best_.end() - static_cast<std::ptrdiff_t>(window);
        const auto last = best_.end() - static_cast<std::ptrdiff_t>(part);
        return median({last, best_.end()}) >=
               median({first, first + static_cast<std::ptrdiff_t>(part)});
    }

private:
    double tolerance_;
    std::size_t short_;
    std::size_t long_;
    std::vector<double> best_;
    double spread_ = 0;
};

// [Hansen2009]
int most_generations(const RunPlan& plan) {
    const auto n = static_cast<double>(plan.mean.size());
    return static_cast<int>(100 + 50 * (n + 3) * (n + 3) / std::sqrt(plan.population));
}

std::optional<SearchStop> stop_of(const Evolution& evolution,
                                  const Progress& progress,
                                  const CmaOptions& options) {
    if (progress.equal()) {
        return SearchStop::costs_equal;
    }
    if (evolution.width() < options.place_tolerance) {
        return SearchStop::converged;
    }
    if (evolution.elongation() > most_elongation || !(evolution.width() < 1e3)) {
        return SearchStop::degenerate;
    }
    return progress.stagnant() ? std::optional(SearchStop::stagnation) : std::nullopt;
}

}  // namespace

Arena::Arena(const Box& box, int parameters, const EvaluateMany& evaluate)
    : box_(box), parameters_(at(parameters)), evaluate_(evaluate), best_(infinity) {}

void Arena::place(std::span<const double> members) {
    points_.resize(members.size());
    for (std::size_t k = 0; k < members.size(); ++k) {
        const int i = static_cast<int>(k % parameters_);
        const double lower = box_.lower_of(i);
        const double upper = box_.upper_of(i);
        points_[k] = std::clamp(lower + folded(members[k]) * (upper - lower), lower, upper);
    }
}

Vector Arena::member(std::span<const double> point) const {
    Vector member(static_cast<Index>(point.size()));
    for (int i = 0; i < static_cast<int>(point.size()); ++i) {
        const double width = box_.upper_of(i) - box_.lower_of(i);
        member[i] = width > 0 ? (point[at(i)] - box_.lower_of(i)) / width : 0.5;
    }
    return member;
}

const std::vector<double>& Arena::costs(std::span<const double> members) {
    place(members);
    costs_.assign(members.size() / parameters_, infinity);
    evaluate_(points_, costs_);
    evaluations_ += static_cast<std::int64_t>(costs_.size());
    for (std::size_t k = 0; k < costs_.size(); ++k) {
        costs_[k] = comparable(costs_[k]);
        if (costs_[k] < best_) {
            best_ = costs_[k];
            best_point_ = point(static_cast<int>(k));
        }
    }
    return costs_;
}

std::vector<double> Arena::point(int number) const {
    const auto point = std::span(points_).subspan(at(number) * parameters_, parameters_);
    return {point.begin(), point.end()};
}

SearchRun run_evolution(const RunPlan& plan,
                        Arena& arena,
                        const runtime::Random& random,
                        const CmaOptions& options) {
    Evolution evolution(plan.mean, plan.step, plan.population);
    Progress progress(plan.population, plan.mean.size(), options.cost_tolerance);
    SearchRun run{plan.population, 0, 0, infinity, {}, SearchStop::generations};
    for (; run.generations < most_generations(plan); ++run.generations) {
        if (run.evaluations + plan.population > plan.max_evaluations) {
            run.stop = SearchStop::evaluations;
            break;
        }
        const std::uint64_t item = (static_cast<std::uint64_t>(plan.number) << 32U) +
                                   static_cast<std::uint64_t>(run.generations);
        const std::vector<double>& costs = arena.costs(evolution.sample(random, item));
        const std::vector<int> order = order_by_cost(costs);
        run.evaluations += plan.population;
        if (costs[at(order.front())] < run.best) {
            run.best = costs[at(order.front())];
            run.x = arena.point(order.front());
        }
        progress.add(costs, order);
        evolution.update(order);
        if (options.on_generation && !options.on_generation({plan.number,
                                                             run.generations,
                                                             arena.evaluations(),
                                                             arena.best(),
                                                             evolution.step()})) {
            run.stop = SearchStop::caller;
            break;
        }
        if (const auto stop = stop_of(evolution, progress, options)) {
            run.stop = *stop;
            break;
        }
    }
    return run;
}

}  // namespace lockstep::xpcs::nlsq
