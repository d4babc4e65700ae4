#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/matrix_view.hpp"
#include "lockstep/runtime/engine_state.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/xpcs/cmc/chain_draws.hpp"
#include "lockstep/xpcs/cmc/chain_team.hpp"
#include "lockstep/xpcs/cmc/diagnostics.hpp"
#include "lockstep/xpcs/fit.hpp"
#include "lockstep/xpcs/model/posterior.hpp"

namespace lockstep::xpcs {

enum class SampleMethod {
    automatic,   ///< by importance, and by chains where the weights cannot be relied on
    importance,  ///< points around the fit, weighed
    chains,      ///< the no-U-turn sampler
};

struct SampleOptions {
    SampleMethod method = SampleMethod::automatic;
    PosteriorOptions posterior{};
    int chains = 4;
    int warmup = 500;  ///< of a chain
    int draws = 1000;  ///< of a chain
    double target_acceptance = 0.8;
    int max_tree_depth = 10;
    std::uint64_t seed = 42;
    double largest_k = 0.5;  ///< beyond it weights are not relied on
    /// [s] No draws are made that are predicted to take longer; 0: no limit.
    double time_limit = 0;

    /// @throws InputError
    void validate(const FitResult& fit) const;
};

/// How far the sampling is.
struct SampleProgress {
    bool is_importance = false;
    std::int64_t done = 0;  ///< points or iterations of all chains, and draws that are described
    std::int64_t total = 0;
    std::vector<cmc::ChainProgress> chains{};  ///< none: importance
    double effective_size = 0;  ///< of the draws of the chains so far, in the worst direction
    bool is_of_shards = false;  ///< `done` counts tasks of a consensus
};

/// Receives what sample() has to tell, on every rank.
class SampleObserver {
public:
    virtual ~SampleObserver() = default;
    virtual void on_progress(const SampleProgress&) {}
    /// Asked from time to time; true on any rank ends the sampling on all.
    virtual bool stop_requested() { return false; }
    /// Whether a checkpoint is wanted so many seconds after the one before: of the first rank.
    virtual bool wants_checkpoint(double /*seconds*/) { return false; }
    /// Between rounds, when one is wanted or the sampling is to stop. Collective.
    virtual void on_checkpoint(const runtime::EngineState&) {}
};

/// Weights of points around the fit, and what they say of it.
struct ImportanceFigures {
    int points = 0;
    double k = 0;  ///< shape of the tail of the weights
    double effective_size = 0;
};

/// What chains did.
struct ChainFigures {
    std::int64_t leapfrogs = 0;
    std::int64_t warmup_leapfrogs = 0;
    std::int64_t divergences = 0;
    double acceptance = 0;
    std::vector<double> step_sizes{};           ///< [chains]
    std::vector<double> e_bfmi{};               ///< [chains]
    std::vector<cmc::ChainDraws> statistics{};  ///< [chains] of each draw, without its values
};

/// Draws of the posterior: physical parameters, sigma where it was not known (of the first angle),
/// contrasts and offsets.
struct SampleResult {
    SampleMethod method = SampleMethod::automatic;  ///< that the draws come from
    std::vector<std::string> names{};
    int chains = 0;                     ///< 1 where draws are independent
    int draws = 0;                      ///< a chain
    std::vector<double> values{};       ///< [chains, draws, names]
    std::vector<double> log_density{};  ///< [chains, draws]
    ImportanceFigures importance{};
    ChainFigures chain_figures{};  ///< where chains were run
    bool is_complete = true;       ///< false: ended by request, or not begun for its time
    double predicted_seconds = 0;  ///< that it would take, where that is beyond the limit

    /// Draws [chains, draws] of one quantity.
    [[nodiscard]] std::vector<double> of(int name) const;
    [[nodiscard]] cmc::Summary summary(int name) const;
};

/// Of the draws.
Digest digest_of(const SampleResult& result);

/// Samples the posterior around a fit of the same measurement and options. Ranks and threads share
/// points and chains; a lost rank costs the round under way.
///
/// The same bits for any number of ranks and threads, and from any checkpoint on.
/// @param resume_from  of the same measurement, options, fit and sampling
/// @throws InputError  options; ModelError  the fit has no covariance to start from
/// Collective.
SampleResult sample(const Measurement& measurement,
                    const FitOptions& options,
                    const FitResult& fit,
                    const SampleOptions& sampling,
                    runtime::Team& team,
                    SampleObserver* observer = nullptr,
                    const runtime::EngineState* resume_from = nullptr);

}  // namespace lockstep::xpcs
