#include "app/metrics.hpp"

#include <fmt/format.h>

namespace lockstep::app {
namespace {

// A gauge of the whole run.
std::string gauge(const char* name, const char* help, double value) {
    return fmt::format("# HELP lockstep_{0} {1}\n# TYPE lockstep_{0} gauge\nlockstep_{0} {2}\n",
                       name,
                       help,
                       value);
}

struct RankGauge {
    const char* name;
    const char* help;
    double (*value)(const sddp::RankReport&);
};

constexpr RankGauge rank_gauges[] = {
    {"compute_seconds",
     "Time of the last iteration that went into computing",
     [](const sddp::RankReport& r) { return r.compute_seconds; }},
    {"communication_seconds",
     "Time in collectives once all ranks had come",
     [](const sddp::RankReport& r) { return r.communication_seconds; }},
    {"wait_seconds",
     "Time in collectives until all ranks had come",
     [](const sddp::RankReport& r) { return r.wait_seconds; }},
    {"checkpoint_seconds",
     "Time to write the checkpoint",
     [](const sddp::RankReport& r) { return r.io_seconds; }},
    {"sent_bytes",
     "Contributions to collectives",
     [](const sddp::RankReport& r) { return static_cast<double>(r.bytes_sent); }},
    {"received_bytes",
     "Contributions of other ranks",
     [](const sddp::RankReport& r) { return static_cast<double>(r.bytes_received); }},
    {"borrowed_bytes",
     "Cuts and stage problems read in memory of another rank of the node",
     [](const sddp::RankReport& r) { return static_cast<double>(r.borrowed_bytes); }},
    {"lp_solves",
     "Linear programmes solved",
     [](const sddp::RankReport& r) { return static_cast<double>(r.solves); }},
};

}  // namespace

std::string prometheus_text(const sddp::IterationReport& report) {
    auto text = gauge("iteration", "Iterations done", report.iteration);
    text += gauge("lower_bound_dollars", "Lower bound of the expected cost", report.lower_bound);
    text += gauge("upper_bound_dollars", "Mean cost of the trajectories", report.upper_bound);
    text += gauge("gap_ratio", "Upper over lower bound, less one", report.gap);
    text += gauge("cuts", "Cuts of all stages", static_cast<double>(report.cuts_active));
    text += gauge("elapsed_seconds", "Time since training began", report.elapsed_seconds);
    for (const auto& metric : rank_gauges) {
        text += fmt::format("# HELP lockstep_rank_{0} {1}\n# TYPE lockstep_rank_{0} gauge\n",
                            metric.name,
                            metric.help);
        for (std::size_t rank = 0; rank < report.ranks.size(); ++rank)
            text += fmt::format("lockstep_rank_{}{{rank=\"{}\"}} {}\n",
                                metric.name,
                                rank,
                                metric.value(report.ranks[rank]));
    }
    return text;
}

}  // namespace lockstep::app
