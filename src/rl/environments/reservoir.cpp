#include "lockstep/rl/environments/reservoir.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/environments/generated_model.hpp"

namespace lockstep::rl {
namespace {

constexpr std::int32_t most_units = 1'000'000;

void check_units(const char* name, std::int32_t units, std::int32_t most = most_units) {
    if (units < 0 || units > most) {
        throw InputError(fmt::format("{} {}: must be 0 to {}", name, units, most));
    }
}

void check_cost(const char* name, double cost) {
    if (!std::isfinite(cost)) {
        throw InputError(fmt::format("{} {}: must be finite", name, cost));
    }
}

void check_size(const ReservoirOptions& options) {
    const auto states = std::int64_t{std::max(options.stages, 1)} * (options.most_volume + 1);
    const auto pairs = static_cast<double>(states) * static_cast<double>(options.inflows.size()) *
                       (options.most_release + 1);
    if (pairs > std::numeric_limits<std::int32_t>::max()) {
        throw InputError(
            fmt::format("stages x volumes x inflows x releases are {}, must be at most "
                        "2^31 - 1",
                        pairs));
    }
}

ReservoirOptions checked(ReservoirOptions options) {
    check_units("stages", options.stages);
    check_units("most_volume", options.most_volume);
    check_units("most_release", options.most_release, 63);
    check_units("demand", options.demand);
    check_units("thermal", options.thermal);
    check_units("first_volume", options.first_volume, options.most_volume);
    check_cost("cheap_cost", options.cheap_cost);
    check_cost("dear_cost", options.dear_cost);
    check_cost("deficit_cost", options.deficit_cost);
    if (options.inflows.empty()) {
        throw InputError("inflows: must be at least one");
    }
    for (const std::int32_t inflow : options.inflows) {
        check_units("inflow", inflow);
    }
    check_size(options);
    return options;
}

}  // namespace

Reservoir::Reservoir(ReservoirOptions options)
    : options_(checked(std::move(options))),
      stages_(std::max(options_.stages, 1)),
      volumes_(options_.most_volume + 1),
      inflows_(static_cast<std::int32_t>(options_.inflows.size())) {}

std::string Reservoir::describe() const {
    const std::string end =
        options_.stages == 0 ? "without end" : fmt::format("{} stages", options_.stages);
    return fmt::format(
        "reservoir of {} units, {} inflows, {}", options_.most_volume, inflows_, end);
}

std::vector<Start> Reservoir::starts() const {
    std::vector<Start> starts;
    for (std::int32_t inflow = 0; inflow < inflows_; ++inflow) {
        starts.push_back({state_of(0, options_.first_volume, inflow), 1.0 / inflows_});
    }
    return starts;
}

std::optional<Model> Reservoir::model() const {
    return generated_model(*this);
}

double Reservoir::cost(std::int32_t missing) const noexcept {
    const std::int32_t needed = std::max(missing, 0);
    const std::int32_t cheap = std::min(needed, options_.thermal);
    const std::int32_t dear = std::min(needed - cheap, options_.thermal);
    return options_.cheap_cost * cheap + options_.dear_cost * dear +
           options_.deficit_cost * (needed - cheap - dear);
}

}  // namespace lockstep::rl
