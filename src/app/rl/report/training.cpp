#include "lockstep/formats/rl/training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/rl/table_file.hpp"

#include "app/rl/games/opponent.hpp"
#include "app/rl/report/metrics.hpp"
#include "app/rl/report/parts.hpp"
#include "app/rl/train/memory.hpp"

namespace lockstep::app {
namespace {

using formats::rl::BoundedValue;
using formats::rl::TrainingRecord;
using rl::QTable;
using Numbers = std::vector<double>;

std::string proven(const BoundedValue& value) {
    return fmt::format("proven: {} to {}", exact(value.lower), exact(value.upper));
}

void add_worth(std::vector<io::Fact>& facts, const TrainingRecord& record) {
    if (record.value) {
        facts.push_back(
            {"Greedy policy at the start", digits(record.value->value, 9), proven(*record.value)});
    }
    if (record.optimum) {
        facts.push_back({"Optimum", digits(record.optimum->value, 9), proven(*record.optimum)});
    }
    if (record.value && record.optimum) {
        facts.push_back(
            {"Value gap", digits(formats::rl::gap_to(*record.optimum, *record.value), 4), ""});
    }
    if (record.exploitability) {
        facts.push_back({"Exploitability",
                         digits(*record.exploitability, 4),
                         "what the best opponent gains on average, exact"});
    }
    if (record.return_mean) {
        facts.push_back(
            {"Return", digits(*record.return_mean), "mean of the last episodes, exploring"});
    }
}

// How the ranks held them at the end.
void add_tables(std::vector<io::Fact>& facts,
                const TrainingRecord& record,
                const Metrics& metrics) {
    const auto ranks = metrics.rank_count();
    const auto tables = metrics.empty() ? Numbers{} : metrics.column("tables");
    if (ranks < 2 || tables.empty() || std::isnan(tables.back())) {
        return;
    }
    const auto number = static_cast<std::int64_t>(tables.back());
    const bool overlap =
        std::ranges::count(record.options, formats::Setting{"overlap", "true"}) > 0;
    facts.push_back({"Tables in memory",
                     count(number),
                     tables_text(number, static_cast<std::int64_t>(ranks), overlap)});
}

void add_facts(io::Page& page,
               const TrainingRecord& record,
               const formats::OutputMetadata& metadata,
               const Metrics& metrics) {
    std::vector<io::Fact> facts;
    add_worth(facts, record);
    facts.push_back({"Steps", count(record.transitions), plural(record.episodes, "episode")});
    facts.push_back({"Steps a second",
                     count(static_cast<std::int64_t>(record.steps_per_second)),
                     duration(record.seconds)});
    const auto threads = metadata.run.ranks * metadata.run.threads_per_rank;
    if (threads > 1) {
        facts.push_back(
            {"Scaling efficiency",
             percent(metrics.learn_seconds() / (threads * record.seconds)),
             fmt::format("of the time of {} threads is learning; the rest exchanges and waits",
                         threads)});
    }
    add_tables(facts, record, metrics);
    facts.push_back({"Digest",
                     record.digest.substr(0, 8),
                     record.is_reproducible ? "" : "of this run: its mode is not reproducible"});
    page.facts(facts);
    if (record.ending != "done") {
        page.paragraph("The training was ended early; everything done until then is here.");
    }
}

io::Plot panel(std::string title, std::string y_label) {
    io::Plot plot;
    plot.title = std::move(title);
    plot.x_label = "steps";
    plot.y_label = std::move(y_label);
    return plot;
}

io::Plot return_panel(const Metrics& metrics) {
    auto plot = panel("Return", "return of an episode");
    const auto x = metrics.column("transitions_total");
    plot.bands.push_back({"10 % to 90 % of the episodes",
                          x,
                          metrics.column("return_p10"),
                          metrics.column("return_p90")});
    plot.lines.push_back({"mean of the episodes that ended", x, metrics.column("return_mean")});
    return plot;
}

bool is_positive(const Numbers& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

io::Plot loss_panel(const Metrics& metrics) {
    auto plot = panel("Loss", "mean of |target − value|");
    plot.lines.push_back(
        {"TD error", metrics.column("transitions_total"), metrics.column("td_abs_mean")});
    plot.log_y = is_positive(plot.lines[0].y);
    return plot;
}

io::Plot throughput_panel(const Metrics& metrics) {
    auto plot = panel("Throughput", "steps a second");
    plot.from_zero = true;
    plot.lines.push_back({"since the report before",
                          metrics.column("transitions_total"),
                          metrics.column("steps_per_s")});
    return plot;
}

// Of the time since the report before.
io::Plot communication_panel(const Metrics& metrics) {
    auto plot = panel("Communication", "share of the time [%]");
    plot.from_zero = true;
    const auto x = metrics.column("transitions_total");
    plot.lines.push_back({"exchanging", x, metrics.shares("t_comm")});
    plot.lines.push_back({"waiting for other ranks", x, metrics.shares("t_wait")});
    plot.lines.push_back({"checkpoints", x, metrics.shares("t_ckpt")});
    return plot;
}

void add_value(io::Page& page, const Metrics& metrics, const TrainingRecord& record) {
    if (!record.optimum) {
        return;
    }
    auto plot = panel("Value of the greedy policy at the start, exact", "value");
    const auto x = metrics.column("transitions_total");
    plot.lines.push_back({"greedy policy", x, metrics.column("value")});
    plot.lines.push_back({"optimum", x, Numbers(x.size(), record.optimum->value), true});
    page.plot(plot);
}

void add_ranks(io::Page& page, const Metrics& metrics) {
    const auto ranks = metrics.rank_count();
    if (ranks < 2) {
        return;
    }
    io::Bars bars{"Time by rank", "rank", "seconds", {}, {}};
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        bars.labels.push_back(fmt::format("{}", rank));
    }
    bars.parts = {{"learning, all threads", metrics.by_rank("learn_s")},
                  {"exchanging", metrics.by_rank("comm_s")},
                  {"waiting", metrics.by_rank("wait_s")},
                  {"checkpoints", metrics.by_rank("ckpt_s")}};
    page.heading("Ranks");
    page.bars(bars);
    const auto work = metrics.by_rank("transitions");
    const auto total = std::accumulate(work.begin(), work.end(), 0.0);
    if (total > 0) {
        page.paragraph(
            fmt::format("The rank with the most work had {} of the steps; an even share is {}.",
                        percent(*std::max_element(work.begin(), work.end()) / total),
                        percent(1.0 / static_cast<double>(ranks))));
    }
}

void add_staleness(io::Page& page, const Metrics& metrics) {
    const auto counts = metrics.staleness_histogram();
    if (counts.empty()) {
        return;
    }
    io::Bars bars{
        "Age of the values that workers learned from", "rounds", "pushes", {}, {{"", counts}}};
    for (std::size_t age = 0; age < counts.size(); ++age) {
        bars.labels.push_back(fmt::format("{}", age));
    }
    page.heading("Staleness");
    page.bars(bars);
}

void add_exchange(io::Page& page, const Metrics& metrics, const TrainingRecord& record) {
    const auto bytes = metrics.sum("bytes_sent");
    if (metrics.rank_count() < 2 || bytes <= 0) {
        return;
    }
    page.facts(
        {{"Sent by all ranks", fmt::format("{:.3g} MB", 1e-6 * bytes), ""},
         {"Bytes a step",
          digits(bytes / static_cast<double>(std::max<std::int64_t>(1, record.transitions)), 3),
          ""},
         {"Table entries sent",
          count(static_cast<std::int64_t>(metrics.sum("entries_sent"))),
          ""}});
}

// States that nobody has visited tell nothing.
StateValues values_of(const QTable& table) {
    StateValues values;
    const auto none = std::numeric_limits<double>::quiet_NaN();
    for (std::ptrdiff_t s = 0; s < table.states; ++s) {
        auto& best = values.best.emplace_back();
        double most = none;
        for (std::ptrdiff_t a = 0; a < table.actions; ++a) {
            const auto pair = at(s * table.actions + a);
            if (table.visits[pair] == 0 || table.values[pair] < most) {
                continue;
            }
            if (!(table.values[pair] == most)) {
                best.clear();
                most = table.values[pair];
            }
            best.push_back(static_cast<double>(a));
        }
        values.value.push_back(most);
    }
    values.remark = [&table](std::int32_t state) {
        const auto first = table.visits.begin() + std::ptrdiff_t{state} * table.actions;
        return fmt::format("visited {} times",
                           count(std::accumulate(first, first + table.actions, std::int64_t{0})));
    };
    return values;
}

// The opening is what a reader of a game asks for first.
void add_opening(io::Page& page, const Subject& subject, const QTable& table) {
    if (!is_game(subject.record)) {
        return;
    }
    io::CellMap map{"Values of the first move", "value", 3, 3, {}};
    for (std::size_t cell = 0; cell < 9; ++cell) {
        const auto value = table.values[cell];
        map.cells.push_back(
            {value,
             "",
             fmt::format("{:.2f}", value),
             fmt::format(
                 "cell {}: {}, tried {} times", cell, digits(value), count(table.visits[cell]))});
    }
    page.heading("Opening");
    page.maps({map});
}

}  // namespace

void add_training(io::Page& page,
                  const std::filesystem::path& output,
                  const formats::OutputMetadata& metadata) {
    const auto record = formats::rl::read_training_record(output);
    const Metrics metrics(formats::rl::read_metrics(output));
    add_facts(page, record, metadata, metrics);
    if (!metrics.empty()) {
        page.heading("Learning");
        add_value(page, metrics, record);
        page.plot(return_panel(metrics));
        page.plot(loss_panel(metrics));
        page.heading("Effort");
        page.plot(throughput_panel(metrics));
        page.plot(communication_panel(metrics));
        add_ranks(page, metrics);
        add_exchange(page, metrics, record);
        add_staleness(page, metrics);
    }
    const auto file = formats::rl::read_table(output / "training");
    const auto subject = subject_of(record.environment);
    add_opening(page, subject, file.table);
    add_policy(page, subject, values_of(file.table));
}

}  // namespace lockstep::app
