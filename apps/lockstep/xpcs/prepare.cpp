#include "lockstep/app/xpcs/prepare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/app/text.hpp"

#include "json_lines.hpp"
#include "summary_lines.hpp"
#include "terminal.hpp"
#include "xpcs/commands.hpp"

namespace lockstep::cli {
namespace {

std::string listed(const char* name, const std::vector<std::string>& texts) {
    std::string text;
    for (const auto& line : texts) {
        text += fmt::format("{:<12} {}\n", name, line);
        name = "";
    }
    return text;
}

std::string plan_of_fit(const app::XpcsPlan& plan) {
    std::string text =
        summary_line("objective",
                     plan.objective,
                     plan.objective == "pairs" ? "each pair of frames once"
                                               : "every element of the matrices, as homodyne");
    text += summary_line("sigma",
                         plan.sigma > 0 ? app::exact(plan.sigma) : "from the data",
                         "standard deviation of a value of c2");
    text += summary_line("loss", plan.loss);
    text += summary_line("search", plan.search);
    text += summary_line("one by one", plan.sequential);
    text += summary_line("errors", plan.errors);
    for (const auto& parameter : plan.parameters) {
        text += summary_line(parameter.name,
                             app::exact(parameter.start) + (parameter.is_held ? " held" : ""),
                             parameter.is_held ? ""
                                               : fmt::format("start; {} to {}",
                                                             app::exact(parameter.lower),
                                                             app::exact(parameter.upper)));
    }
    return text;
}

io::Json json_of(const app::PlannedParameter& parameter) {
    return io::Json::Object{{"name", parameter.name},
                            {"unit", parameter.unit},
                            {"start", parameter.start},
                            {"lower", parameter.lower},
                            {"upper", parameter.upper},
                            {"held", parameter.is_held}};
}

std::string plan_text(const app::XpcsPlan& plan) {
    std::string text = summary_line("data", plan.file, plan.layout);
    text += summary_line("model", plan.mode, plan.scaling + " scaling");
    text += summary_line("wavevector", app::digits(plan.q), "1/angstrom");
    text += summary_line("gap", app::digits(plan.gap), "angstrom");
    text += summary_line(
        "frames",
        app::count(plan.frames),
        fmt::format("every {} s; the first, t = 0, is left out", app::digits(plan.dt)));
    text += summary_line("angles",
                         app::count(static_cast<std::int64_t>(plan.phi.size())),
                         fmt::format("{}", fmt::join(plan.phi, ", ")));
    text += summary_line("pairs", app::count(plan.pairs), "of frames, each counted once");
    text += summary_line("memory", app::digits(plan.memory_bytes / 1e6, 3) + " MB", "of a rank");
    text += summary_line("fit", app::duration(plan.fit_seconds), "on one core, roughly");
    text += plan_of_fit(plan);
    text += listed("notes", plan.notes);
    text += listed("doubts", plan.doubts);
    text += listed("no effect", plan.ignored);
    return text;
}

io::Json list_of(const std::vector<std::string>& texts) {
    io::Json list = io::Json::array();
    for (const auto& text : texts) {
        list.push(text);
    }
    return list;
}

io::Json plan_json(const app::XpcsPlan& plan) {
    io::Json json = io::Json::Object{{"file", plan.file},
                                     {"layout", plan.layout},
                                     {"mode", plan.mode},
                                     {"scaling", plan.scaling},
                                     {"q", plan.q},
                                     {"gap", plan.gap},
                                     {"dt", plan.dt},
                                     {"frames", plan.frames},
                                     {"pairs", plan.pairs},
                                     {"memory_bytes", plan.memory_bytes},
                                     {"fit_seconds", plan.fit_seconds},
                                     {"objective", plan.objective},
                                     {"sigma", plan.sigma},
                                     {"loss", plan.loss},
                                     {"search", plan.search},
                                     {"sequential", plan.sequential},
                                     {"errors", plan.errors}};
    io::Json phi = io::Json::array();
    for (const double angle : plan.phi) {
        phi.push(angle);
    }
    json.set("phi", std::move(phi));
    io::Json parameters = io::Json::array();
    for (const auto& parameter : plan.parameters) {
        parameters.push(json_of(parameter));
    }
    json.set("parameters", std::move(parameters));
    json.set("notes", list_of(plan.notes));
    json.set("doubts", list_of(plan.doubts));
    json.set("ignored", list_of(plan.ignored));
    return json;
}

}  // namespace

int execute(const XpcsValidateCommand& command) {
    const auto plan = app::plan_analysis(command.request);
    if (command.voice.json) {
        print_line(plan_json(plan));
    } else {
        print(plan_text(plan));
    }
    return 0;
}

int execute(const XpcsSimulateCommand& command) {
    app::simulate_measurement(command.request);
    print(command.request.file.string() + "\n");
    return 0;
}

int execute(const XpcsInitCommand& command) {
    app::init_analysis(command.folder, command.mode, !command.is_bare);
    print(fmt::format("{0}\nlockstep xpcs run {0}\n", (command.folder / "config.yaml").string()));
    return 0;
}

}  // namespace lockstep::cli
