#include "lockstep/xpcs/sample.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"
#include "lockstep/runtime/random.hpp"
#include "lockstep/xpcs/cmc/importance.hpp"
#include "lockstep/xpcs/cmc/linear_coordinates.hpp"

#include "xpcs/model/posterior_density.hpp"

namespace lockstep::xpcs {
namespace {

constexpr int points_a_draw = 2;  // that are weighed
constexpr double dispersion = 2;  // of the chains' starts, in standard deviations
constexpr int iterations_a_round = 100;

/// A density together with its view in other coordinates.
class OwnedDensity : public cmc::LogDensity {
public:
    OwnedDensity(std::unique_ptr<PosteriorDensity> density,
                 const cmc::LinearCoordinates& coordinates)
        : density_(std::move(density)), whitened_(*density_, coordinates) {}

    [[nodiscard]] int dimension() const override { return whitened_.dimension(); }
    double evaluate(std::span<const double> z, std::span<double> gradient) override {
        return whitened_.evaluate(z, gradient);
    }
    double evaluate(std::span<const double> z) override { return whitened_.evaluate(z); }

private:
    std::unique_ptr<PosteriorDensity> density_;
    cmc::WhitenedDensity whitened_;
};

/// Covariance [p, p] of the physical parameters as the density has it: with the errors that it
/// assumes, not those that the residuals have.
std::vector<double> physical_covariance(const FitResult& fit) {
    const std::size_t size = fit.values.size();
    const std::size_t physical = fit.physical.size();
    std::vector<double> covariance;
    for (std::size_t row = size - physical; row < size; ++row) {
        for (std::size_t column = size - physical; column < size; ++column) {
            covariance.push_back(fit.determinacy.inverse[row * size + column]);
        }
    }
    return covariance;
}

void require_covariance(const FitResult& fit) {
    const auto bounded = std::ranges::find_if(
        fit.minimum.bounds, [](nlsq::AtBound bound) { return bound != nlsq::AtBound::no; });
    if (bounded != fit.minimum.bounds.end()) {
        throw ModelError(fmt::format(
            "the posterior has no centre to start from: the fit has {} at its bound; widen the "
            "bounds, or leave the parameter out",
            fit.names[fit.values.size() - fit.physical.size() +
                      at(bounded - fit.minimum.bounds.begin())]));
    }
    if (fit.determinacy.inverse.empty()) {
        throw ModelError(
            fmt::format("the posterior has no shape to start from: {}", fit.covariance.remark));
    }
}

/// One call of sample().
class Sampling {
public:
    Sampling(const Measurement& measurement,
             const FitOptions& options,
             const FitResult& fit,
             const SampleOptions& sampling,
             runtime::Team& team,
             SampleObserver* observer)
        : measurement_(measurement),
          options_(options),
          fit_(fit),
          sampling_(sampling),
          team_(team),
          observer_(observer),
          scaling_(options.scale, measurement.phi),
          first_(make()),
          coordinates_(centre(), covariance()) {}

    SampleResult run() {
        SampleResult result;
        result.names = names();
        if (sampling_.method != SampleMethod::chains) {
            by_importance(result);
        }
        const bool wants_chains = sampling_.method == SampleMethod::chains ||
                                  (sampling_.method == SampleMethod::automatic &&
                                   !(result.importance.k <= sampling_.largest_k));
        if (wants_chains && result.is_complete) {
            by_chains(result);
        }
        return result;
    }

private:
    [[nodiscard]] std::unique_ptr<PosteriorDensity> make() const {
        return std::make_unique<PosteriorDensity>(
            measurement_, options_, scaling_, fit_, sampling_.posterior);
    }
    [[nodiscard]] bool has_sigma() const { return sampling_.posterior.sigma.deviation > 0; }

    /// The fit, and the σ that its residuals have.
    [[nodiscard]] std::vector<double> centre() const {
        std::vector<double> centre(at(first_->dimension()), 0.0);
        first_->coordinates().to_values(fit_.physical, centre);
        if (has_sigma()) {
            centre.back() = math::log(fit_.reduced_chi_squared()) / 2;
        }
        return centre;
    }

