#include "xpcs/commands.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "options.hpp"

namespace lockstep::cli {
namespace {

/// Start values by the option that homodyne has for them.
constexpr std::array<std::pair<const char*, const char*>, 7> start_options{
    {{"--initial-d0", "D0"},
     {"--initial-alpha", "alpha"},
     {"--initial-d-offset", "D_offset"},
     {"--initial-gamma-dot-t0", "gamma_dot_t0"},
     {"--initial-beta", "beta"},
     {"--initial-gamma-dot-offset", "gamma_dot_t_offset"},
     {"--initial-phi0", "phi0"}}};

constexpr auto model_group = "Data and model";

void add_data_options(CLI::App& app, app::XpcsRequest& request) {
    app.add_option("CONFIG", request.run.input, "homodyne's configuration: .yaml or .json")
        ->required()
        ->type_name(" ")
        ->check(not_empty);
    app.add_option("--data-file", request.data_file, "Data [as CONFIG says]")
        ->type_name("FILE")
        ->check(not_empty)
        ->group(model_group);
}

void add_model_options(CLI::App& app, app::XpcsRequest& request) {
    constexpr auto group = model_group;
    auto* still =
        app.add_flag_callback(
               "--static-mode", [&request] { request.mode = "static"; }, "Diffusion alone")
            ->group(group);
    app.add_flag_callback(
           "--laminar-flow",
           [&request] { request.mode = "laminar_flow"; },
           "Diffusion in a shear flow")
        ->excludes(still)
        ->group(group);
    app.add_option("--scaling",
                   request.scaling,
                   "Contrast and offset: individual, averaged, constant, fourier [as homodyne]")
        ->type_name("MODE")
        ->check(CLI::IsMember({"individual", "averaged", "constant", "fourier"}))
        ->group(group);
    app.add_flag_callback(
           "--paper-sinc",
           [&request] { request.shear = xpcs::ShearTerm::paper; },
           "Shear term of the paper, sinc(qLcosψΓ/2)² in g2 [homodyne's sinc(qLcosψΓ/2π)⁴]")
        ->group(group);
}

/// By homodyne's names.
void add_method_option(CLI::App& app, app::XpcsRequest& request) {
    app.add_option_function<std::string>(
           "--method",
           [&request](const std::string& name) {
               request.work = name == "nlsq" ? app::XpcsWork::fit : app::XpcsWork::both;
           },
           "nlsq: the fit alone; cmc and both: the posterior too, which begins with a fit [both]")
        ->type_name("NAME")
        ->check(CLI::IsMember({"nlsq", "cmc", "both"}))
        ->group(model_group);
}

void add_fit_options(CLI::App& app, app::XpcsRequest& request) {
    constexpr auto group = "Fit";
    app.add_option("--objective",
                   request.objective,
                   "pairs: each pair of frames once; compat-grid: homodyne's for small data, to "
                   "compare with it [pairs, or as CONFIG says]")
        ->type_name("NAME")
        ->check(CLI::IsMember({"pairs", "compat-grid"}))
        ->group(group);
    app.add_option_function<double>(
           "--sigma",
           [&request](double sigma) { request.sigma = sigma; },
           "Standard deviation of a value of c2 [from the data; homodyne takes 0.01]")
        ->type_name("S")
        ->group(group);
    app.add_option_function<std::string>(
           "--errors",
           [&request](const std::string& name) {
               for (const auto method : {xpcs::ErrorMethod::classical,
                                         xpcs::ErrorMethod::blocks,
                                         xpcs::ErrorMethod::speckle}) {
                   if (to_string(method) == name) {
                       request.errors.method = method;
                   }
               }
           },
           "Error bars: speckle (simulated speckle, default), blocks (of time), classical")
        ->type_name("METHOD")
        ->check(CLI::IsMember({"speckle", "blocks", "classical"}))
        ->group(group);
    app.add_option_function<int>(
           "--max-iterations",
           [&request](int most) { request.max_evaluations = most; },
           "Most evaluations [as CONFIG says, else 1000]")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000))
        ->group(group);
    app.add_option_function<double>(
           "--tolerance",
           [&request](double tolerance) { request.tolerance = tolerance; },
           "Of the gradient's cosine [1e-8]")
        ->type_name("T")
        ->group(group);
    app.add_option("--nlsq-result",
                   request.nlsq_result,
                   "Start from an earlier fit: a folder of results of homodyne or of this program, "
                   "or its nlsq/parameters.json")
        ->type_name("PATH")
        ->check(not_empty)
        ->group(group);
    for (const auto& [option, name] : start_options) {
        app.add_option_function<double>(
               option,
               [&request, parameter = std::string(name)](double value) {
                   request.start.emplace_back(parameter, value);
               },
               fmt::format("Start value of {}", name))
            ->type_name("X")
            ->group(group);
    }
}

