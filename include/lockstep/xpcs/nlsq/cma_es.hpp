#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/xpcs/nlsq/box.hpp"
#include "lockstep/xpcs/nlsq/many.hpp"

namespace lockstep::xpcs::nlsq {

enum class Restarts {
    none,
    ipop,  ///< each run twice the population of the one before [AugerHansen2005]
    bipop  ///< in turn with runs of small populations and steps, by what each kind has cost
           ///< [Hansen2009]
};

/// Why a run of the search ended.
enum class SearchStop {
    costs_equal,  ///< the best costs of many generations differ by less than asked for
    converged,    ///< the distribution is narrower than asked for
    stagnation,   ///< the best costs have not fallen for long
    degenerate,   ///< the distribution is longer than wide by 10⁷
    generations,  ///< as many as a run of this population may have
    evaluations,  ///< as many as allowed
    caller        ///< the observer said so
};
[[nodiscard]] std::string_view text(SearchStop stop) noexcept;

struct Generation {
    int run = 0;     ///< 0: the first
    int number = 0;  ///< within the run
    std::int64_t evaluations = 0;
    double best = 0;  ///< lowest cost so far
    double step = 0;  ///< standard deviation, as a part of the box's widths
};

struct CmaOptions {
    Restarts restarts = Restarts::bipop;
    int max_restarts = 9;  ///< with growing population
    /// No more restarts once as many runs ended at the best point, within a thousandth of the
    /// widths, or of its cost; 0: go on.
    int agreeing_runs = 3;
    int population = 0;     ///< 0: 4 + 3 ln p; else >= 4
    double step = 0.3;      ///< first standard deviation, as a part of the widths, (0, 1]
    double first_step = 0;  ///< the same of the first run, where its start is good; 0: as `step`
    std::int64_t max_evaluations = 100'000;
    std::uint64_t seed = 0;
    double cost_tolerance = 1e-10;  ///< as a part of the best cost
    double place_tolerance = 1e-9;  ///< as a part of the widths
    /// Hears of each generation; false: stop. Ranks have to answer alike.
    std::function<bool(const Generation&)> on_generation{};
};

/// 4 + 3 ln p, rounded down.
int usual_population(int parameters) noexcept;

struct SearchRun {
    int population = 0;
    int generations = 0;
    std::int64_t evaluations = 0;
    double best = 0;
    std::vector<double> x{};  ///< [p] where it was found; empty: no finite cost
    SearchStop stop = SearchStop::generations;
};

struct Search {
    std::vector<double> x{};  ///< [p] within the box
    double cost = 0;
    std::int64_t evaluations = 0;
    std::vector<SearchRun> runs{};
};

/// The global minimum of a cost within a box, in all likelihood, by the evolution of a normal
/// distribution (CMA-ES). It sees costs alone, and only their order.
///
/// Beyond a bound the cost is mirrored. Numbers are keyed by (seed, run, generation, member), so
/// the result depends on nothing else.
/// @param start  [p] centre of the first distribution; the later ones are drawn in the box
/// @throws InputError  a parameter without two finite bounds, a start outside them, options out of
/// range
/// @throws ModelError  no point that was tried has a finite cost
/// @par Source  [Hansen2016], with negative weights
Search cma_es(std::span<const double> start,
              const Box& box,
              const EvaluateMany& evaluate,
              const CmaOptions& options = {});

/// What a search found, and the local fit from there.
struct SearchedFit {
    Search search{};
    Fit fit{};
};
SearchedFit search_and_fit(std::span<const double> start,
                           const Box& box,
                           const EvaluateMany& evaluate,
                           const FitMany& fit,
                           const CmaOptions& options = {});

}  // namespace lockstep::xpcs::nlsq
