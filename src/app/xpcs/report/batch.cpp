#include "lockstep/formats/xpcs/batch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/index.hpp"

#include "app/xpcs/batch/lines.hpp"
#include "app/xpcs/report/parts.hpp"
#include "app/xpcs/wing.hpp"

namespace lockstep::app {
namespace {

using formats::xpcs::BatchEntry;
using formats::xpcs::BatchRecord;
using formats::xpcs::BatchStatus;
using formats::xpcs::ValueRecord;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// Name, and head of the column of its seconds.
using Stage = std::pair<std::string, std::string>;
constexpr const char* dealing = "deal";  // of shards, which not every batch has

/// Physical parameters that any dataset has, in the order of the model.
std::vector<ValueRecord> parameters_in(const BatchRecord& record) {
    std::vector<ValueRecord> parameters;
    for (const auto& entry : record.datasets) {
        for (const auto& value : entry.values) {
            if (is_physical(value.name) &&
                std::ranges::find(parameters, value.name, &ValueRecord::name) == parameters.end()) {
                parameters.push_back(value);
            }
        }
    }
    return parameters;
}

double reduced(const BatchEntry& entry) {
    return entry.chi_squared && entry.degrees_of_freedom
               ? *entry.chi_squared / static_cast<double>(*entry.degrees_of_freedom)
               : nan;
}

io::Plot plot_over_datasets(const BatchRecord& record,
                            std::string title,
                            std::string y_label,
                            const std::function<std::pair<double, double>(const BatchEntry&)>& of) {
    io::Plot plot;
    plot.title = std::move(title);
    plot.y_label = std::move(y_label);
    plot.x_label = "dataset";
    io::Series points{"", {}, {}};
    for (std::size_t k = 0; k < record.datasets.size(); ++k) {
        const auto [value, error] = of(record.datasets[k]);
        plot.x_ticks.push_back(record.datasets[k].name);
        points.x.push_back(static_cast<double>(k));
        points.y.push_back(value);
        points.error.push_back(error);
    }
    plot.lines.push_back(std::move(points));
    return plot;
}

void add_parameters(io::Page& page, const BatchRecord& record) {
    const auto parameters = parameters_in(record);
    if (parameters.empty()) {
        return;
    }
    page.heading("Parameters");
    const auto found = std::ranges::find_if(
        record.datasets, [](const BatchEntry& entry) { return !entry.error_method.empty(); });
    page.paragraph(
        fmt::format("Bars are standard errors (68 %, {}). Datasets that failed have no point.",
                    found->error_method));
    for (const auto& parameter : parameters) {
        page.plot(plot_over_datasets(
            record, parameter.name, with_unit(parameter), [&](const BatchEntry& entry) {
                const auto* value = entry.value(parameter.name);
                return value == nullptr ? std::pair(nan, nan)
                                        : std::pair(value->value, value->error.value_or(nan));
            }));
    }
    page.plot(plot_over_datasets(
        record, "Reduced χ²", "χ² by degrees of freedom", [](const BatchEntry& entry) {
            return std::pair(reduced(entry), nan);
        }));
}

std::string value_text(const ValueRecord* value) {
    if (value == nullptr) {
        return "–";
    }
    return digits(value->value, 5) + (value->error ? " ± " + digits(*value->error, 2) : "") +
           (value->bound.empty() ? "" : " (at its " + value->bound + " bound)");
}

std::string seconds_of(const BatchEntry& entry, const std::string& stage) {
    const auto found = std::ranges::find(entry.stages, stage, &formats::xpcs::StageSpan::stage);
    return found == entry.stages.end() ? "–" : digits(found->end - found->begin, 2);
}

std::string status_words(const BatchEntry& entry) {
    switch (entry.status) {
        case BatchStatus::done:
            return entry.is_converged ? "done" : "not converged";
        case BatchStatus::kept:
            return "kept from before";
        case BatchStatus::ended_early:
            return "ended early";
        case BatchStatus::not_begun:
            return "not begun";
        case BatchStatus::failed:
            return "failed: " + entry.message;
    }
    return "";
}

void add_table(io::Page& page, const BatchRecord& record) {
    const auto parameters = parameters_in(record);
    std::vector<std::string> head{"№", "Dataset"};
    for (const auto& parameter : parameters) {
        head.push_back(with_unit(parameter));
    }
    head.insert(head.end(), {"Reduced χ²", "Status"});
    std::vector<std::vector<std::string>> rows;
    for (std::size_t k = 0; k < record.datasets.size(); ++k) {
        const auto& entry = record.datasets[k];
        std::vector<std::string> row{fmt::format("{}", k + 1), entry.name};
        for (const auto& parameter : parameters) {
            row.push_back(value_text(entry.value(parameter.name)));
        }
        row.insert(
            row.end(),
            {std::isnan(reduced(entry)) ? "–" : digits(reduced(entry), 3), status_words(entry)});
        rows.push_back(std::move(row));
    }
    page.heading("Datasets");
    page.table(head, rows);
}

std::vector<Stage> stages_in(const BatchRecord& record) {
    std::vector<Stage> stages{{"load", "Load [s]"},
                              {"fit", "Fit [s]"},
                              {dealing, "Deal shards [s]"},
                              {"sample", "Sample [s]"},
                              {"write", "Write [s]"}};
    const bool deals = std::ranges::any_of(record.datasets, [](const BatchEntry& entry) {
        return std::ranges::find(entry.stages, dealing, &formats::xpcs::StageSpan::stage) !=
               entry.stages.end();
    });
    if (!deals) {
        std::erase_if(stages, [](const Stage& stage) { return stage.first == dealing; });
    }
    return stages;
}

/// One lane a stage, of each rank that worked.
io::Timeline timeline_of(const BatchRecord& record) {
    io::Timeline timeline;
    timeline.title = "What was at work when";
    std::vector<int> ranks;
    for (const auto& entry : record.datasets) {
        if (!entry.stages.empty() && std::ranges::find(ranks, entry.rank) == ranks.end()) {
            ranks.push_back(entry.rank);
        }
    }
    std::ranges::sort(ranks);
    const auto stages = stages_in(record);
    for (const int rank : ranks) {
        for (const auto& [stage, head] : stages) {
            timeline.lanes.push_back(ranks.size() == 1 ? stage
                                                       : fmt::format("rank {}, {}", rank, stage));
        }
    }
    for (std::size_t k = 0; k < record.datasets.size(); ++k) {
        const auto& entry = record.datasets[k];
        const auto place = std::ranges::find(ranks, entry.rank) - ranks.begin();
        for (const auto& span : entry.stages) {
            const auto stage =
                at(std::ranges::find(stages, span.stage, &Stage::first) - stages.begin());
            if (stage < stages.size()) {
                timeline.spans.push_back({static_cast<std::size_t>(place) * stages.size() + stage,
                                          k,
                                          span.begin,
                                          span.end,
                                          fmt::format("{}", k + 1),
                                          fmt::format("{}: {} from {} s to {} s",
                                                      entry.name,
                                                      span.stage,
                                                      digits(span.begin, 3),
                                                      digits(span.end, 3))});
            }
        }
    }
    return timeline;
}

void add_times(io::Page& page, const BatchRecord& record) {
    const auto timeline = timeline_of(record);
    if (timeline.spans.empty()) {
        return;
    }
    page.heading("Time");
    page.paragraph(fmt::format(
        "Each box is one dataset in one stage, with its number: while one is sampled the next is "
        "fitted, the one after it read, and files of the one before written. At most {} are in "
        "memory.",
        plural(record.ahead + 1, "dataset")));
    page.timeline(timeline);
    const auto stages = stages_in(record);
    std::vector<std::string> heads{"№", "Dataset"};
    std::ranges::transform(stages, std::back_inserter(heads), &Stage::second);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t k = 0; k < record.datasets.size(); ++k) {
        std::vector<std::string> row{fmt::format("{}", k + 1), record.datasets[k].name};
        for (const auto& stage : stages) {
            row.push_back(seconds_of(record.datasets[k], stage.first));
        }
        rows.push_back(std::move(row));
    }
    page.table(heads, rows);
}

double busy_seconds(const BatchRecord& record) {
    double busy = 0;
    for (const auto& entry : record.datasets) {
        for (const auto& span : entry.stages) {
            busy += span.end - span.begin;
        }
    }
    return busy;
}

}  // namespace

io::Page xpcs_batch_report(const std::filesystem::path& output) {
    const auto record = formats::xpcs::read_batch(output);
    const auto well = record.count(BatchStatus::done) + record.count(BatchStatus::kept);
    io::Page page(std::filesystem::absolute(output).filename().string() + " · Lockstep");
    page.facts(
        {{"Datasets", count(static_cast<std::int64_t>(record.datasets.size())), ""},
         {"Done", count(well), batch_sentence(record)},
         {"Failed", count(record.count(BatchStatus::failed)), ""},
         {"Time", duration(record.seconds), "from the first to the last"},
         {"Work", duration(busy_seconds(record)), "of all stages, as if one after the other"}});
    add_parameters(page, record);
    add_table(page, record);
    add_times(page, record);
    page.data("summary", io::to_text(formats::xpcs::to_json(record)));
    return page;
}

}  // namespace lockstep::app
