#include "lockstep/xpcs/fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "xpcs/fit/local_fit.hpp"
#include "xpcs/fit/search.hpp"
#include "xpcs/fit/sequential.hpp"
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

const std::vector<double>& given_or(const std::vector<double>& given,
                                    const std::vector<double>& fallback) {
    return given.empty() ? fallback : given;
}

double model_squares(std::span<const AngleSums> sums, std::span<const Scale> scales) {
    double squares = 0;
    for (std::size_t angle = 0; angle < sums.size(); ++angle) {
        const auto& of = sums[angle];
        const auto [c, o] = scales[angle];
        squares += o * o * of(AngleSums::one, AngleSums::one) +
                   2 * o * c * of(AngleSums::one, AngleSums::x) +
                   c * c * of(AngleSums::x, AngleSums::x);
    }
    return squares;
}

constexpr int most_rounds = 10;          // of weights that follow phi0
constexpr double phi0_resolution = 0.1;  // degrees, as homodyne has it

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
          local_(std::in_place, problem_, &team) {}

    FitResult run() {
        start_ = problem_.start;
        FitResult result;
        if (problem_.options.sequential.use == SequentialOptions::Use::always) {
            fit_angle_by_angle(result);
        }
        if (!result.sequential.is_used) {
            fit_together(result);
        }
        const auto stop = result.minimum.stop;
        if (problem_.options.sequential.use == SequentialOptions::Use::on_failure &&
            problem_.measurement.angles() > 1 && !nlsq::converged(stop) &&
            stop != nlsq::Stop::caller && !result.search.is_result) {
            fit_angle_by_angle(result);
        }
        describe(result);
        return result;
    }

