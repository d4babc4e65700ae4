#include "lockstep/xpcs/nlsq/cma_es.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"

#include "xpcs/nlsq/search_run.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

void check(const CmaOptions& options) {
    if (options.population != 0 && options.population < 4) {
        throw InputError(
            fmt::format("a population of {}; allowed is 4 and more", options.population));
    }
    if (!(options.step > 0 && options.step <= 1)) {
        throw InputError(fmt::format("a first step of {}; allowed is (0, 1]", options.step));
    }
    if (!(options.first_step >= 0 && options.first_step <= 1)) {
        throw InputError(fmt::format("a first step of {}; allowed is (0, 1], or 0: as the others",
                                     options.first_step));
    }
    if (options.max_restarts < 0) {
        throw InputError(fmt::format("{} restarts; allowed is 0 and more", options.max_restarts));
    }
    if (options.max_evaluations < 1) {
        throw InputError(
            fmt::format("at most {} evaluations; allowed is 1 and more", options.max_evaluations));
    }
}

// Which run comes next.
class Schedule {
public:
    Schedule(const CmaOptions& options, int parameters)
        : options_(options),
          random_(options.seed, "xpcs.nlsq.cma_es.restarts"),
          parameters_(parameters),
          usual_(options.population > 0 ? options.population : usual_population(parameters)),
          large_(usual_) {}

    RunPlan first(Vector mean) const {
        const double step = options_.first_step > 0 ? options_.first_step : options_.step;
        return {0, std::move(mean), step, usual_, 0};
    }

    // Puts down what the last run cost.
    void charge(std::int64_t evaluations) {
        (small_ ? small_spent_ : large_spent_) += evaluations;
        if (!small_) {
            last_large_ = evaluations;
        }
    }

    [[nodiscard]] bool is_over() const {
        return options_.restarts == Restarts::none || growths_ >= options_.max_restarts;
    }

    RunPlan next() {
        ++number_;
        small_ =
            options_.restarts == Restarts::bipop && growths_ > 0 && small_spent_ < large_spent_;
        if (!small_) {
            ++growths_;
            large_ *= 2;
        }
        return small_ ? small() : RunPlan{number_, somewhere(), options_.step, large_, 0};
    }

private:
    // Of a population between the usual one and half of the large one, with steps down to a
    // hundredth.
    [[nodiscard]] RunPlan small() const {
        const auto item = static_cast<std::uint64_t>(number_);
        const double u = random_.uniform01(item, 1, 0);
        const double population =
            usual_ * math::pow(0.5 * large_ / static_cast<double>(usual_), u * u);
        const double step = options_.step * math::pow(10, -2 * random_.uniform01(item, 1, 1));
        return {
            number_, somewhere(), step, std::max(static_cast<int>(population), 4), last_large_ / 2};
    }

    [[nodiscard]] Vector somewhere() const {
        Vector mean(parameters_);
        random_.fill_uniform01(
            static_cast<std::uint64_t>(number_), 0, {mean.data(), at(mean.size())});
        return mean;
    }

    const CmaOptions& options_;
    runtime::Random random_;
    int parameters_;
    int usual_;
    int large_;
    int number_ = 0;
    int growths_ = 0;
    bool small_ = false;
    std::int64_t small_spent_ = 0;
    std::int64_t large_spent_ = 0;
    std::int64_t last_large_ = 0;
};

constexpr double alike = 1e-3;

// Have enough runs ended at the best point, or where it costs no less? In a long narrow valley that
// is told by costs long before it is by places.
bool agreed(const Search& search, const Arena& arena, int runs) {
    const auto agrees = [&](const SearchRun& run) {
        if (run.x.empty()) {
            return false;
        }
        if (run.best - arena.best() <= alike * std::abs(arena.best())) {
            return true;
        }
        const Vector distance = arena.member(run.x) - arena.member(arena.best_point());
        return distance.cwiseAbs().maxCoeff() < alike;
    };
    return runs > 0 && std::count_if(search.runs.begin(), search.runs.end(), agrees) >= runs;
}

}  // namespace

int usual_population(int parameters) noexcept {
    return static_cast<int>(4 + std::floor(3 * math::log(parameters)));
}

std::string_view text(SearchStop stop) noexcept {
    switch (stop) {
        case SearchStop::costs_equal:
            return "the best costs of many generations are equal";
        case SearchStop::converged:
            return "the distribution is narrow";
        case SearchStop::stagnation:
            return "the best costs no longer fall";
        case SearchStop::degenerate:
            return "the distribution has no width along an axis";
        case SearchStop::generations:
            return "the limit of generations is reached";
        case SearchStop::evaluations:
            return "the limit of evaluations is reached";
        case SearchStop::caller:
            break;
    }
    return "stopped on request";
}

Search cma_es(std::span<const double> start,
              const Box& box,
              const EvaluateMany& evaluate,
              const CmaOptions& options) {
    const int parameters = static_cast<int>(start.size());
    check(options);
    box.validate_start(start);
    box.validate_finite(parameters);
    Arena arena(box, parameters, evaluate);
    const runtime::Random random(options.seed, "xpcs.nlsq.cma_es");
    Schedule schedule(options, parameters);
    Search search;
    const Vector first = arena.member(start);
    arena.costs({first.data(), at(first.size())});  // what is found is no worse
    for (RunPlan plan = schedule.first(first);; plan = schedule.next()) {
        const std::int64_t left = options.max_evaluations - arena.evaluations();
        plan.max_evaluations =
            plan.max_evaluations > 0 ? std::min(plan.max_evaluations, left) : left;
        const SearchRun run = run_evolution(plan, arena, random, options);
        search.runs.push_back(run);
        schedule.charge(run.evaluations);
        const bool no_more = run.stop == SearchStop::evaluations && plan.max_evaluations == left;
        if (run.stop == SearchStop::caller || no_more || schedule.is_over() ||
            agreed(search, arena, options.agreeing_runs)) {
            break;
        }
    }
    if (arena.best_point().empty()) {
        throw ModelError(fmt::format("none of {} points has a finite cost", arena.evaluations()));
    }
    search.x = arena.best_point();
    search.cost = arena.best();
    search.evaluations = arena.evaluations();
    return search;
}

SearchedFit search_and_fit(std::span<const double> start,
                           const Box& box,
                           const EvaluateMany& evaluate,
                           const FitMany& fit,
                           const CmaOptions& options) {
    SearchedFit result;
    result.search = cma_es(start, box, evaluate, options);
    result.fit = fit(result.search.x).at(0);
    return result;
}

}  // namespace lockstep::xpcs::nlsq
