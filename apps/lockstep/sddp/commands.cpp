#include "sddp/commands.hpp"

#include <CLI/CLI.hpp>

#include "lockstep/app/sddp/options.hpp"

#include "option_flags.hpp"
#include "options.hpp"

namespace lockstep::cli {
namespace {

void add_case(CLI::App& app, app::CaseRequest& request) {
    add_place(app, "CASE", request.run.input, "Case directory");
}

void add_run(CLI::App& parent, Command& result, const SddpHandlers& handlers) {
    auto* app = parent.add_subcommand("run", "Train a policy and simulate it");
    auto command = bind(*app, result, handlers.run);
    add_case(*app, command->request);
    add_options(*app, app::run_case_options(), command->request);
    add_voice(*app, command->voice);
    app->footer(footer(R"(  lockstep run cases/sddp/pmo-small
      trains and simulates, writes cases/sddp/pmo-small/output
  lockstep run mycase -o /tmp/out --set training.selection.forward_passes=8
      with one value of config.json changed
  lockstep run mycase --set 'training.stopping_rules=[{"type":"iteration_limit","limit":50}]'
  lockstep run mycase --checkpoint-every 5;  lockstep run mycase --resume
      keeps checkpoints; goes on after an interruption, with the same bits
  mpirun -n 4 lockstep run mycase --threads 8
      four ranks of eight threads
  lockstep run mycase --json | jq -c 'select(.event=="progress") | .lower_bound'
)",
                       signal_codes));
}

void add_simulate(CLI::App& parent, Command& result, const SddpHandlers& handlers) {
    auto* app = parent.add_subcommand("simulate", "Simulate a case under a policy on disk");
    auto command = bind(*app, result, handlers.simulate);
    add_case(*app, command->request.of);
    add_options(*app, app::simulate_case_options(), command->request);
    add_voice(*app, command->voice);
    app->footer(footer(R"(  lockstep simulate mycase --scenarios 2000
      with the policy that 'lockstep run mycase' left in mycase/output/policy
  lockstep simulate mycase --scenarios-from history -o /tmp/past
      what the policy would have made of every year of the record
  lockstep simulate mycase --policy other/output/policy -o /tmp/out
)",
                       signal_codes));
}

void add_validate(CLI::App& parent, Command& result, const SddpHandlers& handlers) {
    auto* app = parent.add_subcommand("validate", "Tell everything that is wrong with a case");
    auto command = bind(*app, result, handlers.validate);
    add_place(*app, "CASE", command->request.input, "Case directory");
    add_options(*app, app::case_settings(), command->request);
    add_json(*app, command->voice);
    app->footer(footer(R"(  lockstep validate mycase
      one problem a line: [kind] file (entity): message; or what the case holds
  lockstep validate mycase --json | jq '.problems[].file'
)"));
}

void add_summary(CLI::App& parent, Command& result, const SddpHandlers& handlers) {
    auto* app = parent.add_subcommand("summary", "Bounds, gap, costs and times of a finished run");
    auto command = bind(*app, result, handlers.summary);
    add_place(*app, "OUT", command->output_directory, "Output directory of a run");
    add_json(*app, command->voice);
    app->footer(footer(R"(  lockstep summary mycase/output
  lockstep summary mycase/output --json | jq .training.lower_bound
)"));
}

void add_init(CLI::App& parent, Command& result, const SddpHandlers& handlers) {
    auto* app = parent.add_subcommand("init", "Start a new case from a template");
    auto command = bind(*app, result, handlers.init);
    app->add_option("DIR", command->request.directory, "New case directory [the template's name]")
        ->check(not_empty);
    app->add_option("--template", command->request.case_template, "Which template [the first]")
        ->type_name("NAME");
    app->add_flag("--list", command->list, "Tell the templates");
    app->add_flag("--force", command->request.force, "Overwrite files that are there");
    app->footer(footer(R"(  lockstep init mycase
  lockstep run mycase
)"));
}

void add_schema(CLI::App& parent, Command& result, const SddpHandlers& handlers) {
    auto* app = parent.add_subcommand("schema",
                                      "Describe the input files: JSON Schemas or a page of fields");
    auto command = bind(*app, result, handlers.schema);
    command->output_directory = ".";
    app->add_option("--output-dir", command->output_directory, "Where they go [.]")
        ->type_name("DIR")
        ->check(not_empty);
    app->add_flag(
        "--markdown", command->markdown, "Print all fields as a page of Markdown instead");
    app->footer(footer(R"(  lockstep schema --output-dir schemas
      then in an editor: "$schema": "../schemas/stages.schema.json"
  lockstep schema --markdown > fields.md
)"));
}

void add_convert(CLI::App& parent, Command& result, const SddpHandlers& handlers) {
    auto* app = parent.add_subcommand("convert", "Write a case of Cobre 0.5 in the format of 0.18");
    auto command = bind(*app, result, handlers.convert);
    add_place(*app, "OLD", command->from, "Case directory of Cobre 0.5");
    add_place(*app, "NEW", command->to, "Where the converted case goes: a new or empty directory");
    app->footer(footer(R"(  lockstep sddp convert oldcase newcase
  lockstep sddp validate newcase
)"));
}

void add_evaluate(CLI::App& parent, Command& result, const SddpHandlers& handlers) {
    auto* app = parent.add_subcommand(
        "evaluate", "What a policy says a state costs, and what its water is worth");
    auto command = bind(*app, result, handlers.evaluate);
    add_place(*app,
              "POLICY",
              command->question.place.policy,
              "Output directory of a run, or a policy folder (of this program or of Cobre)");
    add_options(*app, app::policy_options(), command->question);
    add_json(*app, command->voice);
    app->footer(
        footer(R"(  lockstep sddp evaluate mycase/output --stage 3 --state FURNAS=60%,12=8000
      cost to go from the end of stage 3 on, water value of each reservoir, binding cuts
  lockstep sddp evaluate mycase/output --stage 3 --json | jq .cost_to_go
  lockstep sddp evaluate mycase/output --stage 3 --grid FURNAS --plot furnas.html
  lockstep sddp evaluate mycase/output --stage 3 --grid FURNAS,ITAIPU --table grid.parquet
  lockstep sddp evaluate mycase/output --cuts cuts.parquet
  lockstep sddp evaluate cobre-output/policy --case mycase --stage 0
      a policy that Cobre trained
)"));
}

}  // namespace

void add_sddp(CLI::App& parent, Command& result, const SddpHandlers& handlers) {
    auto* app = parent.add_subcommand("sddp", "Hydrothermal dispatch: all commands for it");
    app->require_subcommand(1);
    add_run(*app, result, handlers);
    add_simulate(*app, result, handlers);
    add_validate(*app, result, handlers);
    add_summary(*app, result, handlers);
    add_init(*app, result, handlers);
    add_schema(*app, result, handlers);
    add_convert(*app, result, handlers);
    add_evaluate(*app, result, handlers);
    app->footer(footer(R"(  lockstep sddp init mycase
  lockstep sddp validate mycase
  lockstep sddp run mycase
  lockstep sddp summary mycase/output
  lockstep sddp simulate mycase --scenarios 500
  lockstep sddp evaluate mycase/output --stage 3
)"));
}

}  // namespace lockstep::cli
