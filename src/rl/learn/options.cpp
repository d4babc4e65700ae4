#include "lockstep/rl/learn/options.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::rl {
namespace {

[[noreturn]] void refuse(std::string_view option,
                         std::string_view found,
                         std::string_view allowed) {
    throw InputError(fmt::format("{} is {}: must be {}", option, found, allowed));
}

void check(bool is_good, std::string_view option, double found, std::string_view allowed) {
    if (!is_good) {
        refuse(option, fmt::format("{}", found), allowed);
    }
}

void check(bool is_good, std::string_view option, std::int64_t found, std::string_view allowed) {
    if (!is_good) {
        refuse(option, fmt::format("{}", found), allowed);
    }
}

bool is_one_of(auto value, std::initializer_list<decltype(value)> set) {
    for (const auto member : set) {
        if (value == member) {
            return true;
        }
    }
    return false;
}

bool is_batch(Mode mode) {
    return is_one_of(mode, {Mode::vector, Mode::actor_learner});
}

void check_numbers(const LearnOptions& o) {
    check(o.steps >= 1, "steps", o.steps, "at least 1 transition");
    check(o.discount_factor >= 0 && o.discount_factor <= 1,
          "discount_factor",
          o.discount_factor,
          "in [0, 1]");
    check(std::abs(o.initial_value) <= largest_of(o.table_precision),
          "initial_value",
          o.initial_value,
          fmt::format("a finite number that table_precision {} can hold",
                      to_string(o.table_precision)));
    check(o.n_steps >= 1 && o.n_steps <= 64, "n_steps", std::int64_t{o.n_steps}, "1 to 64");
    check(o.lambda >= 0 && o.lambda <= 1, "lambda", o.lambda, "in [0, 1]");
    check(o.planning_steps >= 1, "planning_steps", std::int64_t{o.planning_steps}, "at least 1");
    check(o.batch_size >= 1 && o.batch_size <= 1 << 20,
          "batch_size",
          std::int64_t{o.batch_size},
          "1 to 1048576 environments");
    check(o.workers >= 1 && o.workers <= 4096, "workers", std::int64_t{o.workers}, "1 to 4096");
    check(o.sync_frequency >= 0,
          "sync_frequency",
          o.sync_frequency,
          "transitions, or 0 for what the mode has");
    check(o.compression_ratio >= 0 && o.compression_ratio <= 100,
          "compression_ratio",
          o.compression_ratio,
          "in [0, 100], a share of the root mean square of changes");
    check(
        o.staleness >= -1, "staleness", std::int64_t{o.staleness}, "-1 (any) or rounds, 0 or more");
    check(o.lease_seconds > 0 && o.lease_seconds <= 3600,
          "rebalance_interval",
          o.lease_seconds,
          "above 0 and at most 3600 s");
    check(
        o.servers >= 1 && o.servers <= 64, "servers", std::int64_t{o.servers}, "1 to 64 processes");
    check(o.buffer_size >= 0, "buffer_size", o.buffer_size, "0 (none) or a number of transitions");
    check(o.replays >= 1, "replays", std::int64_t{o.replays}, "at least 1");
}

// Algorithms that look at more than one transition keep what other ranks would have to know.
void check_algorithm(const LearnOptions& o) {
    const auto name = fmt::format("algorithm {}", to_string(o.algorithm));
    if (is_batch(o.mode) &&
        !is_one_of(o.algorithm,
                   {Algorithm::q_learning, Algorithm::expected_sarsa, Algorithm::double_q})) {
        refuse(name,
               fmt::format("asked for in mode {}", to_string(o.mode)),
               "q_learning, expected_sarsa or double_q there");
    }
    if (o.mode == Mode::hogwild &&
        !is_one_of(o.algorithm,
                   {Algorithm::q_learning, Algorithm::sarsa, Algorithm::expected_sarsa})) {
        refuse(name, "asked for in mode hogwild", "q_learning, sarsa or expected_sarsa there");
    }
    if (o.mode != Mode::serial &&
        is_one_of(o.algorithm, {Algorithm::dyna_q, Algorithm::prioritized_sweeping})) {
        refuse(name,
               fmt::format("asked for in mode {}", to_string(o.mode)),
               "in mode serial: the model that it learns is not exchanged");
    }
    if (o.table_precision == Precision::f32 &&
        is_one_of(o.algorithm, {Algorithm::dyna_q, Algorithm::prioritized_sweeping})) {
        refuse("table_precision",
               fmt::format("f32 with algorithm {}", to_string(o.algorithm)),
               "f64 there: the model that it learns is many times as large as the table; "
               "q_learning and others take f32");
    }
}

void check_combinations(const LearnOptions& o) {
    if (o.compression_ratio > 0 && !is_one_of(o.mode, {Mode::allreduce, Mode::server})) {
        refuse("compression_ratio",
               fmt::format("{} in mode {}", o.compression_ratio, to_string(o.mode)),
               "0 there: only allreduce and server send changes");
    }
    if (o.compression_ratio > 0 && o.mode == Mode::server && o.staleness != 0) {
        refuse("compression_ratio",
               fmt::format("{} in mode server with staleness {}", o.compression_ratio, o.staleness),
               "0 there: what waits would travel with every lease, which is more than it saves");
    }
    if (o.servers > 1 && o.mode != Mode::server) {
        refuse("servers",
               fmt::format("{} in mode {}", o.servers, to_string(o.mode)),
               "1 there: only mode server has any");
    }
    if (o.overlap && !is_one_of(o.mode, {Mode::threads, Mode::allreduce})) {
        refuse("overlap",
               fmt::format("true in mode {}", to_string(o.mode)),
               "false there: only threads and allreduce exchange in rounds of their own");
    }
    if (o.overlap && o.compression_ratio > 0) {
        refuse("overlap",
               fmt::format("true with compression_ratio {}", o.compression_ratio),
               "false there: what waits is of older tables still");
    }
    if (o.buffer_size > 0 && (o.mode != Mode::vector || o.algorithm != Algorithm::q_learning)) {
        refuse(
            "buffer_size",
            fmt::format(
                "{} with {} in mode {}", o.buffer_size, to_string(o.algorithm), to_string(o.mode)),
            "0 there: replay goes with q_learning in mode vector");
    }
    if (o.duplicates != Duplicates::sequential && !is_batch(o.mode)) {
        refuse("duplicates",
               fmt::format("{} in mode {}", to_string(o.duplicates), to_string(o.mode)),
               "sequential there: only vector and actor_learner have lock steps");
    }
    if (o.mode == Mode::actor_learner && o.staleness < 0) {
        refuse("staleness", "-1 in mode actor_learner", "0 or more rounds there");
    }
}

struct Name {
    std::string_view name;
    std::string_view about;
};

Name name_of(Mode mode) {
    switch (mode) {
        case Mode::serial:
            return {"serial", "one environment, one table"};
        case Mode::vector:
            return {"vector", "many environments in lock step, one table; replay"};
        case Mode::threads:
            return {"threads",
                    "workers play rounds from one table, then it takes up what they learned"};
        case Mode::hogwild:
            return {"hogwild", "threads of a node on one table without locks; not reproducible"};
        case Mode::allreduce:
            return {"allreduce",
                    "as threads, over ranks: sparse changes travel, compressed if wished"};
        case Mode::server:
            return {"server", "workers pull from a sharded table and push to it, boundedly stale"};
        case Mode::actor_learner:
            break;
    }
    return {"actor-learner", "actors send transitions, one learner sends back new values"};
}

Name name_of(Algorithm algorithm) {
    switch (algorithm) {
        case Algorithm::q_learning:
            return {"q_learning",
                    "the best value that follows; learns the optimum while exploring"};
        case Algorithm::double_q:
            return {"double_q", "two tables, against the bias of taking the maximum of estimates"};
        case Algorithm::sarsa:
            return {"sarsa",
                    "the value of the action that follows; learns what exploring is worth"};
        case Algorithm::expected_sarsa:
            return {"expected_sarsa", "as sarsa, the mean over what may follow: less noise"};
        case Algorithm::n_step_q:
            return {"n_step_q", "n rewards, then the best value; cut where exploring"};
        case Algorithm::n_step_sarsa:
            return {"n_step_sarsa", "n rewards, then the action that follows"};
        case Algorithm::q_lambda:
            return {"q_lambda", "Watkins's Q(lambda): traces, cut where exploring"};
        case Algorithm::sarsa_lambda:
            return {"sarsa_lambda", "SARSA(lambda): replacing traces"};
        case Algorithm::speedy_q:
            return {"speedy_q",
                    "full steps towards what the table has learned since the step before"};
        case Algorithm::dyna_q:
            return {"dyna_q", "further updates from what was seen before, at random"};
        case Algorithm::prioritized_sweeping:
            break;
    }
    return {"prioritized_sweeping", "further updates from what was seen, largest change first"};
}

}  // namespace