std::string known_farm(const std::string& name) {
    if (name == "ray") {
        return "ray is not built: it comes with the Python package";
    }
    return CLI::IsMember({"auto",
                          "sequential",
                          "threads",
                          "processes",
                          "ranks",
                          "slurm",
                          "pbs",
                          "multiprocessing",
                          "pjit"})(name);
}

/// By homodyne's names.
void add_result_options(CLI::App& app, app::XpcsRequest& request) {
    app.add_option("--scratch",
                   request.scratch,
                   "Keep the matrices in a file in DIR, on a disk [in memory; in the results' "
                   "folder when they are larger]")
        ->type_name("DIR")
        ->check(not_empty);
    using formats::homodyne::SummaryFormat;
    app.add_option_function<std::string>(
           "--output-format",
           [&request](const std::string& name) {
               request.summary_format = name == "yaml"  ? SummaryFormat::yaml
                                        : name == "npz" ? SummaryFormat::npz
                                                        : SummaryFormat::json;
           },
           "Of homodyne_results: yaml, json or npz [json]")
        ->type_name("NAME")
        ->check(CLI::IsMember({"yaml", "json", "npz"}));
    app.add_flag_callback(
        "--no-fitted-data",
        [&request] { request.has_fitted_data = false; },
        "Leave out nlsq/fitted_data.npz: seven times the size of the matrices, and the report's "
        "pictures of them");
    app.add_flag(
        "--save-plots", request.has_page, "Also make report.html, as lockstep report does");
    app.add_flag("--verbose,-v",
                 request.is_verbose,
                 "Also tell which keys of the configuration do nothing here, and why");
}

/// "NAME" or "NAME=VALUE".
std::pair<std::string, std::optional<double>> held_in(const std::string& text) {
    const auto sign = text.find('=');
    if (sign == text.npos) {
        return {text, std::nullopt};
    }
    double value = 0;
    if (!CLI::detail::lexical_cast(text.substr(sign + 1), value)) {
        throw CLI::ValidationError("--fix",
                                   "'" + text + "' has no number: write NAME or NAME=VALUE");
    }
    return {text.substr(0, sign), value};
}

void add_search_options(CLI::App& app, app::XpcsRequest& request) {
    constexpr auto group = "Minimum";
    app.add_option_function<std::vector<std::string>>(
           "--fix",
           [&request](const std::vector<std::string>& texts) {
               for (const auto& text : texts) {
                   request.held.push_back(held_in(text));
               }
           },
           "Hold a parameter, at its start or at VALUE; may be repeated")
        ->type_name("NAME[=VALUE]")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->group(group);
    app.add_option_function<int>(
           "--multi-start",
           [&request](int starts) { request.starts = starts; },
           "Fit from N starts as well, and tell which minima there are [none]")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000))
        ->group(group);
    app.add_option("--search",
                   request.search,
                   "local, multi-start, or cma-es: by evolution within the bounds [as CONFIG says]")
        ->type_name("KIND")
        ->check(CLI::IsMember({"local", "multi-start", "cma-es"}))
        ->group(group);
    app.add_option("--sequential",
                   request.sequential,
                   "Angles one by one: always, never, or auto: where they do not converge together "
                   "[auto, or as CONFIG says]")
        ->type_name("WHEN")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->group(group);
    app.add_option("--loss",
                   request.loss,
                   "Against outliers: soft_l1, huber, cauchy, arctan [as CONFIG says, else linear]")
        ->type_name("NAME")
        ->check(CLI::IsMember({"linear", "soft_l1", "huber", "cauchy", "arctan"}))
        ->group(group);
    app.add_option_function<double>(
           "--loss-scale",
           [&request](double scale) { request.loss_scale = scale; },
           "Standard deviations from which on residuals are outliers [1]")
        ->type_name("S")
        ->check(CLI::PositiveNumber)
        ->group(group);
}

