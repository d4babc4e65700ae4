#include "lockstep/app/rl/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/rl/table_file.hpp"
#include "lockstep/formats/rl/training.hpp"
#include "lockstep/rl/draws.hpp"
#include "lockstep/runtime/thread_team.hpp"
#include "lockstep/runtime/topology.hpp"

#include "app/rl/games/games.hpp"
#include "app/rl/games/opponent.hpp"
#include "app/rl/subject.hpp"
#include "app/rl/train/oracle.hpp"

namespace lockstep::app {
namespace {

using io::Json;

constexpr std::int64_t usual_episodes = 10'000;
// An episode that nothing ends would never end.
constexpr std::int64_t longest_episode = 100'000;

struct Played {
    double total = 0;
    std::int64_t steps = 0;
    bool is_cut = false;
};

template <typename E>
Played play(const E& rules,
            const rl::Streams& streams,
            std::uint32_t item,
            const std::vector<std::int8_t>& policy) {
    Played played;
    auto first = streams.at(item, 0);
    auto episode = rules.reset(first);
    for (bool is_over = false; !is_over && played.steps < longest_episode;) {
        auto draws = streams.at(item, static_cast<std::uint64_t>(++played.steps));
        const auto step = rules.step(episode, policy[at(episode.state)], draws);
        played.total += step.reward;
        is_over = step.ended();
        played.is_cut = !step.terminated;
    }
    return played;
}

template <typename E>
std::vector<std::int8_t> greedy_policy(const E& rules, const rl::QTable& table) {
    std::vector<std::int8_t> policy(at(table.states));
    for (int s = 0; s < table.states; ++s) {
        policy[at(s)] = static_cast<std::int8_t>(greedy_action(table, rules.mask(s), s));
    }
    return policy;
}

SampledReturn summary_of(const std::vector<Played>& episodes) {
    SampledReturn sampled;
    const auto count = static_cast<double>(episodes.size());
    sampled.episodes = std::ssize(episodes);
    sampled.min = std::numeric_limits<double>::infinity();
    sampled.max = -sampled.min;
    double sum = 0;
    double steps = 0;
    for (const auto& episode : episodes) {
        sum += episode.total;
        steps += static_cast<double>(episode.steps);
        sampled.min = std::min(sampled.min, episode.total);
        sampled.max = std::max(sampled.max, episode.total);
        sampled.cut += episode.is_cut ? 1 : 0;
    }
    sampled.mean = sum / count;
    sampled.length = steps / count;
    double squares = 0;
    for (const auto& episode : episodes) {
        squares += (episode.total - sampled.mean) * (episode.total - sampled.mean);
    }
    sampled.std = count > 1 ? std::sqrt(squares / (count - 1)) : 0;
    sampled.half_width_95 = 1.96 * sampled.std / std::sqrt(count);
    return sampled;
}

SampledReturn sample(const Subject& subject,
                     const rl::QTable& table,
                     const EvaluateRequest& request,
                     std::int64_t count,
                     runtime::ThreadTeam& team) {
    const rl::Streams streams(request.seed, "rl.evaluation");
    std::vector<Played> episodes(at(count));
    rl::with_environment(environment_of(subject), [&](const auto& rules) {
        const auto policy = greedy_policy(rules, table);
        team.parallel_for(count, [&](std::ptrdiff_t item, int) {
            episodes[at(item)] = play(rules, streams, static_cast<std::uint32_t>(item), policy);
        });
    });
    return summary_of(episodes);
}

double discount_factor_of(const formats::rl::TrainingRecord& record) {
    for (const auto& [name, value] : record.options) {
        if (name == "discount_factor") {
            return std::stod(value);
        }
    }
    return 1;
}

OracleLimits limits_of(const EvaluateRequest& request) {
    OracleLimits limits;
    limits.when = request.exact_values;
    limits.bytes = runtime::usable_memory();
    return limits;
}

Json bounded_json(const std::optional<formats::rl::BoundedValue>& value) {
    return value ? Json(Json::Object{
                       {"value", value->value}, {"lower", value->lower}, {"upper", value->upper}})
                 : Json();
}

Json game_json(const rl::GameResult& result) {
    return Json::Object{{"win", result.win}, {"draw", result.draw}, {"loss", result.loss}};
}

Json match_json(const Match& match) {
    return Json::Object{{"against", match.against},
                        {"first", game_json(match.first)},
                        {"second", game_json(match.second)}};
}

Json matches_json(const std::vector<Match>& matches) {
    Json::Array all;
    for (const auto& match : matches) {
        all.push_back(match_json(match));
    }
    return all;
}

Json number_or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json();
}

Json sampled_json(const SampledReturn& sampled) {
    return Json::Object{{"episodes", sampled.episodes},
                        {"mean", sampled.mean},
                        {"half_width_95", sampled.half_width_95},
                        {"std", sampled.std},
                        {"min", sampled.min},
                        {"max", sampled.max},
                        {"length_mean", sampled.length},
                        {"cut", sampled.cut}};
}

}  // namespace

std::vector<std::string> exact_values_names() {
    return {"auto", "always", "never"};
}

std::optional<ExactValues> exact_values(std::string_view name) {
    const auto names = exact_values_names();
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::nullopt
                                : std::optional(static_cast<ExactValues>(found - names.begin()));
}

Evaluation evaluate_run(const EvaluateRequest& request) {
    const auto record = formats::rl::read_training_record(request.run);
    const auto subject = subject_of(record.environment);
    const auto [origin, table] = formats::rl::read_table(request.run / "training");
    formats::rl::require_environment(origin, subject.record);
    runtime::ThreadTeam team(request.threads > 0 ? request.threads : runtime::usable_cpus());
    Evaluation evaluation;
    evaluation.environment = record.environment.name;
    evaluation.discount_factor = discount_factor_of(record);
    Oracle oracle(subject, evaluation.discount_factor, limits_of(request), team);
    evaluation.optimum = oracle.optimum();
    evaluation.why_no_optimum = oracle.why_skipped();
    const auto judgement = oracle.judge(table);
    if (judgement.worth) {
        evaluation.value = judgement.worth->value;
        evaluation.policy_match = judgement.worth->policy_match;
    }
    evaluation.exploitability = judgement.exploitability;
    if (!request.against.empty()) {
        evaluation.matches = {play_match(subject, table, request.against)};
    } else if (is_game(subject.record)) {
        evaluation.matches = {play_match(subject, table, "random"),
                              play_match(subject, table, "optimal")};
    }
    const bool is_exact = evaluation.value || evaluation.exploitability;
    const auto episodes = request.episodes.value_or(is_exact ? 0 : usual_episodes);
    if (episodes > 0) {
        evaluation.sampled = sample(subject, table, request, episodes, team);
    }
    return evaluation;
}

Json to_json(const Evaluation& evaluation) {
    return Json::Object{
        {"environment", evaluation.environment},
        {"discount_factor", evaluation.discount_factor},
        {"value", bounded_json(evaluation.value)},
        {"optimum", bounded_json(evaluation.optimum)},
        {"why_no_optimum", evaluation.why_no_optimum.empty() ? Json() : evaluation.why_no_optimum},
        {"policy_match", number_or_null(evaluation.policy_match)},
        {"exploitability", number_or_null(evaluation.exploitability)},
        {"matches", matches_json(evaluation.matches)},
        {"sampled", evaluation.sampled ? sampled_json(*evaluation.sampled) : Json()}};
}

}  // namespace lockstep::app
