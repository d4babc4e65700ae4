#include "lockstep/xpcs/errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "xpcs/errors/block_scores.hpp"
#include "xpcs/errors/pixel_scores.hpp"

namespace lockstep::xpcs {
namespace {

constexpr int pixels_an_item = 64;
constexpr int most_pixels = 2000;
constexpr int fewest_pixels = 512;
constexpr double frames_of_most = 256;

/// So that what an angle costs stops growing with its pairs for a while.
int pixels_of(const ErrorOptions& how, int frames) {
    if (how.pixels > 0) {
        return how.pixels;
    }
    const double share = frames_of_most / std::max<double>(frames, frames_of_most);
    return std::max(fewest_pixels, static_cast<int>(most_pixels * share * share));
}

double mean(std::span<const double> values) {
    double sum = 0;
    double count = 0;
    for (const double value : values) {
        if (!std::isnan(value)) {
            sum += value;
            ++count;
        }
    }
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

/// Photon noise lifts the diagonal of c2: equation (18) of docs/xpcs/theory.md; no photon noise, no
/// limit.
double photons_of(const Measurement& measurement, const FitResult& fit, int angle) {
    const auto diagonal = std::span(measurement.diagonal)
                              .subspan(at(angle) * at(measurement.frames), at(measurement.frames));
    const Scale& scale = fit.scales[at(angle)];
    const double excess = mean(diagonal) - scale.offset - scale.contrast;
    return excess > 1e-3 ? 1 / excess : std::numeric_limits<double>::infinity();
}

/// Equation (13), with the remarks that the classical one has.
nlsq::Covariance sandwich(const FitResult& fit, const Eigen::MatrixXd& spread) {
    nlsq::Covariance covariance{{}, fit.covariance.remark};
    if (fit.determinacy.inverse.empty()) {
        return covariance;
    }
    const auto size = static_cast<Eigen::Index>(fit.values.size());
    Eigen::MatrixXd bread =
        Eigen::Map<const Eigen::MatrixXd>(fit.determinacy.inverse.data(), size, size);
    std::vector<bool> is_held;
    for (Eigen::Index k = 0; k < size; ++k) {
        is_held.push_back(std::isnan(bread(k, k)));
    }
    bread = bread.unaryExpr([](double value) { return std::isnan(value) ? 0 : value; });
    const Eigen::MatrixXd whole = bread * spread * bread;
    for (Eigen::Index row = 0; row < size; ++row) {
        for (Eigen::Index column = 0; column < size; ++column) {
            covariance.matrix.push_back(is_held[at(row)] || is_held[at(column)]
                                            ? std::numeric_limits<double>::quiet_NaN()
                                            : (whole(row, column) + whole(column, row)) / 2);
        }
    }
    return covariance;
}

/// One call for the method speckle.
class SpeckleErrors {
public:
    SpeckleErrors(const Measurement& measurement,
                  const FitOptions& options,
                  const FitResult& fit,
                  const ErrorOptions& how,
                  runtime::Team& team)
        : fit_(fit), how_(how), team_(team), fitted_(measurement, options, fit) {
        for (int angle = 0; angle < measurement.angles(); ++angle) {
            facts_.push_back({1 / contrast(angle), photons_of(measurement, fit, angle), 0});
        }
        groups_ =
            std::max(1, (pixels_of(how, measurement.frames) + pixels_an_item - 1) / pixels_an_item);
    }

    ErrorBars run() {
        simulate();
        Eigen::MatrixXd spread =
            Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(fit_.values.size()),
                                  static_cast<Eigen::Index>(fit_.values.size()));
        for (int angle = 0; angle < fitted_.model.angles(); ++angle) {
            add(angle, spread);
        }
        const double left = part_left_by_fit(spread);
        for (auto& facts : facts_) {
            facts.pixels *= left;
        }
        return {ErrorMethod::speckle, sandwich(fit_, spread / left), facts_};
    }

private:
    /// A fit takes up part of its own deviations: residuals are smaller than these were, by the
    /// part of the scores' spread that lies along the fit's values. Equation (19).
    [[nodiscard]] double part_left_by_fit(const Eigen::MatrixXd& spread) const {
        double taken = 0;
        const auto& inverse = fit_.determinacy.inverse;
        for (std::size_t k = 0; k < inverse.size(); ++k) {
            taken += std::isnan(inverse[k]) ? 0 : inverse[k] * spread.data()[k];
        }
        return std::clamp(1 - taken / fit_.error_chi_squared, 0.1, 1.0);
    }

    [[nodiscard]] double contrast(int angle) const {
        return std::clamp(fit_.scales[at(angle)].contrast, 0.01, 1.0);
    }

    void simulate() {
        const int items = fitted_.model.angles() * groups_;
        scores_.resize(at(items) * pixels_an_item);
        const auto mine = runtime::block_of(items, team_.ranks.rank(), team_.ranks.size());
        const int angles_at_once = team_.threads.size();
        for (int first = 0; first < fitted_.model.angles(); first += angles_at_once) {
            const int end = std::min(first + angles_at_once, fitted_.model.angles());
            simulate(std::max<std::ptrdiff_t>(mine.begin, std::ptrdiff_t{first} * groups_),
                     std::min<std::ptrdiff_t>(mine.end, std::ptrdiff_t{end} * groups_));
        }
        share(items);
    }

    /// Items of a few angles, since the source of each is as large as its matrix.
    void simulate(std::ptrdiff_t begin, std::ptrdiff_t end) {
        if (begin >= end) {
            return;
        }
        const std::ptrdiff_t first = begin / groups_;
        std::vector<std::optional<Speckle>> sources(at((end - 1) / groups_ - first + 1));
        team_.threads.parallel_for(std::ssize(sources), [&](std::ptrdiff_t k, int) {
            sources[at(k)].emplace(source_of(static_cast<int>(first + k)));
        });
        team_.threads.parallel_for(end - begin, [&](std::ptrdiff_t k, int) {
            const std::ptrdiff_t item = begin + k;
            const std::ptrdiff_t angle = item / groups_;
            score_pixels(fitted_,
                         *sources[at(angle - first)],
                         static_cast<int>(angle),
                         item % groups_ * pixels_an_item,
                         std::span(scores_).subspan(at(item) * pixels_an_item, pixels_an_item));
        });
    }

    [[nodiscard]] Speckle source_of(int angle) const {
        std::vector<double> g1(at(fitted_.model.pairs()));
        fitted_.model.fill(0, fitted_.model.pairs(), angle, g1);
        std::ranges::transform(g1, g1.begin(), [](double x) { return std::sqrt(x); });
        return {g1,
                fitted_.model.frames(),
                contrast(angle),
                facts_[at(angle)].photons,
                how_.seed,
                "xpcs.errors",
                angle};
    }

    void share(int items) {
        if (team_.ranks.size() == 1) {
            return;
        }
        const auto layout = comm::Layout::blocks(items, pixels_an_item, team_.ranks.size());
        const int rank = team_.ranks.rank();
        const auto first = scores_.begin() + layout.offset(rank);
        const std::vector<PixelScore> sent(first, first + layout.count(rank));
        team_.ranks.allgatherv(
            std::span<const PixelScore>(sent), std::span<PixelScore>(scores_), layout);
    }

    /// The spread of an angle's scores, with as many pixels as its residuals ask for.
    void add(int angle, Eigen::MatrixXd& spread) {
        const std::size_t count = at(groups_) * pixels_an_item;
        const auto scores = std::span<const PixelScore>(scores_).subspan(at(angle) * count, count);
        const auto columns = static_cast<Eigen::Index>(2 + fit_.physical.size());
        Eigen::VectorXd middle = Eigen::VectorXd::Zero(columns);
        double squares = 0;
        const auto pull_of = [&](const PixelScore& score) {
            return Eigen::Map<const Eigen::VectorXd>(score.pull.data(), columns);
        };
        for (const PixelScore& score : scores) {
            middle += pull_of(score);
            squares += score.squares;
        }
        const auto n = static_cast<double>(count);
        middle /= n;
        Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(columns, columns);
        for (const PixelScore& score : scores) {
            const Eigen::VectorXd from_middle = pull_of(score) - middle;
            sum += from_middle * from_middle.transpose();
        }
        const double residual =
            fit_.error_squares[at(angle)] / static_cast<double>(fit_.angle_pairs[at(angle)]);
        const double offset = fit_.scales[at(angle)].offset;
        facts_[at(angle)].pixels = squares / n * offset * offset / residual;
        const double weight = offset / (fit_.sigma[at(angle)] * fit_.sigma[at(angle)]);
        add_spread(
            fitted_, angle, sum * (weight * weight / ((n - 1) * facts_[at(angle)].pixels)), spread);
    }

    const FitResult& fit_;
    const ErrorOptions& how_;
    runtime::Team& team_;
    FittedModel fitted_;
    std::vector<SpeckleFacts> facts_;
    int groups_;
    std::vector<PixelScore> scores_;  // [angles, groups, pixels]
};

}  // namespace

std::string_view to_string(ErrorMethod method) noexcept {
    switch (method) {
        case ErrorMethod::classical:
            return "classical";
        case ErrorMethod::blocks:
            return "blocks";
        case ErrorMethod::speckle:
            return "speckle";
    }
    return "";
}

std::vector<double> ErrorBars::errors() const {
    std::vector<double> errors;
    const auto size = static_cast<std::size_t>(
        std::lround(std::sqrt(static_cast<double>(covariance.matrix.size()))));
    for (std::size_t k = 0; k < size; ++k) {
        errors.push_back(std::sqrt(covariance.matrix[k * size + k]));
    }
    return errors;
}

ErrorBars errors_of(const Measurement& measurement,
                    const FitOptions& options,
                    const FitResult& fit,
                    const ErrorOptions& how,
                    runtime::Team& team) {
    if (fit.sequential.is_used) {
        return {ErrorMethod::classical, fit.covariance, {}};
    }
    if (options.objective == FitObjective::compat_grid && how.method != ErrorMethod::classical) {
        throw InputError(fmt::format("the objective compat-grid has classical errors alone, not {}",
                                     to_string(how.method)));
    }
    switch (how.method) {
        case ErrorMethod::classical:
            break;
        case ErrorMethod::blocks:
            return {how.method,
                    sandwich(fit, spread_of_blocks(measurement, options, fit, how.blocks)),
                    {}};
        case ErrorMethod::speckle:
            return SpeckleErrors(measurement, options, fit, how, team).run();
    }
    return {ErrorMethod::classical, fit.covariance, {}};
}

}  // namespace lockstep::xpcs
