#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/io/json.hpp"

namespace lockstep::app {

/// What one wants to know of a finished run, as its output directory tells it. Costs in [$].
struct Summary {
    std::filesystem::path directory;
    std::string case_name;
    std::string software;  ///< "Lockstep 0.1.0 (commit)"
    std::string solver;
    std::string host;
    int ranks = 1;
    int threads = 1;               ///< of each rank
    std::int64_t saved_bytes = 0;  ///< of memory, by holding cuts and tables once per node

    struct Training {
        bool is_complete = false;  ///< false: ended early by a signal or a stage without a solution
        int iterations = 0;
        int forward_passes = 0;
        double lower_bound = 0;
        bool is_bound = true;    ///< false: lower_bound is an estimate that may exceed the optimum
        double upper_bound = 0;  ///< of the last iteration's trajectories
        std::optional<double> inner_bound;  ///< the upper bound from within
        std::optional<double> policy_cost;  ///< estimated under its risk measures
        double policy_cost_half_width_95 = 0;
        bool is_exact = false;  ///< upper_bound is the cost of the policy, no mean of samples
        double half_width_95 = 0;
        double gap = 0;          ///< (upper - lower)/max(1, |lower|); means nothing under CVaR
        double bound_moved = 0;  ///< change over the last iterations/max(1, |lower|)
        int moved_over = 0;      ///< iterations that bound_moved is of, at most 10
        std::string stop_reason;
        std::string digest;
        double seconds = 0;
        double forward_seconds = 0;
        double backward_seconds = 0;
        std::int64_t lp_solves = 0;
        std::vector<std::int64_t> retried;  ///< of these, by further attempts: [0] one, [1] two …
        std::int64_t cuts = 0;
        std::int64_t active_cuts = 0;
    };
    std::optional<Training> training;

    struct Simulation {
        bool is_complete = false;
        int scenarios = 0;  ///< that were run
        double mean = 0;
        double std = 0;
        double half_width_95 = 0;
        std::string digest;
        double seconds = 0;
        std::int64_t lp_solves = 0;
        std::vector<std::int64_t> retried;  ///< as above
    };
    std::optional<Simulation> simulation;

    /// To be added to a bound of Cobre's before comparing (sddp::curtailment_constant).
    std::optional<double> curtailment_constant;
    /// The lower bound weighs bad outcomes (CVaR), means do not: a gap between them stays.
    bool risk_averse = false;
    /// The stages go in a circle: a passage costs less than what the lower bound is of.
    bool cyclic = false;

    /// Whether a mean cost of trajectories says nothing about the lower bound.
    [[nodiscard]] bool has_no_gap() const noexcept {
        return (risk_averse || cyclic) && !(training && training->is_exact);
    }

    /// Simulated mean over the lower bound, as Training::gap; none unless both are there, and none
    /// under CVaR.
    [[nodiscard]] std::optional<double> simulated_gap() const;
    /// Fingerprint of the whole run: that of the parts, or of both when there are two.
    [[nodiscard]] std::string digest() const;
};

/// What a run tells of convergence: a name, a figure and what the figure means.
struct ConvergenceWords {
    std::string name;
    std::string value;
    std::string remark;
};

/// The gap, and whether sampling explains it; under CVaR, where a mean is no upper bound, how far
/// the bound still moved. None without a bound.
std::optional<ConvergenceWords> convergence_words(const Summary& summary);

/// Reads a summary from an output directory.
/// @throws IoError  the directory is missing or holds no result; InputError  a file of it is
/// damaged
Summary summarize(const std::filesystem::path& output_directory);

/// The same, field by field, absent parts as null.
io::Json to_json(const Summary& summary);

}  // namespace lockstep::app