void add_sample_options(CLI::App& app, app::XpcsRequest& request) {
    constexpr auto group = "Posterior";
    app.add_option_function<std::string>(
           "--sampler",
           [&request](const std::string& name) {
               request.method = name == "importance" ? xpcs::SampleMethod::importance
                                : name == "nuts"     ? xpcs::SampleMethod::chains
                                                     : xpcs::SampleMethod::automatic;
           },
           "importance, nuts, or auto: importance where its weights can be relied on [auto]")
        ->type_name("NAME")
        ->check(CLI::IsMember({"auto", "importance", "nuts"}))
        ->group(group);
    const auto add_count = [&](const char* option, std::optional<int>& to, const char* help) {
        app.add_option_function<int>(
               option, [&to](int value) { to = value; }, help)
            ->type_name("N")
            ->check(CLI::Range(1, 10'000'000))
            ->group(group);
    };
    add_count("--n-chains", request.chains, "Chains [as CONFIG says, else 4]");
    add_count("--n-warmup", request.warmup, "Warm-up iterations of a chain [500]");
    add_count("--n-samples", request.draws, "Draws of a chain [1500]");
    app.add_option("--shards,--cmc-num-shards",
                   request.shards,
                   "Also from so many shards of the data, compared with the whole [none]")
        ->type_name("K")
        ->check(CLI::Range(1, 1'000'000))
        ->group(group);
    app.add_option(
           "--sharding",
           request.sharding,
           "What shards are of: random pairs of frames, stratified by lag and age, or those "
           "per_angle [as CONFIG says, else random]")
        ->type_name("NAME")
        ->check(CLI::IsMember({"random", "stratified", "per_angle"}))
        ->group(group);
    app.add_option("--combination",
                   request.combination,
                   "How shards become one: precision (covariances), density_product, marginals "
                   "(homodyne's), plain_marginals [as CONFIG says, else precision]")
        ->type_name("RULE")
        ->check(CLI::IsMember({"precision", "density_product", "marginals", "plain_marginals"}))
        ->group(group);
    app.add_option("--time-limit",
                   request.time_limit,
                   "No posterior is drawn that would take longer, as 90s, 10min, 2h; 0s: no limit "
                   "[10min]")
        ->type_name("T")
        ->transform(
            CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"min", 60}, {"h", 3600}},
                                  CLI::AsNumberWithUnit::UNIT_REQUIRED))
        ->check(CLI::NonNegativeNumber)
        ->group(group);
    app.add_option("--farm,--cmc-backend",
                   request.farm,
                   "Where shards are sampled: sequential, threads, processes, ranks, slurm, pbs "
                   "[threads of all ranks]")
        ->type_name("NAME")
        ->check(known_farm)
        ->group(group);
    app.add_option("--cluster-account", request.cluster.account, "Of slurm and pbs [the user's]")
        ->type_name("NAME")
        ->group(group);
    app.add_option("--cluster-queue", request.cluster.queue, "Partition of slurm, queue of pbs")
        ->type_name("NAME")
        ->group(group);
    app.add_option("--cluster-minutes", request.cluster.minutes, "Limit of a task [the queue's]")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000))
        ->group(group);
    app.add_option("--cluster-tasks", request.cluster.at_once, "That run at once [any number]")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000))
        ->group(group);
    app.add_option_function<std::int64_t>(
           "--seed", [&request](std::int64_t seed) { request.seed = seed; }, "[42]")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber)
        ->group(group);
}

