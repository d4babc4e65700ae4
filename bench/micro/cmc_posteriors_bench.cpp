// How fast the sampler is on posteriors of posteriordb. Prints a line for each: gradients, CPU
// seconds, smallest bulk ESS of the parameters per CPU second (warm-up counted) and per 1,000
// gradients (warm-up not counted).
//
// usage: bench_cmc_posteriors [DRAWS [NAME…]]   DRAWS 1000 a chain by default; without names: all
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "lockstep/runtime/thread_team.hpp"
#include "lockstep/xpcs/cmc/chain_team.hpp"
#include "lockstep/xpcs/cmc/diagnostics.hpp"
#include "lockstep/xpcs/cmc/nuts.hpp"

#include "cpu_time.hpp"
#include "support/xpcs/chains.hpp"
#include "support/xpcs/posterior.hpp"

namespace {

using namespace lockstep;

double smallest_ess(const std::vector<xpcs::cmc::ChainDraws>& draws,
                    const test::Posterior& posterior) {
    std::vector<double> parameters;
    posterior.report(draws.front().matrix().row(0), parameters);
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto values = test::values_of(draws, [&](auto x) {
            posterior.report(x, parameters);
            return parameters[i];
        });
        smallest = std::min(smallest,
                            xpcs::cmc::ess_bulk({values.data(), draws.size(), draws[0].count()}));
    }
    return smallest;
}

void measure(const std::string& name, xpcs::cmc::NutsOptions options) {
    const auto reference = test::reference_of(name);
    options.target_acceptance = reference.target_acceptance;
    const auto posterior = test::make_posterior(name);
    runtime::ThreadTeam threads(1);
    xpcs::cmc::ChainTeam chains(
        [&] { return test::make_posterior(name); },
        test::spread_starts(posterior->centre(), 4, reference.start_spread, 7),
        options,
        2026);
    const double start = cpu_seconds();
    chains.run(threads);
    const double seconds = cpu_seconds() - start;
    const auto draws = chains.draws();
    std::int64_t kept = 0;
    std::int64_t all = 0;
    int divergences = 0;
    for (int c = 0; c < chains.count(); ++c) {
        all += chains.progress(c).leapfrogs;
        kept += chains.chain(c).draws().total_leapfrogs();
        divergences += chains.progress(c).divergences;
    }
    const double ess = smallest_ess(draws, *posterior);
    std::printf("%-45s %9lld %8.3f %8.2f %8.0f %9.0f %9.1f %5d\n",
                name.c_str(),
                static_cast<long long>(all),
                seconds,
                1e6 * seconds / static_cast<double>(all),
                ess,
                ess / seconds,
                1000 * ess / static_cast<double>(kept),
                divergences);
}

}  // namespace

int main(int argc, char** argv) {
    xpcs::cmc::NutsOptions options;
    options.draws = argc > 1 ? std::atoi(argv[1]) : 1000;
    std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
    if (names.empty()) {
        names = test::posterior_names();
    }
    std::printf(
        "4 chains, %d + %d iterations, dense metric, one thread\n", options.warmup, options.draws);
    std::printf("%-45s %9s %8s %8s %8s %9s %9s %5s\n",
                "posterior",
                "gradients",
                "CPU s",
                "us/grad",
                "min ESS",
                "ESS/CPU s",
                "/1000 gr.",
                "div.");
    for (const std::string& name : names) {
        measure(name, options);
    }
    return 0;
}
