// Posteriors against those that NumPyro drew.
#include "lockstep/xpcs/sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"

#include "support/xpcs/alone.hpp"
#include "support/xpcs/large_posterior.hpp"
#include "support/xpcs/measurements.hpp"
#include "xpcs/model/posterior_density.hpp"

namespace lockstep::xpcs {
namespace {

using test::Alone;
using test::member;
using test::number;
using test::numbers;

/// The density of golden-peers.json: flat priors, σ = 0.004 or with the prior HalfNormal(0.1).
struct PublishedPosterior {
    explicit PublishedPosterior(const std::string& name) : data(test::peer_measurement(name)) {
        const bool flows = name == "lam_24k";
        fitting.motion = flows ? Motion::laminar_flow : Motion::diffusion;
        fitting.sigma = 0.004;
        fitting.start = {1e4, -0.5, 500};
        if (flows) {
            fitting.start.insert(fitting.start.end(), {1e-3, 0, 0, 0});
        }
        const auto box = fitting.box();
        for (std::size_t p = 0; p < box.lower.size(); ++p) {
            Prior prior;
            prior.lower = box.lower[p];
            prior.upper = box.upper[p];
            sampling.posterior.physical.push_back(prior);
        }
        if (!flows) {
            sampling.posterior.sigma = {Prior::Kind::half_normal,
                                        0,
                                        0.1 / 0.004,
                                        0,
                                        std::numeric_limits<double>::infinity()};
        }
        sampling.draws = 2000;
    }

    SampleResult draw(Alone& alone) const {
        return sample(data, fitting, fit(data, fitting, alone.team), sampling, alone.team);
    }