private:
    /// With the weights and the pull of the scales that follow from one fit to the next.
    void fit_together(FitResult& result) {
        search_start(result);
        if (result.search.is_result) {
            result.minimum = point_at(start_);
            return;
        }
        run_local(result);
        if (problem_.options.regularisation.weight > 0 && problem_.scaling.functions() > 1) {
            const auto place = local_->look(result.minimum);
            problem_.regularise(scales(place.coefficients), place.chi_squared);
            local_.emplace(problem_, &team_);
            start_ = result.minimum.x;
            run_local(result);
        }
    }

    void search_start(FitResult& result) {
        weigh_shear(problem_.held);
        const auto searched = search(problem_,
                                     *local_,
                                     team_,
                                     {[this] { return !stop_requested(); },
                                      [this](const SearchProgress& progress) { tell(progress); }});
        result.search = searched.report;
        start_ = searched.start;
    }

    /// A point as it is, described as the end of a fit.
    nlsq::Fit point_at(std::span<const double> x) {
        auto point = local_->run(x, [](auto&, auto) { return false; });
        point.stop = nlsq::converged(point.stop) ? point.stop : nlsq::Stop::evaluations;
        return point;
    }

    /// Until the weights are those of the phi0 that is found with them.
    void run_local(FitResult& result) {
        for (int round = 0; round < most_rounds; ++round) {
            result.minimum =
                local_->run(start_, [this](const nlsq::Iteration& iteration, auto scales) {
                    return goes_on(iteration, scales);
                });
            start_ = result.minimum.x;
            if (result.minimum.stop == nlsq::Stop::caller ||
                !weigh_shear(problem_.physical(start_))) {
                return;
            }
        }
    }

    /// Whether weights changed for these parameters; then the local fit is a new one.
    bool weigh_shear(const std::vector<double>& physical) {
        const auto& how = problem_.options.shear_weighting;
        if (!how.is_on || problem_.options.motion == Motion::diffusion) {
            return false;
        }
        const double phi0 = physical.back();
        if (weighted_phi0_ && std::abs(phi0 - *weighted_phi0_) < phi0_resolution) {
            return false;
        }
        weighted_phi0_ = phi0;
        problem_.weigh(shear_weights(problem_.measurement.phi, phi0, how));
        local_.emplace(problem_, &team_);
        return true;
    }

    void fit_angle_by_angle(FitResult& result) {
        auto angles = fit_angles(problem_.measurement, problem_.options, team_);
        result.sequential = angles.report;
        if (!angles.combined) {
            return;
        }
        combined_ = std::move(angles.combined);
        result.minimum.x = combined_->values;
        result.minimum.cost = local_->stand(result.minimum.x);
        result.minimum.iterations = angles.iterations;
        result.minimum.evaluations = angles.evaluations;
        result.minimum.gradient = 0;
        result.minimum.bounds.assign(result.minimum.x.size(), nlsq::AtBound::no);
    }

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
                                     problem_.physical(iteration.x),
                                     scales(coefficients)});
        }
        return !stop_requested();
    }

    [[nodiscard]] std::vector<Scale> scales(std::span<const double> coefficients) const {
        std::vector<Scale> scales;
        for (int angle = 0; angle < problem_.measurement.angles(); ++angle) {
            scales.push_back(problem_.scaling.scale_of(angle, coefficients));
        }
        return scales;
    }

    void describe(FitResult& result) {
        const LocalFit::Place place = local_->look(result.minimum);
        result.physical = problem_.physical(result.minimum.x);
        result.fitted = problem_.parameters.places();
        result.scales = scales(place.coefficients);
        result.names = problem_.names();
        result.values = place.coefficients;
        result.values.insert(result.values.end(), result.minimum.x.begin(), result.minimum.x.end());
        result.chi_squared = place.chi_squared;
        result.penalty = place.penalty;
        result.minimised = problem_.has_loss() ? 2 * result.minimum.cost : place.chi_squared;
        result.sigma = problem_.sigma;
        for (const AngleSums& sums : place.sums) {
            result.angle_pairs.push_back(
                static_cast<std::int64_t>(sums(AngleSums::one, AngleSums::one)));
        }
        result.sums_of_squares = place.squares;
        if (problem_.options.objective == FitObjective::compat_grid) {
            result.model_squares = model_squares(place.sums, result.scales);
        }
        result.pairs =
            std::accumulate(result.angle_pairs.begin(), result.angle_pairs.end(), std::int64_t{0});
        result.bounds = place.bounds;
        result.bounds.insert(
            result.bounds.end(), result.minimum.bounds.begin(), result.minimum.bounds.end());
        const auto box = problem_.joint_box();
        result.lower = box.lower;
        result.upper = box.upper;
        count_for_errors(place, result);
        determine(place, result);
        if (combined_) {
            take_combined_errors(result);
        }
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

    /// Of parameters that single angles told: their errors are those of the combination.
    void take_combined_errors(FitResult& result) const {
        const std::size_t size = result.values.size();
        const std::size_t linear = size - combined_->values.size();
        result.covariance = {std::vector<double>(size * size, std::nan("")),
                             "angles were fitted one by one: errors of contrasts and offsets, and "
                             "covariances, are not known"};
        for (std::size_t k = 0; k < combined_->variances.size(); ++k) {
            result.covariance.matrix[(linear + k) * (size + 1)] = combined_->variances[k];
        }
    }

    FitProblem problem_;
    runtime::Team& team_;
    FitObserver* observer_;
    std::optional<LocalFit> local_;
    std::vector<double> start_;            // [free parameters] of the next fit
    std::optional<double> weighted_phi0_;  // that the weights of angles belong to
    std::optional<AngleEstimate> combined_;
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

std::string_view to_string(FitObjective objective) noexcept {
    return objective == FitObjective::pairs ? "pairs" : "compat-grid";
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
    if (!step_sizes.empty() && step_sizes.size() != parameters_of(motion).size()) {
        throw InputError(fmt::format(
            "{} step sizes for {} parameters", step_sizes.size(), parameters_of(motion).size()));
    }
    if (!first_neighbours.empty() && first_neighbours.size() != measurement.phi.size()) {
        throw InputError(fmt::format(
            "{} first neighbours for {} angles", first_neighbours.size(), measurement.phi.size()));
    }
    const FreeParameters parameters(motion, held);
    const Scaling scaling(scale, measurement.phi);
    const std::int64_t values = parameters.count() + scaling.coefficients();
    const std::int64_t pairs = measurement.angles() * pair_count(measurement.frames);
    if (pairs <= values) {
        throw InputError(
            fmt::format("{} pairs of frames cannot tell {} values: take more frames, "
                        "hold parameters or share scales",
                        pairs,
                        values));
    }
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