std::shared_ptr<XpcsRunCommand> add_work(CLI::App& app,
                                         Command& result,
                                         const XpcsHandlers& handlers,
                                         app::XpcsWork work) {
    auto command = bind(app, result, handlers.run);
    auto& request = command->request;
    request.work = work;
    add_data_options(app, request);
    add_model_options(app, request);
    add_fit_options(app, request);
    add_search_options(app, request);
    if (work != app::XpcsWork::fit) {
        add_sample_options(app, request);
    }
    add_run_options(app, request.run, "Where results go [CONFIG-results]");
    add_result_options(app, request);
    if (work != app::XpcsWork::fit) {
        add_resume_options(app, request.run, 5);
    }
    add_rank_options(app, request.run, command->backend);
    add_voice(app, command->voice);
    return command;
}

void add_run(CLI::App& parent, Command& result, const XpcsHandlers& handlers) {
    auto* app = parent.add_subcommand("run", "Fit, then sample the posterior");
    const auto command = add_work(*app, result, handlers, app::XpcsWork::both);
    add_method_option(*app, command->request);
    app->footer(footer(R"(  lockstep xpcs run config.yaml
      a fit with error bars, then its posterior; results in config-results
  lockstep xpcs run config.yaml --sampler nuts --n-chains 8
  lockstep launch -n 3 -- lockstep xpcs run config.yaml
      the same bits
  lockstep xpcs run config.yaml --resume
      goes on after an interruption, with the same bits
)",
                       signal_codes));
}

void add_fit(CLI::App& parent, Command& result, const XpcsHandlers& handlers) {
    auto* app = parent.add_subcommand("fit", "Least squares, with error bars");
    add_work(*app, result, handlers, app::XpcsWork::fit);
    app->footer(footer(R"(  lockstep xpcs fit config.yaml
  lockstep xpcs fit config.yaml --scaling individual --errors blocks
  lockstep xpcs fit config.yaml --sigma 0.01 --errors classical
      weights and errors of homodyne, each pair of frames counted once
  lockstep xpcs fit config.yaml --fix D_offset=0 --fix phi0
      these two are not fitted, and have no part in errors and posterior
  lockstep xpcs fit config.yaml --multi-start 50
      says so when the data do not tell which of several minima is meant
  lockstep xpcs fit config.yaml --search cma-es
      where the start may be far from the minimum
  lockstep xpcs fit config.yaml --loss cauchy
      outliers hardly count
  lockstep xpcs fit config.yaml --objective compat-grid
      the minimum that homodyne has below 100,000 points
)",
                       signal_codes));
}

void add_sample(CLI::App& parent, Command& result, const XpcsHandlers& handlers) {
    auto* app = parent.add_subcommand("sample", "The posterior around a fit");
    add_work(*app, result, handlers, app::XpcsWork::sample);
    app->footer(footer(R"(  lockstep xpcs sample config.yaml
      fits, then draws by importance; by the no-U-turn sampler where the weights ask for it
  lockstep xpcs sample config.yaml --sampler nuts --n-chains 8 --n-samples 2000
  lockstep xpcs sample config.yaml --shards 4 --sharding stratified
      also combines the posteriors of four shards, and says how far they are off
)",
                       signal_codes));
}

// What worker processes of --farm run; not for people.
void add_shard_worker(CLI::App& parent, Command& result, const XpcsHandlers& handlers) {
    auto* app = parent.add_subcommand("shard-worker", "Samples shards for another process");
    auto command = bind(*app, result, handlers.shard_worker);
    app->group("");
    app->add_option("JOB", command->job)->required()->check(not_empty);
    auto* folder = app->add_option("FOLDER", command->folder)->check(not_empty);
    app->add_option("INDEX", command->index)->needs(folder)->check(CLI::NonNegativeNumber);
}

