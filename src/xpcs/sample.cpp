#include "lockstep/xpcs/sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/xpcs/cmc/importance.hpp"
#include "lockstep/xpcs/cmc/linear_coordinates.hpp"
#include "lockstep/xpcs/cmc/starts.hpp"

#include "xpcs/cmc/crews.hpp"
#include "xpcs/posterior_frame.hpp"
#include "xpcs/sampling/chain_rounds.hpp"
#include "xpcs/sampling/item_rounds.hpp"
#include "xpcs/sampling/sampling_state.hpp"

namespace lockstep::xpcs {
namespace {

constexpr double usual_leapfrogs = 7;        // an iteration, of a posterior that is nearly normal
constexpr double whole_of_weighing = 1.5;    // describing the draws takes half as long again
constexpr int fewest_to_judge = 20;          // draws of a chain
constexpr double seconds_between_sizes = 1;  // of telling effective ones, which take sorting

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
    [[nodiscard]] int useful_threads() const override { return whitened_.useful_threads(); }
    void spread_over(runtime::ThreadTeam* threads) override { whitened_.spread_over(threads); }

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
             SampleObserver* observer,
             const runtime::EngineState* resume_from)
        : sampling_(sampling),
          team_(team),
          observer_(observer),
          frame_(measurement, options, fit, sampling),
          coordinates_(frame_.coordinates()) {
        if (resume_from != nullptr) {
            state_ = restored(*resume_from);
        }
    }

    SampleResult run() {
        result_.names = frame_.names();
        if (sampling_.method != SampleMethod::chains && !by_importance()) {
            return std::move(result_);
        }
        const bool wants_chains = sampling_.method == SampleMethod::chains ||
                                  (sampling_.method == SampleMethod::automatic &&
                                   !(result_.importance.k <= sampling_.largest_k));
        if (wants_chains) {
            by_chains();
        } else {
            describe(cmc::resample(*points_, draws(), sampling_.seed, 0), 1);
        }
        return std::move(result_);
    }

private:
    using Densities = runtime::PerThread<std::unique_ptr<PosteriorDensity>>;

    [[nodiscard]] int draws() const { return sampling_.chains * sampling_.draws; }

    [[nodiscard]] Densities densities() const {
        return {team_.threads, [&](int) { return frame_.make(); }};
    }

    /// Items of densities [threads], the last of which all threads share.
    Items spread(Densities& density, Items items) {
        items.useful_threads = density[0]->useful_threads();
        items.compute_together = [this, &density, compute = items.compute](
                                     std::int64_t item, std::span<double> values) {
            const cmc::Spread spread(*density[0], team_.threads);
            compute(item, 0, values);
        };
        return items;
    }

    /// Between rounds: tells, keeps a checkpoint, hears of a wish to stop. Collective.
    bool goes_on(const SampleProgress& progress) {
        ++state_.rounds;
        if (observer_ == nullptr) {
            return true;
        }
        observer_->on_progress(progress);
        std::array<std::uint32_t, 2> wishes{observer_->stop_requested() ? 1U : 0U, 0U};
        if (team_.ranks.rank() == 0 && observer_->wants_checkpoint(since_checkpoint_.seconds())) {
            wishes[1] = 1;
        }
        team_.ranks.allreduce(std::span<std::uint32_t>(wishes), comm::ReduceOp::max);
        if ((wishes[0] != 0 || wishes[1] != 0) && is_kept_) {
            observer_->on_checkpoint(SamplingSnapshot(state_));
            since_checkpoint_ = {};
        }
        return wishes[0] == 0;
    }

    /// Too long to be done: then the sampling ends without draws.
    bool is_too_long(double seconds) {
        if (sampling_.time_limit > 0 && seconds > sampling_.time_limit) {
            result_.predicted_seconds = seconds;
        }
        return result_.predicted_seconds > 0;
    }

    /// Equation (24) of docs/xpcs/theory.md, with the fit's covariance.
    /// @returns whether all points have their weights
    bool by_importance() {
        const cmc::ProposalPoints points(coordinates_, frame_.proposal(), sampling_.seed, 0);
        if (!weigh(points)) {
            result_.is_complete = false;
            return false;
        }
        points_ = points.weigh(state_.weighed);
        result_.importance = {points_->count(), points_->k, points_->effective_size};
        result_.method = SampleMethod::importance;
        return true;
    }

