#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/io/json.hpp"

namespace lockstep::formats::xpcs {

/// What was analysed.
struct DataRecord {
    std::string file;
    std::string layout;
    double q = 0;    ///< 1/Å
    double gap = 0;  ///< Å
    double dt = 0;   ///< s
    int frames = 0;
    int angles = 0;
    std::int64_t pairs = 0;            ///< of frames, over all angles, that count
    std::vector<std::string> notes{};  ///< what was decided while reading
};

/// A value that was fitted.
struct ValueRecord {
    std::string name;
    std::string unit;
    double value = 0;
    std::optional<double> error{};  ///< of the method that the record names; none: not determined
    std::optional<double> classical{};  ///< as if all values of c2 were independent
    std::string bound{};  ///< "lower", "upper": it stands there, or too near to tell; "": nowhere
    std::string cut{};    ///< "lower", "upper", "both": its error goes beyond that bound; "": none
};

struct AngleRecord {
    double phi = 0;  ///< degrees
    double contrast = 0;
    double offset = 0;
    double sigma = 0;                 ///< of a value of c2
    double residual = 0;              ///< root mean square
    std::optional<double> photons{};  ///< per pixel and frame, as the diagonal has it
    std::optional<double> pixels{};   ///< that make the residuals as large as they are
};

/// Where the fit stood.
struct IterationRecord {
    int number = 0;
    double chi_squared = 0;
    double gradient = 0;  ///< cosine, 0 at a minimum
};

/// The same data with scales of their own for each angle.
struct IndividualRecord {
    double chi_squared = 0;
    double chi_squared_drop = 0;
    std::int64_t more_parameters = 0;
    bool is_better = false;  ///< by more than chance
    std::vector<ValueRecord> values{};
};

/// A parameter that was not fitted.
struct HeldRecord {
    std::string name;
    std::string unit;
    double value = 0;
};

/// One of the minima that many starts ended at.
struct MinimumRecord {
    double chi_squared = 0;
    int starts = 0;
    std::vector<double> physical{};  ///< in the order of the mode's parameters
};

/// A fit of one angle alone.
struct AloneRecord {
    double phi = 0;        ///< degrees
    bool is_used = false;  ///< in what the angles say together
    double chi_squared = 0;
    std::string ending;
    std::vector<double> physical{};  ///< in the order of the mode's parameters
};

/// Angles that were fitted one by one.
struct SequentialRecord {
    bool is_used = false;   ///< the fit's values are combined from them
    std::string weighting;  ///< "inverse_variance", "n_points", "uniform"
    std::vector<AloneRecord> angles{};
};

/// How the minimum was looked for, beyond the start's own valley.
struct SearchRecord {
    std::string kind;  ///< "multi-start", "cma-es"
    int starts = 0;    ///< local fits
    int runs = 0;      ///< of the evolution
    std::int64_t evaluations = 0;
    double start_chi_squared = 0;  ///< where the fit from the start ended
    bool is_skipped = false;       ///< that was good enough
    bool is_result = false;        ///< of cma-es: no local fit followed
    std::vector<MinimumRecord> minima{};
};

/// A fit: OUTPUT/fit.json.
struct FitRecord {
    DataRecord data;
    std::string mode;                 ///< "static", "laminar_flow"
    std::string shear_term;           ///< "homodyne", "paper"
    std::string scaling;              ///< "individual", "averaged", "constant", "fourier"
    std::string objective = "pairs";  ///< "compat-grid"
    /// compat-grid: the sum of the squared model, which homodyne calls χ².
    std::optional<double> legacy_chi_squared{};
    std::string loss = "linear";  ///< "soft_l1", "huber", "cauchy", "arctan"
    double loss_scale = 1;        ///< [σ]
    double minimised = 0;         ///< sum of the loss; linear: chi_squared
    double chi_squared = 0;       ///< each pair of frames once; compat-grid: each element
    std::int64_t degrees_of_freedom = 0;
    std::string ending;
    bool is_converged = false;
    int iterations = 0;
    int evaluations = 0;
    double gradient = 0;                ///< cosine, 0 at a minimum
    std::optional<double> condition{};  ///< of the Jacobian's columns at length 1; none: infinite
    std::string remark;                 ///< what the data do not determine
    std::string error_method;
    std::vector<ValueRecord> values{};
    std::vector<HeldRecord> held{};
    std::vector<AngleRecord> angles{};
    std::vector<std::vector<std::optional<double>>> covariance{};
    std::vector<double> start{};
    std::vector<IterationRecord> history{};  ///< the start and each iteration
    std::optional<SearchRecord> search{};
    std::optional<SequentialRecord> sequential{};
    double penalty = 0;  ///< that regularised scales add to chi_squared
    std::optional<IndividualRecord> individual{};
    double seconds = 0;
    std::string digest;
};

struct QuantityRecord {
    std::string name;
    double mean = 0;
    double sd = 0;
    double q05 = 0;
    double median = 0;
    double q95 = 0;
    std::optional<double> rhat{};  ///< of several chains
    double ess_bulk = 0;
    double ess_tail = 0;
    double mcse = 0;  ///< of the mean
};

/// A fitted parameter of a shard's posterior.
struct ShardValueRecord {
    std::string name;
    double mean = 0;
    double sd = 0;
    std::optional<double> rhat{};  ///< of several chains
    std::optional<double> ess{};
};

/// A shard of a consensus.
struct ShardRecord {
    std::optional<double> phi{};  ///< degrees; of one angle alone
    std::int64_t pairs = 0;       ///< of frames, over its angles
    std::string method;           ///< "importance", "chains"
    std::optional<double> k{};    ///< shape of the tail of its weights
    std::optional<double> rhat{};
    std::optional<double> acceptance{};  ///< of its chains
    std::int64_t divergences = 0;
    std::string verdict;  ///< "kept", or why it was left out
    int attempts = 0;     ///< at its tasks
    double seconds = 0;   ///< of its tasks
    std::string failure;  ///< of a task; empty: none
    std::vector<ShardValueRecord> values{};
};

/// Where the tasks of a consensus ran.
struct FarmRecord {
    std::string farm;  ///< "sequential", "threads", "processes", "ranks", "slurm", "pbs"
    int workers = 0;
    std::string asked;   ///< "auto", or what option or configuration asked for
    std::string remark;  ///< why it is another farm than that; empty: it is not
};

/// A choice of people, and what came of it.
struct ChoiceRecord {
    std::string taken{};
    std::string asked{};   ///< by option or configuration
    std::string remark{};  ///< why it is something else; empty: it is not
};

/// How much the means of a parameter differ between shards.
struct VariationRecord {
    std::string parameter;
    double value = 0;  ///< their standard deviation by their mean
};

/// The posterior of shards beside that of all data.
struct ConsensusRecord {
    int shards = 0;
    int kept = 0;
    ChoiceRecord sharding{};     ///< "random", "stratified", "per_angle"
    ChoiceRecord combination{};  ///< "precision", "density_product", "marginals", "plain_marginals"
    std::optional<VariationRecord> variation{};  ///< of the parameter that differs most
    std::string shortfall;  ///< why nothing was combined; empty: it was, and figures follow
    /// Of a mean, in standard deviations of the whole posterior.
    std::optional<double> largest_shift{};
    std::optional<double> smallest_width{};  ///< standard deviation by that of the whole posterior
    std::optional<double> largest_width{};
    std::optional<double> largest_correlation_difference{};
    std::vector<QuantityRecord> quantities{};
    FarmRecord farm{};
    std::vector<ShardRecord> each{};  ///< [shards]
    std::string digest;               ///< of the combined draws; empty: there are none
};

/// A posterior: OUTPUT/posterior.json; its draws stand in posterior.npz.
struct PosteriorRecord {
    DataRecord data;
    std::string mode;
    std::string scaling;
    std::string method;  ///< "importance", "chains"; "shards": of those alone
    int chains = 0;
    int draws = 0;  ///< a chain
    std::vector<QuantityRecord> quantities{};
    std::optional<int> points{};       ///< that were weighed
    std::optional<double> pareto_k{};  ///< shape of the tail of their weights
    std::optional<double> effective_size{};
    std::optional<std::int64_t> leapfrogs{};
    std::optional<std::int64_t> divergences{};
    std::optional<double> acceptance{};
    std::vector<double> e_bfmi{};        ///< [chains]
    std::vector<std::string> remarks{};  ///< what the fit has and this density has not
    std::optional<ConsensusRecord> consensus{};
    bool is_complete = true;
    double seconds = 0;
    std::string digest;
};

/// @throws IoError  the file cannot be written
void write_fit(const std::filesystem::path& output, const FitRecord& record);
void write_posterior(const std::filesystem::path& output, const PosteriorRecord& record);
/// @throws IoError  the file is missing; InputError  it is damaged, and how
FitRecord read_fit(const std::filesystem::path& output);
PosteriorRecord read_posterior(const std::filesystem::path& output);
io::Json to_json(const FitRecord& record);
io::Json to_json(const PosteriorRecord& record);

}  // namespace lockstep::formats::xpcs
