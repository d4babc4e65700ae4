#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lockstep/runtime/random.hpp"
#include "lockstep/runtime/thread_team.hpp"
#include "lockstep/xpcs/cmc/chain_draws.hpp"
#include "lockstep/xpcs/cmc/chain_team.hpp"
#include "lockstep/xpcs/cmc/log_density.hpp"

namespace lockstep::test {

/// A density from a function of (x, gradient) -> log density.
template <typename F>
class FunctionDensity final : public xpcs::cmc::LogDensity {
public:
    FunctionDensity(int dimension, F f)
        : dimension_(dimension), f_(std::move(f)), scratch_(static_cast<std::size_t>(dimension)) {}
    [[nodiscard]] int dimension() const override { return dimension_; }
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        return f_(x, gradient);
    }
    double evaluate(std::span<const double> x) override { return f_(x, scratch_); }

private:
    int dimension_;
    F f_;
    std::vector<double> scratch_;
};

template <typename F>
xpcs::cmc::MakeDensity densities(int dimension, F f) {
    return [=]() { return std::make_unique<FunctionDensity<F>>(dimension, f); };
}

/// Starts uniform within `spread` of a centre.
inline std::vector<std::vector<double>> spread_starts(const std::vector<double>& centre,
                                                      int chains,
                                                      double spread,
                                                      std::uint64_t seed) {
    const runtime::Random random(seed, "test.starts");
    std::vector<std::vector<double>> starts;
    for (int c = 0; c < chains; ++c) {
        std::vector<double> start(centre.size());
        random.fill_uniform01(static_cast<std::uint64_t>(c), 0, start);
        for (std::size_t i = 0; i < start.size(); ++i) {
            start[i] = centre[i] + spread * (2 * start[i] - 1);
        }
        starts.push_back(start);
    }
    return starts;
}

/// All draws of four chains that start within 1 of the origin.
inline std::vector<xpcs::cmc::ChainDraws> four_chains(const xpcs::cmc::MakeDensity& make,
                                                      const xpcs::cmc::NutsOptions& options,
                                                      std::uint64_t seed = 1) {
    const std::vector<double> centre(static_cast<std::size_t>(make()->dimension()), 0.0);
    runtime::ThreadTeam threads(1);
    xpcs::cmc::ChainTeam chains(make, spread_starts(centre, 4, 1, seed), options, seed);
    chains.run(threads);
    return chains.draws();
}

/// [chains][draws] of f(draw).
template <typename F>
std::vector<double> values_of(const std::vector<xpcs::cmc::ChainDraws>& chains, F f) {
    std::vector<double> values;
    for (const auto& chain : chains) {
        for (int draw = 0; draw < chain.count(); ++draw) {
            values.push_back(f(std::as_const(chain).matrix().row(draw)));
        }
    }
    return values;
}

}  // namespace lockstep::test
