// Fits and posteriors of simulated two-time correlations, flow with ten angles and scales of their
// own, beside Ceres where it is installed. CPU seconds of this process on one thread.
//
//   bench_xpcs_fit [FRAMES…]    default 63 317 1000
//
// Points are those of the whole matrices, as peers count them: twice the pairs of frames.

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/xpcs/sample.hpp"

#include "cpu_time.hpp"
#include "xpcs/model/pair_sums.hpp"
#include "xpcs_flow.hpp"
#include "xpcs_peer.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::flow;

double peak_megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

void sums(const xpcs::Measurement& data, double points) {
    xpcs::PairModel model(xpcs::Motion::laminar_flow,
                          xpcs::ShearTerm::homodyne,
                          {data.q, data.gap, data.dt},
                          {data.first_frame, data.frames},
                          data.phi);
    std::vector<xpcs::AngleData> of_angles;
    for (int angle = 0; angle < angles; ++angle) {
        of_angles.push_back({std::span<const double>(data.c2).subspan(
                                 data.row(angle, 0), static_cast<std::size_t>(model.pairs())),
                             {0.3, 1}});
    }
    const char* names[] = {"value", "gradient", "normal equations"};
    for (const auto level : {xpcs::Level::value, xpcs::Level::gradient, xpcs::Level::gram}) {
        const int repeats = std::max(1, static_cast<int>(2e7 / points));
        xpcs::PairScratch scratch;
        const double seconds = timed([&] {
            for (int k = 0; k < repeats; ++k) {
                model.set(truth);
                std::vector<xpcs::AngleSums> of(angles);
                model.add(0, model.pairs(), of_angles, level, of, scratch);
            }
        });
        std::printf("  %-17s %8.1f M points/s\n",
                    names[static_cast<int>(level)],
                    1e-6 * points * repeats / seconds);
    }
}

xpcs::FitResult fits(const xpcs::Measurement& data,
                     const xpcs::FitOptions& options,
                     double points,
                     runtime::Team& team) {
    xpcs::FitResult result;
    const int repeats = std::max(1, static_cast<int>(1e6 / points));
    const double seconds = timed([&] {
                               for (int k = 0; k < repeats; ++k) {
                                   result = xpcs::fit(data, options, team);
                               }
                           }) /
                           repeats;
    std::printf(
        "  fit              %10.5f s, %d evaluations, chi2 %.6f, peak %.0f MB (data %.0f MB)\n",
        seconds,
        result.minimum.evaluations,
        result.chi_squared,
        peak_megabytes(),
        1e-6 * 8 * static_cast<double>(data.c2.size()));
    const auto peer = fit_by_ceres(data, options);
    if (peer.is_built) {
        std::printf(
            "  Ceres            %10.5f s, %d iterations,  chi2 %.6f, peak %.0f MB: %.1f x\n",
            peer.seconds,
            peer.iterations,
            peer.chi_squared,
            peak_megabytes(),
            peer.seconds / seconds);
    } else {
        std::printf("  Ceres            not built: install libceres-dev\n");
    }
    return result;
}

void posteriors(const xpcs::Measurement& data,
                const xpcs::FitOptions& options,
                const xpcs::FitResult& fit,
                runtime::Team& team) {
    xpcs::SampleOptions sampling;
    sampling.posterior.physical.resize(truth.size());
    for (const auto method : {xpcs::SampleMethod::importance, xpcs::SampleMethod::chains}) {
        sampling.method = method;
        xpcs::SampleResult drawn;
        const double seconds =
            timed([&] { drawn = xpcs::sample(data, options, fit, sampling, team); });
        double least = std::numeric_limits<double>::infinity();
        for (int k = 0; k < static_cast<int>(drawn.names.size()); ++k) {
            least = std::min(least, drawn.summary(k).ess_bulk);
        }
        if (method == xpcs::SampleMethod::importance) {
            std::printf(
                "  importance       %8.0f effective of %d points, k %.2f, %.0f a CPU second\n",
                drawn.importance.effective_size,
                drawn.importance.points,
                drawn.importance.k,
                drawn.importance.effective_size / seconds);
        } else {
            std::printf(
                "  no-U-turn        %8.0f effective draws, %.0f a CPU second, %.1f leapfrogs a "
                "draw\n",
                least,
                least / seconds,
                static_cast<double>(drawn.chain_figures.leapfrogs) / (drawn.chains * drawn.draws));
        }
    }
}

void bench(int frames) {
    const auto ranks = comm::make_local();
    runtime::ThreadTeam threads(1);
    runtime::Team team{*ranks, threads};
    const auto data = measurement(frames, threads);
    const double points = static_cast<double>(angles) * frames * frames;
    std::printf("%d angles, %d frames: %.2f M points\n", angles, frames, 1e-6 * points);
    sums(data, points);
    const auto options = fit_options();
    const auto result = fits(data, options, points, team);
    if (points < 1e5) {
        posteriors(data, options, result, team);
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<int> sizes;
    for (int k = 1; k < argc; ++k) {
        sizes.push_back(std::max(3, std::atoi(argv[k])));
    }
    if (sizes.empty()) {
        sizes = {63, 317, 1000};
    }
    for (const int frames : sizes) {
        bench(frames);
    }
    return 0;
}
