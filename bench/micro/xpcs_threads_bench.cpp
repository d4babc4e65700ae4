// Whether threads beyond the number of chains make a posterior sooner: one no-U-turn chain on one
// thread and on several, in turn, flow with ten angles.
//
//   bench_xpcs_threads [THREADS [ROUNDS [FRAMES…]]]    default 2 5 63 142 448 1000
//
// The least of the rounds of wall and CPU time a leapfrog, all that sampling does included.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "lockstep/base/stopwatch.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/xpcs/sample.hpp"

#include "cpu_time.hpp"
#include "xpcs_flow.hpp"

namespace {

using namespace lockstep;

/// Milliseconds a leapfrog.
struct Least {
    double wall = std::numeric_limits<double>::infinity();
    double cpu = wall;
    Digest digest{};
};

struct Case {
    xpcs::Measurement data;
    xpcs::FitOptions options = flow::fit_options();
    xpcs::FitResult fit{};
    xpcs::SampleOptions sampling{};
};

void sample(const Case& of, runtime::Team& team, Least& least) {
    const Stopwatch watch;
    xpcs::SampleResult drawn;
    const double cpu =
        timed([&] { drawn = xpcs::sample(of.data, of.options, of.fit, of.sampling, team); });
    const auto leapfrogs =
        static_cast<double>(drawn.chain_figures.leapfrogs + drawn.chain_figures.warmup_leapfrogs);
    least.wall = std::min(least.wall, 1e3 * watch.seconds() / leapfrogs);
    least.cpu = std::min(least.cpu, 1e3 * cpu / leapfrogs);
    least.digest = digest_of(drawn);
}

bool bench(int frames, int several, int rounds) {
    const auto ranks = comm::make_local();
    runtime::ThreadTeam one(1);
    runtime::ThreadTeam more(several);
    runtime::Team alone{*ranks, one};
    runtime::Team team{*ranks, more};
    Case of{flow::measurement(frames, one)};
    of.fit = xpcs::fit(of.data, of.options, alone);
    of.sampling.method = xpcs::SampleMethod::chains;
    of.sampling.posterior.physical.resize(flow::truth.size());
    of.sampling.chains = 1;
    const auto pairs = static_cast<double>(of.data.c2.size());
    of.sampling.warmup = of.sampling.draws = std::clamp(static_cast<int>(2e7 / pairs), 10, 300);
    Least by_one;
    Least by_more;
    for (int round = 0; round < rounds; ++round) {
        sample(of, alone, by_one);
        sample(of, team, by_more);
    }
    const bool is_same = by_one.digest == by_more.digest;
    std::printf("%9.0f %9.4f %9.4f %9.4f %9.4f %7.2f  %s\n",
                pairs,
                by_one.wall,
                by_one.cpu,
                by_more.wall,
                by_more.cpu,
                by_one.wall / by_more.wall,
                is_same ? "same bits" : "OTHER BITS");
    return is_same;
}

}  // namespace

int main(int argc, char** argv) {
    const int several = argc > 1 ? std::max(1, std::atoi(argv[1])) : 2;
    const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
    std::vector<int> sizes;
    for (int k = 3; k < argc; ++k) {
        sizes.push_back(std::max(3, std::atoi(argv[k])));
    }
    if (sizes.empty()) {
        sizes = {63, 142, 448, 1000};
    }
    std::printf("ms a leapfrog   1 thread        %2d threads\n", several);
    std::printf("    pairs      wall       CPU      wall       CPU   ratio\n");
    bool is_same = true;
    for (const int frames : sizes) {
        is_same = bench(frames, several, rounds) && is_same;
    }
    return is_same ? 0 : 1;
}