    bool weigh(const cmc::ProposalPoints& points) {
        struct Scratch {
            cmc::ProposalPoints::Scratch of_points;
            std::vector<double> x;
        };
        Densities density = densities();
        runtime::PerThread<Scratch> scratch(team_.threads, [&](int) {
            return Scratch{points.scratch(), std::vector<double>(at(points.dimension()))};
        });
        const auto weigh_one = [&](std::int64_t point, int thread, std::span<double> log) {
            Scratch& of = scratch[thread];
            points.draw(point, of.of_points, of.x);
            log.front() = density[thread]->evaluate(of.x);
        };
        const bool is_fresh = state_.weighed.empty();
        const auto items = spread(density, {points.count(), 1, weigh_one});
        ItemRounds rounds(team_, items, std::move(state_.weighed), [&] {
            const bool is_short =
                !is_fresh || !is_too_long(rounds.predicted_seconds() * whole_of_weighing);
            state_.weighed = rounds.values();
            return goes_on({true, rounds.done(), points.count() + draws(), {}, 0}) && is_short;
        });
        runtime::run_rounds(team_, 0, rounds);
        const bool is_complete = rounds.is_complete();
        state_.weighed = rounds.take();
        return is_complete;
    }

    /// In the coordinates of the chains.
    [[nodiscard]] std::vector<std::vector<double>> starts() const {
        auto starts = cmc::dispersed_starts([&] { return frame_.make(); },
                                            coordinates_,
                                            sampling_.chains,
                                            PosteriorFrame::start_dispersion,
                                            sampling_.seed);
        for (auto& start : starts) {
            const auto x = start;
            coordinates_.to_z(x, start);
        }
        return starts;
    }

    void by_chains() {
        const int size = frame_.dimension();
        const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(size, size);
        cmc::ChainTeam chains(
            [&] { return std::make_unique<OwnedDensity>(frame_.make(), coordinates_); },
            starts(),
            frame_.nuts_options({identity.data(), identity.data() + identity.size()}),
            sampling_.seed);
        restore(chains);
        const bool is_fresh = state_.chains.empty();
        ChainRounds rounds(team_, chains, [&] {
            const bool is_short = !is_fresh || !is_too_long(predicted_seconds(rounds));
            state_.chains = rounds.saved();
            return goes_on(progress_of(chains)) && is_short;
        });
        runtime::run_rounds(team_, 0, rounds);
        result_.method = SampleMethod::chains;
        result_.is_complete = chains.done();
        is_kept_ = chains.done();  // else what is described now is not what will be
        if (is_kept_) {
            state_.chains = rounds.saved();
        } else {
            state_.described.clear();
        }
        if (result_.predicted_seconds == 0) {
            take(chains);
        }
    }

    /// Where a checkpoint left them.
    void restore(cmc::ChainTeam& chains) {
        if (state_.chains.empty()) {
            return;
        }
        if (std::ssize(state_.chains) != chains.count()) {
            throw InputError(fmt::format(
                "the checkpoint has {} chains: must be {}", state_.chains.size(), chains.count()));
        }
        for (int chain = 0; chain < chains.count(); ++chain) {
            ByteReader reader(state_.chains[at(chain)]);
            chains.restore(chain, reader);
        }
    }

    [[nodiscard]] double predicted_seconds(const ChainRounds& rounds) const {
        return rounds.seconds_a_leapfrog() * usual_leapfrogs * sampling_.chains *
               (sampling_.warmup + sampling_.draws);
    }

    [[nodiscard]] SampleProgress progress_of(const cmc::ChainTeam& chains) {
        SampleProgress progress;
        progress.total =
            std::int64_t{sampling_.chains} * (sampling_.warmup + sampling_.draws) + draws();
        for (int chain = 0; chain < chains.count(); ++chain) {
            progress.chains.push_back(chains.progress(chain));
            progress.done += progress.chains.back().iteration;
        }
        if (since_effective_size_.seconds() > seconds_between_sizes) {
            effective_size_ = effective_size_of(chains.draws());
            since_effective_size_ = {};
        }
        progress.effective_size = effective_size_;
        return progress;
    }

    /// Least of all coordinates; 0: too few draws to tell.
    [[nodiscard]] double effective_size_of(const std::vector<cmc::ChainDraws>& drawn) const {
        const int count = drawn.front().count();
        if (count < fewest_to_judge) {
            return 0;
        }
        double least = std::numeric_limits<double>::infinity();
        for (int k = 0; k < frame_.dimension(); ++k) {
            const auto values = cmc::coordinate_of(drawn, k);
            least = std::min(least, cmc::ess_bulk({values.data(), sampling_.chains, count}));
        }
        return least;
    }

