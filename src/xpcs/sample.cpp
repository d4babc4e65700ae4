#include "lockstep/xpcs/sample.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/cmc/importance.hpp"
#include "lockstep/xpcs/cmc/linear_coordinates.hpp"
#include "lockstep/xpcs/cmc/starts.hpp"

#include "xpcs/posterior_frame.hpp"

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

/// One call of sample().
class Sampling {
public:
    Sampling(const Measurement& measurement,
             const FitOptions& options,
             const FitResult& fit,
             const SampleOptions& sampling,
             runtime::Team& team,
             SampleObserver* observer)
        : sampling_(sampling),
          team_(team),
          observer_(observer),
          frame_(measurement, options, fit, sampling),
          coordinates_(frame_.coordinates()) {}

    SampleResult run() {
        SampleResult result;
        result.names = frame_.names();
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
        const auto points = cmc::importance_sample([&] { return frame_.make(); },
                                                   coordinates_,
                                                   proposal,
                                                   sampling_.seed,
                                                   0,
                                                   team_.threads);
        result.method = SampleMethod::importance;
        result.importance = {points.count(), points.k, points.effective_size};
        result.chains = 1;
        result.draws = draws;
        frame_.describe(cmc::resample(points, draws, sampling_.seed, 0), team_.threads, result);
        tell({true, proposal.points, proposal.points, {}});
        result.is_complete = !stops();
    }

    /// In the coordinates of the chains.
    [[nodiscard]] std::vector<std::vector<double>> starts() const {
        auto starts = cmc::dispersed_starts([&] { return frame_.make(); },
                                            coordinates_,
                                            sampling_.chains,
                                            dispersion,
                                            sampling_.seed);
        for (auto& start : starts) {
            const auto x = start;
            coordinates_.to_z(x, start);
        }
        return starts;
    }

    void by_chains(SampleResult& result) {
        const int size = frame_.dimension();
        const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(size, size);
        cmc::ChainTeam chains(
            [&] { return std::make_unique<OwnedDensity>(frame_.make(), coordinates_); },
            starts(),
            frame_.nuts_options({identity.data(), identity.data() + identity.size()}),
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
        std::vector<double> x(at(frame_.dimension()));
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
        frame_.describe(points, team_.threads, result);
    }

    const SampleOptions& sampling_;
    runtime::Team& team_;
    SampleObserver* observer_;
    PosteriorFrame frame_;
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
    return Sampling(measurement, options, fit, sampling, team, observer).run();
}

}  // namespace lockstep::xpcs
