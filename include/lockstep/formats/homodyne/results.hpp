#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/formats/homodyne/data.hpp"

namespace lockstep::formats::homodyne {

/// One parameter with its standard error; NaN: not available.
struct Estimate {
    std::string name;
    double value = 0;
    double error = 0;
};

/// Contrast and offset of one angle.
struct ScaleEstimate {
    double contrast = 0;
    double contrast_error = 0;
    double offset = 0;
    double offset_error = 0;
};

/// A symmetric matrix over named parameters, and what it is.
struct NamedCovariance {
    std::string kind;                  ///< "parametric bootstrap", "classical", …
    std::vector<std::string> names{};  ///< [p]
    std::vector<double> values{};      ///< [p, p]; empty: not available
    std::string why_not{};             ///< the reason where it is not available
};

/// What a fit was made of: the same in every result file.
struct Subject {
    std::string timestamp;  ///< ISO 8601, UTC
    lockstep::xpcs::Motion motion = lockstep::xpcs::Motion::diffusion;
    double q = 0;               ///< [Å⁻¹]
    std::vector<double> phi{};  ///< [angles] degrees
    int frames = 0;             ///< with the first, t = 0
    std::int64_t points = 0;    ///< that were fitted
    std::string input_digest{};
    std::string version{};  ///< of this program
};

/// Result of least squares.
struct FitRecord {
    Subject subject{};
    double chi_squared = 0;
    std::int64_t degrees_of_freedom = 0;
    std::string status;   ///< "converged", "max_iterations", "failed"
    std::string quality;  ///< "good", "marginal", "poor"
    int iterations = 0;
    double seconds = 0;
    std::vector<Estimate> physical{};
    std::vector<ScaleEstimate> scales{};  ///< [angles]
    std::vector<std::string> warnings{};
    std::vector<std::pair<std::string, bool>> checks{};  ///< by name: whether it passed
    /// What homodyne does not write: only in our own file.
    std::vector<NamedCovariance> covariances{};  ///< the first is that of the errors above
    double condition_number = 0;
    int evaluations = 0;
    double gradient = 0;            ///< cosine, 0 at a minimum
    std::string ending{};           ///< why the solver stopped, in words
    std::string undetermined{};     ///< what the data do not determine, and the errors lack
    std::vector<Estimate> start{};  ///< `error` is not used
    std::vector<std::string> at_bounds{};
    std::vector<std::pair<std::string, std::string>> settings{};  ///< loss, sinc, scaling, …
    std::vector<std::string> notes{};

    [[nodiscard]] double reduced_chi_squared() const noexcept {
        return chi_squared / static_cast<double>(degrees_of_freedom);
    }
};

/// One parameter of a posterior.
struct Marginal {
    std::string name;
    double mean = 0;
    double deviation = 0;
    double r_hat = 0;  ///< NaN: constant
    double bulk_ess = 0;
    double tail_ess = 0;
};

/// A parameter of one shard's posterior.
struct ShardMarginal {
    int place = 0;  ///< among the mode's parameters
    Marginal of{};
};

/// One shard of a consensus.
struct ShardDiagnostics {
    std::int64_t points = 0;
    std::int64_t draws = 0;
    bool has_converged = false;
    std::string verdict;    ///< "kept", or why it was left out
    double acceptance = 0;  ///< NaN: there were no chains
    std::int64_t divergences = 0;
    std::vector<ShardMarginal> marginals{};
};

/// Draws of a posterior.
struct SampleRecord {
    Subject subject{};
    std::string method;  ///< "nuts", "importance", "consensus"
    std::int64_t asked_draws = 0;
    std::int64_t asked_warmup = 0;
    int chains = 0;
    int shards = 1;
    double seconds = 0;
    std::int64_t divergences = 0;
    double r_hat_threshold = 1.1;
    double ess_threshold = 400;
    std::vector<Marginal> marginals{};  ///< [k]
    std::vector<double> draws{};        ///< [chains · draws, k]
    std::vector<ShardDiagnostics> each_shard{};
    std::vector<std::string> notes{};

    [[nodiscard]] bool has_converged() const noexcept;
};

/// The formats of homodyne_results.*.
enum class SummaryFormat { yaml, json, npz };

/// Writes parameters.json, analysis_results_nlsq.json, convergence_metrics.json, diagnostics.json
/// as homodyne does, and lockstep_fit.json, which has all of the record, into `output`/nlsq; each
/// whole or not at all. A number that is NaN is null, infinite ones are "Infinity" and "-Infinity".
/// @throws IoError
void write_fit(const std::filesystem::path& output, const FitRecord& record);

/// Writes parameters.json, samples.npz, diagnostics.json, analysis_results_cmc.json into
/// `output`/cmc, and shard_diagnostics.json where there are shards; samples and names stand in the
/// order of the record.
/// @throws IoError
void write_samples(const std::filesystem::path& output, const SampleRecord& record);

/// Writes `output`/homodyne_results.yaml, .json or .npz: the values as a bare list, contrasts,
/// offsets, then the physical parameters. The YAML is in the flow style, as JSON.
/// @throws IoError
void write_summary(const std::filesystem::path& output,
                   const FitRecord& record,
                   SummaryFormat format);

/// Fills g1² of one angle for every pair of frames with the first, t = 0: [F, F].
using Theory = std::function<void(int angle, std::span<double> g1_squared)>;

/// Writes `folder`/fitted_data.npz: data with corrected diagonals, model, residuals, [angles, F, F]
/// each, in the memory of a few matrices. `per_angle_scaling` is a regression of the data on g1²,
/// `per_angle_scaling_solver` what was fitted; without `scales` the arrays of the solver are left
/// out.
/// @param loaded  as load() gives it, with the first frame kept or dropped
/// @throws IoError
void write_fitted_data(const std::filesystem::path& folder,
                       const Loaded& loaded,
                       const Theory& theory,
                       std::span<const ScaleEstimate> scales);

/// Reads what --nlsq-result names: a parameters.json, or a folder with one or with nlsq/ in it.
/// @throws IoError  none is there; InputError  damaged, and how
std::vector<Estimate> read_parameters(const std::filesystem::path& path);

}  // namespace lockstep::formats::homodyne
