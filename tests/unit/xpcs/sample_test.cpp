// Posteriors against those that NumPyro drew.
#include "lockstep/xpcs/sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"

#include "support/xpcs/alone.hpp"
#include "support/xpcs/measurements.hpp"

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