    Measurement data;
    FitOptions fitting;
    SampleOptions sampling;
};

/// Means and deviations within 4 Monte-Carlo errors of both.
void expect_published(const SampleResult& result, const std::string& name) {
    const auto peers = test::xpcs_json("golden-peers.json");
    const io::Json& of = member(peers, {"posterior", "entries", name});
    const auto& names = test::array(member(of, {"params"}));
    const auto means = numbers(member(of, {"mean"}));
    const auto sds = numbers(member(of, {"sd"}));
    const auto sizes = numbers(member(of, {"ess_bulk"}));
    int compared = 0;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto place = std::ranges::find(result.names, *names[k].if_string());
        ASSERT_NE(place, result.names.end()) << *names[k].if_string();
        const auto summary = result.summary(static_cast<int>(place - result.names.begin()));
        const double size = 1 / (1 / sizes[k] + 1 / summary.ess_bulk);
        EXPECT_NEAR(summary.mean, means[k], 4 * sds[k] / std::sqrt(size)) << *place;
        EXPECT_NEAR(summary.sd / sds[k], 1, 4 * std::sqrt(1 / size)) << *place;
        ++compared;
    }
    EXPECT_EQ(compared, static_cast<int>(result.names.size()));
}

TEST(Sample, ImportanceGivesThePublishedPosterior) {
    for (const std::string name : {"st_7k", "lam_24k"}) {
        const PublishedPosterior posterior(name);
        Alone alone;
        const auto result = posterior.draw(alone);
        EXPECT_EQ(result.method, SampleMethod::importance);
        EXPECT_LT(result.importance.k, 0.5);
        EXPECT_GT(result.importance.effective_size, 0.8 * result.importance.points);
        expect_published(result, name);
    }
}

TEST(Sample, PairsThatCountTwiceMakeWidthsSmallerByTheRootOfTwo) {
    PublishedPosterior posterior("st_7k");
    Alone alone;
    const auto once = posterior.draw(alone);
    posterior.sampling.posterior.times_counted = 2;
    const auto twice = posterior.draw(alone);
    for (int k = 0; k < static_cast<int>(once.names.size()); ++k) {
        const auto whole = once.summary(k);
        const auto half = twice.summary(k);
        EXPECT_NEAR(half.sd / whole.sd, std::sqrt(0.5), 0.05) << once.names[at(k)];
        EXPECT_NEAR(half.mean, whole.mean, 0.3 * whole.sd) << once.names[at(k)];
    }
}

TEST(Sample, ChainsGiveThePublishedPosterior) {
    PublishedPosterior posterior("st_7k");
    posterior.sampling.method = SampleMethod::chains;
    Alone alone;
    const auto result = posterior.draw(alone);
    EXPECT_EQ(result.method, SampleMethod::chains);
    EXPECT_EQ(result.chain_figures.divergences, 0);
    expect_published(result, "st_7k");
    for (int k = 0; k < static_cast<int>(result.names.size()); ++k) {
        EXPECT_LT(result.summary(k).rhat.value(), 1.01) << result.names[at(k)];
    }
}

TEST(Sample, ChainsKnowOfScalesThatAreHeld) {
    PublishedPosterior posterior("st_7k");
    Alone alone;
    posterior.fitting.scale.given = fit(posterior.data, posterior.fitting, alone.team).scales;
    posterior.fitting.scale.mode = ScaleMode::constant;
    const auto points = posterior.draw(alone);
    posterior.sampling.method = SampleMethod::chains;
    posterior.sampling.draws = 500;
    posterior.sampling.max_tree_depth = 5;
    const auto chains = posterior.draw(alone);
    EXPECT_LT(chains.chain_figures.leapfrogs, 10 * 4 * 500);
    for (int k = 0; k < static_cast<int>(points.names.size()); ++k) {
        const auto expected = points.summary(k);
        const auto found = chains.summary(k);
        EXPECT_NEAR(found.mean, expected.mean, 0.2 * expected.sd) << points.names[at(k)];
        EXPECT_NEAR(found.sd / expected.sd, 1, 0.15) << points.names[at(k)];
    }
}

TEST(Sample, ChainsFollowWhereWeightsCannotBeReliedOn) {
    PublishedPosterior posterior("st_7k");
    posterior.sampling.largest_k = -10;
    posterior.sampling.draws = 200;
    posterior.sampling.warmup = 150;
    Alone alone;
    const auto result = posterior.draw(alone);
    EXPECT_EQ(result.method, SampleMethod::chains);
    EXPECT_GT(result.importance.points, 0);
}

TEST(Sample, IsTheSameForAnyNumberOfThreadsAndRanks) {
    for (const auto method : {SampleMethod::importance, SampleMethod::chains}) {
        PublishedPosterior posterior("st_7k");
        posterior.sampling.method = method;
        posterior.sampling.draws = 100;
        posterior.sampling.warmup = 100;
        Alone alone;
        const auto expected = digest_of(posterior.draw(alone));
        Alone several(3);
        EXPECT_EQ(digest_of(posterior.draw(several)), expected);
        std::vector<Digest> digests(2);
        comm::run_in_process(2, [&](comm::Communicator& ranks) {
            runtime::ThreadTeam threads(1);
            runtime::Team team{ranks, threads};
            digests[at(ranks.rank())] =
                digest_of(sample(posterior.data,
                                 posterior.fitting,
                                 fit(posterior.data, posterior.fitting, team),
                                 posterior.sampling,
                                 team));
        });
        EXPECT_EQ(digests[0], expected);
        EXPECT_EQ(digests[1], expected);
    }
}

TEST(Sample, ThreadsBeyondTheChainsChangeNoBits) {
    Alone alone;
    test::LargePosterior posterior(alone.team);
    const Scaling scaling(posterior.fitting.scale, posterior.data.phi);
    EXPECT_EQ(PosteriorDensity(posterior.data,
                               posterior.fitting,
                               scaling,
                               posterior.fitted,
                               posterior.sampling.posterior)
                  .useful_threads(),
              2);
    const auto drawn = [&](runtime::Team& team) {
        return digest_of(
            sample(posterior.data, posterior.fitting, posterior.fitted, posterior.sampling, team));
    };
    for (const auto method : {SampleMethod::importance, SampleMethod::chains}) {
        for (const int chains : {1, 2}) {
            posterior.sampling.method = method;
            posterior.sampling.chains = chains;
            const auto expected = drawn(alone.team);
            for (const int threads : {2, 3, 4}) {
                Alone several(threads);
                EXPECT_EQ(drawn(several.team), expected) << chains << ' ' << threads;
            }
            std::vector<Digest> digests(2);
            comm::run_in_process(2, [&](comm::Communicator& ranks) {
                runtime::ThreadTeam threads(2);
                runtime::Team team{ranks, threads};
                digests[at(ranks.rank())] = drawn(team);
            });
            EXPECT_EQ(digests, std::vector<Digest>(2, expected)) << chains;
        }
    }
}

/// Keeps the checkpoint of a sampling that it stops in its n-th break.
class Stopper : public SampleObserver {
public:
    explicit Stopper(int breaks) : left_(breaks) {}
    bool stop_requested() override { return --left_ <= 0; }
    void on_checkpoint(const runtime::EngineState& state) override {
        iteration_ = state.iteration();
        bytes_ = state.part(0);
    }

    /// What it kept, as it comes back from disk.
    class Kept : public runtime::EngineState {
    public:
        Kept(int iteration, std::vector<std::byte> bytes)
            : iteration_(iteration), bytes_(std::move(bytes)) {}
        [[nodiscard]] const char* engine() const override { return "xpcs"; }
        [[nodiscard]] int iteration() const override { return iteration_; }
        [[nodiscard]] int parts() const override { return 1; }
        [[nodiscard]] std::vector<std::byte> part(int) const override { return bytes_; }

