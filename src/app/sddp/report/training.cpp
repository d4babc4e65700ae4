#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "app/sddp/report/parts.hpp"

namespace lockstep::app {
namespace {

using formats::cobre::EvaluationRecord;
using formats::cobre::IterationRecord;
using formats::cobre::RankRecord;
using formats::cobre::Results;

/// Columns of the convergence table in the unit of the plots.
struct Convergence {
    std::string lower_name;  ///< "lower bound", or what it is where it is none
    bool is_exact = false;   ///< upper is the cost of the policy, no mean of samples
    MoneyUnit unit;
    std::vector<double> iteration;
    std::vector<double> lower;
    std::vector<double> upper;
    std::vector<double> half_width;
    [[nodiscard]] std::size_t size() const noexcept { return iteration.size(); }
};

Convergence convergence_of(const std::vector<IterationRecord>& iterations,
                           const Summary::Training& training) {
    Convergence out;
    out.is_exact = training.is_exact;
    out.lower_name = training.is_bound ? "lower bound" : "lower estimate";
    for (const auto& record : iterations) {
        out.iteration.push_back(record.iteration);
        out.lower.push_back(record.lower_bound);
        out.upper.push_back(record.upper_bound);
        out.half_width.push_back(record.half_width_95());
    }
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
    if (all.is_exact) {
        plot.lines.push_back({"cost of the policy", x, from(all.upper, first), true});
        plot.lines.push_back({all.lower_name, x, from(all.lower, first)});
        return plot;
    }
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
    plot.lines.push_back({all.lower_name, x, from(all.lower, first)});
    plot.lines.push_back(
        {"mean of the last ten iterations", x, from(running_mean(all.upper), first)});
    return plot;
}

// Beside means that scatter the last iterations of the bound are a flat line.
void add_lower_bound(io::Page& page, const Convergence& convergence) {
    const auto first = convergence.size() / 4;
    io::Plot plot;
    plot.title = fmt::format("The {} on its own scale, from iteration {} on",
                             convergence.lower_name,
                             static_cast<int>(convergence.iteration[first]));
    plot.x_label = "iteration";
    plot.y_label = fmt::format("{} [{}]", convergence.lower_name, convergence.unit.name);
    plot.lines.push_back({convergence.lower_name,
                          from(convergence.iteration, first),
                          from(convergence.lower, first)});
    page.plot(plot);
}

void add_bounds(io::Page& page, const Convergence& convergence) {
    const auto log = wants_log(convergence);
    auto plot = bounds_plot(convergence, 0, log);
    plot.title = "Bounds";
    page.plot(plot);
    constexpr std::size_t few = 8;
    if (convergence.size() >= few) {
        const auto first = convergence.size() / 2;
        auto late = bounds_plot(convergence, first, false);
        late.title = fmt::format("Bounds from iteration {} on",
                                 static_cast<int>(convergence.iteration[first]));
        page.plot(late);
    }
    if (convergence.size() > 1) {
        add_lower_bound(page, convergence);
    }
}

// Beside the lower bound alone: it may be far from the mean of trajectories.
void add_evaluations(io::Page& page,
                     const char* name,
                     const std::vector<EvaluationRecord>& evaluations,
                     const Convergence& convergence) {
    if (evaluations.empty()) {
        return;
    }
    const auto first = std::lower_bound(convergence.iteration.begin(),
                                        convergence.iteration.end(),
                                        evaluations.front().iteration) -
                       convergence.iteration.begin();
    io::Series upper{name, {}, {}, true};
    io::Band band{"95 % of the estimate", {}, {}, {}};
    for (const auto& evaluation : evaluations) {
        const double value = evaluation.value / convergence.unit.dollars;
        const double width = evaluation.half_width_95 / convergence.unit.dollars;
        upper.x.push_back(evaluation.iteration);
        upper.y.push_back(value);
        band.x.push_back(evaluation.iteration);
        band.low.push_back(value - width);
        band.high.push_back(value + width);
    }
    io::Plot plot;
    plot.title = fmt::format("The {} and the {}", name, convergence.lower_name);
    plot.x_label = "iteration";
    plot.y_label = fmt::format("cost [{}]", convergence.unit.name);
    const auto lower = from(convergence.lower, static_cast<std::size_t>(first));
    const double least = *std::min_element(lower.begin(), lower.end());
    plot.log_y = least > 0 && *std::max_element(upper.y.begin(), upper.y.end()) > 10 * least;
    if (evaluations.front().half_width_95 > 0) {
        plot.bands.push_back(std::move(band));
    }
    plot.lines.push_back(std::move(upper));
    plot.lines.push_back({convergence.lower_name,
                          from(convergence.iteration, static_cast<std::size_t>(first)),
                          lower});
    page.plot(plot);
}

std::string group_name(const std::vector<IterationRecord>& iterations, const Group& group) {
    const auto first = iterations[group.begin].iteration;
    const auto last = iterations[group.end - 1].iteration;
    return first == last ? fmt::format("{}", first) : fmt::format("{}–{}", first, last);
}

void add_times(io::Page& page, const std::vector<IterationRecord>& iterations) {
    io::Bars bars{"Time by phase",
                  "iteration",
                  "seconds",
                  {},
                  {{"forward", {}}, {"backward", {}}, {"bound and the rest", {}}}};
    for (const auto& group : groups_of(iterations.size(), 24)) {
        bars.labels.push_back(group_name(iterations, group));
        auto forward = 0.0;
        auto backward = 0.0;
        auto total = 0.0;
        for (auto row = group.begin; row < group.end; ++row) {
            forward += iterations[row].forward_seconds;
            backward += iterations[row].backward_seconds;
            total += iterations[row].seconds;
        }
        bars.parts[0].value.push_back(forward);
        bars.parts[1].value.push_back(backward);
        bars.parts[2].value.push_back(std::max(0.0, total - forward - backward));
    }
    page.bars(bars);
}

// A lane a rank: what its time went into.
void add_ranks(io::Page& page, const std::vector<RankRecord>& records) {
    auto count = std::size_t{0};
    for (const auto& record : records) {
        count = std::max(count, static_cast<std::size_t>(record.rank) + 1);
    }
    if (count < 2) {
        return;
    }
    io::Bars bars{"Time by rank", "rank", "seconds", {}, {}};
    for (std::size_t i = 0; i < count; ++i) {
        bars.labels.push_back(fmt::format("{}", i));
    }
    const auto add = [&](const char* name, double RankRecord::*seconds) {
        auto& value = bars.parts.emplace_back(io::Bars::Part{name, {}}).value;
        value.resize(count);
        for (const auto& record : records) {
            value[static_cast<std::size_t>(record.rank)] += record.*seconds;
        }
    };
    add("computing", &RankRecord::compute);
    add("exchanging", &RankRecord::communication);
    add("waiting", &RankRecord::wait);
    add("checkpoints", &RankRecord::io);
    page.bars(bars);
}

void add_cuts(io::Page& page, const std::vector<IterationRecord>& iterations) {
    io::Series active{"active, all stages"};
    io::Series resident{"in a linear programme, mean", {}, {}, true};
    for (const auto& record : iterations) {
        active.x.push_back(record.iteration);
        active.y.push_back(static_cast<double>(record.cuts_active));
        resident.x.push_back(record.iteration);
        resident.y.push_back(record.mean_cuts_in_lp);
    }
    io::Plot plot;
    plot.title = "Cuts";
    plot.x_label = "iteration";
    plot.y_label = "cuts";
    plot.from_zero = true;
    plot.lines = {std::move(active), std::move(resident)};
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
        fmt::format("{}{} [{}]",
                    summary.has_no_gap() ? "Mean cost" : "Upper bound",
                    summary.training->is_exact ? "" : ", 95 %",
                    unit.name),
        summary.has_no_gap() ? "Moved" : "Gap",
        "Cuts",
        "LP solves"};
}

void add_table(io::Page& page,
               const std::vector<IterationRecord>& iterations,
               const Convergence& convergence,
               const Summary& summary) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& group : groups_of(iterations.size(), 12)) {
        const auto row = group.end - 1;
        const auto before = group.begin == 0 ? 0 : group.begin - 1;
        rows.push_back({count(iterations[row].iteration),
                        digits(convergence.lower[row]),
                        convergence.is_exact ? digits(convergence.upper[row])
                                             : fmt::format("{} ± {}",
                                                           digits(convergence.upper[row]),
                                                           digits(convergence.half_width[row], 3)),
                        !summary.has_no_gap() ? percent(iterations[row].gap)
                        : row == 0            ? "–"
                                              : moved(convergence.lower, before, row),
                        count(iterations[row].cuts_active),
                        count(iterations[row].lp_solves)});
    }
    page.table(table_head(summary, convergence.unit), rows);
}

