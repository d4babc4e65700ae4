#include "lockstep/xpcs/fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "xpcs/fit/local_fit.hpp"
#include "xpcs/fit/search.hpp"
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

/// One call of fit().
class Fitting {
public:
    Fitting(const Measurement& measurement,
            const FitOptions& options,
            runtime::Team& team,
            FitObserver* observer)
        : problem_(measurement, options),
          team_(team),
          observer_(observer),
          local_(problem_, &team) {}

    FitResult run() {
        const auto searched = search(problem_,
                                     local_,
                                     team_,
                                     {[this] { return !stop_requested(); },
                                      [this](const SearchProgress& progress) { tell(progress); }});
        FitResult result;
        result.search = searched.report;
        result.minimum =
            local_.run(searched.start, [this](const nlsq::Iteration& iteration, auto scales) {
                return goes_on(iteration, scales);
            });
        describe(result);
        return result;
    }

private:
    void tell(const SearchProgress& progress) {
        if (observer_ != nullptr) {
            observer_->on_search(progress);
        }
    }

    bool stop_requested() {
        if (observer_ == nullptr) {
            return false;
        }
        const std::uint32_t mine = observer_->stop_requested() ? 1U : 0U;
        return team_.ranks.allreduce(mine, comm::ReduceOp::max) != 0;
    }

    bool goes_on(const nlsq::Iteration& iteration, std::span<const double> coefficients) {
        if (observer_ != nullptr) {
            observer_->on_iteration({iteration.number,
                                     iteration.evaluations,
                                     2 * iteration.cost,
                                     iteration.gradient,
                                     physical(iteration.x),
                                     scales(coefficients)});
        }
        return !stop_requested();
    }

    [[nodiscard]] std::vector<double> physical(std::span<const double> x) const {
        std::vector<double> physical = problem_.held;
        problem_.parameters.put(x, physical);
        return physical;
    }

    [[nodiscard]] std::vector<Scale> scales(std::span<const double> coefficients) const {
        std::vector<Scale> scales;
        for (int angle = 0; angle < problem_.measurement.angles(); ++angle) {
            scales.push_back(problem_.scaling.scale_of(angle, coefficients));
        }
        return scales;
    }

    void describe(FitResult& result) {
        const LocalFit::Place place = local_.look(result.minimum);
        result.physical = physical(result.minimum.x);
        result.fitted = problem_.parameters.places();
        result.scales = scales(place.coefficients);
        result.names = problem_.names();
        result.values = place.coefficients;
        result.values.insert(result.values.end(), result.minimum.x.begin(), result.minimum.x.end());
        result.chi_squared = place.chi_squared;
        result.minimised = problem_.has_loss() ? 2 * result.minimum.cost : place.chi_squared;
        result.sigma = problem_.sigma;
        for (const AngleSums& sums : place.sums) {
            result.angle_pairs.push_back(
                static_cast<std::int64_t>(sums(AngleSums::one, AngleSums::one)));
        }
        result.sums_of_squares = place.squares;
        result.pairs =
            std::accumulate(result.angle_pairs.begin(), result.angle_pairs.end(), std::int64_t{0});
        result.bounds = place.bounds;
        result.bounds.insert(
            result.bounds.end(), result.minimum.bounds.begin(), result.minimum.bounds.end());
        count_for_errors(place, result);
        determine(place, result);
    }

    /// Equation (27) of docs/xpcs/theory.md.
    void count_for_errors(const LocalFit::Place& place, FitResult& result) const {
        result.error_squares = result.sums_of_squares;
        result.error_chi_squared = result.chi_squared;
        result.loss_slopes.assign(place.sums.size(), 1);
        if (place.influence.empty()) {
            return;
        }
        result.error_chi_squared = 0;
        for (std::size_t angle = 0; angle < place.influence.size(); ++angle) {
            const auto pairs = static_cast<double>(result.angle_pairs[angle]);
            const AngleSums& of = place.influence[angle];
            const double slope = of(AngleSums::one, AngleSums::one) / pairs;
            result.loss_slopes[angle] = slope;
            result.error_squares[angle] =
                of(AngleSums::residual, AngleSums::residual) / (slope * slope);
            result.error_chi_squared += problem_.weights[angle] * result.error_squares[angle];
        }
    }

    void determine(const LocalFit::Place& place, FitResult& result) const {
        const auto size = static_cast<nlsq::Index>(result.values.size());
        result.determinacy = nlsq::determinacy_of(
            nlsq::model_of_gram(Eigen::Map<const nlsq::Matrix>(place.gram.data(), size, size),
                                nlsq::vector_of(place.gradient),
                                std::sqrt(result.chi_squared)),
            result.bounds);
        result.covariance = nlsq::classical_covariance(result.determinacy,
                                                       result.box(),
                                                       result.error_chi_squared / 2,
                                                       static_cast<double>(result.pairs));
    }

    FitProblem problem_;
    runtime::Team& team_;
    FitObserver* observer_;
    LocalFit local_;
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

std::vector<double> FitOptions::start_or_default() const {
    return given_or(start, column_of(motion, &ParameterDescription::start));
}

void FitOptions::validate(const Measurement& measurement) const {
    box().validate(static_cast<int>(parameters_of(motion).size()));
    if (!(sigma >= 0) || !std::isfinite(sigma)) {
        throw InputError(
            fmt::format("sigma {} must be at least 0: 0 takes it from the data", sigma));
    }
    if (!(loss.scale > 0) || !std::isfinite(loss.scale)) {
        throw InputError(fmt::format("the scale of the loss is {}: must be above 0", loss.scale));
    }
    if (start_or_default().size() != parameters_of(motion).size()) {
        throw InputError(fmt::format(
            "a start of {} numbers for {} parameters", start.size(), parameters_of(motion).size()));
    }
    box().validate_start(start_or_default());
    const FreeParameters parameters(motion, held);
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
