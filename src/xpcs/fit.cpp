#include "lockstep/xpcs/fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "xpcs/model/objective.hpp"
#include "xpcs/nlsq/determinacy_of.hpp"

namespace lockstep::xpcs {
namespace {

std::vector<double> column_of(Motion motion, double ParameterDescription::*member) {
    std::vector<double> values;
    for (const auto& parameter : parameters_of(motion)) {
        values.push_back(parameter.*member);
    }
    return values;
}

std::vector<double> given_or(const std::vector<double>& given, std::vector<double> fallback) {
    return given.empty() ? std::move(fallback) : given;
}

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

std::vector<std::string> names_of(const FitOptions& options, const Measurement& measurement) {
    std::vector<std::string> names;
    const auto add = [&](const char* what) {
        switch (options.scale.mode) {
            case ScaleMode::individual:
                for (int angle = 0; angle < measurement.angles(); ++angle) {
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
    };
    add("contrast");
    add("offset");
    for (const auto& parameter : parameters_of(options.motion)) {
        names.emplace_back(parameter.name);
    }
    return names;
}

/// One call of fit().
class Fitting {
public:
    Fitting(const Measurement& measurement,
            const FitOptions& options,
            runtime::Team& team,
            FitObserver* observer)
        : measurement_(measurement),
          options_(options),
          team_(team),
          observer_(observer),
          sigma_(options.sigma > 0 ? std::vector(measurement.phi.size(), options.sigma)
                                   : noise_of(measurement)),
          weights_(weights_of(sigma_)),
          scaling_(options.scale, measurement.phi),
          summation_(measurement, options.motion, options.shear),
          objective_(summation_, team, scaling_, weights_, middle_of(scaling_)) {}

    FitResult run() {
        auto trust_region = options_.trust_region;
        trust_region.on_iteration = [&](const nlsq::Iteration& iteration) {
            return goes_on(iteration);
        };
        FitResult result;
        result.minimum = nlsq::minimise(
            objective_,
            given_or(options_.start, column_of(options_.motion, &ParameterDescription::start)),
            options_.box(),
            trust_region);
        describe(result);
        return result;
    }

private:
    bool goes_on(const nlsq::Iteration& iteration) {
        if (observer_ == nullptr) {
            return true;
        }
        observer_->on_iteration({iteration.number,
                                 iteration.evaluations,
                                 2 * iteration.cost,
                                 iteration.gradient,
                                 {iteration.x.begin(), iteration.x.end()},
                                 scales()});
        const std::uint32_t mine = observer_->stop_requested() ? 1U : 0U;
        return team_.ranks.allreduce(mine, comm::ReduceOp::max) == 0;
    }

    [[nodiscard]] std::vector<Scale> scales() const {
        std::vector<Scale> scales;
        for (int angle = 0; angle < measurement_.angles(); ++angle) {
            scales.push_back(scaling_.scale_of(angle, objective_.projection().coefficients()));
        }
        return scales;
    }

    void describe(FitResult& result) {
        nlsq::NormalEquations last;
        objective_.evaluate(result.minimum.x, last);
        const Projection& projection = objective_.projection();
        result.physical = result.minimum.x;
        result.scales = scales();
        result.names = names_of(options_, measurement_);
        result.values.assign(projection.coefficients().begin(), projection.coefficients().end());
        result.values.insert(result.values.end(), result.physical.begin(), result.physical.end());
        result.chi_squared = projection.sum_of_squares();
        result.sigma = sigma_;
        for (int angle = 0; angle < measurement_.angles(); ++angle) {
            const AngleSums& sums = objective_.sums().sums[at(angle)];
            result.angle_pairs.push_back(
                static_cast<std::int64_t>(sums(AngleSums::one, AngleSums::one)));
            result.sums_of_squares.push_back(projection.sum_of_squares(objective_.sums(), angle));
        }
        result.pairs =
            std::accumulate(result.angle_pairs.begin(), result.angle_pairs.end(), std::int64_t{0});
        result.bounds = bounds_of(result);
        result.determinacy = nlsq::determinacy_of(
            nlsq::model_of_gram(whole_gram(), whole_gradient(last), std::sqrt(2 * last.cost)),
            result.bounds);
        result.covariance = nlsq::classical_covariance(result.determinacy,
                                                       result.box(),
                                                       result.chi_squared / 2,
                                                       static_cast<double>(result.pairs));
    }

    [[nodiscard]] nlsq::Matrix whole_gram() const {
        const auto gram = objective_.projection().whole_gram(objective_.sums());
        const auto size = scaling_.coefficients() + objective_.parameters();
        return Eigen::Map<const nlsq::Matrix>(gram.data(), size, size);
    }

    /// That of the coefficients vanishes.
    [[nodiscard]] nlsq::Vector whole_gradient(const nlsq::NormalEquations& last) const {
        nlsq::Vector gradient =
            nlsq::Vector::Zero(scaling_.coefficients() + objective_.parameters());
        for (int p = 0; p < objective_.parameters(); ++p) {
            gradient[scaling_.coefficients() + p] = last.gradient[at(p)];
        }
        return gradient;
    }

    [[nodiscard]] std::vector<nlsq::AtBound> bounds_of(const FitResult& result) const {
        std::vector<nlsq::AtBound> bounds;
        for (int k = 0; k < scaling_.coefficients(); ++k) {
            bounds.push_back(objective_.projection().bound_of(k));
        }
        bounds.insert(bounds.end(), result.minimum.bounds.begin(), result.minimum.bounds.end());
        return bounds;
    }

    const Measurement& measurement_;
    const FitOptions& options_;
    runtime::Team& team_;
    FitObserver* observer_;
    std::vector<double> sigma_;
    std::vector<double> weights_;
    Scaling scaling_;
    Summation summation_;
    ModelObjective objective_;
};

}  // namespace

nlsq::Box FitOptions::box() const {
    nlsq::Box box;
    for (const auto& parameter : parameters_of(motion)) {
        box.names.emplace_back(parameter.name);
    }
    box.lower = given_or(lower, column_of(motion, &ParameterDescription::lower));
    box.upper = given_or(upper, column_of(motion, &ParameterDescription::upper));
    return box;
}

void FitOptions::validate(const Measurement& measurement) const {
    box().validate(static_cast<int>(parameters_of(motion).size()));
    if (!(sigma >= 0) || !std::isfinite(sigma)) {
        throw InputError(
            fmt::format("sigma {} must be at least 0: 0 takes it from the data", sigma));
    }
    const Scaling scaling(scale, measurement.phi);
}

Digest digest_of(const FitResult& result) {
    DigestBuilder builder;
    const auto add = [&](std::span<const double> values) { builder.add(values); };
    add(result.values);
    add(std::span(&result.chi_squared, 1));
    add(result.covariance.matrix);
    return builder.digest();
}

FitResult fit(const Measurement& measurement,
              const FitOptions& options,
              runtime::Team& team,
              FitObserver* observer) {
    measurement.validate();
    options.validate(measurement);
    return Fitting(measurement, options, team, observer).run();
}

}  // namespace lockstep::xpcs
