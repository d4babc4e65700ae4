#include "lockstep/app/sddp/validate.hpp"

#include <algorithm>
#include <limits>

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

io::Json inflows_json(const std::vector<app::InflowComparison>& inflows) {
    auto array = io::Json::array();
    for (const auto& plant : inflows) {
        auto object = io::Json::object();
        object.set("hydro_id", plant.hydro_id);
        object.set("name", plant.name);
        object.set("record_years", plant.record_years);
        object.set("observed_mean_m3s", plant.observed_mean_m3s);
        object.set("observed_std_m3s", plant.observed_std_m3s);
        object.set("model_mean_m3s", plant.model_mean_m3s);
        object.set("model_std_m3s", plant.model_std_m3s);
        array.push(std::move(object));
    }
    return array;
}

io::Json number_json(const sddp::PlacedNumber& number) {
    auto object = io::Json::object();
    object.set("size", number.size);
    object.set("stage", number.stage);
    object.set("place", number.place);
    return object;
}

io::Json numbers_json(const std::vector<sddp::NumberRange>& ranges) {
    auto array = io::Json::array();
    for (const auto& range : ranges) {
        auto object = io::Json::object();
        object.set("kind", range.kind);
        object.set("smallest", number_json(range.least));
        object.set("largest", number_json(range.most));
        array.push(std::move(object));
    }
    return array;
}

io::Json validation_json(const app::Validation& validation) {
    auto object = io::Json::object();
    object.set("valid", !validation.problems.has_errors());
    auto problems = io::Json::array();
    for (const auto& problem : validation.problems.all()) {
        problems.push(problem_json(problem));
    }
    object.set("problems", std::move(problems));
    auto counts = io::Json::object();
    for (const auto& [name, number] : validation.counts) {
        counts.set(name, number);
    }
    object.set("counts", std::move(counts));
    if (!validation.inflows.empty()) {
        object.set("inflows", inflows_json(validation.inflows));
    }
    if (!validation.numbers.empty()) {
        object.set("numbers", numbers_json(validation.numbers));
    }
    if (!validation.input_digest.empty()) {
        object.set("input_digest", validation.input_digest);
    }
    return object;
}

std::string verdict(const app::Validation& validation) {
    const auto errors = validation.problems.error_count();
    const auto warnings = validation.problems.all().size() - errors;
    const auto with_warnings =
        warnings == 0 ? std::string()
                      : ", " + app::plural(static_cast<std::int64_t>(warnings), "warning");
    if (errors > 0) {
        return app::plural(static_cast<std::int64_t>(errors), "error") + with_warnings + "\n";
    }
    return "valid" + with_warnings + "\n";
}

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
};

// Of model to observed over all plants; empty where nothing was observed but zeros.
Range ratios(const std::vector<app::InflowComparison>& inflows,
             double app::InflowComparison::*model,
             double app::InflowComparison::*observed) {
    Range range;
    for (const auto& plant : inflows) {
        if (plant.*observed > 0) {
            range.low = std::min(range.low, plant.*model / (plant.*observed));
            range.high = std::max(range.high, plant.*model / (plant.*observed));
        }
    }
    return range;
}

const char* what_was_observed(const std::vector<app::InflowComparison>& inflows) {
    const auto has_record = [](const auto& plant) { return plant.record_years > 0; };
    if (std::all_of(inflows.begin(), inflows.end(), has_record)) {
        return "the record";
    }
    return std::any_of(inflows.begin(), inflows.end(), has_record) ? "record or statistics"
                                                                   : "the statistics";
}

// Nothing where no inflow varies.
std::string inflow_text(const std::vector<app::InflowComparison>& inflows) {
    using Plant = app::InflowComparison;
    const auto mean = ratios(inflows, &Plant::model_mean_m3s, &Plant::observed_mean_m3s);
    const auto deviation = ratios(inflows, &Plant::model_std_m3s, &Plant::observed_std_m3s);
    if (deviation.low > deviation.high || mean.low > mean.high) {
        return {};
    }
    return fmt::format(
        "inflows of the model, as seen from the last ones observed: mean {:.2f} to "
        "{:.2f}, deviation {:.2f} to {:.2f} times that of {}, by plant\n",
        mean.low,
        mean.high,
        deviation.low,
        deviation.high,
        what_was_observed(inflows));
}

std::string numbers_text(const std::vector<sddp::NumberRange>& ranges) {
    if (ranges.empty()) {
        return {};
    }
    std::string text = "numbers of the stage LPs, smallest and largest\n";
    for (const auto& range : ranges) {
        text +=
            fmt::format("  {:<20}{:>9.3g}  {}\n", range.kind, range.least.size, range.least.place);
        if (range.most.size > range.least.size) {
            text += fmt::format("  {:<20}{:>9.3g}  {}\n", "", range.most.size, range.most.place);
        }
    }
    return text;
}

std::string validation_text(const app::Validation& validation) {
    std::string text;
    for (const auto& problem : validation.problems.all()) {
        text += to_string(problem) + "\n";
    }
    for (const auto& [name, number] : validation.counts) {
        text += fmt::format("{:<24}{:>9}\n", name, app::count(number));
    }
    return text + inflow_text(validation.inflows) + numbers_text(validation.numbers) +
           verdict(validation);
}

// A case of which only files are missing is a matter of files, as Problems::throw_if_errors says
// it.
int exit_code_of(const Problems& problems) {
    if (!problems.has_errors()) {
        return 0;
    }
    for (const auto& problem : problems.all()) {
        if (!is_warning(problem.kind) && problem.kind != ProblemKind::file_not_found &&
            problem.kind != ProblemKind::file_unreadable) {
            return 65;
        }
    }
    return 66;
}

}  // namespace

int execute(const ValidateCommand& command) {
    const auto validation = app::validate_case(command.request.input, command.request.settings);
    if (command.voice.json) {
        print_line(validation_json(validation));
    } else {
        print(validation_text(validation));
    }
    return exit_code_of(validation.problems);
}

}  // namespace lockstep::cli