    [[nodiscard]] std::vector<double> covariance() const {
        const auto physical =
            first_->coordinates().transform_covariance(fit_.physical, physical_covariance(fit_));
        const double variance = has_sigma() ? fit_.reduced_chi_squared() : 1;
        const auto old = static_cast<std::size_t>(fit_.physical.size());
        const std::size_t size = at(first_->dimension());
        std::vector<double> covariance(size * size, 0.0);
        for (std::size_t row = 0; row < old; ++row) {
            for (std::size_t column = 0; column < old; ++column) {
                covariance[row * size + column] = variance * physical[row * old + column];
            }
        }
        if (has_sigma()) {
            covariance.back() = 0.5 / static_cast<double>(fit_.pairs);
        }
        return covariance;
    }

    [[nodiscard]] std::vector<std::string> names() const {
        const auto scales = fit_.names.begin() + scaling_.coefficients();
        std::vector<std::string> names(scales, fit_.names.end());
        if (has_sigma()) {
            names.emplace_back("sigma");
        }
        names.insert(names.end(), fit_.names.begin(), scales);
        return names;
    }

    bool stops() {
        const std::uint32_t mine = observer_ != nullptr && observer_->stop_requested() ? 1U : 0U;
        return team_.ranks.allreduce(mine, comm::ReduceOp::max) != 0;
    }

    void tell(const SampleProgress& progress) {
        if (observer_ != nullptr) {
            observer_->on_progress(progress);
        }
    }

    /// Equation (24) of docs/xpcs/theory.md, with the fit's covariance.
    void by_importance(SampleResult& result) {
        const int draws = sampling_.chains * sampling_.draws;
        cmc::Proposal proposal;
        proposal.points = points_a_draw * draws;
        const auto points = cmc::importance_sample(
            [&] { return make(); }, coordinates_, proposal, sampling_.seed, 0, team_.threads);
        result.method = SampleMethod::importance;
        result.importance = {points.count(), points.k, points.effective_size};
        result.chains = 1;
        result.draws = draws;
        describe(result, cmc::resample(points, draws, sampling_.seed, 0));
        tell({true, proposal.points, proposal.points, {}});
        result.is_complete = !stops();
    }

    /// Starts that lie further apart than the posterior is wide.
    [[nodiscard]] std::vector<std::vector<double>> starts() const {
        const runtime::Random random(sampling_.seed, "xpcs.sample.start");
        OwnedDensity density(make(), coordinates_);
        std::vector<std::vector<double>> starts;
        for (int chain = 0; chain < sampling_.chains; ++chain) {
            std::vector<double> z(at(first_->dimension()));
            random.fill_normal(static_cast<std::uint64_t>(chain), 0, z);
            for (double spread = dispersion; spread > 1e-3; spread /= 2) {
                std::vector<double> start(z);
                std::ranges::for_each(start, [&](double& value) { value *= spread; });
                if (std::isfinite(density.evaluate(start)) || spread < 2e-3) {
                    starts.push_back(std::move(start));
                    break;
                }
            }
        }
        return starts;
    }

    void by_chains(SampleResult& result) {
        cmc::NutsOptions nuts;
        nuts.warmup = sampling_.warmup;
        nuts.draws = sampling_.draws;
        nuts.target_acceptance = sampling_.target_acceptance;
        nuts.max_tree_depth = sampling_.max_tree_depth;
        const int size = first_->dimension();
        const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(size, size);
        nuts.covariance.assign(identity.data(), identity.data() + identity.size());

        cmc::ChainTeam chains([&] { return std::make_unique<OwnedDensity>(make(), coordinates_); },
                              starts(),
                              nuts,
                              sampling_.seed);
        bool goes_on = true;
        while (goes_on && !chains.done()) {
            chains.advance(team_.threads, iterations_a_round);
            tell(progress_of(chains));
            goes_on = !stops();
        }
        take(chains, result);
        result.is_complete = chains.done();
    }

    [[nodiscard]] SampleProgress progress_of(const cmc::ChainTeam& chains) const {
        SampleProgress progress;
        progress.total = std::int64_t{sampling_.chains} * (sampling_.warmup + sampling_.draws);
        for (int chain = 0; chain < chains.count(); ++chain) {
            progress.chains.push_back(chains.progress(chain));
            progress.done += progress.chains.back().iteration;
        }
        return progress;
    }

