#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/formats/homodyne/configuration.hpp"

#include "formats/records/fields.hpp"

namespace lockstep::formats::homodyne {

/// What the keys say that Configuration holds in another form.
struct RawKeys {
    std::optional<std::string> analysis_mode{};
    std::optional<std::string> model{};
    std::string folder{};
    std::string name{};
    std::string path{};
    std::string legacy_path{};
    std::string output{};
    std::string cache_folder{};
    std::string phi_angles_folder{};
    std::string cache_strategy = "intelligent";
    std::optional<double> data_gap{};
    std::optional<double> detector_distance{};
    std::vector<std::string> names{};
    std::optional<std::vector<std::optional<double>>> values{};
    bool has_preprocessing = false;
    int stride = 1;
};

inline std::array<records::Choice<PerAngle>, 5> choices(PerAngle) {
    return {{{"auto", PerAngle::automatic},
             {"constant", PerAngle::constant},
             {"constant_averaged", PerAngle::constant_averaged},
             {"individual", PerAngle::individual},
             {"fourier", PerAngle::fourier}}};
}
inline std::array<records::Choice<LossName>, 5> choices(LossName) {
    return {{{"linear", LossName::linear},
             {"soft_l1", LossName::soft_l1},
             {"huber", LossName::huber},
             {"cauchy", LossName::cauchy},
             {"arctan", LossName::arctan}}};
}
inline std::array<records::Choice<Objective>, 2> choices(Objective) {
    return {{{"pairs", Objective::pairs}, {"compat-grid", Objective::compat_grid}}};
}
inline std::array<records::Choice<Cmaes::Restarts>, 3> choices(Cmaes::Restarts) {
    return {{{"none", Cmaes::Restarts::none},
             {"ipop", Cmaes::Restarts::ipop},
             {"bipop", Cmaes::Restarts::bipop}}};
}
inline std::array<records::Choice<Regularization::Mode>, 2> choices(Regularization::Mode) {
    return {{{"relative", Regularization::Mode::relative},
             {"absolute", Regularization::Mode::absolute}}};
}
inline std::array<records::Choice<Sequential::Weighting>, 3> choices(Sequential::Weighting) {
    return {{{"inverse_variance", Sequential::Weighting::inverse_variance},
             {"uniform", Sequential::Weighting::uniform},
             {"n_points", Sequential::Weighting::points}}};
}
inline std::array<records::Choice<Sharding>, 4> choices(Sharding) {
    return {{{"random", Sharding::random},
             {"stratified", Sharding::stratified},
             {"per_angle", Sharding::per_angle},
             {"contiguous", Sharding::contiguous}}};
}
inline std::array<records::Choice<ChainMethod>, 3> choices(ChainMethod) {
    return {{{"parallel", ChainMethod::parallel},
             {"vectorized", ChainMethod::vectorized},
             {"sequential", ChainMethod::sequential}}};
}
inline std::array<records::Choice<Backend>, 7> choices(Backend) {
    return {{{"auto", Backend::automatic},
             {"multiprocessing", Backend::multiprocessing},
             {"sequential", Backend::sequential},
             {"pjit", Backend::pjit},
             {"pbs", Backend::pbs},
             {"slurm", Backend::slurm},
             {"jax", Backend::automatic}}};
}
inline std::array<records::Choice<Combination>, 7> choices(Combination) {
    return {{{"consensus_mc", Combination::consensus},
             {"robust_consensus_mc", Combination::robust_consensus},
             {"precision", Combination::precision},
             {"density_product", Combination::density_product},
             {"auto", Combination::automatic},
             {"weighted_gaussian", Combination::consensus},
             {"simple_average", Combination::consensus}}};
}
inline std::array<records::Choice<PriorKind>, 6> choices(PriorKind) {
    return {{{"TruncatedNormal", PriorKind::truncated_normal},
             {"Uniform", PriorKind::uniform},
             {"LogNormal", PriorKind::log_normal},
             {"HalfNormal", PriorKind::half_normal},
             {"Normal", PriorKind::normal},
             {"BetaScaled", PriorKind::beta_scaled}}};
}
inline std::array<records::Choice<PlainData::Axis>, 2> choices(PlainData::Axis) {
    return {{{"first", PlainData::Axis::first}, {"last", PlainData::Axis::last}}};
}
inline std::array<records::Choice<MatrixFilter::Combination>, 2> choices(
    MatrixFilter::Combination) {
    return {
        {{"AND", MatrixFilter::Combination::all_of}, {"OR", MatrixFilter::Combination::any_of}}};
}

/// Reads an element of a list, whose unknown keys are no faults: they are noted.
template <typename T>
void read_element(const records::ValueAt& at, T& out) {
    if (at.value.if_object() == nullptr) {
        at.wrong_type("object");
        return;
    }
    records::FieldReader reader(at);
    out.fields(reader);
}

struct AngleRangeFields : AngleRange {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("min_angle", low, {"Lowest angle", "-10"}, records::within(-720, 720));
        f.required("max_angle", high, {"Highest angle", "10"}, records::within(-720, 720));
    }
};

