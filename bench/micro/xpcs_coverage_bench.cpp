// How often 68 % intervals hold the truth: fits of many simulated speckle series, with the error
// bars of each method. A value that stands at a bound has no error and counts as missed.
//
// usage: xpcs_coverage [REPEATS [FILE.svg]]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/stopwatch.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/page.hpp"
#include "lockstep/xpcs/errors.hpp"

#include "support/xpcs/alone.hpp"
#include "support/xpcs/speckle_sample.hpp"

namespace lockstep {
namespace {

constexpr int frames = 47;
constexpr std::uint64_t first_seed = 1000;
constexpr xpcs::ErrorMethod methods[] = {
    xpcs::ErrorMethod::classical, xpcs::ErrorMethod::blocks, xpcs::ErrorMethod::speckle};

struct Setting {
    double photons;  // per pixel and frame
    int pixels;
};
constexpr Setting settings[] = {{4, 2000}, {0.2, 4000}};

/// What came out for one method.
struct Tally {
    std::vector<int> covered;  // [values]
    double seconds = 0;
};

class Coverage {
public:
    Coverage(const Setting& setting, int repeats)
        : sample_({0, 45, 90}, frames), repeats_(repeats), truth_(sample_.true_values()) {
        sample_.noise.photons = setting.photons;
        sample_.noise.pixels = setting.pixels;
        tallies_.assign(std::size(methods), {std::vector<int>(truth_.size(), 0)});
        for (int k = 0; k < repeats; ++k) {
            repeat(first_seed + static_cast<std::uint64_t>(k));
        }
    }

    void print() const {
        std::printf("\n%g photons a pixel and frame, %d pixels, %d series of %d frames\n%-10s",
                    sample_.noise.photons,
                    sample_.noise.pixels,
                    repeats_,
                    frames,
                    "");
        for (const auto& name : names_) {
            std::printf(" %10s", name.c_str());
        }
        std::puts("   seconds each");
        for (std::size_t method = 0; method < std::size(methods); ++method) {
            std::printf("%-10s", std::string(xpcs::to_string(methods[method])).c_str());
            for (std::size_t value = 0; value < truth_.size(); ++value) {
                std::printf(" %8.0f %%", percent(method, value));
            }
            std::printf("   %.4f\n", tallies_[method].seconds / repeats_);
        }
    }

    [[nodiscard]] double percent(std::size_t method, std::size_t value) const {
        return 100.0 * tallies_[method].covered[value] / repeats_;
    }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

private:
    void repeat(std::uint64_t seed) {
        const auto data = sample_.simulate(seed, alone_.threads);
        const auto found = xpcs::fit(data, sample_.options, alone_.team);
        names_ = found.names;
        for (std::size_t method = 0; method < std::size(methods); ++method) {
            xpcs::ErrorOptions how;
            how.method = methods[method];
            how.seed = seed;
            const Stopwatch watch;
            const auto errors =
                xpcs::errors_of(data, sample_.options, found, how, alone_.team).errors();
            Tally& tally = tallies_[method];
            tally.seconds += watch.seconds();
            for (std::size_t value = 0; value < truth_.size(); ++value) {
                tally.covered[value] +=
                    std::abs(found.values[value] - truth_[value]) < errors[value] ? 1 : 0;
            }
        }
    }

    test::SpeckleSample sample_;
    int repeats_;
    std::vector<double> truth_;
    test::Alone alone_{2};
    std::vector<Tally> tallies_;
    std::vector<std::string> names_;
};

io::Plot picture(const Coverage& coverage, const Setting& setting) {
    io::Plot plot;
    char title[100];
    std::snprintf(title,
                  sizeof title,
                  "How often 68 %% intervals hold the truth: %g photons, %d pixels",
                  setting.photons,
                  setting.pixels);
    plot.title = title;
    plot.x_label = "fitted value";
    plot.y_label = "intervals that hold the truth, %";
    plot.from_zero = true;
    plot.x_ticks = coverage.names();
    for (std::size_t method = 0; method < std::size(methods); ++method) {
        io::Series line{std::string(xpcs::to_string(methods[method]))};
        for (std::size_t value = 0; value < coverage.names().size(); ++value) {
            line.x.push_back(static_cast<double>(value));
            line.y.push_back(coverage.percent(method, value));
        }
        plot.lines.push_back(std::move(line));
    }
    const auto last = static_cast<double>(coverage.names().size() - 1);
    plot.lines.push_back({"what they promise", {0, last}, {68.3, 68.3}, true});
    return plot;
}

int run(int repeats, const std::string& file) {
    std::puts("How often 68 % intervals hold the truth: sample at rest, 3 angles");
    for (const Setting& setting : settings) {
        const Coverage coverage(setting, repeats);
        coverage.print();
        if (!file.empty() && &setting == settings) {
            // In a page it needs no namespace; alone it does.
            io::write_file(
                file,
                "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
                    io::to_svg(picture(coverage, setting)).substr(std::string_view("<svg").size()) +
                    "\n");
        }
    }
    return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
    return lockstep::run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 200, argc > 2 ? argv[2] : "");
}
