#include "lockstep/app/sddp/validate.hpp"

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "json_lines.hpp"
#include "sddp/commands.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

io::Json problem_json(const lockstep::Problem& problem) {
    auto object = io::Json::object();
    object.set("kind", to_string(problem.kind));
    object.set("severity", is_warning(problem.kind) ? "warning" : "error");
    object.set("file", problem.file);
    object.set("entity", problem.entity);
    object.set("message", problem.message);
    return object;
}

io::Json validation_json(const app::Validation& validation) {
    auto object = io::Json::object();
    object.set("valid", !validation.problems.has_errors());
    auto problems = io::Json::array();
    for (const auto& problem : validation.problems.all())
        problems.push(problem_json(problem));
    object.set("problems", std::move(problems));
    auto counts = io::Json::object();
    for (const auto& [name, number] : validation.counts)
        counts.set(name, number);
    object.set("counts", std::move(counts));
    if (!validation.input_digest.empty())
        object.set("input_digest", validation.input_digest);
    return object;
}

std::string verdict(const app::Validation& validation) {
    const auto errors = validation.problems.error_count();
    const auto warnings = validation.problems.all().size() - errors;
    const auto with_warnings =
        warnings == 0 ? std::string()
                      : ", " + app::plural(static_cast<std::int64_t>(warnings), "warning");
    if (errors > 0)
        return app::plural(static_cast<std::int64_t>(errors), "error") + with_warnings + "\n";
    return "valid" + with_warnings + "\n";
}

std::string validation_text(const app::Validation& validation) {
    std::string text;
    for (const auto& problem : validation.problems.all())
        text += to_string(problem) + "\n";
    for (const auto& [name, number] : validation.counts)
        text += fmt::format("{:<24}{:>9}\n", name, app::count(number));
    return text + verdict(validation);
}

// A case of which only files are missing is a matter of files, as Problems::throw_if_errors says
// it.
int exit_code_of(const Problems& problems) {
    if (!problems.has_errors())
        return 0;
    for (const auto& problem : problems.all())
        if (!is_warning(problem.kind) && problem.kind != ProblemKind::file_not_found)
            return 65;
    return 66;
}

}  // namespace

int execute(const ValidateCommand& command) {
    const auto validation = app::validate_case(command.case_directory, command.settings);
    if (command.voice.json)
        print_line(validation_json(validation));
    else
        print(validation_text(validation));
    return exit_code_of(validation.problems);
}

}  // namespace lockstep::cli
