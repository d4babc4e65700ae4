#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/policy_graph.hpp"
#include "lockstep/sddp/process_data.hpp"
#include "lockstep/sddp/system.hpp"

namespace lockstep::sddp {

/// Inflow as an affine function of the past: z_h = base + Σ_l lag(l, h)·a(l, h) + scale·η_h [m³/s].
///
/// Lags are numbered from 0 (the season just before); arrays over lags are lag-major, [lags ×
/// hydros]. The state that a stage leaves has as many places: place 0 is z, place l is lag l - 1.
/// Where stages are whole seasons, that state is the lags of the next stage. Where they are not
/// (weeks of a month, months before quarters), the next stage works its lags out of it: a place
/// may be the mean so far of a season that is not over, and a lag a mean of several stages.
struct InflowModel {
    int hydros = 0;
    int lags = 0;  ///< common stride, 0 when no plant has memory
    /// What a place of the state adds to a lag.
    struct Recall {
        int lag = 0;
        int place = 0;
        std::vector<double> weight;  ///< [hydros]
    };
    struct StageModel {
        SharedArray<double> base;      ///< [hydros]
        SharedArray<double> scale;     ///< [hydros], >= 0
        SharedArray<double> lag;       ///< [lags × hydros]
        std::vector<int> order;        ///< [hydros], classical order, for reports
        std::vector<Recall> recall{};  ///< by lag, then place; empty: the lags are the state
    };
    std::vector<StageModel> stages;
    std::vector<double> initial_lags;  ///< state before the first stage, [lags × hydros]
};

/// Order of a noise vector: hydros as the system has them, then the stochastic buses and the
/// stochastic sources, each by ascending id (as in Cobre 0.18: plants by date of entry, these not).
struct NoiseLayout {
    int hydros = 0;
    std::vector<int> buses;    ///< bus index of each load entry
    std::vector<int> sources;  ///< source index of each availability entry
    [[nodiscard]] int size() const noexcept {
        return hydros + static_cast<int>(buses.size() + sources.size());
    }
};

/// Equally likely noise vectors of each stage.
struct OpeningTree {
    int dimension = 0;
    std::vector<int> count;                   ///< [stages]
    std::vector<SharedArray<double>> values;  ///< [stages][count × dimension]
    [[nodiscard]] std::span<const double> noise(int stage, int opening) const noexcept {
        const auto width = static_cast<std::size_t>(dimension);
        return {values[at(stage)].data() + static_cast<std::size_t>(opening) * width, width};
    }
};

/// Where the parts of a process came from, for reports: "estimated", "user_file" or "n/a" but for
/// the path, which is one of Cobre's words.
struct Provenance {
    std::string estimation_path;  ///< "full_estimation", "user_stats_white_noise", …
    std::string statistics_source;
    std::string coefficients_source;
    std::string correlation_source;
    std::string tree_source;
    std::vector<std::string> white_noise_fallbacks;  ///< plants without a usable model
};

/// What estimation found; empty unless something was fitted.
struct FitReport {
    struct Season {
        int hydro = 0;
        int season = 0;
        int order = 0;
        std::vector<double> coefficients;  ///< standardised
        double residual_ratio = 1;
        double annual_coefficient = 0;
        double mean_m3s = 0;
        double std_m3s = 0;
    };
    std::vector<Season> seasons;
};

/// Moments of the inflow of a plant at a stage: of the process, as seen from the observed lags on,
/// and of what was observed. [m³/s]
struct InflowMomentCheck {
    int hydro = 0;
    int stage = 0;
    int record_years = 0;  ///< values of this month in the record; 0: compared with statistics rows
    double observed_mean_m3s = 0;
    double observed_std_m3s = 0;
    double model_mean_m3s = 0;
    double model_std_m3s = 0;
    bool is_settled = false;  ///< the observed lags no longer matter
};

/// Draws the noise of forward trajectories.
class TrajectorySampler {
public:
    virtual ~TrajectorySampler() = default;
    /// Noise of (iteration, scenario, stage) into `noise` [layout.size()].
    ///
    /// A pure function of its arguments, safe from several threads. Iterations count from 1 in
    /// training; simulation is iteration 0. `scenarios` is how many run in this pass (stratified
    /// schemes need it).
    virtual void draw(
        int iteration, int scenario, int scenarios, int stage, std::span<double> noise) const = 0;
};

/// Inflows of a node that has a scenario.
struct PinnedInflow {
    int stage = 0;
    std::vector<double> flow_m3s;  ///< [hydros], empty for other nodes
};

/// Everything random about a case, ready for use.
struct Process {
    InflowModel inflow;
    NoiseLayout layout;
    OpeningTree tree;
    /// The ready-made scenarios of training, as many as each stage has, as noise along each:
    /// classes that training does not take from them are at their means. Empty without any.
    OpeningTree scenarios;
    /// Noise of the nodes of a policy graph that have a column of the external scenarios; empty for
    /// those that have the openings of their stage, or no list where the study is a chain.
    std::vector<std::vector<double>> pinned_noise;
    /// What flows at those nodes, whatever came before; no list where inflows have no memory: there
    /// the noise brings it about.
    std::vector<PinnedInflow> pinned_inflow;
    /// What a node makes of the inflow noise η of its stage: factor·η + shift.
    struct NodeNoise {
        std::vector<double> factor;  ///< [hydros]; empty: η itself
        std::vector<double> shift;   ///< [hydros]
    };
    std::vector<NodeNoise> node_noise;  ///< [nodes], or none
    NonNegativity non_negativity = NonNegativity::none;
    BoundSlopes bound_slopes = BoundSlopes::secant;
    std::shared_ptr<const TrajectorySampler> training;
    std::shared_ptr<const TrajectorySampler> simulation;
    Provenance provenance;
    FitReport fit;
    std::vector<InflowMomentCheck> moments;  ///< by hydro, then stage
    /// Inputs as resolved, for the stochastic/ export: statistics, coefficients, annual,
    /// correlation.
    ProcessData resolved;
};

/// Whether the lower bound of training is one. It is none where tangents meet truncated inflows,
/// and where cuts leave out a state on which the future cost depends: the value at one state is
/// then taken for that at others.
bool has_valid_bound(const Calendar& calendar, const Process& process);

/// Fits what has to be fitted, resolves lags and seeds, draws the opening tree.
///
/// Mistakes of the case (non-stationary coefficients, missing lags, too short a history, an
/// incomplete opening tree) are added to `problems` under their subject (subject.hpp); the result
/// is then incomplete and must not be used.
Process build_process(const Calendar& calendar,
                      const System& system,
                      const ProcessData& data,
                      Problems& problems);

/// Gives the nodes of a graph that have a scenario the noise that brings it about, and where
/// inflows have memory the inflows themselves. Nodes of a class that is random and has no
/// ready-made scenarios are problems.
/// @param external_inflow  of the process
/// @pre the process was built, of the same calendar and system
void pin_nodes(const PolicyGraph& graph,
               const Calendar& calendar,
               const System& system,
               const std::vector<ExternalValue>& external_inflow,
               Process& process,
               Problems& problems);

/// Gives nodes the moments of inflow that ProcessData::node_inflows has for them. Plants without
/// noise at the stage are problems.
/// @pre the process was built, of the same calendar and system
void give_nodes_inflows(const PolicyGraph& graph,
                        const Calendar& calendar,
                        const System& system,
                        Process& process,
                        Problems& problems);

}  // namespace lockstep::sddp