struct BoundFields : Bound {
    std::string unit{};

    template <typename Fields>
    void fields(Fields& f) {
        f.required("name", name, {"Parameter", "D0"});
        f.optional("min", min, {"Lower bound", "100"});
        f.optional("max", max, {"Upper bound", "1e5"});
        f.optional("type", prior, {"Kind of prior", "TruncatedNormal"});
        f.optional("prior_mu", prior_mean, {"Mean of the prior", "1000"});
        f.optional("prior_sigma", prior_deviation, {"Its deviation", "500"}, records::positive);
        f.optional("unit", unit, {"Unit, as documentation", "Å²/s"});
    }
};

inline void read_value(const records::ValueAt& at, AngleRangeFields& out, records::Range) {
    read_element(at, out);
}
inline void read_value(const records::ValueAt& at, BoundFields& out, records::Range) {
    read_element(at, out);
}

/// Lists that Configuration holds without the means of reading.
struct RawLists {
    std::vector<AngleRangeFields> ranges{};
    std::vector<BoundFields> bounds{};
};

/// Every key that does something, in one place: KeyReader fills the values, KeyLister names them.
template <typename Keys>
void data_keys(Keys& keys, Configuration& c, RawKeys& raw, RawLists& lists) {
    using namespace records;
    keys.acts("analysis_mode", raw.analysis_mode);
    keys.acts("dt", c.analyzer.dt, positive);
    keys.acts("start_frame", c.analyzer.start_frame);
    keys.acts("end_frame", c.analyzer.end_frame);
    keys.acts("data_file", raw.legacy_path);
    keys.acts("output_directory", raw.output);
    keys.acts("q_tolerance_fraction", c.analyzer.q_tolerance_fraction, share);
    keys.acts("analyzer_parameters.dt", c.analyzer.dt, positive);
    keys.acts("analyzer_parameters.start_frame", c.analyzer.start_frame);
    keys.acts("analyzer_parameters.end_frame", c.analyzer.end_frame);
    keys.acts("analyzer_parameters.scattering.wavevector_q", c.analyzer.wavevector_q, positive);
    keys.acts("experimental_data.geometry.stator_rotor_gap", raw.data_gap, positive);
    keys.acts("experimental_data.sample_detector_distance", raw.detector_distance, positive);
    if (raw.data_gap || raw.detector_distance) {
        c.analyzer.gap = raw.data_gap.value_or(raw.detector_distance.value_or(c.analyzer.gap));
    }
    if (keys.acts("analyzer_parameters.geometry.stator_rotor_gap", c.analyzer.gap, positive)) {
        raw.detector_distance.reset();
    }
    keys.acts("experimental_data.data_folder_path", raw.folder);
    keys.acts("experimental_data.data_file_name", raw.name);
    keys.acts("experimental_data.file_path", raw.path);
    keys.acts("experimental_data.cache_file_path", raw.cache_folder);
    keys.acts("experimental_data.cache_filename_template", c.data.cache_template);
    keys.acts("experimental_data.cache_compression", c.data.cache_is_deflated);
    keys.acts("experimental_data.phi_angles_path", raw.phi_angles_folder);
    keys.acts("v2_features.cache_strategy", raw.cache_strategy);
    keys.acts("phi_filtering.enabled", c.phi_filter.is_on);
    keys.acts("phi_filtering.target_ranges", lists.ranges);
    keys.acts("phi_filtering.fallback_to_all_angles", c.phi_filter.falls_back);
    keys.acts("data_filtering.enabled", c.matrix_filter.is_on);
    keys.acts("data_filtering.q_range.min", c.matrix_filter.q_min, non_negative);
    keys.acts("data_filtering.q_range.max", c.matrix_filter.q_max, non_negative);
    keys.acts("data_filtering.phi_range.min", c.matrix_filter.phi_min, within(-720, 720));
    keys.acts("data_filtering.phi_range.max", c.matrix_filter.phi_max, within(-720, 720));
    keys.acts("data_filtering.frame_filtering.stride", raw.stride, at_least(1));
    keys.acts("data_filtering.combine_criteria", c.matrix_filter.combination);
    keys.acts("data_filtering.fallback_on_empty", c.matrix_filter.falls_back);
    keys.acts("preprocessing.enabled", raw.has_preprocessing);
    keys.acts("lockstep.data.dataset", c.data.plain.dataset);
    keys.acts("lockstep.data.axis", c.data.plain.axis);
    keys.acts("lockstep.data.q", c.data.plain.q, positive);
    keys.acts("lockstep.data.q_unit", c.data.q_unit);
    keys.acts("lockstep.data.phi", c.data.plain.phi, within(-720, 720));
    keys.acts("lockstep.data.baseline", c.data.plain.baseline);
}

