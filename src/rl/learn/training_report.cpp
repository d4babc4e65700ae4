#include "rl/learn/training_report.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "lockstep/base/index.hpp"
#include "lockstep/comm/gather_list.hpp"
#include "lockstep/rl/learn/action_choice.hpp"

namespace lockstep::rl {
namespace {

double over(double sum, double count) {
    return count == 0 ? 0 : sum / count;
}

std::optional<Spread> spread_of(std::vector<double> sample, double mean) {
    if (sample.empty()) {
        return std::nullopt;
    }
    std::sort(sample.begin(), sample.end());
    const auto quantile = [&](double share) {
        return sample[static_cast<std::size_t>(share * static_cast<double>(sample.size() - 1))];
    };
    return Spread{mean, sample.front(), sample.back(), quantile(0.1), quantile(0.9)};
}

/// What a rank says of itself; numbers only, so that it can travel as it lies.
struct RankFigures {
    LearnRankReport report;
    double entries_changed;
    double entries_sent;
    double residual_squares;
    double residual_entries;
};

}  // namespace

TrainingReport::TrainingReport(const LearnOptions& options,
                               const TableStore& table,
                               const comm::Traffic& traffic)
    : options_(options), table_(table), traffic_before_(traffic), policy_(at(table.states()), -1) {}

void TrainingReport::start_at(const ReportPlace& place, const Counts& counts) {
    before_ = place;
    counts_before_ = counts;
}

LearnReport TrainingReport::make(const ReportPlace& place,
                                 LearningMode& mode,
                                 runtime::Team& team) {
    LearnReport report;
    report.round = place.round;
    report.transitions = place.transitions;
    report.seconds = place.seconds;
    report.is_last = place.is_last;
    report.checkpoint_seconds = place.checkpoint_seconds;
    const auto counts = mode.counts();
    report.episodes = counts.episodes;
    report.steps_per_second = over(static_cast<double>(place.transitions - before_.transitions),
                                   place.seconds - before_.seconds);
    add_learning(report, counts);
    add_ranks(report, mode, team);
    report.threads = team.ranks.size() * team.threads.size();
    mode.describe(report);
    report.efficiency =
        over(report.learn_seconds, report.threads * (place.seconds - before_.seconds));
    add_table(report);
    std::vector<double> returns;
    mode.add_returns(returns);
    const auto all = comm::gather_list(team.ranks, returns);
    const auto episodes = static_cast<double>(counts.episodes - counts_before_.episodes);
    report.episode_return = spread_of(all, over(counts.returns - counts_before_.returns, episodes));
    if (episodes == 0) {
        report.episode_return.reset();
    }
    before_ = place;
    counts_before_ = counts;
    return report;
}

void TrainingReport::add_learning(LearnReport& report, const Counts& counts) const {
    const auto& before = counts_before_;
    const auto transitions = static_cast<double>(counts.transitions - before.transitions);
    report.episode_length =
        over(static_cast<double>(counts.steps_of_episodes - before.steps_of_episodes),
             static_cast<double>(counts.episodes - before.episodes));
    report.td_error = over(counts.errors - before.errors, transitions);
    report.learning_rate = over(counts.step_sizes - before.step_sizes, transitions);
    report.exploration = options_.exploration.level.at(report.transitions);
}

void TrainingReport::add_ranks(LearnReport& report, LearningMode& mode, runtime::Team& team) {
    const auto figures = mode.take_figures();
    const auto traffic = team.ranks.traffic();
    RankFigures own{};
    const double seconds = report.seconds - before_.seconds - report.checkpoint_seconds;
    static_cast<runtime::RankReport&>(own.report) =
        runtime::rank_report(traffic, traffic_before_, seconds, report.checkpoint_seconds);
    own.report.wait_seconds += figures.wait_seconds;
    own.report.compute_seconds = std::max(0.0, own.report.compute_seconds - figures.wait_seconds);
    own.report.bytes_sent += figures.bytes_sent;
    own.report.bytes_received += figures.bytes_received;
    own.report.learn_seconds = figures.learn_seconds;
    own.report.transitions = figures.transitions;
    own.report.table_version = report.round;
    own.report.table_holders = table_.holders();
    own.entries_changed = static_cast<double>(figures.entries_changed);
    own.entries_sent = static_cast<double>(figures.entries_sent);
    own.residual_squares = figures.residual_squares;
    own.residual_entries = static_cast<double>(figures.residual_entries);
    traffic_before_ = traffic;
    double changed = 0;
    double sent = 0;
    double squares = 0;
    double entries = 0;
    double tables = 0;
    for (const auto& rank : comm::gather_list(team.ranks, std::vector<RankFigures>{own})) {
        report.ranks.push_back(rank.report);
        report.learn_seconds += rank.report.learn_seconds;
        report.bytes_sent += rank.report.bytes_sent;
        changed += rank.entries_changed;
        sent += rank.entries_sent;
        squares += rank.residual_squares;
        entries += rank.residual_entries;
        tables += 1.0 / static_cast<double>(rank.report.table_holders);
    }
    report.tables = static_cast<int>(std::lround(tables));
    report.exchange_seconds = own.report.communication_seconds;
    report.wait_seconds = own.report.wait_seconds;
    report.entries_sent = static_cast<std::int64_t>(sent);
    report.compression = over(sent, changed);
    report.residual = std::sqrt(over(squares, entries));
    report.bytes_per_update = over(static_cast<double>(report.bytes_sent),
                                   static_cast<double>(report.transitions - before_.transitions));
    report.workers_alive = options_.workers;
}

void TrainingReport::add_table(LearnReport& report) {
    table_.store().with_values([&](const auto& values) { add_values(values, report); });
}

template <typename V>
void TrainingReport::add_values(std::span<const V> values, LearnReport& report) {
    const auto actions = at(table_.actions());
    const auto visits = table_.store().visits();
    bool is_first = true;
    for (std::size_t pair = 0; pair < table_.pairs(); ++pair) {
        if (visits[pair] > 0) {
            const double value{values[pair]};
            report.q_min = is_first ? value : std::min(report.q_min, value);
            report.q_max = is_first ? value : std::max(report.q_max, value);
            is_first = false;
            ++report.touched;
        }
    }
    for (int s = 0; s < table_.states(); ++s) {
        if (table_.legal(s) == 0) {
            continue;
        }
        const Best best =
            best_of(values.data() + at(s) * actions, table_.legal(s), table_.actions());
        const auto action = static_cast<std::int8_t>(std::countr_zero(best.ties));
        report.policy_changes += static_cast<std::int64_t>(action != policy_[at(s)]);
        policy_[at(s)] = action;
    }
}

}  // namespace lockstep::rl
