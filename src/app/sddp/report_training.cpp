#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "app/sddp/report_parts.hpp"

namespace lockstep::app {
namespace {

using formats::cobre::Results;

/// Columns of the convergence table in the unit of the plots.
struct Convergence {
    MoneyUnit unit;
    std::vector<double> iteration;
    std::vector<double> lower;
    std::vector<double> upper;
    std::vector<double> half_width;
    [[nodiscard]] std::size_t size() const noexcept { return iteration.size(); }
};

std::vector<double> half_widths(const io::Table& table) {
    auto widths = reals(table, "upper_bound_std");
    const auto passes = reals(table, "forward_passes");
    for (std::size_t row = 0; row < widths.size(); ++row) {
        widths[row] = std::isnan(widths[row]) ? 0 : 1.96 * widths[row] / std::sqrt(passes[row]);
    }
    return widths;
}

Convergence convergence_of(const io::Table& table) {
    Convergence out{{},
                    reals(table, "iteration"),
                    reals(table, "lower_bound"),
                    reals(table, "upper_bound"),
                    half_widths(table)};
    out.unit = unit_for(*std::max_element(out.upper.begin(), out.upper.end()));
    for (auto* values : {&out.lower, &out.upper, &out.half_width}) {
        for (auto& value : *values) {
            value /= out.unit.dollars;
        }
    }
    return out;
}

std::vector<double> from(const std::vector<double>& values, std::size_t first) {
    return {values.begin() + static_cast<std::ptrdiff_t>(first), values.end()};
}

// Where bounds grow by an order of magnitude a linear axis shows nothing but the end.
bool wants_log(const Convergence& convergence) {
    const auto [least, most] =
        std::minmax_element(convergence.lower.begin(), convergence.lower.end());
    return *least > 0 && *most > 10 * *least;
}

// Mean of the last ten: single iterations are samples of a few trajectories.
std::vector<double> running_mean(const std::vector<double>& values) {
    constexpr std::size_t most = 10;
    std::vector<double> means;
    for (std::size_t end = 1; end <= values.size(); ++end) {
        const auto first = end - std::min(end, most);
        means.push_back(std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(first),
                                        values.begin() + static_cast<std::ptrdiff_t>(end),
                                        0.0) /
                        static_cast<double>(end - first));
    }
    return means;
}

io::Plot bounds_plot(const Convergence& all, std::size_t first, bool log) {
    io::Plot plot;
    plot.x_label = "iteration";
    plot.y_label = fmt::format("expected cost [{}]", all.unit.name);
    plot.log_y = log;
    const auto x = from(all.iteration, first);
    io::Band band{
        "95 % of the trajectories' mean", x, from(all.upper, first), from(all.upper, first)};
    const auto widths = from(all.half_width, first);
    const auto floor = log ? *std::min_element(all.lower.begin(), all.lower.end())
                           : -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < x.size(); ++i) {
        band.low[i] = std::max(floor, band.low[i] - widths[i]);
        band.high[i] += widths[i];
    }
    plot.bands.push_back(std::move(band));
    plot.lines.push_back({"mean cost of the trajectories", x, from(all.upper, first), true});
    plot.lines.push_back({"lower bound", x, from(all.lower, first), false});
    plot.lines.push_back(
        {"mean of the last ten iterations", x, from(running_mean(all.upper), first), false});
    return plot;
}

// Beside means that scatter the last iterations of the bound are a flat line.
void add_lower_bound(io::Page& page, const Convergence& convergence) {
    const auto first = convergence.size() / 4;
    io::Plot plot;
    plot.title = fmt::format("Lower bound on its own scale, from iteration {} on",
                             static_cast<int>(convergence.iteration[first]));
    plot.x_label = "iteration";
    plot.y_label = fmt::format("lower bound [{}]", convergence.unit.name);
    plot.lines.push_back(
        {"lower bound", from(convergence.iteration, first), from(convergence.lower, first), false});
    page.plot(plot);
}

void add_bounds(io::Page& page, const Convergence& convergence) {
    const auto log = wants_log(convergence);
    auto plot = bounds_plot(convergence, 0, log);
    plot.title = "Bounds";
    page.plot(plot);
    if (convergence.size() < 8) {
        return;
    }
    const auto first = convergence.size() / 2;
    auto late = bounds_plot(convergence, first, false);
    late.title =
        fmt::format("Bounds from iteration {} on", static_cast<int>(convergence.iteration[first]));
    page.plot(late);
    add_lower_bound(page, convergence);
}

double sum(const std::vector<double>& values, const Group& group) {
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(group.begin),
                           values.begin() + static_cast<std::ptrdiff_t>(group.end),
                           0.0);
}

std::string group_name(const Convergence& convergence, const Group& group) {
    const auto first = static_cast<int>(convergence.iteration[group.begin]);
    const auto last = static_cast<int>(convergence.iteration[group.end - 1]);
    return first == last ? fmt::format("{}", first) : fmt::format("{}–{}", first, last);
}

