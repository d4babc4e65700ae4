#include "xpcs/fit/search_team.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {
namespace {

/// A fit as numbers, since tasks of other ranks send nothing else: what a search needs of it.
constexpr std::size_t figures = 6;

void pack(const nlsq::Fit& fit, std::span<double> to) {
    to[0] = fit.cost;
    to[1] = fit.gradient;
    to[2] = static_cast<double>(fit.stop);
    to[3] = fit.iterations;
    to[4] = fit.evaluations;
    to[5] = fit.linearisations;
    std::ranges::copy(fit.x, to.begin() + figures);
    std::ranges::transform(fit.bounds,
                           to.begin() + static_cast<std::ptrdiff_t>(figures + fit.x.size()),
                           [](nlsq::AtBound bound) { return static_cast<double>(bound); });
}

nlsq::Fit unpacked(std::span<const double> from) {
    const std::size_t size = (from.size() - figures) / 2;
    nlsq::Fit fit;
    fit.cost = from[0];
    fit.gradient = from[1];
    fit.stop = static_cast<nlsq::Stop>(static_cast<int>(from[2]));
    fit.iterations = static_cast<int>(from[3]);
    fit.evaluations = static_cast<int>(from[4]);
    fit.linearisations = static_cast<int>(from[5]);
    const auto x = from.subspan(figures, size);
    fit.x.assign(x.begin(), x.end());
    for (const double bound : from.subspan(figures + size)) {
        fit.bounds.push_back(static_cast<nlsq::AtBound>(static_cast<int>(bound)));
    }
    return fit;
}

}  // namespace

SearchTeam::SearchTeam(const FitProblem& problem,
                       LocalFit& together,
                       runtime::Team& team,
                       std::function<bool()> goes_on,
                       std::size_t most_small)
    : problem_(problem),
      together_(together),
      team_(team),
      goes_on_(std::move(goes_on)),
      is_small_(problem.measurement.c2.size() <= most_small),
      alone_(is_small_ ? at(team.threads.size()) : 0) {}

/// body(local fit, item, its results [width]) for all items, by the threads of all ranks.
template <typename F>
void SearchTeam::in_tasks(std::ptrdiff_t count,
                          std::ptrdiff_t width,
                          std::span<double> results,
                          F&& body) {
    auto& ranks = team_.ranks;
    const auto mine = runtime::block_of(count, ranks.rank(), ranks.size());
    team_.threads.parallel_for(mine.size(), [&](std::ptrdiff_t k, int thread) {
        auto& local = alone_[at(thread)];
        if (local == nullptr) {
            local = std::make_unique<LocalFit>(problem_, nullptr);
        }
        const std::ptrdiff_t item = mine.begin + k;
        body(*local, item, results.subspan(at(item * width), at(width)));
    });
    if (ranks.size() > 1) {
        const auto layout = comm::Layout::blocks(count, width, ranks.size());
        const auto part =
            results.subspan(at(layout.offset(ranks.rank())), at(layout.count(ranks.rank())));
        const std::vector<double> sent(part.begin(), part.end());
        ranks.allgatherv(std::span<const double>(sent), results, layout);
    }
}

void SearchTeam::evaluate(std::span<const double> points, std::span<double> costs) {
    if (is_small_) {
        in_tasks(std::ssize(costs), 1, costs, [&](LocalFit& local, auto item, auto cost) {
            cost[0] = local.cost(points.subspan(at(item) * size(), size()));
        });
        return;
    }
    std::ranges::fill(costs, std::numeric_limits<double>::infinity());
    for (std::size_t k = 0; k < costs.size() && goes_on_(); ++k) {
        costs[k] = together_.cost(points.subspan(k * size(), size()));
    }
}

std::vector<nlsq::Fit> SearchTeam::fit(std::span<const double> starts) {
    const std::size_t count = starts.size() / size();
    const std::size_t width = figures + 2 * size();
    std::vector<double> packed(count * width);
    if (is_small_) {
        in_tasks(static_cast<std::ptrdiff_t>(count),
                 static_cast<std::ptrdiff_t>(width),
                 packed,
                 [&](LocalFit& local, auto item, auto numbers) {
                     pack(local.run(starts.subspan(at(item) * size(), size())), numbers);
                 });
    }
    std::vector<nlsq::Fit> fits;
    for (std::size_t k = 0; k < count; ++k) {
        fits.push_back(is_small_ ? unpacked(std::span(packed).subspan(k * width, width))
                                 : together_.run(starts.subspan(k * size(), size()),
                                                 [&](auto&, auto) { return goes_on_(); }));
    }
    return fits;
}

}  // namespace lockstep::xpcs
