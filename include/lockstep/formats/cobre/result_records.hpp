#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/formats/records/setting.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::formats::cobre {

// What the files of a result say, a struct a file. Members that a version did not write keep the
// values that they have here.

/// Where a stage had no solution.
struct FailureRecord {
    std::string phase;   ///< "forward", "backward"
    std::string status;  ///< of the solver
    int stage = 0;       ///< its id
    int scenario = 0;
};

/// Numbers of things in a problem.
struct ProblemSize {
    int stages = 0;
    int hydros = 0;
    int thermals = 0;
    int buses = 0;
    int lines = 0;
    int non_controllables = 0;
    int generic_constraints = 0;
    int inflow_lags = 0;
    int state_variables = 0;
};

/// What metadata.json of training/ and of simulation/ say alike.
struct PartRecord {
    bool is_complete = false;  ///< false: ended early
    std::string digest;
    std::string input_digest;
    std::string case_directory;
    std::string software;
    std::string software_version;
    std::string commit;
    std::string compiler;
    std::string flags;
    std::string solver;  ///< as --solver takes it
    std::string solver_version;
    std::string host;        ///< of rank 0
    std::string started_at;  ///< ISO 8601, UTC
    std::string completed_at;
    double seconds = 0;
    int ranks = 0;
    int threads = 0;               ///< of each rank
    std::int64_t saved_bytes = 0;  ///< of memory, by holding cuts and tables once per node
    std::int64_t lp_solves = 0;
    /// LP solves by the number of further attempts that they took: [0] one, [1] two …
    std::vector<std::int64_t> retried;
    std::optional<double> curtailment_constant;  ///< sddp::curtailment_constant [$]
    bool is_risk_averse = false;
    bool is_cyclic = false;         ///< the stages go in a circle
    std::vector<Setting> settings;  ///< of the command line
    ProblemSize size;
    std::optional<FailureRecord> failure;
};

/// training/metadata.json. Costs in [$]; NaN without iterations.
struct TrainingRecord : PartRecord {
    int iterations = 0;
    int forward_passes = 0;
    double lower_bound = 0;
    bool is_bound = true;               ///< false: an estimate that may exceed the optimum
    bool is_upper_bound_exact = false;  ///< the cost of the policy; else a mean of samples
    double upper_bound = 0;             ///< of the last iteration's trajectories
    double upper_bound_std = 0;
    double gap = 0;          ///< (upper - lower)/max(1, |lower|)
    double inner_bound = 0;  ///< from within; NaN: none
    double policy_cost = 0;  ///< estimated under its risk measures; NaN: it was not
    double policy_cost_half_width_95 = 0;
    std::string stop_reason;
    std::int64_t cuts = 0;
    std::int64_t active_cuts = 0;
};

/// simulation/metadata.json. Costs in [$].
struct SimulationRecord : PartRecord {
    int scenarios = 0;  ///< that were run
    double mean = 0;
    double std = 0;
    double half_width_95 = 0;
};

TrainingRecord training_record(const io::Json& metadata);
SimulationRecord simulation_record(const io::Json& metadata);

/// A row of training/convergence.parquet. Costs in [$]; NaN where absent.
struct IterationRecord {
    int iteration = 0;  ///< from 1
    double lower_bound = 0;
    double upper_bound = 0;
    double upper_bound_std = 0;
    double gap = 0;
    int forward_passes = 0;
    std::int64_t cuts_active = 0;
    std::int64_t lp_solves = 0;
    double mean_cuts_in_lp = 0;
    double forward_seconds = 0;
    double backward_seconds = 0;
    double seconds = 0;

    /// Half of the 95 % interval of upper_bound; 0 for one trajectory.
    [[nodiscard]] double half_width_95() const noexcept;
};

/// An evaluation of training/inner_bounds.parquet or training/policy_costs.parquet.
struct EvaluationRecord {
    int iteration = 0;
    double value = 0;          ///< [$], finite
    double half_width_95 = 0;  ///< [$], 0 of a bound
};

/// A row of training/timing/ranks.parquet [s].
struct RankRecord {
    int iteration = 0;
    int rank = 0;
    double compute = 0;
    double communication = 0;
    double wait = 0;
    double io = 0;
};

/// training/model_provenance.json: where the inflow model and the production models came from, in
/// the words of the format ("estimated", "user_file").
struct ProvenanceRecord {
    std::string path;
    std::string statistics;
    std::string coefficients;
    std::string correlation;
    std::string openings;
    std::string method;  ///< "" where nothing was fitted
    int largest_order = 0;
    std::vector<std::string> white_noise;  ///< plants without a usable model
    int planes = 0;                        ///< plants with a production surface
    int constant_productivity = 0;
    int evaporation = 0;
};

ProvenanceRecord provenance_record(const io::Json& provenance);

}  // namespace lockstep::formats::cobre