template <typename Keys>
void parameter_keys(Keys& keys, Configuration& c, RawKeys& raw, RawLists& lists) {
    keys.acts("initial_parameters.parameter_names", raw.names);
    keys.acts("initial_parameters.values", raw.values);
    keys.acts("initial_parameters.per_angle_scaling.contrast", c.start.contrast);
    keys.acts("initial_parameters.per_angle_scaling.offset", c.start.offset);
    keys.acts("initial_parameters.active_parameters", c.start.active);
    keys.acts("initial_parameters.fixed_parameters", c.start.fixed);
    keys.acts("parameter_space.bounds", lists.bounds);
    keys.acts("parameter_space.model", raw.model);
}

template <typename Keys>
void degeneracy_keys(Keys& keys, Nlsq& n) {
    using namespace records;
    keys.acts("optimization.nlsq.anti_degeneracy.enable", n.is_against_degeneracy);
    keys.acts("optimization.nlsq.anti_degeneracy.per_angle_mode", n.per_angle);
    keys.acts("optimization.nlsq.anti_degeneracy.constant_scaling_threshold",
              n.constant_scaling_threshold,
              count);
    keys.acts("optimization.nlsq.anti_degeneracy.fourier_order", n.fourier_order, within(1, 100));
    Regularization& r = n.regularization;
    keys.acts("optimization.nlsq.anti_degeneracy.regularization.enable", r.is_on);
    keys.acts("optimization.nlsq.anti_degeneracy.regularization.mode", r.mode);
    keys.acts("optimization.nlsq.anti_degeneracy.regularization.lambda", r.weight, non_negative);
    keys.acts("optimization.nlsq.anti_degeneracy.regularization.target_cv", r.target_cv, positive);
    keys.acts("optimization.nlsq.anti_degeneracy.regularization.target_contribution",
              r.target_contribution,
              non_negative);
    keys.acts("optimization.nlsq.anti_degeneracy.regularization.auto_tune_lambda", r.is_tuned);
    ShearWeighting& s = n.shear_weighting;
    keys.acts("optimization.nlsq.anti_degeneracy.shear_weighting.enable", s.is_on);
    keys.acts("optimization.nlsq.anti_degeneracy.shear_weighting.min_weight", s.smallest, share);
    keys.acts("optimization.nlsq.anti_degeneracy.shear_weighting.alpha", s.power, non_negative);
    keys.acts("optimization.nlsq.anti_degeneracy.shear_weighting.normalize", s.is_normalized);
}

