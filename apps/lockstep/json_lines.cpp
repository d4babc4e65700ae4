#include "json_lines.hpp"

#include "terminal.hpp"

namespace lockstep::cli {
namespace {

io::Json event(const char* name) {
    auto object = io::Json::object();
    object.set("event", name);
    return object;
}

}  // namespace

io::Json event_of(const app::RunFacts& facts) {
    auto object = event("start");
    object.set("engine", facts.engine);
    object.set("case", facts.name);
    object.set("case_directory", facts.input.string());
    object.set("output_directory", facts.output.string());
    object.set("ranks", facts.ranks);
    object.set("threads", facts.threads);
    object.set("backend", facts.backend);
    for (const auto& [name, value] : *facts.details.if_object()) {
        object.set(name, value);
    }
    return object;
}

io::Json event_of(const app::Progress& progress) {
    auto object = event("progress");
    object.set("phase", progress.phase);
    object.set("step", progress.step);
    object.set("done", progress.done);
    object.set("total", progress.total > 0 ? io::Json(progress.total) : io::Json());
    object.set("seconds", progress.seconds);
    for (const auto& figure : progress.figures) {
        object.set(figure.name, figure.value);
        if (figure.half_width) {
            object.set(figure.name + "_half_width_95", *figure.half_width);
        }
    }
    return object;
}

io::Json event_of(const Problem& warning) {
    auto object = event("warning");
    object.set("kind", to_string(warning.kind));
    object.set("file", warning.file);
    object.set("entity", warning.entity);
    object.set("message", warning.message);
    return object;
}

void JsonLines::on_warning(const Problem& problem) {
    print_line(event_of(problem));
}

void JsonLines::on_notice(app::Notice kind, const std::string& text) {
    auto object = event("notice");
    object.set("kind", kind == app::Notice::trouble ? "trouble" : "news");
    object.set("message", text);
    print_line(object);
}

void JsonLines::on_start(const app::RunFacts& facts) {
    print_line(event_of(facts));
}

void JsonLines::on_progress(const app::Progress& progress) {
    print_line(event_of(progress));
}

void JsonLines::on_phase_end(const app::PhaseEnd& end) {
    auto object = event("phase_end");
    object.set("phase", end.phase);
    object.set("message", end.sentence);
    print_line(object);
}

void print_line(const io::Json& value) {
    print(io::to_text(value) + "\n");
}

}  // namespace lockstep::cli
