#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/formats/rl/bounded_value.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/rl/games/tic_tac_toe_game.hpp"

namespace lockstep::app {

/// When optimal values are found, against which a training is judged.
enum class ExactValues {
    automatic,  ///< where they take little time; never more memory than there is
    always,     ///< however long it takes
    never,
};
/// Their names: auto, always, never.
std::vector<std::string> exact_values_names();
/// Nothing where there is none of this name.
std::optional<ExactValues> exact_values(std::string_view name);

struct EvaluateRequest {
    std::filesystem::path run;  ///< output directory of a training
    std::optional<std::int64_t>
        episodes{};          ///< to play; none: 10,000 where nothing is exact, else 0
    std::uint64_t seed = 1;  ///< of the episodes
    int threads = 0;         ///< 0: as many as the process may use
    /// Of games: "random", "optimal" (who gains most against it) or another training's output
    /// directory; empty: random and optimal.
    std::string against;
    ExactValues exact_values = ExactValues::automatic;
};

/// Returns of episodes that were played.
struct SampledReturn {
    std::int64_t episodes = 0;
    double mean = 0;           ///< undiscounted
    double half_width_95 = 0;  ///< of its confidence interval
    double std = 0;
    double min = 0;
    double max = 0;
    double length = 0;     ///< mean, in steps
    std::int64_t cut = 0;  ///< episodes that did not end by themselves
};

/// How the greedy policy fares in a game of two, exactly. Won, drawn and lost are its own.
struct Match {
    std::string against;
    rl::GameResult first;   ///< it begins
    rl::GameResult second;  ///< the other one does
};

/// What the greedy policy of a training is worth.
struct Evaluation {
    std::string environment;
    double discount_factor = 1;
    std::optional<formats::rl::BoundedValue> value{};    ///< at the start, exact
    std::optional<formats::rl::BoundedValue> optimum{};  ///< the best there is
    std::string why_no_optimum;  ///< where it was not looked for, and what to do
    std::optional<double> policy_match{};
    std::optional<double> exploitability{};  ///< of games: what the best opponent gains on average
    std::vector<Match> matches{};
    std::optional<SampledReturn> sampled{};
};

/// @throws IoError, InputError  the directory holds no training, or a damaged one; an opponent
/// where there is no game of two
Evaluation evaluate_run(const EvaluateRequest& request);

io::Json to_json(const Evaluation& evaluation);

}  // namespace lockstep::app
