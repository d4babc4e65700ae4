#include "lockstep/rl/environments/garnet.hpp"

#include <limits>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/environments/generated_model.hpp"

namespace lockstep::rl {
namespace {

void check_count(const char* name, std::int32_t count, std::int32_t most) {
    if (count < 1 || count > most) {
        throw InputError(fmt::format("{} {}: must be 1 to {}", name, count, most));
    }
}

GarnetOptions checked(const GarnetOptions& options) {
    check_count("actions", options.actions, 64);
    check_count("branches", options.branches, 64);
    check_count(
        "states", options.states, std::numeric_limits<std::int32_t>::max() / options.actions);
    return options;
}

}  // namespace

Garnet::Garnet(GarnetOptions options)
    : options_(checked(options)), count_(static_cast<std::uint64_t>(options_.states)) {}

std::string Garnet::describe() const {
    return fmt::format("Garnet, {} states, {} actions, {} successors, seed {}",
                       options_.states,
                       options_.actions,
                       options_.branches,
                       options_.seed);
}

std::vector<Start> Garnet::starts() const {
    return {{0, 1.0}};
}

std::optional<Model> Garnet::model() const {
    return generated_model(*this);
}

}  // namespace lockstep::rl
