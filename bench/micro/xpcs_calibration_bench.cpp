// Simulation-based calibration: where truths that were drawn from the prior stand among draws of
// the posterior, of the whole data by importance and by the no-U-turn sampler, and of four shards.
// Uniform ranks are what a right posterior has.
//
// usage: xpcs_calibration [SIMULATIONS [FILE.svg]]    FILE-importance.svg, FILE-chains.svg, …

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/io/file.hpp"
#include "lockstep/io/page.hpp"

#include "cpu_time.hpp"
#include "support/xpcs/alone.hpp"
#include "support/xpcs/calibration.hpp"

namespace lockstep {
namespace {

constexpr int bins = 20;
constexpr double alarm = 0.01;
constexpr int kept = test::Calibration::kept;

struct Way {
    const char* name;
    const char* text;
    int frames;
    xpcs::SampleMethod method;
    int shards;
};
// 9,720 pairs make shards of 2,430.
constexpr Way ways[] = {
    {"importance", "all data, by importance", 24, xpcs::SampleMethod::importance, 1},
    {"chains", "all data, no-U-turn sampler", 24, xpcs::SampleMethod::chains, 1},
    {"shards", "four shards of 2,430 points", 81, xpcs::SampleMethod::importance, 4},
};

void print(const Way& way, const std::vector<test::TruthRanks>& all, double seconds) {
    std::printf("\n%s: %zu simulations of %d frames, 3 angles, %.1f CPU s\n",
                way.text,
                all.front().ranks.size(),
                way.frames,
                seconds);
    std::printf("%-12s %14s %16s\n", "", "chi2 of 20 bins", "largest excess");
    for (const auto& of : all) {
        const auto chi_square = of.chi_square(kept, bins);
        std::printf("%-12s %14.1f %16.3f\n",
                    of.name.c_str(),
                    chi_square.statistic(),
                    of.largest_excess(kept));
    }
    std::printf("%-12s %14.1f %16.3f   beyond with a probability of 1 %%\n",
                "limit",
                all.front().chi_square(kept, bins).bound(alarm),
                test::excess_bound(alarm, all.front().ranks.size()));
}

/// Shares of ranks less the uniform share, within what 99 % of right posteriors have.
io::Plot picture(const Way& way, const std::vector<test::TruthRanks>& all) {
    const auto simulations = all.front().ranks.size();
    io::Plot plot;
    plot.title = "Ranks of " + std::to_string(simulations) + " truths: " + way.text;
    plot.x_label = "rank among 99 draws";
    plot.y_label = "share of truths up to it, less the uniform share";
    const double bound = test::excess_bound(alarm, simulations);
    const std::vector<double> ends{0, kept};
    plot.bands.push_back({"where 99 % of right ones stay", ends, {-bound, -bound}, {bound, bound}});
    for (const auto& of : all) {
        if (of.name.ends_with("_1") || of.name.ends_with("_2")) {
            continue;  // as those of the first angle
        }
        io::Series line{of.name};
        line.y = of.excess(kept);
        for (int rank = 0; rank <= kept; ++rank) {
            line.x.push_back(rank);
        }
        plot.lines.push_back(std::move(line));
    }
    return plot;
}

void draw(const std::string& file, const Way& way, const std::vector<test::TruthRanks>& all) {
    std::filesystem::path path(file);
    const auto name = path.stem().string() + "-" + way.name + path.extension().string();
    // In a page it needs no namespace; alone it does.
    io::write_file(path.replace_filename(name),
                   "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
                       io::to_svg(picture(way, all)).substr(std::string_view("<svg").size()) +
                       "\n");
}

int run(int simulations, const std::string& file) {
    test::Alone alone(1);
    for (const Way& way : ways) {
        test::Calibration calibration(way.frames, way.method, way.shards);
        std::vector<test::TruthRanks> all;
        const double seconds = timed([&] { all = calibration.run(simulations, alone.team); });
        print(way, all, seconds);
        if (!file.empty()) {
            draw(file, way, all);
        }
    }
    return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
    return lockstep::run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 400, argc > 2 ? argv[2] : "");
}
