#include "xpcs/commands.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "lockstep/app/xpcs/options.hpp"

#include "option_flags.hpp"
#include "options.hpp"

namespace lockstep::cli {
namespace {

void add_configuration(CLI::App& app, std::filesystem::path& configuration) {
    add_place(app, "CONFIG", configuration, "homodyne's configuration: .yaml or .json");
}

std::shared_ptr<XpcsRunCommand> add_work(CLI::App& app,
                                         Command& result,
                                         const XpcsHandlers& handlers,
                                         app::XpcsWork work) {
    auto command = bind(app, result, handlers.run);
    auto& request = command->request;
    request.work = work;
    add_configuration(app, request.run.input);
    add_options(app, app::xpcs_run_options(work), request);
    add_voice(app, command->voice);
    return command;
}

void add_run(CLI::App& parent, Command& result, const XpcsHandlers& handlers) {
    auto* app = parent.add_subcommand("run", "Fit, then sample the posterior");
    const auto command = add_work(*app, result, handlers, app::XpcsWork::both);
    add_options(*app, app::xpcs_method_option(), command->request);
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
    app->add_option("DATA",
                    request.inputs,
                    "With --config data files, else configurations: files, folders, 'patterns*'")
        ->required()
        ->type_name(" ")
        ->check(not_empty);
    add_options(*app, app::xpcs_batch_options(), request);
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
    add_configuration(*app, command->request.run.input);
    for (const auto& part : {app::xpcs_data_option(),
                             app::xpcs_model_options(),
                             app::xpcs_fit_options(),
                             app::xpcs_search_options()}) {
        add_options(*app, part, command->request);
    }
    add_json(*app, command->voice);
    app->footer(footer(R"(  lockstep xpcs validate config.yaml
      wavevector, gap, frames, angles after filters, memory, time, how the fit would go, keys that
      do nothing
)"));
}

void add_simulate(CLI::App& parent, Command& result, const XpcsHandlers& handlers) {
    auto* app = parent.add_subcommand(
        "simulate", "Make up a measurement whose truth is the configuration's start");
    auto command = bind(*app, result, handlers.simulate);
    auto& request = command->request;
    add_configuration(*app, request.configuration);
    app->add_option("--output,-o", request.file, "HDF5 file, in the older layout of the APS")
        ->required()
        ->type_name("FILE")
        ->check(not_empty);
    add_options(*app, app::xpcs_simulate_options(), request);
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
