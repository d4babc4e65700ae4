#include "lockstep/xpcs/simulate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/runtime/random.hpp"

#include "xpcs/errors/speckle.hpp"
#include "xpcs/model/pair_sums.hpp"

namespace lockstep::xpcs {
namespace {

// Of the raw diagonal, where noise is not simulated photon by photon: what real ones look like.
constexpr double diagonal_excess = 0.6;
constexpr double diagonal_sigma = 0.02;

PairModel model_of(const Measurement& like, const Truth& truth) {
    PairModel model(truth.motion,
                    truth.shear,
                    {like.q, like.gap, like.dt},
                    {like.first_frame, like.frames},
                    like.phi);
    model.set(truth.physical);
    return model;
}

void check(const Scale& scale, SimulatedNoise::Kind kind) {
    const bool is_speckle = kind == SimulatedNoise::Kind::speckle;
    if (!(scale.contrast >= 0 && scale.contrast <= 1) || (is_speckle && scale.contrast == 0)) {
        throw InputError(fmt::format("contrast {}: must be in {}",
                                     scale.contrast,
                                     is_speckle ? "(0, 1], as speckle has it" : "[0, 1]"));
    }
    if (!std::isfinite(scale.offset)) {
        throw InputError(fmt::format("offset {}: must be a number", scale.offset));
    }
}

void check(const Measurement& like, const Truth& truth, const SimulatedNoise& noise) {
    const std::size_t parameters = parameters_of(truth.motion).size();
    if (truth.physical.size() != parameters) {
        throw InputError(
            fmt::format("{} parameters instead of {}", truth.physical.size(), parameters));
    }
    if (truth.scales.size() != like.phi.size()) {
        throw InputError(fmt::format("contrast and offset of {} angles instead of {}",
                                     truth.scales.size(),
                                     like.phi.size()));
    }
    for (const Scale& scale : truth.scales) {
        check(scale, noise.kind);
    }
    if (!(noise.sigma >= 0) || !std::isfinite(noise.sigma)) {
        throw InputError(fmt::format("noise of deviation {}: must be at least 0", noise.sigma));
    }
    if (noise.pixels < 1 || !(noise.photons > 0)) {
        throw InputError(fmt::format(
            "{} photons in each of {} pixels: both must be above 0", noise.photons, noise.pixels));
    }
}

/// Fills one angle of a measurement.
class AngleSimulation {
public:
    AngleSimulation(const PairModel& model,
                    const Truth& truth,
                    const SimulatedNoise& noise,
                    int angle,
                    Measurement& data)
        : scale_(truth.scales[at(angle)]),
          noise_(noise),
          angle_(angle),
          frames_(model.frames()),
          c2_(data.c2.begin() + data.row(angle, 0), at(model.pairs())),
          diagonal_(std::span(data.diagonal).subspan(at(angle * frames_), at(frames_))) {
        model.fill(0, model.pairs(), angle, c2_);
    }

    void run() {
        if (noise_.kind == SimulatedNoise::Kind::normal) {
            add_normal();
        } else {
            count_speckle();
        }
    }

private:
    void add_normal() {
        const runtime::Random random(noise_.seed, "xpcs.simulate");
        const auto item = static_cast<std::uint64_t>(angle_);
        std::vector<double> row(at(frames_));
        for (int i = 0; i < frames_; ++i) {
            random.fill_normal(item, static_cast<std::uint32_t>(i), row);
            diagonal_[at(i)] =
                scale_.offset + scale_.contrast * (1 + diagonal_excess) + diagonal_sigma * row[0];
            for (int k = 0; k < frames_ - i - 1; ++k) {
                double& value = c2_[at(pair_row(i, frames_) + k)];
                value = scale_.offset + scale_.contrast * value + noise_.sigma * row[at(1 + k)];
            }
        }
    }

    void count_speckle() {
        std::vector<double> g1(c2_.begin(), c2_.end());
        std::ranges::transform(g1, g1.begin(), [](double x) { return std::sqrt(x); });
        const Speckle speckle(
            g1, frames_, scale_.contrast, noise_.photons, noise_.seed, "xpcs.simulate", angle_);
        Speckle::Scratch scratch(frames_);
        std::vector<double> counts(at(frames_ * Speckle::width));
        std::vector<double> means(at(frames_), 0.0);
        std::ranges::fill(c2_, 0.0);
        std::ranges::fill(diagonal_, 0.0);
        int pixels = 0;
        for (; pixels < noise_.pixels; pixels += Speckle::width) {
            speckle.fill(pixels, scratch, counts);
            add_products(counts, means);
        }
        normalise(means, pixels);
    }

    void add_products(std::span<const double> counts, std::span<double> means) {
        for (int i = 0; i < frames_; ++i) {
            const double* here = &counts[at(i * Speckle::width)];
            for (int lane = 0; lane < Speckle::width; ++lane) {
                means[at(i)] += here[lane];
                diagonal_[at(i)] += here[lane] * here[lane];
            }
            for (int j = i + 1; j < frames_; ++j) {
                const double* there = &counts[at(j * Speckle::width)];
                double sum = 0;
                for (int lane = 0; lane < Speckle::width; ++lane) {
                    sum += here[lane] * there[lane];
                }
                c2_[at(pair_row(i, frames_) + j - i - 1)] += sum;
            }
        }
    }

    void normalise(std::span<const double> means, int pixels) {
        for (int i = 0; i < frames_; ++i) {
            diagonal_[at(i)] *= pixels / (means[at(i)] * means[at(i)]);
            for (int j = i + 1; j < frames_; ++j) {
                c2_[at(pair_row(i, frames_) + j - i - 1)] *= pixels / (means[at(i)] * means[at(j)]);
            }
        }
    }

    Scale scale_;
    const SimulatedNoise& noise_;
    int angle_;
    int frames_;
    std::span<double> c2_;
    std::span<double> diagonal_;
};

}  // namespace

void fill_g1_squared(const Measurement& like, const Truth& truth, int angle, std::span<double> x) {
    const PairModel model = model_of(like, truth);
    model.fill(0, model.pairs(), angle, x);
}

Measurement simulate(const Measurement& like,
                     const Truth& truth,
                     const SimulatedNoise& noise,
                     runtime::ThreadTeam& threads) {
    check(like, truth, noise);
    const PairModel model = model_of(like, truth);
    Measurement data = like;
    data.c2.assign(at(like.angles() * model.pairs()), 0.0);
    data.diagonal.assign(at(like.angles() * like.frames), 0.0);
    data.validate();
    threads.parallel_for(like.angles(), [&](std::ptrdiff_t angle, int) {
        AngleSimulation(model, truth, noise, static_cast<int>(angle), data).run();
    });
    return data;
}

}  // namespace lockstep::xpcs
