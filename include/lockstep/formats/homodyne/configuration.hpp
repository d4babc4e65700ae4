#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/xpcs/model/physics.hpp"

namespace lockstep::formats::homodyne {

/// A value of a configuration that the reader decided about, or that does nothing here.
struct Note {
    std::string field;  ///< dotted path
    int line = 0;       ///< 0: not from the text
    std::string text;   ///< what was decided, and why
};

/// Frames and instrument: analyzer_parameters.
struct Analyzer {
    double dt = 0;                      ///< [s] between frames, > 0
    std::int64_t start_frame = 1;       ///< first, from 1
    std::int64_t end_frame = -1;        ///< last, from 1; below 1: the last of the file
    double wavevector_q = 0.0054;       ///< [Å⁻¹] the matrices nearest to it are taken
    double q_tolerance_fraction = 0.1;  ///< what is taken beside the nearest, of its q
    double gap = 2e6;                   ///< [Å] stator to rotor
};

/// How arrays of a file without metadata are to be read: `lockstep.data`, which homodyne ignores.
struct PlainData {
    enum class Axis { first, last };
    std::string dataset{};             ///< name in an .npz or HDF5 file; empty: the only one
    Axis axis = Axis::first;           ///< that counts the matrices
    std::vector<double> q{};           ///< [matrices] or one for all; empty: wavevector_q
    std::vector<double> phi{};         ///< [matrices] degrees; empty: 0
    std::optional<double> baseline{};  ///< that is added; none: 1 where the values say so
};

/// Where the data stand: experimental_data.
struct Data {
    std::filesystem::path file{};          ///< empty: none is named
    std::filesystem::path cache_folder{};  ///< empty: the file's
    std::string cache_template = "cached_c2_frames_${start_frame}_${end_frame}.npz";
    bool cache_is_used = true;  ///< v2_features.cache_strategy is not none
    bool cache_is_deflated = true;
    std::filesystem::path phi_angles_folder = ".";  ///< of phi_angles_list.txt
    std::string q_unit{};                           ///< "1/A", "1/nm"; empty: as the file says
    PlainData plain{};
};

/// Degrees, both ends in; where `low` > `high`, by way of 180.
struct AngleRange {
    double low = -180;
    double high = 180;
};

struct PhiFilter {
    bool is_on = false;
    std::vector<AngleRange> ranges{};
    bool falls_back = false;  ///< to all angles when none is in a range
};

/// data_filtering: a selection among the matrices of a file, before angles are filtered.
struct MatrixFilter {
    enum class Combination { all_of, any_of };
    bool is_on = false;
    std::optional<double> q_min{};  ///< [Å⁻¹]
    std::optional<double> q_max{};
    std::optional<double> phi_min{};  ///< degrees; above phi_max: by way of 180
    std::optional<double> phi_max{};
    Combination combination = Combination::all_of;
    bool falls_back = true;  ///< to all matrices when none is left
};

/// Where a fit starts.
struct Start {
    std::vector<std::pair<std::string, double>> values{};  ///< by name; aliases are resolved
    std::vector<double> contrast{};  ///< one for all or one an angle; empty: estimated
    std::vector<double> offset{};
    std::vector<std::string> active{};
    std::vector<std::string> fixed{};

