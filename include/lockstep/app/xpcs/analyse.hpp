#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/app/observer.hpp"
#include "lockstep/app/run_request.hpp"
#include "lockstep/app/xpcs/lent_farm.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/formats/homodyne/results.hpp"
#include "lockstep/formats/xpcs/records.hpp"
#include "lockstep/xpcs/consensus.hpp"
#include "lockstep/xpcs/errors.hpp"
#include "lockstep/xpcs/sample.hpp"

namespace lockstep::app {

enum class XpcsWork { fit, sample, both };

/// Of job arrays that sample shards; empty, 0: as the cluster has it.
struct ClusterRequest {
    std::string account{};
    std::string queue{};  ///< Slurm's partition
    int minutes = 0;      ///< that a task may take
    int at_once = 0;      ///< tasks
};

/// What to do with a measurement; what is not given here is as the configuration has it.
struct XpcsRequest {
    RunRequest run;  ///< input: homodyne's configuration, YAML or JSON
    XpcsWork work = XpcsWork::both;
    std::string data_file;  ///< empty: that of the configuration
    std::string mode;       ///< "static", "laminar_flow"
    xpcs::ShearTerm shear = xpcs::ShearTerm::homodyne;
    /// Of a value of c2; none: from the data. homodyne takes 0.01.
    std::optional<double> sigma{};
    std::string scaling;    ///< "individual", "averaged", "constant", "fourier"
    std::string objective;  ///< "pairs", "compat-grid"
    xpcs::ErrorOptions errors{};
    std::optional<int> max_evaluations{};
    std::optional<double> tolerance{};
    std::vector<std::pair<std::string, double>> start{};  ///< by name
    /// A parameters.json of homodyne or of this program, or a folder with one: start values that
    /// `start` does not have; empty: none.
    std::filesystem::path nlsq_result{};
    /// Parameters that are not fitted, by name; none: at their start.
    std::vector<std::pair<std::string, std::optional<double>>> held{};
    std::string search;                  ///< "local", "multi-start", "cma-es"
    std::optional<int> starts{};         ///< of a search from many
    std::string sequential;              ///< angles one by one: "auto", "always", "never"
    std::string loss;                    ///< "linear", "soft_l1", "huber", "cauchy", "arctan"
    std::optional<double> loss_scale{};  ///< [σ] where residuals begin to be outliers
    xpcs::SampleMethod method = xpcs::SampleMethod::automatic;
    std::optional<int> chains{};
    std::optional<int> warmup{};
    std::optional<int> draws{};
    std::optional<std::int64_t> seed{};
    int shards = 0;           ///< above 0: also from so many shards of the data, for comparison
    std::string sharding;     ///< "random", "stratified", "per_angle"
    std::string combination;  ///< "precision", "density_product", "marginals", "plain_marginals"
    std::string farm;         ///< where these are sampled; empty: as the configuration says
    ClusterRequest cluster{};
    std::shared_ptr<const LentFarm> lent_farm{};  ///< stands for `farm`; nullptr: there is none
    /// The command of this program, which worker processes run; empty: there is none.
    std::vector<std::string> program{};
    formats::homodyne::SummaryFormat summary_format = formats::homodyne::SummaryFormat::json;
    bool has_fitted_data = true;  ///< nlsq/fitted_data.npz is written: seven matrices an angle
    bool has_page = false;        ///< report.html is made too
    bool is_verbose = false;      ///< keys of the configuration that do nothing here are told
    /// A folder on a disk that keeps the matrices instead of memory; empty: the results' folder
    /// does, when memory is too small.
    std::filesystem::path scratch{};
    double time_limit = 600;  ///< [s] no posterior is drawn that would take longer; 0: none
};

struct XpcsOutcome {
    RunOutcome run;
    formats::xpcs::FitRecord fit;  ///< on the first rank
    /// None where it was not asked for, would take too long, or was stopped before it had draws.
    std::optional<formats::xpcs::PosteriorRecord> posterior{};
    xpcs::SampleResult draws{};  ///< of the posterior
};

/// Fits a measurement, samples its posterior, and writes both. Collective.
///
/// SIGINT and SIGTERM end the work at a consistent point with what there is written, and with a
/// checkpoint of a sampling, from which `run.resume` goes on with the same bits.
/// @throws InputError  configuration, data or options; IoError  a file cannot be read or written;
/// CommError  another rank failed
XpcsOutcome analyse_measurement(const XpcsRequest& request,
                                comm::Communicator& ranks,
                                Observer& observer);

}  // namespace lockstep::app
