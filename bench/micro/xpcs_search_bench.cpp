// What searches by CMA-ES cost on a simulated flow: evaluations until they end, and why each run of
// theirs ended, from a good start and from one whose local fit misses the minimum; and the same in
// the parameters themselves, where rates are not seen by their logarithms.
//
//   bench_xpcs_search [SEEDS [FRAMES]]    default 3 48

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/xpcs/nlsq/cma_es.hpp"
#include "lockstep/xpcs/simulate.hpp"

#include "xpcs/fit/local_fit.hpp"
#include "xpcs/fit/problem.hpp"
#include "xpcs/fit/search_coordinates.hpp"

namespace {

using namespace lockstep;

constexpr double duration = 6.4;  // s

xpcs::Measurement measurement(int frames) {
    xpcs::Measurement like;
    like.q = 0.0054;
    like.gap = 2e6;
    like.dt = duration / (frames + 1);
    like.frames = frames;
    like.phi = {-90, -60, -30, 0, 30, 60};
    runtime::ThreadTeam threads(1);
    return simulate(like,
                    {xpcs::Motion::laminar_flow,
                     xpcs::ShearTerm::homodyne,
                     {12000, -0.8, 600, 8e-4, -0.25, 5e-5, -5},
                     std::vector<xpcs::Scale>(6, {0.3, 1})},
                    {},
                    threads);
}

/// As xpcs::fit() searches: from the local minimum, the first run narrow or not.
void search(const xpcs::Measurement& data,
            double shear_rate,
            double first_step,
            bool is_linear,
            int seeds) {
    xpcs::FitOptions options;
    options.motion = xpcs::Motion::laminar_flow;
    options.start = {1e4, -0.5, 500, shear_rate, 0, 0, 0};
    const xpcs::FitProblem problem(data, options);
    xpcs::LocalFit local(problem, nullptr);
    const auto start = local.run(problem.start).x;
    const xpcs::SearchCoordinates coordinates(problem.box);
    const std::size_t size = start.size();
    const auto point = [&](std::span<const double> at) {
        return is_linear ? std::vector<double>(at.begin(), at.end()) : coordinates.parameters(at);
    };
    std::printf("shear rate starts at %g, first step %g, %s coordinates: chi2 %.6g\n",
                shear_rate,
                first_step,
                is_linear ? "linear" : "the search's",
                2 * local.cost(start));
    for (int seed = 0; seed < seeds; ++seed) {
        auto how = options.search.cma_es;
        how.seed = static_cast<std::uint64_t>(seed);
        how.first_step = first_step;
        const auto found = xpcs::nlsq::cma_es(
            is_linear ? start : coordinates.of(start),
            is_linear ? problem.box : coordinates.box(),
            [&](std::span<const double> points, std::span<double> costs) {
                const auto x = point(points);
                for (std::size_t k = 0; k < costs.size(); ++k) {
                    costs[k] = local.cost(std::span(x).subspan(k * size, size));
                }
            },
            how);
        const auto refined = local.run(point(found.x));
        std::printf("  seed %d: %lld evaluations, chi2 %.8g, %.8g once refined\n",
                    seed,
                    static_cast<long long>(found.evaluations),
                    2 * found.cost,
                    2 * refined.cost);
        for (const auto& run : found.runs) {
            std::printf("    population %4d, %5d generations, %6lld evaluations, chi2 %.8g: %s\n",
                        run.population,
                        run.generations,
                        static_cast<long long>(run.evaluations),
                        2 * run.best,
                        std::string(text(run.stop)).c_str());
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const int seeds = argc > 1 ? std::atoi(argv[1]) : 3;
    const auto data = measurement(argc > 2 ? std::atoi(argv[2]) : 48);
    for (const bool is_linear : {false, true}) {
        search(data, 1e-3, 0, is_linear, seeds);
        search(data, 1e-3, 0.05, is_linear, seeds);
        search(data, 0.4, 0.05, is_linear, seeds);
    }
    return 0;
}
