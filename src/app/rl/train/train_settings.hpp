#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/app/rl/evaluate.hpp"
#include "lockstep/formats/records/setting.hpp"
#include "lockstep/rl/learn/options.hpp"

namespace lockstep::app {

/// An interval by the clock or by transitions; the first that is over counts.
struct Interval {
    std::optional<double> seconds{};
    std::optional<std::int64_t> transitions{};
    [[nodiscard]] bool is_over(double s, std::int64_t n) const noexcept {
        return (seconds && s >= *seconds) || (transitions && n >= *transitions);
    }
};

/// What the options of a training come to.
struct TrainSettings {
    rl::LearnOptions learn;
    Interval log{1.0, std::nullopt};
    Interval checkpoint{60.0, std::nullopt};
    std::optional<std::int64_t> checkpoint_rounds;
    std::int64_t check_rounds = 0;           ///< between comparisons of the ranks' tables; 0: none
    std::optional<std::int64_t> state_size;  ///< as the user believes
    std::optional<std::int64_t> action_size;
    std::optional<double> heartbeat_seconds;  ///< of workers that come and leave
    std::optional<double> timeout_seconds;    ///< the same
    ExactValues exact_values = ExactValues::automatic;
    std::string load_model;  ///< output directory; empty: none
    std::string backend;     ///< of the communicator; empty: found out

    bool is_mode_given = false;
    bool is_discount_given = false;  ///< else a model file may say it
    std::optional<bool> async_updates;
    std::vector<std::string> notes;  ///< what the user should know of them
};

/// @throws InputError  an option that is none, with the nearest one, or that is set elsewhere, and
/// where; a value that is none
TrainSettings train_settings(const std::vector<formats::Setting>& options);

/// Whether one option by itself is as it may be.
/// @throws InputError  as train_settings
void check_train_option(const formats::Setting& option);

/// Every option that decides the result with its value, for who makes it again.
std::vector<formats::Setting> as_settings(const rl::LearnOptions& options);

}  // namespace lockstep::app
