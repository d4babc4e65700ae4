#include "formats/homodyne/configuration/idle_keys.hpp"

#include <algorithm>
#include <array>

namespace lockstep::formats::homodyne {
namespace {

using enum Use;

constexpr std::string_view words = "documentation";
constexpr std::string_view unread = "homodyne does not read it either";
constexpr std::string_view simulated = "simulations take frames and dt by option";
constexpr std::string_view detected = "the layout is found from the file itself";
constexpr std::string_view named = "frames without values are found and named; no score is needed";
constexpr std::string_view untouched = "nothing alters the data before the fit";
constexpr std::string_view checked = "input is always checked in full";
constexpr std::string_view elsewhere =
    "homodyne does not read it either: put prior_mu and prior_sigma into parameter_space.bounds";
constexpr std::string_view two = "two_component is not offered: use xpcsjax";
constexpr std::string_view streams =
    "one objective streams data of any size: there is no other path to choose or tune";
constexpr std::string_view sized =
    "the region begins with the length of the start and finds its size from there";
constexpr std::string_view scaled = "steps are scaled by the curvature: no key is needed for that";
constexpr std::string_view memory = "memory does not grow with the data beyond them";
constexpr std::string_view logs = "--verbose and --quiet say what is printed";
constexpr std::string_view plots = "the report page draws what there is";
constexpr std::string_view exact =
    "scales are found exactly for all physical parameters: there is nothing to alternate";
constexpr std::string_view determined =
    "the report names combinations of parameters that the data do not determine";
constexpr std::string_view followed = "weights follow phi0 from fit to fit, from its start on";
constexpr std::string_view shared = "starts are a Latin hypercube and share the threads of the run";
constexpr std::string_view own = "the search chooses its own scales and sizes";
constexpr std::string_view checkpoints = "--checkpoint says so";
constexpr std::string_view coordinates =
    "sampled in coordinates of their own, for every size of the data";
constexpr std::string_view whole =
    "all data are sampled whatever their size; num_shards, max_points_per_shard or --shards ask "
    "for shards beside them";
constexpr std::string_view scaling =
    "a posterior has the scaling of its fit: optimization.nlsq.anti_degeneracy.per_angle_mode";
constexpr std::string_view counts =
    "chains have as many iterations as num_warmup and num_samples say";
constexpr std::string_view prior =
    "the priors are those of parameter_space.bounds, and data count once";
constexpr std::string_view passed = "homodyne does not pass it on either";

constexpr std::array idle{
    IdleKey{"metadata.*", ignored, words},
    IdleKey{"config_version", ignored, words},
    IdleKey{"analysis_settings.*", ignored, unread},
    IdleKey{"analyzer_parameters.temporal.*", ignored, simulated},
    IdleKey{"experimental_data.phi_angles_file", ignored, "angles come from the data"},
    IdleKey{"experimental_data.data_type", ignored, detected},
    IdleKey{"experimental_data.file_format", ignored, detected},
    IdleKey{"experimental_data.exchange_key", ignored, detected},
    IdleKey{"phi_filtering.tolerance", ignored, unread},
    IdleKey{"phi_filtering.algorithm", ignored, unread},
    IdleKey{"phi_filtering.quality_control", ignored, unread},
    IdleKey{"phi_filtering.quality_control.*", ignored, unread},
    IdleKey{"data_filtering.quality_threshold", ignored, named},
    IdleKey{"data_filtering.quality_filtering.*", ignored, named},
    IdleKey{"preprocessing.*", ignored, untouched},
    IdleKey{"quality_control.*", ignored, "data are checked and never repaired in silence"},
    IdleKey{"v2_features.output_format", ignored, checked},
    IdleKey{"v2_features.validation_level", ignored, checked},
    IdleKey{"v2_features.performance_optimization", ignored, checked},
    IdleKey{"v2_features.physics_validation", ignored, checked},
    IdleKey{"initial_parameters.units", ignored, words},
    IdleKey{"initial_parameters.units.*", ignored, words},
    IdleKey{"parameter_space.priors", ignored, elsewhere},
    IdleKey{"parameter_space.priors.*", ignored, elsewhere},
    IdleKey{"two_component", refused, two},
    IdleKey{"two_component.*", refused, two},
    IdleKey{"heterodyne.*", refused, two},
    IdleKey{"optimization.method", ignored, "--method says what is run"},
    IdleKey{"optimization.max_iterations", ignored, streams},
    IdleKey{"optimization.streaming.*", ignored, streams},
    IdleKey{"optimization.recovery.*", ignored, streams},
    IdleKey{"optimization.fast_chi2_mode", ignored, "all points are always used"},
    IdleKey{"optimization.stratification.enabled", ignored, streams},
    IdleKey{"optimization.stratification.target_chunk_size", ignored, streams},
    IdleKey{"optimization.stratification.max_imbalance_ratio", ignored, streams},
    IdleKey{"optimization.stratification.check_memory_safety", ignored, streams},
    IdleKey{"optimization.stratification.use_index_based", ignored, streams},
    IdleKey{"optimization.stratification.collect_diagnostics", ignored, streams},
    IdleKey{"optimization.stratification.log_diagnostics", ignored, streams},
    IdleKey{"optimization.nlsq.trust_region_scale", ignored, sized},
    IdleKey{"optimization.nlsq.shear_transforms.*", ignored, scaled},
    IdleKey{"optimization.nlsq.memory_fraction", ignored, memory},
    IdleKey{"optimization.nlsq.memory_threshold_gb", ignored, memory},
    IdleKey{"optimization.nlsq.workflow", ignored, streams},
    IdleKey{"optimization.nlsq.goal", ignored, streams},
    IdleKey{"optimization.nlsq.streaming.*", ignored, streams},
    IdleKey{"optimization.nlsq.stratified.*", ignored, streams},
    IdleKey{"optimization.nlsq.recovery.*", ignored, streams},
    IdleKey{"optimization.nlsq.hybrid_streaming.*", ignored, streams},
    IdleKey{"optimization.nlsq.verbose", ignored, logs},
    IdleKey{"optimization.nlsq.progress.*", ignored, logs},
    IdleKey{"optimization.nlsq.diagnostics.*", ignored, "diagnostics are always written"},
    IdleKey{
        "optimization.nlsq.quality_validation.enable", ignored, "every warning is always given"},
    IdleKey{
        "optimization.nlsq.quality_validation.warn_on_*", ignored, "every warning is always given"},
    IdleKey{"optimization.nlsq.anti_degeneracy.fourier_auto_threshold",
            ignored,
            "fourier is taken where it is asked for"},
    IdleKey{"optimization.nlsq.anti_degeneracy.hierarchical.*", ignored, exact},
    IdleKey{"optimization.nlsq.anti_degeneracy.gradient_monitoring.*", ignored, determined},
    IdleKey{"optimization.nlsq.anti_degeneracy.regularization.max_cv",
            ignored,
            "the weight follows lambda and the targets"},
    IdleKey{
        "optimization.nlsq.anti_degeneracy.shear_weighting.update_frequency", ignored, followed},
    IdleKey{"optimization.nlsq.anti_degeneracy.shear_weighting.initial_phi0", ignored, followed},
    IdleKey{"optimization.nlsq.multi_start.sampling_strategy", ignored, shared},
    IdleKey{"optimization.nlsq.multi_start.n_workers", ignored, shared},
    IdleKey{"optimization.nlsq.multi_start.refinement_ftol", ignored, unread},
    IdleKey{"optimization.nlsq.cmaes.population_batch_size", ignored, own},
    IdleKey{"optimization.nlsq.cmaes.data_chunk_size", ignored, own},
    IdleKey{"optimization.nlsq.cmaes.memory_limit_gb", ignored, own},
    IdleKey{"optimization.nlsq.cmaes.normalize", ignored, own},
    IdleKey{"optimization.nlsq.cmaes.normalization_epsilon", ignored, own},
    IdleKey{"optimization.nlsq.cmaes.refinement_workflow", ignored, streams},
    IdleKey{"optimization.cmc.enable", ignored, whole},
    IdleKey{"optimization.cmc.min_points_for_cmc", ignored, whole},
    IdleKey{"optimization.cmc.per_angle_mode", ignored, scaling},
    IdleKey{"optimization.cmc.constant_scaling_threshold", ignored, scaling},
    IdleKey{"optimization.cmc.sharding.seed_base", ignored, unread},
    IdleKey{"optimization.cmc.combination.validate_results", ignored, "shards are always judged"},
    IdleKey{"optimization.cmc.validation.require_nlsq_warmstart",
            ignored,
            "a sampling always begins with a fit"},
    IdleKey{"optimization.cmc.validation.use_nlsq_informed_priors", ignored, prior},
    IdleKey{"optimization.cmc.validation.nlsq_prior_width_factor", ignored, prior},
    IdleKey{"optimization.cmc.per_shard_mcmc.dense_mass",
            ignored,
            "the metric is always dense, and begins as the fit's covariance"},
    IdleKey{"optimization.cmc.per_shard_mcmc.adaptive_sampling", ignored, counts},
    IdleKey{"optimization.cmc.per_shard_mcmc.min_warmup", ignored, counts},
    IdleKey{"optimization.cmc.per_shard_mcmc.min_samples", ignored, counts},
    IdleKey{"optimization.cmc.backend.enable_checkpoints", ignored, checkpoints},
    IdleKey{"optimization.cmc.backend.checkpoint_dir", ignored, checkpoints},
    IdleKey{"optimization.cmc.backend_config.enable_checkpoints", ignored, checkpoints},
    IdleKey{"optimization.cmc.backend_config.checkpoint_dir", ignored, checkpoints},
    IdleKey{
        "optimization.cmc.per_shard_mcmc.enable_jax_profiling", ignored, "measure with --metrics"},
    IdleKey{"optimization.cmc.per_shard_mcmc.jax_profile_dir", ignored, "measure with --metrics"},
    IdleKey{"optimization.cmc.reparameterization.*", ignored, coordinates},
    IdleKey{
        "optimization.cmc.heartbeat_timeout", ignored, "a lost worker is noticed within a second"},
    IdleKey{"optimization.cmc.run_id", ignored, "the output directory names the run"},
    IdleKey{"optimization.mcmc.target_accept_prob", ignored, passed},
    IdleKey{"optimization.mcmc.max_tree_depth", ignored, passed},
    IdleKey{"optimization.mcmc.dense_mass_matrix", ignored, passed},
    IdleKey{"noise_estimation.*", ignored, "errors come from the data"},
    IdleKey{"performance.*", ignored, "--threads says how many; the result does not depend on it"},
    IdleKey{"logging.*", ignored, logs},
    IdleKey{"plotting.*", ignored, plots},
    IdleKey{"output.*", ignored, "--output-dir and --output-format say so"},
    IdleKey{"validation.*", ignored, checked},
};

bool fits(std::string_view pattern, std::string_view path) {
    if (!pattern.ends_with('*')) {
        return pattern == path;
    }
    pattern.remove_suffix(1);  // "a.b.*" is for all that begins with "a.b."
    return path.starts_with(pattern);
}

}  // namespace

std::span<const IdleKey> idle_keys() {
    return idle;
}

const IdleKey* find_idle(std::string_view path) {
    const auto found = std::find_if(
        idle.begin(), idle.end(), [&](const IdleKey& key) { return fits(key.path, path); });
    return found == idle.end() ? nullptr : &*found;
}

}  // namespace lockstep::formats::homodyne