std::string_view to_string(Mode mode) {
    return name_of(mode).name;
}

std::string_view about(Mode mode) {
    return name_of(mode).about;
}

const std::vector<Mode>& modes() {
    static const std::vector<Mode> all{Mode::serial,
                                       Mode::vector,
                                       Mode::threads,
                                       Mode::hogwild,
                                       Mode::allreduce,
                                       Mode::server,
                                       Mode::actor_learner};
    return all;
}

std::string_view to_string(Algorithm algorithm) {
    return name_of(algorithm).name;
}

std::string_view about(Algorithm algorithm) {
    return name_of(algorithm).about;
}

const std::vector<Algorithm>& algorithms() {
    static const std::vector<Algorithm> all{Algorithm::q_learning,
                                            Algorithm::double_q,
                                            Algorithm::sarsa,
                                            Algorithm::expected_sarsa,
                                            Algorithm::n_step_q,
                                            Algorithm::n_step_sarsa,
                                            Algorithm::q_lambda,
                                            Algorithm::sarsa_lambda,
                                            Algorithm::speedy_q,
                                            Algorithm::dyna_q,
                                            Algorithm::prioritized_sweeping};
    return all;
}

std::string_view to_string(Exploration::Rule rule) {
    switch (rule) {
        case Exploration::Rule::softmax:
            return "softmax";
        case Exploration::Rule::ucb:
            return "ucb";
        case Exploration::Rule::epsilon_greedy:
            break;
    }
    return "epsilon_greedy";
}

std::string_view to_string(Duplicates rule) {
    return rule == Duplicates::accumulating ? "accumulating" : "sequential";
}

std::string_view to_string(Combine rule) {
    switch (rule) {
        case Combine::average:
            return "average";
        case Combine::touched:
            return "touched";
        case Combine::importance:
            return "importance";
        case Combine::composition:
            return "composition";
        case Combine::sum:
            break;
    }
    return "sum";
}

const std::vector<Combine>& combining_rules() {
    static const std::vector<Combine> all{Combine::average,
                                          Combine::touched,
                                          Combine::importance,
                                          Combine::composition,
                                          Combine::sum};
    return all;
}

bool is_reproducible(const LearnOptions& options) {
    return options.mode != Mode::hogwild &&
           (options.mode != Mode::server || options.staleness == 0);
}

void LearnOptions::validate() const {
    check_numbers(*this);
    check_algorithm(*this);
    check_combinations(*this);
}

}  // namespace lockstep::rl
