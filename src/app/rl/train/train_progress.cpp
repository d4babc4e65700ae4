#include "app/rl/train/train_progress.hpp"

#include <algorithm>
#include <cstdint>

#include <sys/resource.h>

#include "app/rl/train/train_settings.hpp"

namespace lockstep::app {
namespace {

using io::Json;

Figure figure(const char* name, double value, const char* unit, const char* meaning) {
    return {name, value, unit, "", meaning};
}

double real(std::int64_t value) {
    return static_cast<double>(value);
}

std::vector<Figure> rank_figures(const rl::LearnRankReport& rank) {
    return {figure("learn", rank.learn_seconds, "s", "Time of its threads in workers"),
            figure("transitions", real(rank.transitions), "", "Of the workers that it hosts"),
            figure("communication",
                   rank.communication_seconds,
                   "s",
                   "Time in collectives once all ranks had come"),
            figure("wait", rank.wait_seconds, "s", "Time in collectives until all had come"),
            figure("checkpoint", rank.io_seconds, "s", "Time to write the checkpoint"),
            figure("sent", real(rank.bytes_sent), "B", "What it gave to collectives"),
            figure("received", real(rank.bytes_received), "B", "What others gave")};
}

std::optional<Forecast> time_left(const rl::LearnReport& report, std::int64_t steps) {
    if (report.steps_per_second <= 0) {
        return std::nullopt;
    }
    return Forecast{
        real(std::max<std::int64_t>(0, steps - report.transitions)) / report.steps_per_second,
        false};
}

std::int64_t peak_memory() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return std::int64_t{usage.ru_maxrss} * 1024;
}

std::int64_t received(const rl::LearnReport& report) {
    std::int64_t bytes = 0;
    for (const auto& rank : report.ranks) {
        bytes += rank.bytes_received;
    }
    return bytes;
}

// Beside the one from the transition itself.
double updates_of_a_step(const rl::LearnOptions& options) {
    using rl::Algorithm;
    if (options.algorithm == Algorithm::dyna_q ||
        options.algorithm == Algorithm::prioritized_sweeping) {
        return options.planning_steps;
    }
    return options.buffer_size > 0 ? options.replays : 0;
}

Json ranks_json(const std::vector<rl::LearnRankReport>& ranks) {
    Json array = Json::array();
    for (const auto& rank : ranks) {
        array.push(Json::Object{{"learn_s", rank.learn_seconds},
                                {"comm_s", rank.communication_seconds},
                                {"wait_s", rank.wait_seconds},
                                {"ckpt_s", rank.io_seconds},
                                {"transitions", rank.transitions},
                                {"bytes_sent", rank.bytes_sent},
                                {"bytes_received", rank.bytes_received},
                                {"table_version", rank.table_version},
                                {"table_holders", rank.table_holders}});
    }
    return array;
}

Json tables_json(const std::vector<rl::WorkerTable>& tables) {
    Json array = Json::array();
    for (const auto& table : tables) {
        array.push(Json::Object{
            {"worker", table.worker}, {"table_version", table.version}, {"behind", table.behind}});
    }
    return array;
}

Json histogram_json(const std::vector<std::int64_t>& counts) {
    Json array = Json::array();
    for (const auto count : counts) {
        array.push(count);
    }
    return array;
}

void add_returns(Json& line, const std::optional<rl::Spread>& spread) {
    const auto part = [&](double rl::Spread::*member) {
        return spread ? Json((*spread).*member) : Json();
    };
    line.append("return_mean", part(&rl::Spread::mean));
    line.append("return_min", part(&rl::Spread::min));
    line.append("return_max", part(&rl::Spread::max));
    line.append("return_p10", part(&rl::Spread::p10));
    line.append("return_p90", part(&rl::Spread::p90));
}

void add_judgement(Json& line, const Judgement& judgement) {
    const auto& worth = judgement.worth;
    line.append("value", worth ? Json(worth->value.value) : Json());
    line.append("value_gap", worth ? Json(worth->value_gap) : Json());
    line.append("bellman_residual_inf", worth ? Json(worth->bellman_residual) : Json());
    line.append("policy_match", worth ? Json(worth->policy_match) : Json());
    line.append("exploitability",
                judgement.exploitability ? Json(*judgement.exploitability) : Json());
}

void add_learning(Json& line, const rl::LearnOptions& options, const rl::LearnReport& report) {
    line.append("length_mean", report.episode_length);
    line.append("td_abs_mean", report.td_error);
    line.append("epsilon", report.exploration);
    line.append("alpha_mean", report.learning_rate);
    line.append("q_min", report.q_min);
    line.append("q_max", report.q_max);
    line.append("touched", report.touched);
    line.append("policy_changes", report.policy_changes);
    line.append("steps_per_s", report.steps_per_second);
    line.append("updates_per_s", report.steps_per_second * (1 + updates_of_a_step(options)));
}

void add_effort(Json& line, const rl::LearnOptions& options, const rl::LearnReport& report) {
    line.append("t_learn", report.learn_seconds);
    line.append("efficiency", report.efficiency);
    line.append("t_comm", report.exchange_seconds);
    line.append("t_wait", report.wait_seconds);
    line.append("t_ckpt", report.checkpoint_seconds);
    line.append("bytes_sent", report.bytes_sent);
    line.append("bytes_received", received(report));
    line.append("bytes_per_update", report.bytes_per_update);
    line.append("entries_sent", report.entries_sent);
    line.append("compression_ratio", report.compression);
    line.append("residual_norm", report.residual);
    line.append("staleness_mean", report.staleness.mean);
    line.append("staleness_p95", report.staleness.p95);
    line.append("staleness_max", report.staleness.max);
    line.append("staleness_histogram", histogram_json(report.staleness.histogram));
    line.append("consistency_checks", report.consistency_checks);
    line.append("queue_depth", report.queue_depth);
    line.append("tables", has_equal_tables(options) ? Json(std::int64_t{report.tables}) : Json());
    line.append("workers_alive", report.workers_alive);
    line.append("workers_suspected", report.workers_suspected);
    line.append("lease_reissued", report.leases_reissued);
    line.append("by_worker", tables_json(report.worker_tables));
    line.append("rss_bytes", peak_memory());
    line.append("by_rank", ranks_json(report.ranks));
}

void add_worth(std::vector<Figure>& figures, const Judgement& judgement) {
    if (judgement.worth) {
        figures.push_back({"value_gap",
                           judgement.worth->value_gap,
                           "#",
                           "value gap",
                           "Optimal value of the start less that of the greedy policy, exact"});
    }
    if (judgement.exploitability) {
        figures.push_back({"exploitability",
                           *judgement.exploitability,
                           "#",
                           judgement.worth ? "" : "exploitable",
                           "What the best opponent gains on average, exact"});
    }
}

}  // namespace

