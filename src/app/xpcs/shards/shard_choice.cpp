#include "app/xpcs/shards/shard_choice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"

namespace lockstep::app {
namespace {

using formats::homodyne::Cmc;

constexpr std::array<std::pair<std::string_view, xpcs::Sharding>, 3> shardings{
    {{"random", xpcs::Sharding::random},
     {"stratified", xpcs::Sharding::stratified},
     {"per_angle", xpcs::Sharding::per_angle}}};

constexpr std::array<std::pair<std::string_view, xpcs::Combination>, 4> combinations{
    {{"precision", xpcs::Combination::precision},
     {"density_product", xpcs::Combination::density_product},
     {"marginals", xpcs::Combination::marginals},
     {"plain_marginals", xpcs::Combination::plain_marginals}}};

template <typename T, std::size_t N>
T named(const std::array<std::pair<std::string_view, T>, N>& known,
        const std::string& name,
        std::string_view what) {
    for (const auto& [each, value] : known) {
        if (each == name) {
            return value;
        }
    }
    std::string allowed;
    for (const auto& [each, value] : known) {
        allowed += (allowed.empty() ? "" : each == known.back().first ? " or " : ", ");
        allowed += each;
    }
    throw InputError(fmt::format("{} is '{}': must be {}", what, name, allowed));
}

template <typename T, std::size_t N>
std::string_view name_in(const std::array<std::pair<std::string_view, T>, N>& known, T wanted) {
    const auto found = std::ranges::find(known, wanted, &std::pair<std::string_view, T>::second);
    return found == known.end() ? "" : found->first;
}

/// Of a shard; 0: nothing is said.
std::int64_t least_points(const Cmc& configuration, const ShardSituation& situation) {
    return std::max(configuration.least_points.value_or(0),
                    configuration.least_points_per_parameter.value_or(0) * situation.parameters);
}

void choose_sharding(const XpcsRequest& request, const Cmc& configuration, ShardChoice& choice) {
    using formats::homodyne::Sharding;
    auto& record = choice.sharding;
    if (!request.sharding.empty()) {
        record.asked = request.sharding;
        choice.how.sharding = named(shardings, request.sharding, "sharding");
        return;
    }
    switch (configuration.sharding) {
        case Sharding::random:
            record.asked = "auto";
            break;
        case Sharding::stratified:
            record.asked = "strategy: stratified";
            choice.how.sharding = xpcs::Sharding::stratified;
            break;
        case Sharding::per_angle:
            record.asked = "strategy: per_angle";
            choice.how.sharding = xpcs::Sharding::per_angle;
            break;
        case Sharding::contiguous:
            record.asked = "strategy: contiguous";
            record.remark = "homodyne takes contiguous for random too";
            break;
    }
}

/// What cannot be had of single angles.
void mend_sharding(const xpcs::FitOptions& fitting,
                   const ShardSituation& situation,
                   ShardChoice& choice) {
    auto& how = choice.how;
    const auto objection = xpcs::objection_to(how.sharding, fitting, situation.angles);
    if (!objection.empty()) {
        how.sharding = xpcs::Sharding::stratified;
        choice.sharding.remark = objection;
    } else if (how.sharding == xpcs::Sharding::per_angle && how.shards < situation.angles) {
        choice.sharding.remark =
            fmt::format("{} shards and not {}: one for each angle", situation.angles, how.shards);
        how.shards = situation.angles;
    }
    choice.sharding.taken = name_of(how.sharding);
    if (!choice.sharding.remark.empty()) {
        choice.notes.push_back(fmt::format("shards are {} where {} was asked for: {}",
                                           choice.sharding.taken,
                                           choice.sharding.asked,
                                           choice.sharding.remark));
    }
}

void choose_combination(const XpcsRequest& request, const Cmc& configuration, ShardChoice& choice) {
    using formats::homodyne::Combination;
    if (!request.combination.empty()) {
        choice.combination_asked = request.combination;
        choice.how.combination = named(combinations, request.combination, "combination");
        return;
    }
    const auto configured = [&](std::string_view method, xpcs::Combination combination) {
        choice.combination_asked = fmt::format("method: {}", method);
        choice.how.combination = combination;
    };
    switch (configuration.combination) {
        case Combination::automatic:
            choice.combination_asked = "auto";
            return;
        case Combination::precision:
            return configured("precision", xpcs::Combination::precision);
        case Combination::density_product:
            return configured("density_product", xpcs::Combination::density_product);
        case Combination::consensus:
            configured("consensus_mc", xpcs::Combination::plain_marginals);
            break;
        case Combination::robust_consensus:
            configured("robust_consensus_mc", xpcs::Combination::marginals);
            break;
    }
    choice.notes.push_back(
        fmt::format("shards are combined by their means and variances alone, as {} says: "
                    "correlations are lost, which --combination precision keeps",
                    choice.combination_asked.substr(std::string_view("method: ").size())));
}

}  // namespace

int shards_wanted(const XpcsRequest& request,
                  const Cmc& configuration,
                  const ShardSituation& situation) {
    if (request.shards > 0) {
        return request.shards;
    }
    if (configuration.shards) {
        return *configuration.shards;
    }
    if (!configuration.most_points) {
        return 0;
    }
    const auto wanted =
        (situation.pairs + *configuration.most_points - 1) / *configuration.most_points;
    const auto least = std::max<std::int64_t>(least_points(configuration, situation), 1);
    const auto possible = std::max<std::int64_t>(situation.pairs / least, 1);
    return static_cast<int>(std::min(wanted, possible));
}

ShardChoice choose_shards(const XpcsRequest& request,
                          const Cmc& configuration,
                          const xpcs::FitOptions& fitting,
                          const ShardSituation& situation) {
    ShardChoice choice;
    auto& how = choice.how;
    how.shards = shards_wanted(request, configuration, situation);
    how.is_tempered = configuration.is_tempered;
    how.limits.divergence_rate = configuration.most_divergences;
    how.limits.rhat = configuration.most_r_hat;
    how.time_limit =
        std::chrono::milliseconds(std::llround(1000 * configuration.shard_time_limit_s));
    if (configuration.aborts_on_heterogeneity) {
        how.largest_variation = configuration.most_parameter_cv;
    }
    choose_sharding(request, configuration, choice);
    mend_sharding(fitting, situation, choice);
    choose_combination(request, configuration, choice);
    const auto points = situation.pairs / how.shards;
    if (const auto least = least_points(configuration, situation); points < least) {
        choice.notes.push_back(
            fmt::format("shards have {} points, fewer than the {} of min_points_per_shard and "
                        "min_points_per_param: their posteriors may be far from normal",
                        count(points),
                        count(least)));
    }
    if (!how.is_tempered) {
        choice.notes.push_back(fmt::format(
            "prior_tempering is off: the priors count {} times, once in every shard", how.shards));
    }
    return choice;
}

std::string_view name_of(xpcs::Sharding sharding) noexcept {
    return name_in(shardings, sharding);
}

std::string_view name_of(xpcs::Combination combination) noexcept {
    return name_in(combinations, combination);
}

}  // namespace lockstep::app
