#include "json_lines.hpp"

#include "terminal.hpp"

namespace lockstep::cli {
namespace {

io::Json event(const char* name) {
    auto object = io::Json::object();
    object.set("event", name);
    return object;
}

io::Json rule_json(const sddp::StoppingRule& rule) {
    using Kind = sddp::StoppingRule::Kind;
    auto object = io::Json::object();
    switch (rule.kind) {
        case Kind::iteration_limit:
            object.set("type", "iteration_limit");
            object.set("limit", rule.iterations);
            break;
        case Kind::time_limit:
            object.set("type", "time_limit");
            object.set("seconds", rule.seconds);
            break;
        case Kind::bound_stalling:
            object.set("type", "bound_stalling");
            object.set("iterations", rule.iterations);
            object.set("tolerance", rule.tolerance);
            break;
    }
    return object;
}

io::Json phase_json(const sddp::PhaseReport& phase) {
    auto object = io::Json::object();
    object.set("lp_solves", phase.solves);
    object.set("units", phase.units);
    object.set("pivots", phase.pivots);
    object.set("solve_seconds", phase.solve_seconds);
    object.set("wall_seconds", phase.wall_seconds);
    return object;
}

}  // namespace

io::Json event_of(const app::RunStart& start) {
    auto object = event("start");
    object.set("case", start.case_name);
    object.set("case_directory", start.case_directory.string());
    object.set("output_directory", start.output_directory.string());
    object.set("stages", start.stages);
    object.set("hydros", start.hydros);
    object.set("thermals", start.thermals);
    object.set("buses", start.buses);
    object.set("lines", start.lines);
    object.set("non_controllables", start.sources);
    object.set("generic_constraints", start.constraints);
    object.set("state_size", start.state_size);
    object.set("trains", start.trains);
    object.set("forward_passes", start.train.forward_passes);
    auto rules = io::Json::array();
    for (const auto& rule : start.train.stopping)
        rules.push(rule_json(rule));
    object.set("stopping_rules", std::move(rules));
    object.set("simulates", start.simulates);
    object.set("scenarios", start.simulate.scenarios);
    object.set("solver", lp::to_string(start.trains ? start.train.solver : start.simulate.solver));
    object.set("ranks", start.ranks);
    object.set("threads", start.threads);
    object.set("backend", start.backend);
    return object;
}

io::Json event_of(const sddp::IterationReport& report) {
    auto object = event("iteration");
    object.set("iteration", report.iteration);
    object.set("lower_bound", report.lower_bound);
    object.set("upper_bound", report.upper_bound);
    object.set("upper_bound_std", report.upper_bound_std);
    object.set("half_width_95", report.half_width_95);
    object.set("gap", report.gap);
    object.set("cuts_added", report.cuts_added);
    object.set("cuts_active", report.cuts_active);
    object.set("mean_cuts_in_lp", report.mean_cuts_in_lp);
    object.set("forward", phase_json(report.forward));
    object.set("backward", phase_json(report.backward));
    object.set("bound", phase_json(report.bound));
    object.set("wall_seconds", report.wall_seconds);
    object.set("elapsed_seconds", report.elapsed_seconds);
    return object;
}

io::Json event_of(const lockstep::Problem& warning) {
    auto object = event("warning");
    object.set("kind", to_string(warning.kind));
    object.set("file", warning.file);
    object.set("entity", warning.entity);
    object.set("message", warning.message);
    return object;
}

io::Json simulation_event(int done, int total) {
    auto object = event("simulation");
    object.set("done", done);
    object.set("total", total);
    return object;
}

void JsonLines::on_warning(const lockstep::Problem& problem) {
    print_line(event_of(problem));
}

void JsonLines::on_notice(const std::string& text) {
    auto object = event("notice");
    object.set("message", text);
    print_line(object);
}

void JsonLines::on_start(const app::RunStart& start) {
    print_line(event_of(start));
}

void JsonLines::on_iteration(const sddp::IterationReport& report) {
    print_line(event_of(report));
}

void JsonLines::on_simulation_progress(int done, int total) {
    print_line(simulation_event(done, total));
}

void print_line(const io::Json& value) {
    print(io::to_text(value) + "\n");
}

}  // namespace lockstep::cli