    [[nodiscard]] std::optional<double> find(std::string_view name) const noexcept;
};

enum class PriorKind { truncated_normal, uniform, log_normal, half_normal, normal, beta_scaled };

/// One entry of parameter_space.bounds. What is not given is left to the model's own table.
struct Bound {
    std::string name;  ///< aliases are resolved
    std::optional<double> min{};
    std::optional<double> max{};
    PriorKind prior = PriorKind::truncated_normal;
    std::optional<double> prior_mean{};
    std::optional<double> prior_deviation{};
};

enum class PerAngle { automatic, constant, constant_averaged, individual, fourier };
enum class LossName { linear, soft_l1, huber, cauchy, arctan };

struct MultiStart {
    bool is_on = false;
    int starts = 10;
    std::int64_t seed = 42;  ///< at least 0
    bool is_screened = true;
    double kept = 0.5;  ///< share of the starts after screening
    int refined = 3;
    double degeneracy_threshold = 0.1;
};

struct Cmaes {
    enum class Restarts { none, ipop, bipop };
    bool is_on = false;
    std::optional<int> generations{};
    std::optional<int> population{};
    double sigma = 0.5;  ///< of the width of the bounds
    double sigma_warm = 0.05;
    Restarts restarts = Restarts::bipop;
    int most_restarts = 9;
    std::optional<double> tolerance_f{};  ///< homodyne: 1e-8
    std::optional<double> tolerance_x{};
    bool is_automatic = true;       ///< only where the widths of the bounds differ by much
    double scale_threshold = 1000;  ///< by so much
    bool is_skippable = true;       ///< where the local fit is good enough
    double skip_threshold = 5;      ///< reduced χ² below which it is
    std::string preset{};           ///< "cmaes-fast", "cmaes", "cmaes-global": generations
    bool is_refined = true;         ///< refine_with_nlsq: a local fit from its best point
    /// Of local fits before and after the search, refinement_*; none: as of other fits.
    std::optional<double> ftol{};
    std::optional<double> xtol{};
    std::optional<double> gtol{};
    std::optional<int> most_evaluations{};
    std::optional<LossName> loss{};  ///< of residuals over σ
};

struct Regularization {
    bool is_on = false;
    enum class Mode { relative, absolute };
    Mode mode = Mode::relative;
    double weight = 1;
    double target_cv = 0.1;
    double target_contribution = 0.1;
    bool is_tuned = true;
};

struct ShearWeighting {
    bool is_on = false;
    double smallest = 0.3;
    double power = 1;
    bool is_normalized = true;
};

/// optimization.sequential: angles one by one.
struct Sequential {
    enum class Weighting { inverse_variance, uniform, points };
    Weighting weighting = Weighting::inverse_variance;
    double least_success = 0.5;  ///< share of the angles
};

/// lockstep.fit.objective: each pair of frames once, or homodyne's for small data.
enum class Objective { pairs, compat_grid };

struct Nlsq {
    Objective objective = Objective::pairs;
    std::optional<LossName> loss{};      ///< homodyne: soft_l1 below 100 000 points, then linear
    std::optional<double> loss_scale{};  ///< lockstep.fit.loss_scale [σ]
    int most_iterations = 1000;
    std::optional<double> ftol{};  ///< none: the fit's own
    std::optional<double> xtol{};
    std::optional<double> gtol{};
    std::optional<double> step_size{};  ///< x_scale: of every parameter; none: "jac"
    std::vector<std::pair<std::string, double>> step_sizes{};  ///< x_scale_map
    bool is_parallel = true;                                   ///< parallel_chunks
    bool is_against_degeneracy = true;
    PerAngle per_angle = PerAngle::automatic;
    int constant_scaling_threshold = 3;
    int fourier_order = 2;
    Regularization regularization{};
    ShearWeighting shear_weighting{};
    MultiStart multi_start{};
    Cmaes cmaes{};
    double reduced_chi_squared_threshold = 10;  ///< above it a fit is doubted
    std::optional<double> bounds_tolerance{};   ///< part of the bounds' width that is none
    bool is_sequential = false;                 ///< stratification.force_sequential_fallback
    Sequential sequential{};
};

enum class Sharding { random, stratified, contiguous, per_angle };
enum class ChainMethod { parallel, vectorized, sequential };
enum class Backend { automatic, multiprocessing, sequential, pjit, pbs, slurm };
enum class Combination { consensus, robust_consensus, precision, density_product, automatic };

struct Cmc {
    std::optional<int> shards{};
    std::optional<std::int64_t> most_points{};  ///< a shard
    std::optional<std::int64_t> least_points{};
    std::optional<std::int64_t> least_points_per_parameter{};
    std::int64_t seed = 42;  ///< at least 0
    double target_acceptance = 0.85;
    double most_r_hat = 1.1;
    double least_ess = 400;
    double most_divergences = 0.1;  ///< share of the draws
    double most_parameter_cv = 1;   ///< of means of shards
    double least_success = 0.9;     ///< share of the shards
    double warned_success = 0.8;
    double shard_time_limit_s = 3600;
    int warmup = 500;
    int draws = 1'500;
    int chains = 4;
    int deepest_tree = 10;
    Sharding sharding = Sharding::random;
    Backend backend = Backend::automatic;
    ChainMethod chain_method = ChainMethod::parallel;
    Combination combination = Combination::automatic;
    bool aborts_on_heterogeneity = false;  ///< homodyne: true
    bool is_tempered = true;
};

/// A configuration of homodyne, with its defaults where it says nothing.
struct Configuration {
    std::string file{};  ///< its name, for messages
    lockstep::xpcs::Motion motion = lockstep::xpcs::Motion::diffusion;
    Analyzer analyzer{};
    Data data{};
    PhiFilter phi_filter{};
    MatrixFilter matrix_filter{};
    Start start{};
    std::vector<Bound> bounds{};
    Nlsq nlsq{};
    Cmc cmc{};
    std::filesystem::path output{};  ///< legacy output_directory; empty: the command line's
    std::vector<Note> notes{};       ///< what was decided while reading
    std::vector<Note> ignored{};     ///< keys that do nothing here, with the reason

    [[nodiscard]] const Bound* bound(std::string_view name) const noexcept;
};

/// Reads a YAML (.yaml, .yml) or JSON (.json) file.
/// @throws IoError  missing, unreadable; InputError  with every fault: file, line, field, what was
/// found and what is allowed
Configuration read_configuration(const std::filesystem::path& path);

/// The same of a text that was read already; a name that ends in .json is of JSON.
Configuration parse_configuration(std::string_view text, const std::string& name);

enum class Use { acts, ignored, refused };

/// What Lockstep does with a key of homodyne's configuration.
struct KeyUse {
    std::string path;  ///< "optimization.nlsq.loss"; "[]" stands for elements, a final "*" for all
                       ///< keys below
    Use use = Use::acts;
    std::string note;  ///< why it is ignored or refused
};

/// Every key that is known, in the order of the manual.
std::vector<KeyUse> key_table();

/// Of a run of CMA-ES, as homodyne's presets have them; none: the preset is not known.
std::optional<int> generations_of(std::string_view preset) noexcept;

/// "gamma_dot_t0" of "gamma_dot_0", for example; other names as they are.
std::string_view canonical_name(std::string_view name) noexcept;

}  // namespace lockstep::formats::homodyne
