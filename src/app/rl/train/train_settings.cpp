#include "app/rl/train/train_settings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/rl/train.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/number.hpp"
#include "lockstep/base/problems.hpp"

namespace lockstep::app {
namespace {

using Text = std::string_view;

[[noreturn]] void refuse(Text name, Text value, Text allowed) {
    throw InputError(fmt::format("{} is \"{}\": must be {}", name, value, allowed));
}

double real(Text name, Text text) {
    const auto value = parse_number<double>(text);
    if (!value || !std::isfinite(*value)) {
        refuse(name, text, "a number");
    }
    return *value;
}

// "1000000" or "1e6".
std::int64_t whole(Text name, Text text) {
    if (const auto value = parse_number<std::int64_t>(text)) {
        return *value;
    }
    const auto value = parse_number<double>(text);
    if (!value || std::abs(*value) > 9e15 || *value != std::floor(*value)) {
        refuse(name, text, "a whole number");
    }
    return static_cast<std::int64_t>(*value);
}

int number(Text name, Text text) {
    const auto value = whole(name, text);
    if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
        refuse(name, text, "a whole number of at most 2147483647");
    }
    return static_cast<int>(value);
}

std::uint64_t seed(Text name, Text text) {
    const auto value = parse_number<std::uint64_t>(text);
    if (!value) {
        refuse(name, text, "a whole number from 0 to 2^64 - 1");
    }
    return *value;
}

bool flag(Text name, Text text) {
    if (text != "true" && text != "false") {
        refuse(name, text, "true or false");
    }
    return text == "true";
}

// Hyphens and underscores are one.
std::string plain(Text name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

template <typename E>
E one_of(Text name, Text text, const std::vector<E>& all) {
    std::string names;
    std::vector<Text> candidates;
    for (const auto value : all) {
        if (plain(to_string(value)) == plain(text)) {
            return value;
        }
        candidates.push_back(to_string(value));
        names.append(names.empty() ? "" : ", ").append(to_string(value));
    }
    const auto guess = nearest(text, candidates);
    refuse(name, text, guess.empty() ? names : fmt::format("{}; did you mean {}?", names, guess));
}

Interval interval(Text name, Text text) {
    if (text.ends_with('s')) {
        const auto seconds = parse_number<double>(text.substr(0, text.size() - 1));
        if (seconds && *seconds > 0 && std::isfinite(*seconds)) {
            return {*seconds, std::nullopt};
        }
    } else if (const auto transitions = whole(name, text); transitions > 0) {
        return {std::nullopt, transitions};
    }
    refuse(name, text, "a number of transitions above 0, or seconds as in \"60s\"");
}

double interval_of_leases(Text name, Text text) {
    const auto given = interval(name, text);
    if (!given.seconds) {
        refuse(name, text, "seconds as in \"0.1s\"; transitions of a lease are sync_frequency");
    }
    return *given.seconds;
}

std::string backend(Text name, Text text) {
    if (text == "nccl") {
        throw InputError(
            fmt::format("{} is nccl, which moves memory of GPUs: this table lies in memory of "
                        "CPUs; take shm or "
                        "tcp ('lockstep launch') or mpi, or leave the option out",
                        name));
    }
    if (text == "threads") {
        return "local";
    }
    if (text == "auto") {
        return "";
    }
    for (const Text known : {"local", "shm", "tcp", "mpi"}) {
        if (text == known) {
            return std::string(text);
        }
    }
    refuse(name, text, "auto, threads, shm, tcp or mpi");
}

const std::vector<rl::Exploration::Rule>& exploration_rules() {
    using Rule = rl::Exploration::Rule;
    static const std::vector<Rule> all{Rule::epsilon_greedy, Rule::softmax, Rule::ucb};
    return all;
}

const std::vector<rl::Duplicates>& duplicate_rules() {
    static const std::vector<rl::Duplicates> all{rl::Duplicates::sequential,
                                                 rl::Duplicates::accumulating};
    return all;
}

struct Row {
    Option option;
    void (*set)(TrainSettings&, Text name, Text text);
};

using S = TrainSettings;
using Type = Option::Type;

std::vector<Row> problem_rows() {
    constexpr Text group = "What is learned";
    return {{{"steps",
              {"total_steps"},
              group,
              "N",
              "Transitions of all workers together",
              "1000000",
              Type::whole,
              "transitions",
              1},
             [](S& s, Text n, Text t) { s.learn.steps = whole(n, t); }},
            {{"discount_factor",
              {"gamma"},
              group,
              "G",
              "Discount of a step, 0 to 1",
              "0.99",
              Type::real,
              "",
              0,
              1},
             [](S& s, Text n, Text t) {
                 s.learn.discount_factor = real(n, t);
                 s.is_discount_given = true;
             }},
            {{"seed", {}, group, "N", "Of everything that is drawn", "0", Type::whole, "", 0},
             [](S& s, Text n, Text t) { s.learn.seed = seed(n, t); }},
            {{"state_size",
              {},
              group,
              "N",
              "States, checked against the environment",
              "the environment's",
              Type::whole,
              "",
              1},
             [](S& s, Text n, Text t) { s.state_size = whole(n, t); }},
            {{"action_size",
              {},
              group,
              "N",
              "Actions, checked against the environment",
              "the environment's",
              Type::whole,
              "",
              1},
             [](S& s, Text n, Text t) { s.action_size = whole(n, t); }}};
}

std::vector<Row> algorithm_rows() {
    constexpr Text group = "Algorithm";
    return {
        {{"algorithm", {}, group, "NAME", "See 'lockstep rl list'", "q_learning", Type::text},
         [](S& s, Text n, Text t) { s.learn.algorithm = one_of(n, t, rl::algorithms()); }},
        {{"learning_rate",
          {"alpha", "step_size"},
          group,
          "STEP",
          "Step size: a number, 1/n, n^-0.65, 101/(100+n), n being the visits of the pair",
          "n^-0.65",
          Type::text},
         [](S& s, Text, Text t) { s.learn.learning_rate = rl::parse_step_size(t); }},
        {{"exploration",
          {},
          group,
          "RULE",
          "epsilon_greedy, softmax or ucb",
          "epsilon_greedy",
          Type::text},
         [](S& s, Text n, Text t) {
             s.learn.exploration.rule = one_of(n, t, exploration_rules());
         }},
        {{"epsilon",
          {"exploration_rate", "temperature", "bonus"},
          group,
          "SCHEDULE",
          "How much is explored: probability of a random action, temperature of softmax, bonus of "
          "ucb; a number, linear(1, 0.05, 1e6), exponential(1, 0.01, 0.999) or visits(1)",
          "0.1",
          Type::text},
         [](S& s, Text, Text t) { s.learn.exploration.level = rl::parse_schedule(t); }},
        {{"random_ties",
          {},
          group,
          "BOOL",
          "While exploring, among equal values any action; false: the lowest",
          "true",
          Type::boolean},
         [](S& s, Text n, Text t) { s.learn.exploration.random_ties = flag(n, t); }},
        {{"initial_value",
          {"optimistic_start"},
          group,
          "Q",
          "Of all legal pairs at the start; a large one makes a learner try everything",
          "0",
          Type::real},
         [](S& s, Text n, Text t) { s.learn.initial_value = real(n, t); }},
        {{"load_model",
          {"first_table"},
          group,
          "DIR",
          "Begin with the values and visits of another training's output directory",
          "none",
          Type::place},
         [](S& s, Text, Text t) { s.load_model = std::string(t); }},
        {{"table_precision",
          {},
          group,
          "NAME",
          "Of values in tables and of changes on their way: f64, or f32 for tables larger than the "
          "cache",
          "f64",
          Type::text},
         [](S& s, Text n, Text t) { s.learn.table_precision = one_of(n, t, rl::precisions()); }},
        {{"n_steps",
          {},
          group,
          "N",
          "Rewards before the estimate, n-step algorithms [steps]",
          "4",
          Type::whole,
          "steps",
          1},
         [](S& s, Text n, Text t) { s.learn.n_steps = number(n, t); }},
        {{"lambda",
          {"trace_decay"},
          group,
          "L",
          "Decay of traces a step, 0 to 1",
          "0.9",
          Type::real,
          "",
          0,
          1},
         [](S& s, Text n, Text t) { s.learn.lambda = real(n, t); }},
        {{"planning_steps",
          {},
          group,
          "N",
          "Updates from what was seen before, a step of dyna_q and prioritized_sweeping",
          "10",
          Type::whole,
          "",
          0},
         [](S& s, Text n, Text t) { s.learn.planning_steps = number(n, t); }},
        {{"buffer_size",
          {"replay_buffer"},
          group,
          "N",
          "Transitions kept for replay, mode vector; 0: none",
          "0",
          Type::whole,
          "",
          0},
         [](S& s, Text n, Text t) { s.learn.buffer_size = whole(n, t); }},
        {{"replays",
          {},
          group,
          "N",
          "Updates from the buffer after each transition",
          "1",
          Type::whole,
          "",
          0},
         [](S& s, Text n, Text t) { s.learn.replays = number(n, t); }}};
}

std::vector<Row> mode_rows() {
    constexpr Text group = "Who learns and what is exchanged";
    return {{{"mode",
              {},
              group,
              "NAME",
              "See 'lockstep rl list'",
              "threads; server with async_updates",
              Type::text},
             [](S& s, Text n, Text t) {
                 s.learn.mode = one_of(n, t, rl::modes());
                 s.is_mode_given = true;
             }},
            {{"batch_size",
              {},
              group,
              "N",
              "Environments in lock step, modes vector and actor-learner",
              "32",
              Type::whole,
              "",
              1},
             [](S& s, Text n, Text t) { s.learn.batch_size = number(n, t); }},
            {{"duplicates",
              {},
              group,
              "RULE",
              "Several transitions of a pair in a lock step: sequential, each finds what the one "
              "before left; accumulating, changes from the values before add up",
              "sequential",
              Type::text},
             [](S& s, Text n, Text t) { s.learn.duplicates = one_of(n, t, duplicate_rules()); }},
            {{"workers",
              {},
              group,
              "N",
              "That learn in a round, wherever they run: a part of the problem, not of the machine",
              "16",
              Type::whole,
              "",
              1},
             [](S& s, Text n, Text t) { s.learn.workers = number(n, t); }},
            {{"sync_frequency",
              {},
              group,
              "N",
              "Transitions of a worker in a round, after which it exchanges",
              "10000; 100 in mode actor-learner",
              Type::whole,
              "transitions",
              1},
             [](S& s, Text n, Text t) { s.learn.sync_frequency = whole(n, t); }},
            {{"combine",
              {"combining_rule"},
              group,
              "RULE",
              "How tables of workers become one: see 'lockstep rl list'",
              "importance",
              Type::text},
             [](S& s, Text n, Text t) { s.learn.combine = one_of(n, t, rl::combining_rules()); }},
            {{"compression_ratio",
              {"compression_threshold"},
              group,
              "R",
              "Changes below this share of their root mean square wait for the next round; 0: all "
              "travel",
              "0",
              Type::real,
              "",
              0},
             [](S& s, Text n, Text t) { s.learn.compression_ratio = real(n, t); }},
            {{"error_feedback",
              {},
              group,
              "BOOL",
              "What waits is kept; false: lost, a negative control",
              "true",
              Type::boolean},
             [](S& s, Text n, Text t) { s.learn.error_feedback = flag(n, t); }},
            {{"overlap",
              {"batched_parameter_sync"},
              group,
              "BOOL",
              "Modes threads and allreduce: changes travel while the next round is played, from a "
              "table that is a round older",
              "false",
              Type::boolean},
             [](S& s, Text n, Text t) { s.learn.overlap = flag(n, t); }},
            {{"async_updates",
              {},
              group,
              "BOOL",
              "true: mode server unless another is named; false: staleness 0",
              "not given",
              Type::boolean},
             [](S& s, Text n, Text t) { s.async_updates = flag(n, t); }},
            {{"staleness",
              {"prefetch_factor"},
              group,
              "N",
              "Rounds that a worker may be ahead of the slowest, -1: any; mode actor-learner: age "
              "of the values that actors have [rounds]",
              "1",
              Type::whole,
              "rounds",
              -1},
             [](S& s, Text n, Text t) { s.learn.staleness = number(n, t); }},
            {{"rebalance_interval",
              {},
              group,
              "Ss",
              "Mode server with staleness: no lease is to take longer, and the next one is as long "
              "as its worker has become fast",
              "0.1s",
              Type::text},
             [](S& s, Text n, Text t) { s.learn.lease_seconds = interval_of_leases(n, t); }},
            {{"servers",
              {},
              group,
              "N",
              "Mode server: ranks that divide the states of the table, the first ones, at most all "
              "but one",
              "1",
              Type::whole,
              "",
              1},
             [](S& s, Text n, Text t) { s.learn.servers = number(n, t); }},
            {{"delay_adaptive",
              {},
              group,
              "BOOL",
              "Mode server: step sizes over 1 + the age of the values",
              "false",
              Type::boolean},
             [](S& s, Text n, Text t) { s.learn.delay_adaptive = flag(n, t); }},
            {{"heartbeat_interval",
              {},
              group,
              "S",
              "'rl serve': a worker that has nothing to send tells of itself so often; silent for "
              "three times as long it is suspected, for five times lost [s]",
              "1",
              Type::text,
              "s"},
             [](S& s, Text n, Text t) {
                 s.heartbeat_seconds = real(n, t.ends_with('s') ? t.substr(0, t.size() - 1) : t);
             }},
            {{"heartbeat_timeout",
              {},
              group,
              "S",
              "'rl serve': a worker that is silent for so long is lost, and suspected after three "
              "fifths of it [s]",
              "5 heartbeats",
              Type::text,
              "s"},
             [](S& s, Text n, Text t) {
                 s.timeout_seconds = real(n, t.ends_with('s') ? t.substr(0, t.size() - 1) : t);
             }},
            {{"communication_backend",
              {},
              group,
              "NAME",
              "auto, threads, shm, tcp or mpi; as --backend",
              "auto",
              Type::text},
             [](S& s, Text n, Text t) { s.backend = backend(n, t); }}};
}

std::vector<Row> report_rows() {
    constexpr Text group = "Reports and checkpoints";
    return {{{"exact_values",
              {},
              group,
              "WHEN",
              "Optimal values to judge the table by: auto, where they take a short time; always; "
              "never",
              "auto",
              Type::choice,
              "",
              0,
              0,
              {"auto", "always", "never"}},
             [](S& s, Text n, Text t) {
                 const auto rule = exact_values(t);
                 if (!rule) {
                     refuse(n, t, "auto, always or never");
                 }
                 s.exact_values = *rule;
             }},
            {{"log_interval",
              {},
              group,
              "N",
              "A line of metrics.jsonl after so many transitions, or seconds as in 1s",
              "1s",
              Type::text},
             [](S& s, Text n, Text t) { s.log = interval(n, t); }},
            {{"checkpoint_interval",
              {},
              group,
              "N",
              "A checkpoint after so many transitions, or seconds as in 60s; 0: none",
              "60s",
              Type::text},
             [](S& s, Text n, Text t) { s.checkpoint = t == "0" ? Interval{} : interval(n, t); }},
            {{"check_consistency",
              {"consistency_interval"},
              group,
              "N",
              "Ranks compare their tables by hashes of blocks after so many rounds; 0: never",
              "0",
              Type::whole,
              "rounds",
              0},
             [](S& s, Text n, Text t) {
                 s.check_rounds = whole(n, t);
                 if (s.check_rounds < 0) {
                     refuse(n, t, "0 (never) or a number of rounds");
                 }
             }},
            {{"checkpoint_frequency",
              {},
              group,
              "N",
              "The same, in rounds",
              "not given",
              Type::whole,
              "rounds",
              1},
             [](S& s, Text n, Text t) {
                 s.checkpoint_rounds = whole(n, t);
                 if (*s.checkpoint_rounds < 1) {
                     refuse(n, t, "at least 1 round");
                 }
             }}};
}

const std::vector<Row>& rows() {
    static const std::vector<Row> all = [] {
        std::vector<Row> joined;
        for (const auto& part : {problem_rows(), algorithm_rows(), mode_rows(), report_rows()}) {
            joined.insert(joined.end(), part.begin(), part.end());
        }
        return joined;
    }();
    return all;
}

// Options of other programs that have their place elsewhere here.
void refuse_elsewhere(Text name) {
    static const std::map<Text, Text> places = {
        {"tolerance", "'lockstep compare' and check_consistency, whose tolerance is 0"},
        {"num_workers", "workers"},
        {"save_model",
         "--output: every training leaves its table there, for --load-model and others"},
        {"world_size", "'lockstep launch -n' or mpirun"}};
    if (const auto place = places.find(name); place != places.end()) {
        throw InputError(
            fmt::format("{} is no option of a training: what it says elsewhere is said here by {}",
                        name,
                        place->second));
    }
}

const Row& row_of(const std::string& given) {
    const auto name = plain(given);
    std::vector<Text> candidates;
    for (const auto& row : rows()) {
        candidates.push_back(row.option.name);
        candidates.insert(candidates.end(), row.option.aliases.begin(), row.option.aliases.end());
        if (row.option.name == name || std::ranges::count(row.option.aliases, name) > 0) {
            return row;
        }
    }
    refuse_elsewhere(name);
    const auto guess = nearest(name, candidates);
    throw InputError(fmt::format("unknown option {}{}",
                                 given,
                                 guess.empty() ? "; 'lockstep rl train --help' lists them"
                                               : fmt::format("; did you mean {}?", guess)));
}

// Who asks for both by the seed's names gets the mode, and is told what it does not have.
void leave_out_compression(TrainSettings& settings) {
    double& ratio = settings.learn.compression_ratio;
    if (ratio > 0 && settings.learn.staleness != 0) {
        settings.notes.push_back(fmt::format(
            "compression_ratio {} is left out: with async_updates all changes travel, since what "
            "waits would travel with every lease; mode allreduce compresses",
            ratio));
        ratio = 0;
    }
}

void settle_asynchrony(TrainSettings& settings, bool is_staleness_given) {
    if (!settings.async_updates) {
        return;
    }
    if (*settings.async_updates && !settings.is_mode_given) {
        settings.learn.mode = rl::Mode::server;
        leave_out_compression(settings);
    }
    if (!*settings.async_updates && !is_staleness_given) {
        settings.learn.staleness = 0;
    }
}

void settle_checkpoints(TrainSettings& settings) {
    if (settings.checkpoint_rounds) {
        settings.checkpoint.transitions = *settings.checkpoint_rounds *
                                          settings.learn.transitions_of_a_round() *
                                          settings.learn.workers;
    }
}

const char* text_of(bool value) {
    return value ? "true" : "false";
}

}  // namespace

const std::vector<Option>& train_options() {
    static const std::vector<Option> all = [] {
        std::vector<Option> options;
        for (const auto& row : rows()) {
            options.push_back(row.option);
        }
        return options;
    }();
    return all;
}

TrainSettings train_settings(const std::vector<formats::Setting>& options) {
    TrainSettings settings;
    bool is_staleness_given = false;
    for (const auto& [name, text] : options) {
        const auto& row = row_of(name);
        row.set(settings, name, text);
        is_staleness_given |= row.option.name == "staleness";
    }
    settle_asynchrony(settings, is_staleness_given);
    settle_checkpoints(settings);
    settings.learn.validate();
    return settings;
}

void check_train_option(const formats::Setting& option) {
    TrainSettings settings;
    row_of(option.first).set(settings, option.first, option.second);
}

std::vector<formats::Setting> as_settings(const rl::LearnOptions& o) {
    const auto text = [](const auto& value) { return fmt::format("{}", value); };
    return {{"steps", text(o.steps)},
            {"discount_factor", text(o.discount_factor)},
            {"seed", text(o.seed)},
            {"algorithm", std::string(to_string(o.algorithm))},
            {"learning_rate", to_string(o.learning_rate)},
            {"exploration", std::string(to_string(o.exploration.rule))},
            {"epsilon", to_string(o.exploration.level)},
            {"random_ties", text_of(o.exploration.random_ties)},
            {"initial_value", text(o.initial_value)},
            {"table_precision", std::string(to_string(o.table_precision))},
            {"n_steps", text(o.n_steps)},
            {"lambda", text(o.lambda)},
            {"planning_steps", text(o.planning_steps)},
            {"buffer_size", text(o.buffer_size)},
            {"replays", text(o.replays)},
            {"mode", std::string(to_string(o.mode))},
            {"batch_size", text(o.batch_size)},
            {"duplicates", std::string(to_string(o.duplicates))},
            {"workers", text(o.workers)},
            {"sync_frequency", text(o.transitions_of_a_round())},
            {"combine", std::string(to_string(o.combine))},
            {"compression_ratio", text(o.compression_ratio)},
            {"error_feedback", text_of(o.error_feedback)},
            {"overlap", text_of(o.overlap)},
            {"staleness", text(o.staleness)},
            {"rebalance_interval", text(o.lease_seconds) + "s"},
            {"servers", text(o.servers)},
            {"delay_adaptive", text_of(o.delay_adaptive)}};
}

}  // namespace lockstep::app
