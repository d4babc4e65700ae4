#include "app/xpcs/shards/farm_choice.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::app {
namespace {

using formats::homodyne::Backend;
using formats::homodyne::ChainMethod;

// As homodyne has it: below these, more workers cost more than they do.
constexpr std::int64_t least_pairs = 500;
constexpr int least_shards = 3;

/// Names of the command line: ours, and homodyne's.
constexpr std::array<std::pair<std::string_view, FarmKind>, 9> names{
    {{"auto", FarmKind::automatic},
     {"sequential", FarmKind::sequential},
     {"threads", FarmKind::threads},
     {"processes", FarmKind::processes},
     {"ranks", FarmKind::ranks},
     {"slurm", FarmKind::slurm},
     {"pbs", FarmKind::pbs},
     {"multiprocessing", FarmKind::processes},
     {"pjit", FarmKind::sequential}}};

FarmKind kind_named(const std::string& name) {
    for (const auto& [known, kind] : names) {
        if (known == name) {
            return kind;
        }
    }
    if (name == "ray") {
        throw NotBuiltError(
            "farm ray comes with the Python package: lockstep.xpcs.sample(farm=\"ray\")");
    }
    throw InputError(fmt::format(
        "farm is '{}': must be auto, sequential, threads, processes, ranks, slurm or pbs", name));
}

FarmChoice configured(const formats::homodyne::Cmc& cmc) {
    if (cmc.chain_method == ChainMethod::sequential) {
        return {FarmKind::sequential, "chain_method: sequential"};
    }
    switch (cmc.backend) {
        case Backend::automatic:
            return {FarmKind::automatic, "auto"};
        case Backend::multiprocessing:
            return {FarmKind::processes, "backend: multiprocessing"};
        case Backend::sequential:
            return {FarmKind::sequential, "backend: sequential"};
        case Backend::pjit:
            return {FarmKind::sequential, "backend: pjit"};
        case Backend::pbs:
            return {FarmKind::pbs, "backend: pbs"};
        case Backend::slurm:
            return {FarmKind::slurm, "backend: slurm"};
    }
    return {FarmKind::automatic, "auto"};
}

FarmChoice asked_for(const std::string& option,
                     const formats::homodyne::Cmc& configuration,
                     const std::string& lent) {
    if (!lent.empty()) {
        return {FarmKind::lent, lent};
    }
    return option.empty() ? configured(configuration) : FarmChoice{kind_named(option), option};
}

FarmKind usual(const FarmSituation& situation) {
    if (situation.ranks > 1) {
        return FarmKind::ranks;
    }
    return situation.threads > 1 ? FarmKind::threads : FarmKind::sequential;
}

bool is_pool(FarmKind kind) {
    return kind == FarmKind::processes || kind == FarmKind::slurm || kind == FarmKind::pbs ||
           kind == FarmKind::lent;
}

FarmChoice instead(FarmChoice choice, FarmKind kind, std::string why) {
    choice.kind = kind;
    choice.remark = std::move(why);
    return choice;
}

}  // namespace

std::string_view name_of(FarmKind kind) noexcept {
    for (const auto& [name, known] : names) {
        if (known == kind) {
            return name;
        }
    }
    return "";
}

FarmChoice choose_farm(const std::string& option,
                       const formats::homodyne::Cmc& configuration,
                       const FarmSituation& situation) {
    auto choice = asked_for(option, configuration, situation.lent);
    if (choice.kind == FarmKind::sequential) {
        return choice;
    }
    if (situation.pairs < least_pairs) {
        return instead(choice,
                       FarmKind::sequential,
                       fmt::format("{} points are fewer than {}", situation.pairs, least_pairs));
    }
    if (is_pool(choice.kind) && situation.shards < least_shards) {
        return instead(
            choice,
            usual(situation),
            fmt::format("{} shards are fewer than the {} that make a pool worth its start",
                        situation.shards,
                        least_shards));
    }
    if (choice.kind == FarmKind::ranks && situation.ranks == 1) {
        return instead(choice, usual(situation), "there is one rank");
    }
    if (choice.kind == FarmKind::automatic) {
        choice.kind = usual(situation);
    }
    return choice;
}

}  // namespace lockstep::app