constexpr std::string_view batch_codes =
    R"(  1    some datasets failed: the table, batch.json and report.html say which and why
)";

void add_batch(CLI::App& parent, Command& result, const XpcsHandlers& handlers) {
    auto* app = parent.add_subcommand(
        "batch", "Fit and sample many datasets, the next one read and fitted meanwhile");
    auto command = bind(*app, result, handlers.batch);
    auto& request = command->request;
    auto& each = request.each;
    app->add_option("DATA",
                    request.inputs,
                    "With --config data files, else configurations: files, folders, 'patterns*'")
        ->required()
        ->type_name(" ")
        ->check(not_empty);
    app->add_option("--config,-c", each.run.input, "One configuration for all data files")
        ->type_name("FILE")
        ->check(not_empty)
        ->group(model_group);
    add_method_option(*app, each);
    add_model_options(*app, each);
    add_fit_options(*app, each);
    add_search_options(*app, each);
    add_sample_options(*app, each);
    app->add_option(
           "--ahead", request.ahead, "Datasets in memory beside the one that is worked on [2]")
        ->type_name("N")
        ->check(CLI::Range(0, 64));
    app->add_flag(
           "--resume",
           each.run.resume,
           "Keep what an earlier batch in the same folder did with the same input and options")
        ->envname("LOCKSTEP_RESUME");
    add_run_options(*app, each.run, "A folder for each dataset goes here [DATA-batch]");
    add_result_options(*app, each);
    add_rank_options(*app, each.run, command->backend);
    add_voice(*app, command->voice);
    app->footer(footer(R"(  lockstep xpcs batch --config config.yaml 'scans/*.h5' -o scans-fitted
      a series of HDF5 files with one configuration; report.html shows D0 over the series
  lockstep xpcs batch monday tuesday --method nlsq
      all configurations in two folders, without their posteriors
  lockstep xpcs batch --config config.yaml scans -o scans-fitted --resume
      only what is new or was not finished
  lockstep launch -n 4 -- lockstep xpcs batch --config config.yaml scans
      ranks share the datasets; each has the same bits as xpcs run of it alone
)",
                       std::string(batch_codes) + std::string(signal_codes)));
}

