#include "lockstep/app/sddp/summary.hpp"

#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "json_lines.hpp"
#include "sddp/commands.hpp"
#include "summary_lines.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

std::string uncertain(double mean, double half_width) {
    const auto unit = app::unit_for(mean);
    return fmt::format("{} +- {} {}",
                       app::digits(mean / unit.dollars),
                       app::digits(half_width / unit.dollars, 3),
                       unit.name);
}

// One trajectory has no spread to tell a confidence interval from.
std::string upper_text(const app::Summary::Training& training, bool is_risk_averse) {
    const auto* name = is_risk_averse ? "mean cost" : "upper bound";
    if (training.is_exact) {
        return summary_line(
            "upper bound", app::money(training.upper_bound), "exact, of the whole tree");
    }
    if (training.forward_passes == 1) {
        return summary_line(name, app::money(training.upper_bound), "last trajectory");
    }
    return summary_line(name,
                        uncertain(training.upper_bound, training.half_width_95),
                        fmt::format("95 %, last {} trajectories", training.forward_passes));
}

std::string training_text(const app::Summary::Training& training, bool is_risk_averse) {
    if (training.iterations == 0) {
        return {};
    }
    return summary_line(training.is_bound ? "lower bound" : "lower estimate",
                        app::money(training.lower_bound),
                        app::exact(training.lower_bound) + " $") +
           upper_text(training, is_risk_averse) +
           (training.inner_bound ? summary_line("inner bound",
                                                app::money(*training.inner_bound),
                                                "true upper bound, from within")
                                 : std::string());
}

std::string simulation_text(const app::Summary::Simulation& simulation) {
    return summary_line("simulated mean",
                        uncertain(simulation.mean, simulation.half_width_95),
                        fmt::format("95 %, {}{}",
                                    app::plural(simulation.scenarios, "scenario"),
                                    simulation.is_complete ? "" : ", ended early"));
}

// The remark goes on below itself where the line would become longer than a terminal.
std::string convergence_text(const app::Summary& summary) {
    const auto words = app::convergence_words(summary);
    if (!words) {
        return {};
    }
    constexpr std::size_t room = 39;
    const auto& remark = words->remark;
    const auto end = remark.size() <= room ? remark.size() : remark.rfind(' ', room);
    auto text = summary_line(words->name, words->value, remark.substr(0, end));
    if (end < remark.size()) {
        text += summary_line("", "", remark.substr(end + 1));
    }
    return text;
}

// Nothing where all solves had their answer at once.
std::string retries_text(const std::vector<std::int64_t>& retried) {
    const auto solves = std::accumulate(retried.begin(), retried.end(), std::int64_t{0});
    if (solves == 0) {
        return {};
    }
    std::string kinds;
    for (std::size_t i = 0; i < retried.size(); ++i) {
        if (retried[i] > 0) {
            kinds += fmt::format(
                "{}{} took {}", kinds.empty() ? "" : ", ", app::count(retried[i]), i + 1);
        }
    }
    return summary_line("", app::count(solves) + " solves retried", "further attempts: " + kinds);
}

std::string effort_text(const app::Summary& summary) {
    std::string text;
    if (const auto& training = summary.training) {
        text += summary_line("training",
                             fmt::format("{} in {}",
                                         app::plural(training->iterations, "iteration"),
                                         app::duration(training->seconds)),
                             "ended by " + app::stop_words(training->stop_reason));
        text += summary_line("",
                             app::count(training->lp_solves) + " LP solves",
                             fmt::format("forward {}, backward {}",
                                         app::duration(training->forward_seconds),
                                         app::duration(training->backward_seconds)));
        text += retries_text(training->retried);
        text += summary_line(
            "cuts", app::count(training->cuts), app::count(training->active_cuts) + " active");
    }
    if (const auto& simulation = summary.simulation) {
        text += summary_line("simulation",
                             app::duration(simulation->seconds),
                             app::count(simulation->lp_solves) + " LP solves");
        text += retries_text(simulation->retried);
    }
    return text;
}

std::string memory_text(const app::Summary& summary) {
    if (summary.saved_bytes < 100'000) {
        return {};
    }
    return summary_line(
        "memory",
        fmt::format("{:.1f} MB saved", 1e-6 * static_cast<double>(summary.saved_bytes)),
        "cuts and tables are held once per node");
}

std::string constant_text(const app::Summary& summary) {
    if (summary.curtailment_constant.value_or(0) == 0) {
        return {};
    }
    return summary_line("Cobre's bound",
                        "+ " + app::money(*summary.curtailment_constant),
                        "add this to it before comparing");
}

}  // namespace

std::string summary_text(const app::Summary& summary) {
    std::string text = "\n";
    if (summary.training) {
        text += training_text(*summary.training, summary.has_no_gap());
    }
    if (summary.simulation) {
        text += simulation_text(*summary.simulation);
    }
    text += convergence_text(summary);
    text += constant_text(summary);
    text += effort_text(summary);
    text += memory_text(summary);
    text += summary_line("digest", summary.digest());
    text += summary_line("output", summary.directory.string());
    return text;
}

int execute(const SummaryCommand& command) {
    const auto summary = app::summarize(command.output_directory);
    if (command.voice.json) {
        print_line(to_json(summary));
    } else {
        print(summary_text(summary));
    }
    return 0;
}

}  // namespace lockstep::cli
