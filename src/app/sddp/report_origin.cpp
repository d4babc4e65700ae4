#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/json.hpp"

#include "app/json_path.hpp"
#include "app/sddp/report_parts.hpp"

namespace lockstep::app {
namespace {

using formats::cobre::Results;
using io::Json;
using Rows = std::vector<std::vector<std::string>>;

const Json& metadata_of(const Results& results) {
    return results.training ? *results.training : *results.simulation;
}

std::string plus_minus(double mean, double half_width) {
    const auto unit = unit_for(mean);
    return fmt::format(
        "{} ± {} {}", digits(mean / unit.dollars), digits(half_width / unit.dollars, 3), unit.name);
}

std::string words(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

// "num_generic_constraints" → "Generic constraints"
std::string row_name(std::string name) {
    for (const auto* prefix : {"num_", "n_"}) {
        if (name.starts_with(prefix)) {
            name.erase(0, std::string_view(prefix).size());
        }
    }
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    return words(std::move(name));
}

std::string plain(const Json& value) {
    if (const auto* text = value.if_string()) {
        return words(*text);
    }
    return io::to_text(value);
}

void add_failure(io::Page& page, const Json& metadata, const char* part) {
    const auto* failure = value_at(metadata, "failure");
    if (failure == nullptr || failure->is_null()) {
        return;
    }
    page.paragraph(
        fmt::format("{} ended early: stage {} had no solution ({}) in the {} pass, scenario {}.",
                    part,
                    integer_at(*failure, "stage_id"),
                    text_at(*failure, "status"),
                    text_at(*failure, "phase"),
                    integer_at(*failure, "scenario_id")));
}

// Members of an object of metadata as rows, without nulls and empty lists.
void add_members(Rows& rows, const Json* object) {
    if (object == nullptr || object->if_object() == nullptr) {
        return;
    }
    for (const auto& [name, value] : *object->if_object()) {
        const auto* list = value.if_array();
        if (!value.is_null() && (list == nullptr || !list->empty())) {
            rows.push_back({row_name(name), plain(value)});
        }
    }
}

void add_inflow_model(io::Page& page, const Results& results) {
    const auto file = results.directory / "training" / "model_provenance.json";
    if (!results.training || !io::is_there(file)) {
        return;
    }
    const auto provenance = io::read_json(file);
    Rows rows;
    add_members(rows, provenance.find("inflow"));
    add_members(rows, provenance.find("hydro_production"));
    if (rows.empty()) {
        return;
    }
    page.heading("Inflow model");
    page.table({"What", "Where from"}, rows);
}

void add_row(Rows& rows, const char* name, const std::string& value) {
    if (!value.empty()) {
        rows.push_back({name, value});
    }
}

void add_run(io::Page& page, const Summary& summary, const Json& metadata) {
    Rows rows;
    add_row(rows, "Case", summary.case_name);
    add_row(rows, "Digest of the result", summary.digest());
    add_row(rows, "Digest of the input", text_at(metadata, "input_digest"));
    add_row(rows, "Program", summary.software);
    add_row(rows,
            "Compiler",
            text_at(metadata, "build.compiler") + " " + text_at(metadata, "build.flags"));
    add_row(rows, "Solver", summary.solver);
    add_row(rows, "Host", summary.host);
    add_row(rows, "Ranks × threads", fmt::format("{} × {}", summary.ranks, summary.threads));
    add_row(rows, "Started", text_at(metadata, "started_at"));
    add_row(rows, "Completed", text_at(metadata, "completed_at"));
    add_members(rows, value_at(metadata, "problem_dimensions"));
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

std::string command_of(const Json& metadata) {
    auto command = "lockstep run " + shell_quoted(text_at(metadata, "case_directory"));
    if (const auto solver = text_at(metadata, "solver"); !solver.empty()) {
        command += " --solver " + solver;
    }
    const auto* settings = value_at(metadata, "settings");
    if (settings != nullptr && settings->if_object() != nullptr) {
        for (const auto& [key, value] : *settings->if_object()) {
            command += " --set " +
                       shell_quoted(key + "=" +
                                    (value.if_string() ? *value.if_string() : io::to_text(value)));
        }
    }
    return command;
}

void add_command(io::Page& page, const Summary& summary, const Json& metadata) {
    page.heading("How to make it again");
    page.paragraph("Any number of ranks and threads gives the same bits:");
    page.table({"Command"},
               {{command_of(metadata)},
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
            {summary.risk_averse ? "Mean cost, 95 %" : "Upper bound, 95 %",
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
        add_failure(page, *results.training, "Training");
    }
    if (results.simulation) {
        add_failure(page, *results.simulation, "The simulation");
    }
}

void add_origin(io::Page& page, const Summary& summary, const Results& results) {
    add_inflow_model(page, results);
    add_run(page, summary, metadata_of(results));
    add_command(page, summary, metadata_of(results));
}

}  // namespace lockstep::app
