#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/sddp/calendar.hpp"

namespace lockstep::sddp {

// Raw statements of a case about its randomness, references resolved to indices of System, nothing
// estimated yet. build_process (process.hpp) turns them into a Process.

struct InflowStatistics {
    int hydro = 0;
    int stage_id = 0;  ///< negative: a past stage
    double mean_m3s = 0;
    double std_m3s = 0;
};

/// Standardised autoregressive coefficient φ*.
struct ArCoefficient {
    int hydro = 0;
    int stage_id = 0;
    int lag = 1;
    double coefficient = 0;
};

struct AnnualComponent {
    int hydro = 0;
    int stage_id = 0;
    double coefficient = 0;
    double mean_m3s = 0;
    double std_m3s = 0;
};

/// Mean inflow over a window [start, end).
struct InflowObservation {
    int hydro = 0;
    Date start{};
    Date end{};
    double value_m3s = 0;
};

enum class NoiseClass { inflow, load, source };

struct CorrelationGroup {
    NoiseClass noise = NoiseClass::inflow;
    std::vector<int> entities;   ///< hydro, bus or source indices
    std::vector<double> matrix;  ///< [n × n], row-major, symmetric, unit diagonal
};

struct CorrelationProfile {
    std::string name;
    std::vector<CorrelationGroup> groups;
};

struct CorrelationModel {
    std::vector<CorrelationProfile> profiles;
    std::vector<std::pair<int, std::string>> schedule;  ///< (stage id, profile)
};

/// A row of an explicit opening tree: final noise, already correlated.
struct OpeningValue {
    int stage = 0;  ///< stage index
    int opening = 0;
    int entity = 0;  ///< position in the noise vector
    double value = 0;
};

enum class OrderSelection { pacf, pacf_annual };

struct EstimationOptions {
    int max_order = 6;
    OrderSelection order_selection = OrderSelection::pacf;
    int min_observations_per_season = 30;
    std::optional<double> max_coefficient_magnitude;
};

/// What to do with a negative inflow.
enum class NonNegativity { none, penalty, truncation, truncation_with_penalty };

/// Which cuts the lower bound is computed from where inflows with memory are truncated
/// (docs/sddp-theory.md, section 3). The policy is the same with both.
enum class BoundSlopes {
    secant,   ///< from cuts that stay below the cost
    tangent,  ///< from those of the policy, as Cobre does: what comes out is no bound
};

enum class ForwardScheme { in_sample, out_of_sample };

/// Where the noise of forward trajectories comes from, a scheme for each class.
struct ScenarioSource {
    ForwardScheme inflow = ForwardScheme::in_sample;
    ForwardScheme load = ForwardScheme::in_sample;
    ForwardScheme source = ForwardScheme::in_sample;
    std::optional<std::int64_t> seed;  ///< needed by out_of_sample
    bool openings_from_file = false;
    friend bool operator==(const ScenarioSource&, const ScenarioSource&) = default;
};

struct ProcessData {
    // optional tables: nullopt = the file is absent, empty = it has no rows
    std::optional<std::vector<InflowObservation>> history;
    std::optional<std::vector<InflowStatistics>> statistics;
    std::optional<std::vector<ArCoefficient>> coefficients;
    std::optional<std::vector<AnnualComponent>> annual;
    std::optional<CorrelationModel> correlation;
    std::vector<InflowObservation> recent;  ///< recent_observations of the initial conditions
    std::vector<OpeningValue> openings;     ///< used when training.openings_from_file
    EstimationOptions estimation;
    NonNegativity non_negativity = NonNegativity::penalty;
    BoundSlopes bound_slopes = BoundSlopes::secant;
    std::int64_t tree_seed = 42;
    ScenarioSource training;
    ScenarioSource simulation;
};

}  // namespace lockstep::sddp
