#include "lockstep/rl/environments/bandit.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::rl {

Bandit::Bandit(BanditOptions options) : options_(options) {
    if (options.episode_length < 1 || options.episode_length > 1'000'000) {
        throw InputError(
            fmt::format("episode_length {}: must be 1 to 1000000", options.episode_length));
    }
}

std::string Bandit::describe() const {
    return fmt::format("two-armed bandit, {} steps an episode", options_.episode_length);
}

std::optional<Model> Bandit::model() const {
    if (!options_.shows_step) {
        return std::nullopt;
    }
    ModelBuilder builder(states(), actions());
    for (int s = 0; s < states(); ++s) {
        const bool last = s + 1 == states();
        for (int a = 0; a < 2; ++a) {
            builder.add(s, a, {1.0, last ? s : s + 1, static_cast<double>(a), last});
        }
    }
    builder.add_start({0, 1.0});
    return builder.build();
}

}  // namespace lockstep::rl