    void take(const cmc::ChainTeam& chains) {
        const auto drawn = chains.draws();
        std::vector<double> points;
        std::vector<double> x(at(frame_.dimension()));
        for (int chain = 0; chain < chains.count(); ++chain) {
            const auto& of = drawn[at(chain)];
            for (int draw = 0; draw < of.count(); ++draw) {
                coordinates_.to_x(of.matrix().row(draw), x);
                points.insert(points.end(), x.begin(), x.end());
            }
            auto& figures = result_.chain_figures;
            figures.leapfrogs += of.total_leapfrogs();
            figures.warmup_leapfrogs += chains.chain(chain).warmup().leapfrogs;
            figures.divergences += of.divergences();
            figures.acceptance += of.mean_acceptance() / chains.count();
            figures.step_sizes.push_back(chains.chain(chain).step_size());
            figures.e_bfmi.push_back(cmc::e_bfmi(of.energy));
            figures.statistics.push_back(of);
            figures.statistics.back().values = {};
        }
        describe(points, chains.count());
    }

    /// @param points  [chains, draws, dimension]
    void describe(std::span<const double> points, int chains) {
        const std::int64_t count = std::ssize(points) / frame_.dimension();
        const std::int64_t draws = count / chains;
        const auto width = static_cast<int>(result_.names.size()) + 1;
        Densities density = densities();
        // Draw by draw over the chains, so that chains that are stopped are equally long.
        const auto describe_one = [&](std::int64_t item, int thread, std::span<double> row) {
            const std::int64_t number = item % chains * draws + item / chains;
            row.front() = frame_.describe(
                *density[thread],
                points.subspan(at(number * frame_.dimension()), at(frame_.dimension())),
                static_cast<std::uint64_t>(number),
                row.subspan(1));
        };
        const auto items = spread(density, {count, width, describe_one});
        ItemRounds rounds(team_, items, std::move(state_.described), [&] {
            state_.described = rounds.values();
            // What was stopped already is described to its end.
            return goes_on(describing(count, rounds.done(), chains)) || !is_kept_;
        });
        runtime::run_rounds(team_, 0, rounds);
        result_.is_complete = result_.is_complete && rounds.is_complete();
        take(rounds.take(), width, chains, static_cast<int>(draws));
        if (observer_ != nullptr && rounds.is_complete()) {
            observer_->on_progress(describing(count, count, chains));
        }
    }

    [[nodiscard]] SampleProgress describing(std::int64_t count,
                                            std::int64_t done,
                                            int chains) const {
        const bool is_importance = result_.method == SampleMethod::importance;
        const std::int64_t before =
            is_importance ? result_.importance.points
                          : std::int64_t{chains} * (sampling_.warmup + sampling_.draws);
        return {is_importance, before + done, before + count, {}, 0};
    }

    /// Rows of items as describe() numbers them.
    void take(const std::vector<double>& rows, int width, int chains, int most_draws) {
        result_.chains = chains;
        result_.draws = std::min(most_draws, static_cast<int>(std::ssize(rows) / width) / chains);
        for (int chain = 0; chain < chains; ++chain) {
            for (int draw = 0; draw < result_.draws; ++draw) {
                const auto row = rows.begin() + std::ptrdiff_t{draw * chains + chain} * width;
                result_.log_density.push_back(*row);
                result_.values.insert(result_.values.end(), row + 1, row + width);
            }
        }
    }

    const SampleOptions& sampling_;
    runtime::Team& team_;
    SampleObserver* observer_;
    PosteriorFrame frame_;
    cmc::LinearCoordinates coordinates_;
    SamplingState state_;
    bool is_kept_ = true;  // what is in the state may be gone on with
    Stopwatch since_checkpoint_;
    Stopwatch since_effective_size_;
    double effective_size_ = 0;  // as it was told last
    std::optional<cmc::WeightedPoints> points_;
    SampleResult result_;
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
    require(time_limit >= 0, "time limit", time_limit, "at least 0 seconds: 0 is none");
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
                    SampleObserver* observer,
                    const runtime::EngineState* resume_from) {
    sampling.validate(fit);
    return Sampling(measurement, options, fit, sampling, team, observer, resume_from).run();
}

}  // namespace lockstep::xpcs