void add_times(io::Page& page, const io::Table& table, const Convergence& convergence) {
    const auto forward = reals(table, "time_forward_ms");
    const auto backward = reals(table, "time_backward_ms");
    const auto total = reals(table, "time_total_ms");
    io::Bars bars{"Time by phase",
                  "iteration",
                  "seconds",
                  {},
                  {{"forward", {}}, {"backward", {}}, {"bound and the rest", {}}}};
    for (const auto& group : groups_of(convergence.size(), 24)) {
        bars.labels.push_back(group_name(convergence, group));
        const auto f = sum(forward, group) / 1e3;
        const auto b = sum(backward, group) / 1e3;
        bars.parts[0].value.push_back(f);
        bars.parts[1].value.push_back(b);
        bars.parts[2].value.push_back(std::max(0.0, sum(total, group) / 1e3 - f - b));
    }
    page.bars(bars);
}

// A lane a rank: what its time went into.
void add_ranks(io::Page& page, const io::Table& table) {
    const auto rank = reals(table, "rank");
    if (rank.empty() || *std::max_element(rank.begin(), rank.end()) == 0) {
        return;
    }
    io::Bars bars{"Time by rank",
                  "rank",
                  "seconds",
                  {},
                  {{"computing", {}}, {"exchanging", {}}, {"waiting", {}}, {"checkpoints", {}}}};
    const char* columns[] = {"compute_ms", "communication_ms", "wait_ms", "io_ms"};
    const auto count = static_cast<std::size_t>(*std::max_element(rank.begin(), rank.end())) + 1;
    for (std::size_t i = 0; i < count; ++i) {
        bars.labels.push_back(fmt::format("{}", i));
    }
    for (std::size_t part = 0; part < bars.parts.size(); ++part) {
        const auto milliseconds = reals(table, columns[part]);
        auto& value = bars.parts[part].value;
        value.resize(count);
        for (std::size_t row = 0; row < rank.size(); ++row) {
            value[static_cast<std::size_t>(rank[row])] += milliseconds[row] / 1e3;
        }
    }
    page.bars(bars);
}

void add_cuts(io::Page& page, const io::Table& table, const Convergence& convergence) {
    const auto resident = reals(table, "mean_rows_in_lp");
    io::Plot plot;
    plot.title = "Cuts";
    plot.x_label = "iteration";
    plot.y_label = "cuts";
    plot.from_zero = true;
    plot.lines.push_back(
        {"active, all stages", convergence.iteration, reals(table, "cuts_active"), false});
    if (!resident.empty()) {
        plot.lines.push_back(
            {"in a linear programme, mean", convergence.iteration, resident, true});
    }
    page.plot(plot);
}

// How much the bound rose since the row above.
std::string moved(const std::vector<double>& bounds, std::size_t before, std::size_t now) {
    return percent((bounds[now] - bounds[before]) / std::max(1.0, std::abs(bounds[now])));
}

// Under CVaR a gap to the mean cost says nothing; what the bound does still is told instead.
std::vector<std::string> table_head(const Summary& summary, const MoneyUnit& unit) {
    return {
        "Iteration",
        fmt::format(
            "{} [{}]", summary.training->is_bound ? "Lower bound" : "Lower estimate", unit.name),
        fmt::format("{}, 95 % [{}]", summary.risk_averse ? "Mean cost" : "Upper bound", unit.name),
        summary.risk_averse ? "Moved" : "Gap",
        "Cuts",
        "LP solves"};
}

void add_table(io::Page& page,
               const io::Table& table,
               const Convergence& convergence,
               const Summary& summary) {
    const auto gap = reals(table, "gap_percent");
    const auto cuts = reals(table, "cuts_active");
    const auto solves = reals(table, "lp_solves");
    std::vector<std::vector<std::string>> rows;
    for (const auto& group : groups_of(convergence.size(), 12)) {
        const auto row = group.end - 1;
        const auto before = group.begin == 0 ? 0 : group.begin - 1;
        rows.push_back(
            {count(static_cast<std::int64_t>(convergence.iteration[row])),
             digits(convergence.lower[row]),
             fmt::format(
                 "{} ± {}", digits(convergence.upper[row]), digits(convergence.half_width[row], 3)),
             !summary.risk_averse ? percent(gap[row] / 100)
             : row == 0           ? "–"
                                  : moved(convergence.lower, before, row),
             count(static_cast<std::int64_t>(cuts[row])),
             count(static_cast<std::int64_t>(solves[row]))});
    }
    page.table(table_head(summary, convergence.unit), rows);
}

std::string about_bounds(const Summary& summary) {
    const std::string bound =
        summary.training->is_bound
            ? "The lower bound never exceeds the optimum of the problem with its sampled openings. "
            : "The lower estimate is no bound: inflows with memory are truncated, and it was asked "
              "for as Cobre computes it. ";
    const std::string mean =
        "The mean cost of an iteration's trajectories is a sample of what the policy of that "
        "moment costs.";
    return bound + mean +
           (summary.risk_averse
                ? " Stages are averse to risk (CVaR): the lower bound is of the risk-adjusted cost "
                  "and the mean is not, so the distance between them says nothing."
                : "");
}

}  // namespace

void add_training(io::Page& page, const Summary& summary, const Results& results) {
    if (!results.training || results.convergence.rows() == 0) {
        return;
    }
    const auto convergence = convergence_of(results.convergence);
    page.heading("Convergence");
    page.paragraph(about_bounds(summary));
    add_bounds(page, convergence);
    add_table(page, results.convergence, convergence, summary);
    page.heading("Effort");
    add_times(page, results.convergence, convergence);
    add_ranks(page, results.ranks);
    add_cuts(page, results.convergence, convergence);
}

}  // namespace lockstep::app