std::string about_evaluations(const Summary::Training& training) {
    if (training.inner_bound) {
        return " The bound from within is not below the optimum: the two hold it between them.";
    }
    return training.policy_cost
               ? " The estimated cost of the policy is that of paths drawn by the weights of the "
                 "risk measures: how far it lies above the bound is how wrong the cuts still are."
               : "";
}

std::string about_bounds(const Summary& summary) {
    const std::string bound =
        summary.training->is_bound
            ? "The lower bound never exceeds the optimum of the problem with its sampled openings. "
            : "The lower estimate is no bound: it is computed as the case asks, and a warning of "
              "the run says what that leaves out. ";
    if (summary.training->is_exact) {
        return bound +
               "The upper bound is what the policy of that moment costs, over the whole tree.";
    }
    const std::string mean =
        "The mean cost of an iteration's trajectories is a sample of what the policy of that "
        "moment costs.";
    return bound + mean +
           (summary.cyclic
                ? " Stages go in a circle: the lower bound is of all that comes for ever, "
                  "the mean of one passage."
            : summary.has_no_gap()
                ? " Stages are averse to risk (CVaR): the lower bound is of the risk-adjusted cost "
                  "and the mean is not, so the distance between them says nothing."
                : "") +
           about_evaluations(*summary.training);
}

}  // namespace

void add_training(io::Page& page, const Summary& summary, const Results& results) {
    if (results.iterations.empty()) {
        return;
    }
    const auto convergence = convergence_of(results.iterations, *summary.training);
    page.heading("Convergence");
    page.paragraph(about_bounds(summary));
    add_bounds(page, convergence);
    add_evaluations(page, "upper bound from within", results.inner_bounds, convergence);
    add_evaluations(page, "estimated cost of the policy", results.policy_costs, convergence);
    add_table(page, results.iterations, convergence, summary);
    page.heading("Effort");
    add_times(page, results.iterations);
    add_ranks(page, results.ranks);
    add_cuts(page, results.iterations);
}

}  // namespace lockstep::app
