#include "xpcs/fit/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {
namespace {

std::vector<double> weights_of(std::span<const double> sigma) {
    std::vector<double> weights;
    for (const double value : sigma) {
        weights.push_back(1 / (value * value));
    }
    return weights;
}

/// In the middle of their bounds; the first evaluation finds better ones.
std::vector<double> middle_of(const Scaling& scaling) {
    std::vector<double> middle;
    for (std::size_t k = 0; k < scaling.lower().size(); ++k) {
        middle.push_back((scaling.lower()[k] + scaling.upper()[k]) / 2);
    }
    return middle;
}

void add_scale_names(const FitOptions& options,
                     int angles,
                     const char* what,
                     std::vector<std::string>& names) {
    switch (options.scale.mode) {
        case ScaleMode::individual:
            for (int angle = 0; angle < angles; ++angle) {
                names.push_back(fmt::format("{}_{}", what, angle));
            }
            return;
        case ScaleMode::averaged:
            names.emplace_back(what);
            return;
        case ScaleMode::constant:
            return;
        case ScaleMode::fourier:
            names.push_back(fmt::format("{}_c0", what));
            for (int order = 1; order <= options.scale.harmonics; ++order) {
                names.push_back(fmt::format("{}_c{}", what, order));
                names.push_back(fmt::format("{}_s{}", what, order));
            }
    }
}

nlsq::Box part_of(const nlsq::Box& box, const FreeParameters& parameters) {
    nlsq::Box part;
    for (const int p : parameters.places()) {
        part.names.push_back(box.name(p));
        part.lower.push_back(box.lower_of(p));
        part.upper.push_back(box.upper_of(p));
    }
    return part;
}

}  // namespace

FitProblem::FitProblem(const Measurement& measured, const FitOptions& how)
    : measurement(measured),
      options(how),
      noise(how.sigma > 0 ? std::vector(measured.phi.size(), how.sigma) : noise_of(measured)),
      sigma(noise),
      weights(weights_of(sigma)),
      scaling(how.scale, measured.phi),
      parameters(how.motion, how.held),
      held(how.start_or_default()),
      box(part_of(how.box(), parameters)),
      start(parameters.part_of(held)),
      scale_start(middle_of(scaling)) {}

std::vector<double> FitProblem::physical(std::span<const double> x) const {
    std::vector<double> physical = held;
    parameters.put(x, physical);
    return physical;
}

void FitProblem::weigh(std::span<const double> factors) {
    for (std::size_t angle = 0; angle < noise.size(); ++angle) {
        sigma[angle] = noise[angle] / std::sqrt(factors[angle]);
    }
    std::ranges::copy(weights_of(sigma), weights.begin());
}

void FitProblem::regularise(std::span<const Scale> scales, double chi_squared) {
    const auto& how = options.regularisation;
    const int functions = scaling.functions();
    const int angles = measurement.angles();
    std::vector<double> penalty(at(4 * functions * functions), 0.0);
    const auto add = [&](int first, double factor) {
        for (int p = 0; p < functions; ++p) {
            for (int q = 0; q < functions; ++q) {
                const double both = scaling.covariance(p, q, angles);
                penalty[at((first + p) * 2 * functions + first + q)] = factor * both;
            }
        }
    };
    Scale mean;
    double pairs_over_noise = 0;
    for (std::size_t angle = 0; angle < scales.size(); ++angle) {
        mean.contrast += scales[angle].contrast / angles;
        mean.offset += scales[angle].offset / angles;
        pairs_over_noise +=
            weights[angle] * static_cast<double>(counted(pair_count(measurement.frames), 1));
    }
    const auto factor = [&](double middle) {
        return how.weight * (how.is_relative ? chi_squared / (middle * middle) : pairs_over_noise);
    };
    add(0, factor(mean.contrast));
    add(functions, factor(mean.offset));
    scaling.set_penalty(std::move(penalty));
}

Summation FitProblem::summation() const {
    Summation summation(measurement, options.motion, options.shear);
    if (options.objective == FitObjective::compat_grid) {
        summation.count_grid({measurement, options.first_neighbours});
    }
    return summation;
}

std::int64_t FitProblem::counted(std::int64_t pairs, int angles) const noexcept {
    return options.objective == FitObjective::pairs
               ? pairs
               : 2 * pairs + std::int64_t{angles} * measurement.frames;
}

std::vector<double> FitProblem::loss_scales() const {
    std::vector<double> scales;
    for (const double value : sigma) {
        scales.push_back(options.loss.scale * value);
    }
    return scales;
}

nlsq::Box FitProblem::joint_box() const {
    nlsq::Box joint{names(),
                    {scaling.lower().begin(), scaling.lower().end()},
                    {scaling.upper().begin(), scaling.upper().end()}};
    joint.lower.insert(joint.lower.end(), box.lower.begin(), box.lower.end());
    joint.upper.insert(joint.upper.end(), box.upper.begin(), box.upper.end());
    return joint;
}

std::vector<std::string> FitProblem::names() const {
    std::vector<std::string> names;
    add_scale_names(options, measurement.angles(), "contrast", names);
    add_scale_names(options, measurement.angles(), "offset", names);
    names.insert(names.end(), box.names.begin(), box.names.end());
    return names;
}

}  // namespace lockstep::xpcs