template <typename Keys>
void search_keys(Keys& keys, MultiStart& m, Cmaes& e) {
    using namespace records;
    keys.acts("optimization.nlsq.multi_start.enable", m.is_on);
    keys.acts("optimization.nlsq.multi_start.n_starts", m.starts, count);
    keys.acts("optimization.nlsq.multi_start.seed", m.seed, at_least(0));
    keys.acts("optimization.nlsq.multi_start.use_screening", m.is_screened);
    keys.acts("optimization.nlsq.multi_start.screen_keep_fraction", m.kept, share);
    keys.acts("optimization.nlsq.multi_start.refine_top_k", m.refined, at_least(0));
    keys.acts(
        "optimization.nlsq.multi_start.degeneracy_threshold", m.degeneracy_threshold, non_negative);
    keys.acts("optimization.nlsq.cmaes.enable", e.is_on);
    keys.acts("optimization.nlsq.cmaes.max_generations", e.generations, count);
    keys.acts("optimization.nlsq.cmaes.popsize", e.population, within(4, 1e6));
    keys.acts("optimization.nlsq.cmaes.sigma", e.sigma, within(1e-6, 1));
    keys.acts("optimization.nlsq.cmaes.sigma_warmstart", e.sigma_warm, within(1e-6, 1));
    keys.acts("optimization.nlsq.cmaes.restart_strategy", e.restarts);
    keys.acts("optimization.nlsq.cmaes.max_restarts", e.most_restarts, within(0, 100));
    keys.acts("optimization.nlsq.cmaes.tol_fun", e.tolerance_f, positive);
    keys.acts("optimization.nlsq.cmaes.tol_x", e.tolerance_x, positive);
    keys.acts("optimization.nlsq.cmaes.auto_select", e.is_automatic);
    keys.acts("optimization.nlsq.cmaes.scale_threshold", e.scale_threshold, positive);
    keys.acts("optimization.nlsq.cmaes.warmstart_auto_skip", e.is_skippable);
    keys.acts("optimization.nlsq.cmaes.warmstart_skip_threshold", e.skip_threshold, non_negative);
    keys.acts("optimization.nlsq.cmaes.preset", e.preset);
    keys.acts("optimization.nlsq.cmaes.refine_with_nlsq", e.is_refined);
    keys.acts("optimization.nlsq.cmaes.refinement_ftol", e.ftol, within(0, 0.5));
    keys.acts("optimization.nlsq.cmaes.refinement_xtol", e.xtol, within(0, 0.5));
    keys.acts("optimization.nlsq.cmaes.refinement_gtol", e.gtol, within(0, 0.5));
    keys.acts("optimization.nlsq.cmaes.refinement_max_nfev", e.most_evaluations, count);
    keys.acts("optimization.nlsq.cmaes.refinement_loss", e.loss);
}

template <typename Keys>
void nlsq_keys(Keys& keys, Nlsq& n) {
    using namespace records;
    keys.acts("optimization.nlsq.loss", n.loss);
    keys.acts("lockstep.fit.loss_scale", n.loss_scale, positive);
    keys.acts("lockstep.fit.objective", n.objective);
    keys.acts("optimization.nlsq.max_iterations", n.most_iterations, count);
    keys.acts("optimization.nlsq.tolerance", n.ftol, within(0, 0.5));
    keys.acts("optimization.nlsq.ftol", n.ftol, within(0, 0.5));
    keys.acts("optimization.nlsq.xtol", n.xtol, within(0, 0.5));
    keys.acts("optimization.nlsq.gtol", n.gtol, within(0, 0.5));
    keys.acts_or("optimization.nlsq.x_scale", "jac", n.step_size, positive);
    keys.acts("optimization.nlsq.x_scale_map", n.step_sizes, positive);
    keys.acts("optimization.nlsq.parallel_chunks", n.is_parallel);
    keys.acts("optimization.stratification.force_sequential_fallback", n.is_sequential);
    keys.acts("optimization.sequential.weighting", n.sequential.weighting);
    keys.acts("optimization.sequential.min_success_rate", n.sequential.least_success, share);
    keys.acts("optimization.nlsq.quality_validation.reduced_chi_squared_threshold",
              n.reduced_chi_squared_threshold,
              positive);
    keys.acts(
        "optimization.nlsq.quality_validation.bounds_tolerance", n.bounds_tolerance, non_negative);
    degeneracy_keys(keys, n);
    search_keys(keys, n.multi_start, n.cmaes);
}

