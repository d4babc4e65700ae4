#include <algorithm>
#include <filesystem>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/app/xpcs/shard_worker.hpp"

#include "display.hpp"
#include "json_lines.hpp"
#include "program.hpp"
#include "summary_lines.hpp"
#include "terminal.hpp"
#include "xpcs/commands.hpp"
#include "xpcs/texts.hpp"

namespace lockstep::cli {
namespace {

using formats::xpcs::FitRecord;
using formats::xpcs::PosteriorRecord;
using formats::xpcs::ValueRecord;

std::string cut_text(const ValueRecord& value) {
    return value.cut.empty() ? ""
           : value.cut == "both"
               ? ", less than its error from both bounds"
               : fmt::format(", less than its error from the {} bound", value.cut);
}

std::string value_line(const ValueRecord& value) {
    const auto error =
        value.error ? fmt::format("+- {}", app::digits(*value.error, 3)) : std::string("no error");
    const std::string unit = value.unit == "1" && value.cut.empty() ? "" : value.unit;
    return summary_line(value.name,
                        fmt::format("{} {}", app::digits(value.value, 6), error),
                        value.bound.empty() ? fmt::format("{}{}", unit, cut_text(value))
                                            : "at its " + value.bound + " bound");
}

std::string search_line(const formats::xpcs::SearchRecord& search) {
    if (search.is_skipped) {
        return summary_line("search", search.kind, "not needed: the fit from the start is good");
    }
    if (search.kind == "cma-es") {
        return summary_line("search",
                            search.kind,
                            fmt::format("{} points in {}{}",
                                        app::count(search.evaluations),
                                        app::plural(search.runs, "run"),
                                        search.is_result ? ", no local fit after them" : ""));
    }
    const auto minima = search.minima.size();
    return summary_line(
        "search",
        fmt::format("{} starts", search.starts),
        minima > 1 ? fmt::format("{} minima fit alike: the data do not tell which is meant", minima)
                   : "one minimum fits best");
}

std::string fit_text(const FitRecord& record) {
    std::string text;
    for (const auto& value : record.values) {
        text += value_line(value);
    }
    for (const auto& held : record.held) {
        text += summary_line(
            held.name, app::exact(held.value) + " held", held.unit == "1" ? "" : held.unit);
    }
    text += summary_line(
        "chi2",
        app::digits(record.chi_squared),
        fmt::format(
            "{} of {} degrees of freedom",
            app::digits(record.chi_squared / static_cast<double>(record.degrees_of_freedom), 4),
            app::count(record.degrees_of_freedom)));
    if (record.objective == "compat-grid") {
        text += summary_line("objective",
                             record.objective,
                             "both triangles and the diagonal: errors are smaller by sqrt(2)");
        text += summary_line("homodyne",
                             app::digits(record.legacy_chi_squared.value_or(0), 10),
                             "what it reports as chi2: the squared model");
    }
    if (record.loss != "linear") {
        text += summary_line("loss",
                             record.loss,
                             fmt::format("from {} sigma on; it sums up to {}",
                                         app::exact(record.loss_scale),
                                         app::digits(record.minimised)));
    }
    if (record.search) {
        text += search_line(*record.search);
    }
    if (record.penalty > 0) {
        text += summary_line("penalty", app::digits(record.penalty), "of scales that differ");
    }
    if (record.sequential && !record.sequential->is_used) {
        text += summary_line("one by one", "not used", "too few angles can be fitted alone");
    }
    text += summary_line("errors", record.error_method, "standard errors, 68 %");
    text += summary_line("fit",
                         app::plural(record.iterations, "iteration"),
                         fmt::format("{}, {}", app::duration(record.seconds), record.ending));
    if (!record.remark.empty()) {
        text += summary_line("undetermined", record.remark);
    }
    return text + summary_line("digest", record.digest, "of the fit");
}

/// Draws are as wide as classical errors are, since their density takes errors for independent.
std::string width_line(const FitRecord& record) {
    std::vector<double> ratios;
    for (const auto& value : record.values) {
        if (value.error && value.classical && *value.classical > 0) {
            ratios.push_back(*value.error / *value.classical);
        }
    }
    if (ratios.empty() || record.error_method == "classical") {
        return "";
    }
    const auto middle = ratios.begin() + std::ssize(ratios) / 2;
    std::nth_element(ratios.begin(), middle, ratios.end());
    return summary_line("widths",
                        "of independent errors",
                        fmt::format("the fit's {} errors are {} times as wide",
                                    record.error_method,
                                    app::digits(*middle, 2)));
}

std::string difference_text(const formats::xpcs::ConsensusRecord& record) {
    if (!record.largest_shift) {
        return record.shortfall.empty() ? "" : record.shortfall;
    }
    return fmt::format("shift {} sd, widths {} to {}, correlations {} off",
                       app::digits(*record.largest_shift, 2),
                       app::digits(*record.smallest_width, 2),
                       app::digits(*record.largest_width, 2),
                       app::digits(*record.largest_correlation_difference, 2));
}

std::string choice_line(const char* title, const formats::xpcs::ChoiceRecord& choice) {
    return choice.taken.empty() ? "" : summary_line(title, choice.taken, choice.remark);
}

std::string consensus_text(const formats::xpcs::ConsensusRecord& record) {
    std::string text = summary_line("shards",
                                    fmt::format("{} of {} combined", record.kept, record.shards),
                                    difference_text(record));
    text += choice_line("dealt", record.sharding);
    text += choice_line("combined by", record.combination);
    for (std::size_t shard = 0; shard < record.each.size(); ++shard) {
        const auto& of = record.each[shard];
        if (of.verdict != "kept") {
            text += summary_line(
                "left out", fmt::format("shard {}: {}", shard, of.verdict), of.failure);
        }
    }
    return text +
           summary_line(
               "farm",
               fmt::format("{}, {}", record.farm.farm, app::plural(record.farm.workers, "worker")),
               record.farm.remark);
}

std::string posterior_text(const PosteriorRecord& record) {
    std::string text = "\n";
    for (const auto& of : record.quantities) {
        text += summary_line(
            of.name,
            fmt::format("{} +- {}", app::digits(of.mean, 6), app::digits(of.sd, 3)),
            fmt::format("90 %: {} to {}", app::digits(of.q05, 6), app::digits(of.q95, 6)));
    }
    text += summary_line("posterior",
                         fmt::format("{} draws by {}",
                                     app::count(std::int64_t{record.chains} * record.draws),
                                     record.method),
                         app::duration(record.seconds));
    if (record.pareto_k) {
        text += summary_line("weights",
                             fmt::format("k = {}", app::digits(*record.pareto_k, 2)),
                             fmt::format("{} of {} points count",
                                         app::digits(*record.effective_size, 5),
                                         app::count(*record.points)));
    }
    if (record.divergences) {
        text += summary_line("chains",
                             app::count(*record.divergences) + " divergent",
                             fmt::format("acceptance {}", app::digits(*record.acceptance, 2)));
    }
    if (record.consensus) {
        text += consensus_text(*record.consensus);
    }
    for (const auto& remark : record.remarks) {
        text += summary_line("not as fitted", remark);
    }
    return text + summary_line("digest", record.digest, "of the draws");
}

std::string text_of(const FitRecord& fit,
                    const std::optional<PosteriorRecord>& posterior,
                    const std::string& output) {
    return "\n" + fit_text(fit) + (posterior ? posterior_text(*posterior) + width_line(fit) : "") +
           summary_line("output", output);
}

io::Json json_of(const FitRecord& fit, const std::optional<PosteriorRecord>& posterior) {
    io::Json json = io::Json::object();
    json.set("fit", to_json(fit));
    json.set("posterior", posterior ? to_json(*posterior) : io::Json());
    return json;
}

}  // namespace

int execute(const XpcsShardWorkerCommand& command) {
    return command.folder.empty()
               ? app::serve_shards(command.job)
               : app::serve_shard_element(command.job, command.folder, command.index);
}

int execute(const XpcsRunCommand& command) {
    auto request = command.request;
    request.program = own_command();
    return on_display(command.request.run.backend,
                      command.voice,
                      [&](comm::Communicator& ranks, app::Observer& observer) {
                          const auto outcome = app::analyse_measurement(request, ranks, observer);
                          const auto output = outcome.run.output.string();
                          return Ending{outcome.run.signal,
                                        json_of(outcome.fit, outcome.posterior),
                                        text_of(outcome.fit, outcome.posterior, output),
                                        output};
                      });
}

int execute(const XpcsSummaryCommand& command) {
    if (std::filesystem::exists(command.output_directory / formats::xpcs::BatchRecord::file_name)) {
        const auto record = formats::xpcs::read_batch(command.output_directory);
        if (command.voice.json) {
            print_line(to_json(record));
        } else {
            print(text_of(record, command.output_directory.string()));
        }
        return 0;
    }
    const auto fit = formats::xpcs::read_fit(command.output_directory);
    std::optional<PosteriorRecord> posterior;
    if (std::filesystem::exists(command.output_directory / "posterior.json")) {
        posterior = formats::xpcs::read_posterior(command.output_directory);
    }
    if (command.voice.json) {
        print_line(json_of(fit, posterior));
    } else {
        print(text_of(fit, posterior, command.output_directory.string()));
    }
    return 0;
}

}  // namespace lockstep::cli