    void take(const cmc::ChainTeam& chains, SampleResult& result) {
        const auto drawn = chains.draws();
        result.method = SampleMethod::chains;
        result.chains = chains.count();
        result.draws = drawn.front().count();
        result.chain_figures = {};
        std::vector<double> points;
        std::vector<double> x(at(first_->dimension()));
        for (int chain = 0; chain < chains.count(); ++chain) {
            const auto& of = drawn[at(chain)];
            for (int draw = 0; draw < of.count(); ++draw) {
                coordinates_.to_x(of.matrix().row(draw), x);
                points.insert(points.end(), x.begin(), x.end());
            }
            auto& figures = result.chain_figures;
            figures.leapfrogs += of.total_leapfrogs();
            figures.warmup_leapfrogs += chains.chain(chain).warmup().leapfrogs;
            figures.divergences += of.divergences();
            figures.acceptance += of.mean_acceptance() / chains.count();
            figures.step_sizes.push_back(chains.chain(chain).step_size());
            figures.e_bfmi.push_back(cmc::e_bfmi(of.energy));
            figures.energies.push_back(of.energy);
        }
        describe(result, points);
    }

    /// What users get of points [draws, dimension]: physical parameters, σ, and contrasts and
    /// offsets drawn given these.
    void describe(SampleResult& result, const std::vector<double>& points) {
        const auto width = static_cast<std::ptrdiff_t>(result.names.size());
        const auto size = std::ptrdiff_t{first_->dimension()};
        const std::ptrdiff_t draws = static_cast<std::ptrdiff_t>(points.size()) / size;
        const runtime::Random random(sampling_.seed, "xpcs.sample.scale");
        result.values.assign(at(draws * width), 0.0);
        result.log_density.assign(at(draws), 0.0);
        runtime::PerThread<std::unique_ptr<PosteriorDensity>> densities(
            team_.threads, [&](int) { return make(); });
        team_.threads.parallel_for(draws, [&](std::ptrdiff_t draw, int thread) {
            const std::span x(&points[at(draw * size)], at(size));
            result.log_density[at(draw)] =
                describe_draw(*densities[thread],
                              x,
                              random,
                              static_cast<std::uint64_t>(draw),
                              std::span(result.values).subspan(at(draw * width), at(width)));
        });
    }

    double describe_draw(PosteriorDensity& density,
                         std::span<const double> x,
                         const runtime::Random& random,
                         std::uint64_t item,
                         std::span<double> values) const {
        const double log = density.evaluate(x);
        std::ranges::copy(density.physical(), values.begin());
        std::size_t next = density.physical().size();
        if (has_sigma()) {
            values[next++] = fit_.sigma.front() * math::exp(x.back());
        }
        const auto scales = density.draw_scales(random, item);
        std::ranges::copy(scales, values.begin() + static_cast<std::ptrdiff_t>(next));
        return log;
    }

    const Measurement& measurement_;
    const FitOptions& options_;
    const FitResult& fit_;
    const SampleOptions& sampling_;
    runtime::Team& team_;
    SampleObserver* observer_;
    Scaling scaling_;
    std::unique_ptr<PosteriorDensity> first_;
    cmc::LinearCoordinates coordinates_;
};

}  // namespace

void SampleOptions::validate(const FitResult& fit) const {
    const auto require =
        [](bool holds, std::string_view name, double found, std::string_view allowed) {
            if (!holds) {
                throw InputError(fmt::format("{} is {}: must be {}", name, found, allowed));
            }
        };
    require(chains >= 1, "chains", chains, "at least 1");
    require(warmup >= 0, "warmup", warmup, "at least 0");
    require(draws >= 1, "draws", draws, "at least 1");
    require(posterior.physical.size() == fit.physical.size(),
            "priors",
            static_cast<double>(posterior.physical.size()),
            "one a physical parameter");
}

std::vector<double> SampleResult::of(int name) const {
    std::vector<double> column;
    for (std::size_t k = at(name); k < values.size(); k += names.size()) {
        column.push_back(values[k]);
    }
    return column;
}

cmc::Summary SampleResult::summary(int name) const {
    const auto column = of(name);
    return cmc::summarise({column.data(), chains, draws});
}

Digest digest_of(const SampleResult& result) {
    DigestBuilder builder;
    builder.add(static_cast<std::int64_t>(result.chains));
    builder.add(result.values);
    builder.add(result.log_density);
    return builder.digest();
}

SampleResult sample(const Measurement& measurement,
                    const FitOptions& options,
                    const FitResult& fit,
                    const SampleOptions& sampling,
                    runtime::Team& team,
                    SampleObserver* observer) {
    sampling.validate(fit);
    require_covariance(fit);
    return Sampling(measurement, options, fit, sampling, team, observer).run();
}

}  // namespace lockstep::xpcs
