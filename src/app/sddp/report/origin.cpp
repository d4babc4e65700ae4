#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "app/sddp/report/parts.hpp"

namespace lockstep::app {
namespace {

using formats::cobre::FailureRecord;
using formats::cobre::PartRecord;
using formats::cobre::ProblemSize;
using formats::cobre::ProvenanceRecord;
using formats::cobre::Results;
using Rows = std::vector<std::vector<std::string>>;

const PartRecord& part_of(const Results& results) {
    if (results.training) {
        return *results.training;
    }
    return *results.simulation;
}

std::string plus_minus(double mean, double half_width) {
    const auto unit = unit_for(mean);
    return fmt::format(
        "{} ± {} {}", digits(mean / unit.dollars), digits(half_width / unit.dollars, 3), unit.name);
}

// A name of a program's making in a reader's words.
std::string words(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

void add_failure(io::Page& page, const std::optional<FailureRecord>& failure, const char* part) {
    if (failure) {
        page.paragraph(fmt::format(
            "{} ended early: stage {} had no solution ({}) in the {} pass, scenario {}.",
            part,
            failure->stage,
            words(failure->status),
            words(failure->phase),
            failure->scenario));
    }
}

// Of an origin as the provenance names it.
std::string origin(const std::string& source) {
    return source == "user_file"   ? "file of the case"
           : source == "estimated" ? "estimated from the history"
           : source == "n/a"       ? "–"
                                   : words(source);
}

std::string method(const ProvenanceRecord& provenance) {
    if (provenance.method.empty()) {
        return {};
    }
    return provenance.method == "pacf_annual" ? "partial autocorrelations, with an annual component"
                                              : "partial autocorrelations";
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

void add_row(Rows& rows, const char* name, const std::string& value) {
    if (!value.empty()) {
        rows.push_back({name, value});
    }
}

void add_inflow_model(io::Page& page, const std::optional<ProvenanceRecord>& provenance) {
    if (!provenance) {
        return;
    }
    Rows rows;
    add_row(rows, "Monthly statistics", origin(provenance->statistics));
    add_row(rows, "Coefficients of the model", origin(provenance->coefficients));
    add_row(rows, "Correlation", origin(provenance->correlation));
    add_row(rows,
            "Openings",
            provenance->openings == "user_file" ? "file of the case" : "drawn from the model");
    add_row(rows, "Orders chosen by", method(*provenance));
    add_row(rows, "Largest order", count(provenance->largest_order));
    add_row(rows, "Plants without a usable model", joined(provenance->white_noise));
    add_row(rows, "Plants with a production surface", count(provenance->planes));
    add_row(rows, "Plants of constant productivity", count(provenance->constant_productivity));
    add_row(rows, "Plants with evaporation", count(provenance->evaporation));
    page.heading("Inflow model");
    page.table({"What", "Where from"}, rows);
}

void add_size(Rows& rows, const ProblemSize& size) {
    add_row(rows, "Stages", count(size.stages));
    add_row(rows, "Hydro plants", count(size.hydros));
    add_row(rows, "Thermal plants", count(size.thermals));
    add_row(rows, "Buses", count(size.buses));
    add_row(rows, "Lines", count(size.lines));
    add_row(rows, "Wind, solar and other sources", count(size.non_controllables));
    add_row(rows, "Generic constraints", count(size.generic_constraints));
    add_row(rows, "Inflow lags", count(size.inflow_lags));
    add_row(rows, "State variables", count(size.state_variables));
}

void add_run(io::Page& page, const Summary& summary, const PartRecord& part) {
    Rows rows;
    add_row(rows, "Case", summary.case_name);
    add_row(rows, "Digest of the result", summary.digest());
    add_row(rows, "Digest of the input", part.input_digest);
    add_row(rows, "Program", summary.software);
    add_row(rows, "Compiler", part.compiler + " " + part.flags);
    add_row(rows, "Solver", summary.solver);
    add_row(rows, "Host", summary.host);
    add_row(rows, "Ranks × threads", fmt::format("{} × {}", summary.ranks, summary.threads));
    add_row(rows, "Started", part.started_at);
    add_row(rows, "Completed", part.completed_at);
    add_size(rows, part.size);
    if (summary.curtailment_constant.value_or(0) != 0) {
        add_row(rows, "Add to Cobre's bound to compare", money(*summary.curtailment_constant));
    }
    page.heading("This run");
    page.table({"", ""}, rows);
}

std::string shell_quoted(const std::string& text) {
    constexpr auto plain_characters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/=:,+-";
    if (!text.empty() && text.find_first_not_of(plain_characters) == std::string::npos) {
        return text;
    }
    std::string quoted = "'";
    for (const auto c : text) {
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return quoted + "'";
}

std::string command_of(const PartRecord& part) {
    auto command = "lockstep run " + shell_quoted(part.case_directory);
    if (!part.solver.empty()) {
        command += " --solver " + part.solver;
    }
    for (const auto& [key, value] : part.settings) {
        command.append(" --set ").append(shell_quoted(fmt::format("{}={}", key, value)));
    }
    return command;
}

void add_command(io::Page& page, const Summary& summary, const PartRecord& part) {
    page.heading("How to make it again");
    page.paragraph("Any number of ranks and threads gives the same bits:");
    page.table({"Command"},
               {{command_of(part)},
                {"lockstep compare " + shell_quoted(summary.directory.string()) + " OTHER"}});
}

using Facts = std::vector<io::Fact>;

bool has_bounds(const Summary& summary) {
    return summary.training && summary.training->iterations > 0;
}

void add_costs(Facts& facts, const Summary& summary) {
    if (has_bounds(summary)) {
        facts.push_back({summary.training->is_bound ? "Lower bound" : "Lower estimate, no bound",
                         money(summary.training->lower_bound)});
    }
    if (const auto& simulation = summary.simulation) {
        facts.push_back(
            {"Simulated mean, 95 %", plus_minus(simulation->mean, simulation->half_width_95)});
    } else if (has_bounds(summary)) {
        facts.push_back(
            {summary.has_no_gap() ? "Mean cost, 95 %" : "Upper bound, 95 %",
             plus_minus(summary.training->upper_bound, summary.training->half_width_95)});
    }
}

void add_convergence(Facts& facts, const Summary& summary) {
    if (auto words = convergence_words(summary)) {
        auto& first = words->name.front();
        first = static_cast<char>(std::toupper(static_cast<unsigned char>(first)));
        facts.push_back({words->name, words->value, words->remark});
    }
}

void add_effort(Facts& facts, const Summary& summary) {
    auto seconds = 0.0;
    if (const auto& training = summary.training) {
        facts.push_back({"Iterations",
                         count(training->iterations),
                         "ended by " + stop_words(training->stop_reason)});
        seconds += training->seconds;
    }
    if (const auto& simulation = summary.simulation) {
        facts.push_back({"Scenarios", count(simulation->scenarios)});
        seconds += simulation->seconds;
    }
    facts.push_back({"Time", duration(seconds)});
}

}  // namespace

void add_facts(io::Page& page, const Summary& summary, const Results& results) {
    Facts facts;
    add_costs(facts, summary);
    add_convergence(facts, summary);
    add_effort(facts, summary);
    facts.push_back({"Digest", summary.digest().substr(0, 8)});
    page.facts(facts);
    if (results.training) {
        add_failure(page, results.training->failure, "Training");
    }
    if (results.simulation) {
        add_failure(page, results.simulation->failure, "The simulation");
    }
}

void add_origin(io::Page& page, const Summary& summary, const Results& results) {
    add_inflow_model(page, results.provenance);
    add_run(page, summary, part_of(results));
    add_command(page, summary, part_of(results));
}

}  // namespace lockstep::app