Progress progress_of(const rl::LearnReport& report,
                     const std::optional<Judgement>& judgement,
                     std::int64_t steps) {
    Progress progress;
    progress.phase = "training";
    progress.step = "step";
    progress.done = report.transitions;
    progress.total = steps;
    progress.seconds = report.seconds;
    progress.left = time_left(report, steps);
    auto& figures = progress.figures;
    if (report.episode_return) {
        figures.push_back({"return_mean",
                           report.episode_return->mean,
                           "#",
                           "return",
                           "Mean return of the episodes that ended"});
    }
    figures.push_back(
        {"td_abs_mean", report.td_error, "#", "TD error", "Mean of |target - value|"});
    figures.push_back(
        {"steps_per_s", report.steps_per_second, "", "steps/s", "Transitions a second"});
    add_worth(figures, judgement.value_or(Judgement{}));
    figures.push_back(figure("episodes", real(report.episodes), "", "Episodes that have ended"));
    figures.push_back(figure("epsilon", report.exploration, "#", "Level of exploration"));
    figures.push_back(figure("alpha_mean", report.learning_rate, "#", "Mean step size"));
    figures.push_back(figure("touched", real(report.touched), "", "Pairs that were visited"));
    figures.push_back(figure("bytes_sent", real(report.bytes_sent), "B", "By all ranks"));
    for (const auto& rank : report.ranks) {
        progress.ranks.push_back(rank_figures(rank));
    }
    return progress;
}

bool has_equal_tables(const rl::LearnOptions& options) {
    return rl::can_share_table(options) || options.overlap;
}

Json metrics_line(const MetricsHead& head,
                  const rl::LearnOptions& options,
                  const rl::LearnReport& report,
                  const std::optional<Judgement>& judgement) {
    Json line = Json::Object{{"run_id", head.run_id},
                             {"mode", to_string(options.mode)},
                             {"ranks", head.ranks},
                             {"threads", head.threads},
                             {"round", report.round},
                             {"seconds", report.seconds},
                             {"transitions_total", report.transitions},
                             {"episodes", report.episodes}};
    add_returns(line, report.episode_return);
    add_learning(line, options, report);
    add_effort(line, options, report);
    add_judgement(line, judgement.value_or(Judgement{}));
    return line;
}

formats::rl::TrainingRecord record_of(const rl::LearnResult& result,
                                      const formats::rl::EnvironmentRecord& environment,
                                      const rl::LearnOptions& options) {
    formats::rl::TrainingRecord record;
    record.environment = environment;
    record.options = as_settings(options);
    record.is_reproducible = rl::is_reproducible(options);
    record.ending = result.ending == rl::LearnEnding::done ? "done" : "stopped";
    record.transitions = result.transitions;
    record.episodes = result.episodes;
    record.rounds = result.rounds;
    record.seconds = result.seconds;
    record.steps_per_second = static_cast<double>(result.transitions) / result.seconds;
    record.touched = result.last.touched;
    if (result.last.episode_return) {
        record.return_mean = result.last.episode_return->mean;
    }
    record.td_error = result.last.td_error;
    record.digest = to_string(result.digest);
    return record;
}

}  // namespace lockstep::app
