#include "xpcs/fit/search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lockstep/base/index.hpp"

#include "xpcs/fit/search_coordinates.hpp"

namespace lockstep::xpcs {
namespace {

class Searching {
public:
    Searching(const FitProblem& problem,
              LocalFit& together,
              runtime::Team& team,
              const SearchListener& listener)
        : problem_(problem),
          listener_(listener),
          points_(problem, together, team, listener.goes_on) {}

    SearchEnd run() {
        end_.start = problem_.start;
        end_.report.kind = problem_.options.search.kind;
        if (end_.report.kind == SearchKind::multi_start) {
            from_many_starts();
        } else if (end_.report.kind == SearchKind::cma_es) {
            by_evolution();
        }
        return std::move(end_);
    }

private:
    void from_many_starts() {
        const auto& options = problem_.options.search.multi_start;
        const auto found = nlsq::multi_start(
            problem_.start,
            problem_.box,
            [this](std::span<const double> points, std::span<double> costs) {
                points_.evaluate(points, costs);
            },
            [this](std::span<const double> starts) { return points_.fit(starts); },
            options);
        end_.report.starts = static_cast<int>(found.fits.size());
        end_.report.evaluations = options.starts;
        end_.report.start_chi_squared = 2 * found.fits.front().cost;
        for (const auto& basin : found.basins) {
            const auto& best = found.fits[at(basin.best)];
            end_.report.minima.push_back(
                {problem_.physical(best.x), 2 * best.cost, static_cast<int>(basin.members.size())});
        }
        end_.start = found.fits[at(found.best)].x;
    }

    /// Is a local fit all that is needed?
    [[nodiscard]] bool is_good(const nlsq::Fit& fit) const {
        const auto& data = problem_.measurement.c2;
        const auto pairs = static_cast<double>(problem_.counted(
            std::count_if(data.begin(), data.end(), [](double c) { return !std::isnan(c); }),
            problem_.measurement.angles()));
        const double values = problem_.scaling.coefficients() + problem_.parameters.count();
        return 2 * fit.cost < problem_.options.search.good_enough * (pairs - values);
    }

    void by_evolution() {
        const auto& options = problem_.options.search;
        const auto local = points_.fit(problem_.start).front();
        end_.report.start_chi_squared = 2 * local.cost;
        end_.start = local.x;
        end_.report.is_skipped = is_good(local);
        if (end_.report.is_skipped) {
            return;
        }
        auto evolution = options.cma_es;
        evolution.on_generation = [this](const nlsq::Generation& generation) {
            listener_.on_progress({generation.run, generation.evaluations, 2 * generation.best});
            return listener_.goes_on();
        };
        const SearchCoordinates coordinates(problem_.box);
        const auto costs = [&](std::span<const double> points, std::span<double> values) {
            points_.evaluate(coordinates.parameters(points), values);
        };
        const auto found =
            nlsq::cma_es(coordinates.of(local.x), coordinates.box(), costs, evolution);
        const auto best = coordinates.parameters(found.x);
        end_.report.runs = static_cast<int>(found.runs.size());
        end_.report.evaluations = found.evaluations;
        end_.report.is_result = !options.is_refined;
        if (end_.report.is_result) {
            take_better(local.x, best);
            return;
        }
        // The search sees squares: what a loss makes of its best point is for a fit to say.
        const auto refined = points_.fit(best).front();
        if (refined.cost < local.cost) {
            end_.start = refined.x;
        }
    }

    /// By squares, which both are compared by.
    void take_better(const std::vector<double>& first, const std::vector<double>& second) {
        std::vector<double> points = first;
        points.insert(points.end(), second.begin(), second.end());
        std::vector<double> squares(2);
        points_.evaluate(points, squares);
        end_.start = squares[1] < squares[0] ? second : first;
    }

    const FitProblem& problem_;
    const SearchListener& listener_;
    SearchTeam points_;
    SearchEnd end_;
};

}  // namespace

std::string_view to_string(SearchKind kind) noexcept {
    switch (kind) {
        case SearchKind::local:
            return "local";
        case SearchKind::multi_start:
            return "multi-start";
        case SearchKind::cma_es:
            return "cma-es";
    }
    return "";
}

SearchEnd search(const FitProblem& problem,
                 LocalFit& together,
                 runtime::Team& team,
                 const SearchListener& listener) {
    return Searching(problem, together, team, listener).run();
}

}  // namespace lockstep::xpcs
