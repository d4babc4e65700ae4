#include "xpcs/errors/speckle.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <Eigen/Dense>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"
#include "lockstep/xpcs/model/measurement.hpp"

#include "xpcs/model/lanes.hpp"

namespace lockstep::xpcs {
namespace {

constexpr double jitter = 1e-9;      // on the diagonal: rows of slow fields are nearly equal
constexpr double many_photons = 30;  // beyond it a Poisson count is nearly normal

/// Intensities of ⌈1/contrast⌉ modes, all but one alike, whose squares sum to the contrast.
std::vector<double> weights_of(double contrast) {
    const int modes = std::max(1, static_cast<int>(std::ceil(1 / contrast - 1e-9)));
    if (modes == 1) {
        return {1};
    }
    const double n = modes;
    const double root = std::sqrt(std::max(0.0, (n - 1) * (n * contrast - 1)));
    const double alike = (n - 1 + root) / (n * (n - 1));
    std::vector<double> weights(at(modes), alike);
    weights.back() = 1 - (n - 1) * alike;
    return weights;
}

/// Lower triangle of the Cholesky factor, row by row.
AlignedVector<double> factor_of(std::span<const double> g1, int frames) {
    Eigen::MatrixXd matrix(frames, frames);
    std::size_t next = 0;
    for (int row = 0; row < frames; ++row) {
        matrix(row, row) = 1 + jitter;
        for (int column = row + 1; column < frames; ++column) {
            matrix(column, row) = g1[next++];
        }
    }
    Eigen::Ref<Eigen::MatrixXd> square(matrix);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(square);
    AlignedVector<double> factor;
    factor.reserve(next + at(frames));
    for (int row = 0; row < frames; ++row) {
        for (int column = 0; column <= row; ++column) {
            factor.push_back(matrix(row, column));
        }
    }
    return factor;
}

/// The number of photons below which a uniform number lies.
double poisson(double mean, double uniform) {
    if (mean > many_photons) {
        return std::max(0.0,
                        std::floor(mean + std::sqrt(mean) * math::normal_quantile(uniform) + 0.5));
    }
    double probability = math::exp(-mean);
    double sum = probability;
    int count = 0;
    while (uniform > sum && count < 200) {
        ++count;
        probability *= mean / count;
        sum += probability;
    }
    return count;
}

}  // namespace

Speckle::Scratch::Scratch(int frames) : normals(at(frames * width), 0.0), row(at(frames), 0.0) {}

Speckle::Speckle(std::span<const double> g1,
                 int frames,
                 double contrast,
                 double photons,
                 std::uint64_t seed,
                 std::string_view purpose,
                 int angle)
    : frames_(frames),
      photons_(photons),
      angle_(angle),
      mode_weights_(weights_of(contrast)),
      factor_(factor_of(g1, frames)),
      fields_(seed, std::string(purpose) + ".fields"),
      counts_(seed, std::string(purpose) + ".photons") {}

std::uint64_t Speckle::item(std::int64_t pixel) const noexcept {
    return static_cast<std::uint64_t>(angle_) << 40 | static_cast<std::uint64_t>(pixel);
}

void Speckle::fill(std::int64_t first, Scratch& scratch, std::span<double> counts) const {
    std::ranges::fill(counts, 0.0);
    std::uint32_t step = 0;
    for (const double weight : mode_weights_) {
        add_mode(first, step++, weight / 2, scratch, counts);
        add_mode(first, step++, weight / 2, scratch, counts);
    }
    if (std::isfinite(photons_)) {
        count_photons(first, scratch, counts);
    }
}

void Speckle::add_mode(std::int64_t first,
                       std::uint32_t step,
                       double weight,
                       Scratch& scratch,
                       std::span<double> intensity) const {
    for (int pixel = 0; pixel < width; ++pixel) {
        fields_.fill_normal(item(first + pixel), step, scratch.row);
        for (int frame = 0; frame < frames_; ++frame) {
            scratch.normals[at(frame * width + pixel)] = scratch.row[at(frame)];
        }
    }
    const double* factor = factor_.data();
    for (int frame = 0; frame < frames_; ++frame) {
        lanes::Four low{};
        lanes::Four high{};
        for (int k = 0; k <= frame; ++k) {
            const lanes::Four entry = lanes::all(*factor++);
            low = lanes::fused(entry, lanes::load(&scratch.normals[at(k * width)]), low);
            high = lanes::fused(entry, lanes::load(&scratch.normals[at(k * width + 4)]), high);
        }
        double* to = &intensity[at(frame * width)];
        lanes::store(to, lanes::load(to) + lanes::all(weight) * low * low);
        lanes::store(to + 4, lanes::load(to + 4) + lanes::all(weight) * high * high);
    }
}

void Speckle::count_photons(std::int64_t first, Scratch& scratch, std::span<double> counts) const {
    for (int pixel = 0; pixel < width; ++pixel) {
        counts_.fill_uniform01(item(first + pixel), 0, scratch.row);
        for (int frame = 0; frame < frames_; ++frame) {
            double& value = counts[at(frame * width + pixel)];
            value = poisson(photons_ * value, scratch.row[at(frame)]) / photons_;
        }
    }
}

}  // namespace lockstep::xpcs
