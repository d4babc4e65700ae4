#include "lockstep/rl/environments/registry.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/problems.hpp"

#include "rl/environments/option_reader.hpp"

namespace lockstep::rl {
namespace {

using Parameters = std::vector<EnvironmentParameter>;

// What an entry's parameters make.
struct Row {
    EnvironmentEntry entry;
    AnyEnvironment (*make)(const OptionReader& options);
};

constexpr std::string_view any_number = "any number";
constexpr std::string_view share = "0 to 1";
constexpr std::string_view yes_or_no = "true, false";
constexpr std::string_view any_seed = "0 to 2^64 - 1";

EnvironmentParameter limit(std::string_view fallback) {
    return {"max_episode_steps", "steps after which an episode is cut, 0: never", fallback, "0 up"};
}

template <typename E>
AnyEnvironment limited(E rules, const OptionReader& options) {
    return TimeLimit<E>(std::move(rules), options.count("max_episode_steps"));
}

LakeMap lake_map(const OptionReader& options) {
    if (options.is_given("desc")) {
        return split(options.text("desc"), '/');
    }
    if (options.text("map_name") == "random") {
        return random_lake(
            options.integer("size"), options.real("frozen_probability"), options.seed("map_seed"));
    }
    return named_lake(options.text("map_name"));
}

AnyEnvironment make_lake(const OptionReader& options) {
    const std::vector<double> rewards = options.reals("reward_schedule", 3);
    return limited(FrozenLake({lake_map(options),
                               options.flag("is_slippery"),
                               options.real("success_rate"),
                               rewards[0],
                               rewards[1],
                               rewards[2]}),
                   options);
}

Parameters lake_parameters(std::string_view map, std::string_view steps) {
    return {{"map_name", "the map", map, "4x4, 8x8, random"},
            {"desc", "own map instead: rows with / between", "", "S, F, H, G"},
            {"is_slippery", "moves may go to the side", "true", yes_or_no},
            {"success_rate", "probability that a move goes as meant, if slippery", "1/3", share},
            {"reward_schedule", "rewards of goal, hole and ice", "1,0,0", any_number},
            {"size", "cells a side of a random map", "8", "2 to 2000"},
            {"frozen_probability", "that a cell of a random map is ice", "0.8", "above 0, to 1"},
            {"map_seed", "seed of a random map", "0", any_seed},
            limit(steps)};
}

AnyEnvironment make_cliff(const OptionReader& options) {
    return limited(CliffWalking(options.flag("is_slippery")), options);
}

Parameters cliff_parameters(std::string_view slippery) {
    return {{"is_slippery", "one move in three goes to either side", slippery, yes_or_no},
            limit("0")};
}

AnyEnvironment make_taxi(const OptionReader& options) {
    return limited(Taxi({options.flag("is_rainy"),
                         options.real("rainy_probability"),
                         options.flag("fickle_passenger"),
                         options.real("fickle_probability"),
                         options.flag("action_mask")}),
                   options);
}

Parameters taxi_parameters() {
    return {{"is_rainy", "moves may drift to the side", "false", yes_or_no},
            {"rainy_probability", "that a move goes ahead in rain", "0.8", share},
            {"fickle_passenger", "may change the destination on the way", "false", yes_or_no},
            {"fickle_probability", "that a fickle passenger does", "0.3", share},
            {"action_mask", "only actions that change the state are legal", "false", yes_or_no},
            limit("200")};
}

AnyEnvironment make_blackjack(const OptionReader& options) {
    return limited(Blackjack({options.flag("sab"), options.flag("natural")}), options);
}

AnyEnvironment make_tic_tac_toe(const OptionReader& options) {
    if (const std::string& opponent = options.text("opponent"); opponent != "random") {
        throw InputError(fmt::format(
            "opponent is \"{}\": must be random; TicTacToeOpponent takes any other one", opponent));
    }
    return limited(TicTacToe(), options);
}

AnyEnvironment make_tic_tac_toe_self_play(const OptionReader& options) {
    return limited(TicTacToeSelfPlay(), options);
}

AnyEnvironment make_bandit(const OptionReader& options) {
    return limited(Bandit({options.integer("episode_length"), options.flag("shows_step")}),
                   options);
}

AnyEnvironment make_deep_sea(const OptionReader& options) {
    return limited(
        DeepSea(
            {options.integer("size"), options.flag("stochastic"), options.seed("mapping_seed")}),
        options);
}

AnyEnvironment make_garnet(const OptionReader& options) {
    return limited(Garnet({options.integer("states"),
                           options.integer("actions"),
                           options.integer("branches"),
                           options.seed("seed")}),
                   options);
}

AnyEnvironment make_open_grid(const OptionReader& options) {
    return limited(OpenGrid(options.integer("size")), options);
}

AnyEnvironment make_inventory(const OptionReader& options) {
    return limited(Inventory({options.integer("capacity"),
                              options.integer("most_demand"),
                              options.real("order_cost"),
                              options.real("piece_cost"),
                              options.real("holding_cost"),
                              options.real("lost_sale_cost"),
                              options.integer("first_stock")}),
                   options);
}

AnyEnvironment make_reservoir(const OptionReader& options) {
    return limited(Reservoir({options.integer("stages"),
                              options.integer("most_volume"),
                              options.integer("most_release"),
                              options.integer("demand"),
                              options.integer("thermal"),
                              options.real("cheap_cost"),
                              options.real("dear_cost"),
                              options.real("deficit_cost"),
                              options.integer("first_volume"),
                              options.integers("inflows")}),
                   options);
}

std::vector<Row> grid_rows() {
    return {{{"FrozenLake-v1",
              {"FrozenLake"},
              "walk over slippery ice with holes, 4 x 4 cells",
              lake_parameters("4x4", "100")},
             make_lake},
            {{"FrozenLake8x8-v1",
              {"FrozenLake8x8"},
              "walk over slippery ice with holes, 8 x 8 cells",
              lake_parameters("8x8", "200")},
             make_lake},
            {{"CliffWalking-v1",
              {"CliffWalking-v0", "CliffWalking"},
              "shortest way along a cliff",
              cliff_parameters("false")},
             make_cliff},
            {{"CliffWalkingSlippery-v1",
              {"CliffWalkingSlippery"},
              "the same on slippery ground",
              cliff_parameters("true")},
             make_cliff},
            {{"Taxi-v4",
              {"Taxi-v3", "Taxi"},
              "fetch a passenger and bring them where they want to go",
              taxi_parameters()},
             make_taxi},
            {{"opengrid",
              {},
              "an empty square from corner to corner, any size",
              {{"size", "cells a side", "10", "2 to 20000"}, limit("0")}},
             make_open_grid}};
}

std::vector<Row> game_rows() {
    return {{{"tictactoe",
              {"TicTacToe-random"},
              "against a random or a trained opponent; a coin decides who begins",
              {{"opponent", "who answers", "random", "random, or a training's output directory"},
               limit("0")}},
             make_tic_tac_toe},
            {{"TicTacToe-selfplay",
              {},
              "both sides by one table: values are those of the side that is to move",
              {limit("0")}},
             make_tic_tac_toe_self_play},
            {{"Blackjack-v1",
              {"Blackjack"},
              "stick or hit, against a dealer",
              {{"sab", "a natural beats all but a natural", "true", yes_or_no},
               {"natural", "a natural that wins pays 1.5; not with sab", "false", yes_or_no},
               limit("0")}},
             make_blackjack}};
}

std::vector<Row> diagnostic_rows() {
    return {{{"bandit",
              {},
              "two arms that pay 0 and 1, for a number of steps",
              {{"episode_length", "steps of an episode", "10", "1 to 1000000"},
               {"shows_step", "the state is the number of steps taken", "false", yes_or_no},
               limit("0")}},
             make_bandit},
            {{"deepsea",
              {},
              "a treasure that only exploring finds",
              {{"size", "cells a side", "10", "2 to 2000"},
               {"stochastic", "right fails with probability 1 / size", "false", yes_or_no},
               {"mapping_seed", "which action is right, state by state", "42", any_seed},
               limit("0")}},
             make_deep_sea},
            {{"garnet",
              {},
              "a random process of any size, of which nothing is stored",
              {{"states", "states", "100", "1 up"},
               {"actions", "actions", "4", "1 to 64"},
               {"branches", "successors of a state and action", "5", "1 to 64"},
               {"seed", "seed of the process", "1", any_seed},
               limit("0")}},
             make_garnet}};
}

std::vector<Row> business_rows() {
    return {{{"inventory",
              {},
              "a shop that orders before it knows the demand",
              {{"capacity", "pieces that fit", "20", "1 to 63"},
               {"most_demand", "demand of a step is even on 0 to this [pieces]", "9", "0 to 1000"},
               {"order_cost", "of an order", "5", any_number},
               {"piece_cost", "of a piece ordered", "2", any_number},
               {"holding_cost", "of a piece left", "1", any_number},
               {"lost_sale_cost", "of a piece asked for and not there", "8", any_number},
               {"first_stock", "pieces at the start", "0", "0 to capacity"},
               limit("0")}},
             make_inventory},
            {{"reservoir",
              {},
              "hydro and thermal plants: the problem that SDDP solves, in integers",
              {{"stages", "stages of an episode, 0: without end", "12", "0 to 1000000"},
               {"most_volume", "units that the reservoir holds", "20", "0 to 1000000"},
               {"most_release", "units released in a stage", "8", "0 to 63"},
               {"demand", "units of a stage", "10", "0 to 1000000"},
               {"thermal", "units that each of two plants gives", "4", "0 to 1000000"},
               {"cheap_cost", "of a unit of the first plant", "10", any_number},
               {"dear_cost", "of a unit of the second plant", "25", any_number},
               {"deficit_cost", "of a unit that is not delivered", "100", any_number},
               {"first_volume", "units at the start", "10", "0 to most_volume"},
               {"inflows", "units of a stage, each alike", "0,2,4,6,8", "0 to 1000000"},
               limit("0")}},
             make_reservoir}};
}

const std::vector<Row>& rows() {
    static const std::vector<Row> all = [] {
        std::vector<Row> joined;
        for (const auto& part : {game_rows(), grid_rows(), diagnostic_rows(), business_rows()}) {
            joined.insert(joined.end(), part.begin(), part.end());
        }
        return joined;
    }();
    return all;
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return result;
}

std::vector<std::string_view> names_of(const EnvironmentEntry& entry) {
    std::vector<std::string_view> names{entry.name};
    names.insert(names.end(), entry.aliases.begin(), entry.aliases.end());
    return names;
}

bool is_called(const EnvironmentEntry& entry, std::string_view name) {
    const auto names = names_of(entry);
    return std::any_of(names.begin(), names.end(), [&](std::string_view own) {
        return lower(own) == lower(name);
    });
}

[[noreturn]] void refuse_name(std::string_view name) {
    std::vector<std::string_view> known;
    std::vector<std::string_view> all;
    for (const Row& row : rows()) {
        known.push_back(row.entry.name);
        const auto names = names_of(row.entry);
        all.insert(all.end(), names.begin(), names.end());
    }
    const std::string guess = did_you_mean(name, all);
    throw InputError(fmt::format("no environment \"{}\"{} Known: {}",
                                 name,
                                 guess.empty() ? "." : guess,
                                 fmt::join(known, ", ")));
}

const Row& row_of(std::string_view name) {
    for (const Row& row : rows()) {
        if (is_called(row.entry, name)) {
            return row;
        }
    }
    refuse_name(name);
}

}  // namespace

const std::vector<EnvironmentEntry>& environments() {
    static const std::vector<EnvironmentEntry> entries = [] {
        std::vector<EnvironmentEntry> all;
        for (const Row& row : rows()) {
            all.push_back(row.entry);
        }
        return all;
    }();
    return entries;
}

const EnvironmentEntry& environment_entry(std::string_view name) {
    return row_of(name).entry;
}

AnyEnvironment make_environment(std::string_view name, const EnvironmentOptions& options) {
    const Row& row = row_of(name);
    try {
        return row.make(OptionReader(row.entry, options));
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", row.entry.name, error.what()));
    }
}

}  // namespace lockstep::rl