template <typename Keys>
void shard_keys(Keys& keys, Cmc& m) {
    using namespace records;
    keys.acts("optimization.cmc.sharding.strategy", m.sharding);
    keys.acts_or_auto("optimization.cmc.sharding.num_shards", m.shards, count);
    keys.acts_or_auto("optimization.cmc.sharding.max_points_per_shard", m.most_points, at_least(1));
    keys.acts_or_auto(
        "optimization.cmc.sharding.min_points_per_shard", m.least_points, at_least(0));
    keys.acts_or_auto("optimization.cmc.sharding.min_points_per_param",
                      m.least_points_per_parameter,
                      at_least(0));
    keys.acts("optimization.cmc.backend.name", m.backend);
    keys.acts("optimization.cmc.backend_config.name", m.backend);
    keys.acts("optimization.cmc.combination.method", m.combination);
    keys.acts("optimization.cmc.combination.min_success_rate", m.least_success, share);
    keys.acts("optimization.cmc.combination.min_success_rate_warning", m.warned_success, share);
    keys.acts("optimization.cmc.per_shard_timeout", m.shard_time_limit_s, positive);
    keys.acts("optimization.cmc.prior_tempering", m.is_tempered);
}

template <typename Keys>
void chain_keys(Keys& keys, Cmc& m) {
    using namespace records;
    keys.acts("optimization.cmc.per_shard_mcmc.num_warmup", m.warmup, at_least(1));
    keys.acts("optimization.cmc.per_shard_mcmc.num_samples", m.draws, at_least(1));
    keys.acts("optimization.cmc.per_shard_mcmc.num_chains", m.chains, within(1, 1000));
    keys.acts("optimization.mcmc.num_warmup", m.warmup, at_least(1));
    keys.acts("optimization.mcmc.num_samples", m.draws, at_least(1));
    keys.acts("optimization.mcmc.num_chains", m.chains, within(1, 1000));
    keys.acts("optimization.cmc.per_shard_mcmc.chain_method", m.chain_method);
    keys.acts("optimization.cmc.per_shard_mcmc.target_accept_prob",
              m.target_acceptance,
              within(0.01, 0.999));
    keys.acts("optimization.cmc.per_shard_mcmc.max_tree_depth", m.deepest_tree, within(1, 15));
}

template <typename Keys>
void cmc_keys(Keys& keys, Cmc& m) {
    using namespace records;
    shard_keys(keys, m);
    chain_keys(keys, m);
    keys.acts("optimization.cmc.validation.max_per_shard_rhat", m.most_r_hat, at_least(1));
    keys.acts("optimization.cmc.validation.min_ess", m.least_ess, non_negative);
    keys.acts("optimization.cmc.validation.min_per_shard_ess", m.least_ess, non_negative);
    keys.acts("optimization.cmc.validation.max_divergence_rate", m.most_divergences, share);
    keys.acts("optimization.cmc.validation.max_parameter_cv", m.most_parameter_cv, positive);
    keys.acts("optimization.cmc.validation.heterogeneity_abort", m.aborts_on_heterogeneity);
    keys.acts("optimization.cmc.seed", m.seed, at_least(0));
}

template <typename Keys>
void all_keys(Keys& keys, Configuration& c, RawKeys& raw, RawLists& lists) {
    data_keys(keys, c, raw, lists);
    parameter_keys(keys, c, raw, lists);
    nlsq_keys(keys, c.nlsq);
    cmc_keys(keys, c.cmc);
}

}  // namespace lockstep::formats::homodyne
