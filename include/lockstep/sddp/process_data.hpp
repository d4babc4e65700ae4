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

/// Moments of a plant's inflow in a stage; at most one row for a plant and stage.
struct InflowStatistics {
    int hydro = 0;
    int stage_id = 0;  ///< negative: a past stage
    double mean_m3s = 0;
    double std_m3s = 0;  ///< >= 0; 0: the inflow is the mean
};

/// Moments of a plant's inflow at a node of the policy graph, in place of those of its stage: a
/// regime of a Markov chain. At most one row for a plant and node.
struct NodeInflow {
    int hydro = 0;
    int node = 0;
    double mean_m3s = 0;
    double std_m3s = 0;  ///< >= 0
};

/// Standardised autoregressive coefficient φ*: of (a_l - its mean)/its std in (z - mean)/std.
/// @par Source  PAR(p): [MaceiraBezerra1997]
struct ArCoefficient {
    int hydro = 0;
    int stage_id = 0;
    int lag = 1;  ///< stages back, from 1; lags without a row below the largest are 0
    double coefficient = 0;
};

/// PAR(p)-A: what the mean of the last twelve months adds, standardised by its own moments.
struct AnnualComponent {
    int hydro = 0;
    int stage_id = 0;
    double coefficient = 0;
    double mean_m3s = 0;
    double std_m3s = 0;
};

/// Mean inflow over a window [start, end). Windows of a plant must not overlap.
struct InflowObservation {
    int hydro = 0;
    Date start{};
    Date end{};
    double value_m3s = 0;
};

enum class NoiseClass { inflow, load, source };

/// Entities whose noise is correlated; those in no group are independent.
struct CorrelationGroup {
    NoiseClass noise = NoiseClass::inflow;
    std::vector<int> entities;   ///< hydro, bus or source indices
    std::vector<double> matrix;  ///< [n × n], row-major, symmetric, unit diagonal
    /// Of each entity, where they are not all of the class `noise`. Such classes have to be drawn
    /// alike: all in-sample or all out-of-sample.
    std::vector<NoiseClass> classes{};
};

/// Groups that hold together at some stages.
struct CorrelationProfile {
    std::string name;
    std::vector<CorrelationGroup> groups;
};

/// Which profile each stage has: that of the schedule, else "default", else the only one.
struct CorrelationModel {
    std::vector<CorrelationProfile> profiles;
    std::vector<std::pair<int, std::string>> schedule;  ///< (stage id, profile's name)
};

/// A row of an explicit opening tree: final noise, already correlated.
struct OpeningValue {
    int stage = 0;  ///< stage index
    int opening = 0;
    int entity = 0;    ///< position in the noise vector
    double value = 0;  ///< η, in standard deviations
};

/// By the longest lag whose partial autocorrelation is significant; without or with a yearly part.
enum class OrderSelection { pacf, pacf_annual };

/// How a PAR model is estimated where a case has a history and no coefficients.
struct EstimationOptions {
    int max_order = 6;  ///< >= 0
    OrderSelection order_selection = OrderSelection::pacf;
    int min_observations_per_season = 30;  ///< fewer are a warning
    /// A month with a larger |φ*| gets order 0; none: no limit.
    std::optional<double> max_coefficient_magnitude;
    /// Compatibility: a month whose values mostly round to one whole number has that mean and
    /// deviation 0.
    bool rounded_moments = false;
};

/// What to do with a negative inflow.
enum class NonNegativity {
    none,                     ///< it takes water away; the stage may have no answer
    penalty,                  ///< missing water may be bought at HydroCosts::inflow_slack
    truncation,               ///< it becomes 0, for the lags too, where the stage has noise
    truncation_with_penalty,  ///< both
};

/// Which cuts the lower bound is computed from where inflows with memory are truncated
/// (docs/sddp-theory.md, section 3). The policy is the same with both.
enum class BoundSlopes {
    secant,   ///< from cuts that stay below the cost
    tangent,  ///< from those of the policy, as Cobre does: what comes out is no bound
};

/// What trajectories meet.
enum class ForwardScheme {
    in_sample,      ///< an opening of the tree
    out_of_sample,  ///< noise that is drawn anew for each
    historical,     ///< the inflows of years of the record, one after the other
    external,       ///< a ready-made scenario
};

/// A number of a ready-made scenario: inflow [m³/s], load [MW] before the factors of the blocks, or
/// availability as a share.
struct ExternalValue {
    int stage = 0;     ///< stage index
    int scenario = 0;  ///< from 0; a stage may have fewer than others, which then repeat
    int entity = 0;    ///< hydro, bus or source index
    double value = 0;
};

/// Moments of an entity in a stage over the ready-made scenarios.
struct ExternalMoments {
    int entity = 0;
    int stage = 0;
    double mean = 0;
    double std = 0;  ///< divided by the number of scenarios; exactly 0 where all are equal
};

/// By entity, then stage; the order of the rows does not matter.
std::vector<ExternalMoments> external_moments(std::vector<ExternalValue> rows);

/// Where the noise of forward trajectories comes from, a scheme for each class.
struct ScenarioSource {
    ForwardScheme inflow = ForwardScheme::in_sample;
    ForwardScheme load = ForwardScheme::in_sample;
    ForwardScheme source = ForwardScheme::in_sample;
    std::optional<std::int64_t> seed;  ///< needed unless all are in_sample
    /// Years of the record in which a historical scenario may begin; empty: all that it holds.
    std::vector<int> historical_years;
    bool openings_from_file = false;  ///< the tree is ProcessData::openings
    friend bool operator==(const ScenarioSource&, const ScenarioSource&) = default;
};

/// A case's statements about what is random. Statistics and coefficients that are absent are
/// estimated from the history, if there is one; without any of them inflows are 0.
struct ProcessData {
    // optional tables: nullopt = the file is absent, empty = it has no rows
    std::optional<std::vector<InflowObservation>> history;
    std::vector<NodeInflow> node_inflows{};
    std::optional<std::vector<InflowStatistics>> statistics;
    std::optional<std::vector<ArCoefficient>> coefficients;
    std::optional<std::vector<AnnualComponent>> annual;
    std::optional<CorrelationModel> correlation;
    std::vector<InflowObservation> recent;  ///< recent_observations of the initial conditions
    std::vector<OpeningValue> openings;     ///< used where a source has openings_from_file
    /// Ready-made scenarios of each class. In training with external inflows their moments replace
    /// the rows of statistics; with external classes a stage has at most as many openings as
    /// scenarios.
    std::vector<ExternalValue> external_inflow;
    std::vector<ExternalValue> external_load;
    std::vector<ExternalValue> external_source;
    EstimationOptions estimation;
    NonNegativity non_negativity = NonNegativity::penalty;
    BoundSlopes bound_slopes = BoundSlopes::secant;
    std::int64_t tree_seed = 42;  ///< of the opening tree, and of what in_sample picks
    ScenarioSource training;
    ScenarioSource simulation;
};

}  // namespace lockstep::sddp