    private:
        int iteration_;
        std::vector<std::byte> bytes_;
    };
    [[nodiscard]] Kept kept() const { return {iteration_, bytes_}; }

private:
    int left_;
    int iteration_ = -1;
    std::vector<std::byte> bytes_;
};

PublishedPosterior short_posterior(SampleMethod method) {
    PublishedPosterior posterior("st_7k");
    posterior.sampling.method = method;
    posterior.sampling.draws = 100;
    posterior.sampling.warmup = 100;
    return posterior;
}

TEST(Sample, GoesOnFromAnyCheckpointWithTheSameBits) {
    for (const auto method : {SampleMethod::importance, SampleMethod::chains}) {
        const auto posterior = short_posterior(method);
        Alone alone;
        const auto fitted = fit(posterior.data, posterior.fitting, alone.team);
        const auto go = [&](runtime::Team& team, SampleObserver* observer, const auto* from) {
            return sample(posterior.data,
                          posterior.fitting,
                          fitted,
                          posterior.sampling,
                          team,
                          observer,
                          from);
        };
        const runtime::EngineState* nothing = nullptr;
        const auto expected = digest_of(go(alone.team, nullptr, nothing));
        int stopped = 0;
        for (int breaks = 1; breaks < 8; ++breaks) {
            Stopper stopper(breaks);
            const auto part = go(alone.team, &stopper, nothing);
            if (part.is_complete) {
                break;
            }
            ++stopped;
            const auto kept = stopper.kept();
            Alone several(3);
            EXPECT_EQ(digest_of(go(several.team, nullptr, &kept)), expected) << breaks;
            comm::run_in_process(2, [&](comm::Communicator& ranks) {
                runtime::ThreadTeam threads(1);
                runtime::Team team{ranks, threads};
                EXPECT_EQ(digest_of(go(team, nullptr, &kept)), expected) << breaks;
            });
        }
        EXPECT_GT(stopped, 2);
    }
}

TEST(Sample, StoppedChainsGiveTheDrawsSoFar) {
    auto posterior = short_posterior(SampleMethod::chains);
    posterior.sampling.draws = 1000;
    Alone alone;
    const auto fitted = fit(posterior.data, posterior.fitting, alone.team);
    const auto go = [&](SampleObserver* observer) {
        return sample(
            posterior.data, posterior.fitting, fitted, posterior.sampling, alone.team, observer);
    };
    Stopper stopper(6);
    const auto part = go(&stopper);
    EXPECT_FALSE(part.is_complete);
    ASSERT_GT(part.draws, 10);
    ASSERT_LT(part.draws, 1000);
    const auto whole = go(nullptr);
    const auto d0 = part.of(0);
    const auto whole_d0 = whole.of(0);
    for (int chain = 0; chain < part.chains; ++chain) {
        for (int draw = 0; draw < part.draws; ++draw) {
            ASSERT_EQ(d0[at(chain * part.draws + draw)], whole_d0[at(chain * whole.draws + draw)]);
        }
    }
}

TEST(Sample, IsNotBegunWhereItWouldTakeTooLong) {
    for (const auto method : {SampleMethod::importance, SampleMethod::chains}) {
        auto posterior = short_posterior(method);
        posterior.sampling.time_limit = 1e-6;
        Alone alone;
        const auto result = posterior.draw(alone);
        EXPECT_FALSE(result.is_complete);
        EXPECT_EQ(result.draws, 0);
        EXPECT_GT(result.predicted_seconds, 1e-6);
        posterior.sampling.time_limit = 1e6;
        EXPECT_TRUE(posterior.draw(alone).is_complete);
    }
}

TEST(Sample, RefusesADamagedCheckpoint) {
    const auto posterior = short_posterior(SampleMethod::chains);
    Alone alone;
    const auto fitted = fit(posterior.data, posterior.fitting, alone.team);
    Stopper stopper(2);
    (void)sample(
        posterior.data, posterior.fitting, fitted, posterior.sampling, alone.team, &stopper);
    auto bytes = stopper.kept().part(0);
    for (const std::size_t length : {std::size_t{0}, std::size_t{3}, bytes.size() / 2}) {
        const Stopper::Kept damaged(1, {bytes.begin(), bytes.begin() + std::ptrdiff_t(length)});
        EXPECT_THROW((void)sample(posterior.data,
                                  posterior.fitting,
                                  fitted,
                                  posterior.sampling,
                                  alone.team,
                                  nullptr,
                                  &damaged),
                     InputError);
    }
}

TEST(Sample, ANarrowPriorMovesThePosterior) {
    PublishedPosterior posterior("st_7k");
    posterior.sampling.posterior.physical[0] = {Prior::Kind::normal, 8500, 10, 100, 1e5};
    Alone alone;
    const auto summary = posterior.draw(alone).summary(0);
    EXPECT_GT(summary.mean, 8450);
    EXPECT_LT(summary.sd, 12);
}

}  // namespace
}  // namespace lockstep::xpcs
