#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"
#include "lockstep/runtime/random.hpp"
#include "lockstep/xpcs/consensus.hpp"
#include "lockstep/xpcs/fit.hpp"
#include "lockstep/xpcs/sample.hpp"
#include "lockstep/xpcs/simulate.hpp"

#include "support/chi_square.hpp"

namespace lockstep::test {

/// Where truths stand among draws of the posterior of one quantity: uniform, if the posterior is
/// that of the prior and the data.
struct TruthRanks {
    std::string name{};
    std::vector<int> ranks{};  ///< [simulations] in 0 … kept

    /// Exceeds bound() of ChiSquare if they are not uniform.
    [[nodiscard]] ChiSquare chi_square(int kept, int bins) const {
        std::vector<double> counts(at(bins), 0.0);
        for (const int rank : ranks) {
            ++counts[at(rank * bins / (kept + 1))];
        }
        ChiSquare test;
        test.add(counts, std::vector<double>(at(bins), 1.0 / bins));
        return test;
    }

    /// How far the share of ranks up to each one is from the uniform share: [kept + 1].
    [[nodiscard]] std::vector<double> excess(int kept) const {
        std::vector<double> excess;
        for (int rank = 0; rank <= kept; ++rank) {
            const auto below =
                std::ranges::count_if(ranks, [&](int other) { return other <= rank; });
            excess.push_back(static_cast<double>(below) / static_cast<double>(ranks.size()) -
                             (rank + 1.0) / (kept + 1));
        }
        return excess;
    }
    [[nodiscard]] double largest_excess(int kept) const {
        double largest = 0;
        for (const double value : excess(kept)) {
            largest = std::max(largest, std::abs(value));
        }
        return largest;
    }
};

/// What the largest excess of so many uniform ranks is above with this probability at most.
/// @par Source  [Massart1990]
inline double excess_bound(double false_alarm, std::size_t simulations) {
    return std::sqrt(math::log(2 / false_alarm) / (2 * static_cast<double>(simulations)));
}

/// Simulation-based calibration of posteriors of a sample at rest, three angles: truths drawn from
/// the prior, σ among them, independent errors.
/// @par Source  [Talts2018]
class Calibration {
public:
    static constexpr int kept = 99;

    Calibration(int frames, xpcs::SampleMethod method, int shards = 1) : shards_(shards) {
        like_.q = 0.0054;
        like_.gap = 2e6;
        like_.dt = 4.8 / frames;
        like_.frames = frames;
        like_.phi = {0, 45, 90};
        fitting_.sigma = 0.004;
        fitting_.start = means_;
        const auto box = fitting_.box();
        for (std::size_t p = 0; p < means_.size(); ++p) {
            sampling_.posterior.physical.push_back(
                {xpcs::Prior::Kind::normal, means_[p], deviations_[p], box.lower[p], box.upper[p]});
        }
        sampling_.posterior.contrast = {xpcs::Prior::Kind::normal, 0.3, 0.02};
        sampling_.posterior.offset = {xpcs::Prior::Kind::normal, 1, 0.01};
        sampling_.posterior.sigma = {xpcs::Prior::Kind::log_normal,
                                     0,
                                     sigma_spread,
                                     0,
                                     std::numeric_limits<double>::infinity()};
        sampling_.method = method;
        const bool by_chains = method == xpcs::SampleMethod::chains;
        sampling_.chains = by_chains ? 3 : 1;
        sampling_.warmup = 150;
        thinning_ = by_chains ? 3 : 10;
        sampling_.draws = kept * thinning_ / sampling_.chains;
    }

    /// Of physical parameters, σ, contrasts and offsets.
    [[nodiscard]] std::vector<TruthRanks> run(int simulations, runtime::Team& team) {
        std::vector<TruthRanks> all;
        for (int s = 0; s < simulations; ++s) {
            simulate(static_cast<std::uint64_t>(s), team, all);
        }
        return all;
    }

private:
    static constexpr double sigma_spread = 0.3;

    void simulate(std::uint64_t seed, runtime::Team& team, std::vector<TruthRanks>& all) {
        const runtime::Random random(seed, "test.calibration");
        std::vector<double> normals(means_.size() + 1 + 2 * like_.phi.size());
        random.fill_normal(0, 0, normals);
        auto next = normals.begin();
        std::vector<double> truth;  // in the order of a result's names
        xpcs::Truth sample;
        for (std::size_t p = 0; p < means_.size(); ++p) {
            sample.physical.push_back(means_[p] + deviations_[p] * *next++);
        }
        truth = sample.physical;
        xpcs::SimulatedNoise noise;
        noise.sigma = fitting_.sigma * math::exp(sigma_spread * *next++);
        noise.seed = seed;
        truth.push_back(noise.sigma);
        for (std::size_t angle = 0; angle < like_.phi.size(); ++angle) {
            sample.scales.push_back({0.3 + 0.02 * *next++, 0});
            truth.push_back(sample.scales.back().contrast);
        }
        for (auto& scale : sample.scales) {
            scale.offset = 1 + 0.01 * *next++;
            truth.push_back(scale.offset);
        }
        const auto data = xpcs::simulate(like_, sample, noise, team.threads);
        sampling_.seed = seed;
        rank(truth, drawn(data, team), all);
    }

    [[nodiscard]] xpcs::SampleResult drawn(const xpcs::Measurement& data, runtime::Team& team) {
        const auto found = xpcs::fit(data, fitting_, team);
        if (shards_ == 1) {
            return xpcs::sample(data, fitting_, found, sampling_, team);
        }
        xpcs::ConsensusOptions how;
        how.shards = shards_;
        return xpcs::consensus(data, fitting_, found, sampling_, how, team).draws;
    }

    void rank(const std::vector<double>& truth,
              const xpcs::SampleResult& drawn,
              std::vector<TruthRanks>& all) const {
        for (std::size_t k = 0; k < drawn.names.size(); ++k) {
            if (all.size() == k) {
                all.push_back({drawn.names[k], {}});
            }
            int below = 0;
            for (int draw = 0; draw < kept; ++draw) {
                const std::size_t row = at(draw * thinning_) * drawn.names.size();
                below += drawn.values[row + k] < truth[k] ? 1 : 0;
            }
            all[k].ranks.push_back(below);
        }
    }

    std::vector<double> means_{8000, -0.6, 400};
    std::vector<double> deviations_{800, 0.05, 500};
    int shards_;
    int thinning_ = 1;
    xpcs::Measurement like_;
    xpcs::FitOptions fitting_;
    xpcs::SampleOptions sampling_;
};

}  // namespace lockstep::test