void add_validate(CLI::App& parent, Command& result, const XpcsHandlers& handlers) {
    auto* app = parent.add_subcommand("validate",
                                      "Check configuration and data, and tell what would be used");
    auto command = bind(*app, result, handlers.validate);
    add_data_options(*app, command->request);
    add_model_options(*app, command->request);
    add_fit_options(*app, command->request);
    add_search_options(*app, command->request);
    add_json(*app, command->voice);
    app->footer(footer(R"(  lockstep xpcs validate config.yaml
      wavevector, gap, frames, angles after filters, memory, time, how the fit would go, keys that
      do nothing
)"));
}

std::vector<double> angles_in(const std::string& text) {
    std::vector<double> angles;
    for (const auto& word : CLI::detail::split(text, ',')) {
        double angle = 0;
        if (!CLI::detail::lexical_cast(word, angle)) {
            throw CLI::ValidationError("--phi-angles",
                                       "'" + word + "' is no angle: write degrees as 0,45,90");
        }
        angles.push_back(angle);
    }
    return angles;
}

void add_simulate(CLI::App& parent, Command& result, const XpcsHandlers& handlers) {
    auto* app = parent.add_subcommand(
        "simulate", "Make up a measurement whose truth is the configuration's start");
    auto command = bind(*app, result, handlers.simulate);
    auto& request = command->request;
    app->add_option("CONFIG", request.configuration, "homodyne's configuration: .yaml or .json")
        ->required()
        ->type_name(" ")
        ->check(not_empty);
    app->add_option("--output,-o", request.file, "HDF5 file, in the older layout of the APS")
        ->required()
        ->type_name("FILE")
        ->check(not_empty);
    app->add_option("--frames", request.frames, "[64]")
        ->type_name("N")
        ->check(CLI::Range(3, 100'000));
    app->add_option_function<std::string>(
           "--phi-angles",
           [&request](const std::string& text) { request.phi = angles_in(text); },
           "Degrees, as 0,45,90 [six in a flow, three without]")
        ->type_name("LIST");
    app->add_option("--contrast", request.contrast, "[0.3]")->type_name("X");
    app->add_option("--offset", request.offset, "[1]; of speckle it is 1")->type_name("X");
    auto* sigma = app->add_option("--noise-sigma", request.noise.sigma, "Of a value of c2 [0.004]")
                      ->type_name("S")
                      ->check(CLI::NonNegativeNumber);
    auto* pixels = app->add_option_function<int>(
                          "--pixels",
                          [&request](int count) {
                              request.noise.kind = xpcs::SimulatedNoise::Kind::speckle;
                              request.noise.pixels = count;
                          },
                          "Simulate so many pixels of speckle instead of independent errors")
                       ->type_name("N")
                       ->excludes(sigma)
                       ->check(CLI::Range(8, 100'000'000));
    app->add_option(
           "--photons", request.noise.photons, "With --pixels: per pixel and frame [no limit]")
        ->type_name("X")
        ->needs(pixels)
        ->check(CLI::PositiveNumber);
    app->add_option("--seed", request.noise.seed, "[42]")->type_name("N");
    app->add_option("--threads,-t", request.threads, "[as many as may be used]")->type_name("N");
    app->footer(footer(R"(  lockstep xpcs simulate config.yaml -o made_up.h5
  lockstep xpcs simulate config.yaml -o speckle.h5 --pixels 20000 --photons 0.2
)"));
}

void add_init(CLI::App& parent, Command& result, const XpcsHandlers& handlers) {
    auto* app = parent.add_subcommand(
        "init", "Start with a configuration and a small measurement of known truth");
    auto command = bind(*app, result, handlers.init);
    add_place(*app, "FOLDER", command->folder, "Made where there is none");
    app->add_option("--mode", command->mode, "static or laminar_flow [laminar_flow]")
        ->type_name("MODE")
        ->check(CLI::IsMember({"static", "laminar_flow"}));
    app->add_flag("--bare", command->is_bare, "The configuration alone, without data");
    app->footer(footer(R"(  lockstep xpcs init first
  lockstep xpcs run first/config.yaml
)"));
}

void add_summary(CLI::App& parent, Command& result, const XpcsHandlers& handlers) {
    auto* app = parent.add_subcommand("summary", "What came out of a fit or a posterior");
    auto command = bind(*app, result, handlers.summary);
    add_place(*app, "OUT", command->output_directory, "Output directory of a run");
    add_json(*app, command->voice);
    app->footer(footer(R"(  lockstep xpcs summary config-results
  lockstep xpcs summary config-results --json | jq '.fit.values[] | {name, value, error}'
)"));
}

}  // namespace

void add_xpcs(CLI::App& parent, Command& result, const XpcsHandlers& handlers) {
    auto* app = parent.add_subcommand(
        "xpcs", "X-ray photon correlation: fits and posteriors of two-time correlations");
    app->require_subcommand(1);
    add_run(*app, result, handlers);
    add_fit(*app, result, handlers);
    add_sample(*app, result, handlers);
    add_shard_worker(*app, result, handlers);
    add_batch(*app, result, handlers);
    add_validate(*app, result, handlers);
    add_simulate(*app, result, handlers);
    add_init(*app, result, handlers);
    add_summary(*app, result, handlers);
    app->footer(footer(R"(  lockstep xpcs init first && lockstep xpcs run first/config.yaml
  lockstep report config-results
)"));
}

}  // namespace lockstep::cli
