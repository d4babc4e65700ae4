#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"

#include "formats/cobre/policy/policy_files_manifest.hpp"
#include "formats/cobre/results/results_policy.hpp"
#include "formats/cobre/write/output_dictionaries.hpp"
#include "formats/cobre/write/output_files.hpp"

namespace lockstep::formats::cobre {

using namespace out;

namespace {

/// For each variable of the study its place in the source.
std::vector<std::size_t> match(const std::vector<std::string>& wanted,
                               const std::vector<std::string>& found,
                               const std::string& file) {
    std::map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < found.size(); ++i) {
        place.emplace(found[i], i);
    }
    std::vector<std::size_t> places;
    for (const std::string& name : wanted) {
        const auto at = place.find(name);
        if (at == place.end()) {
            throw InputError(fmt::format(
                "{}: {} is a state of the study that the policy does not price", file, name));
        }
        places.push_back(at->second);
    }
    return places;
}

/// A variable of the source that the study does not have and that some cut prices.
std::optional<std::size_t> find_unmodelled(const CutRows& cuts,
                                           const std::vector<std::size_t>& places,
                                           std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) {
        const bool is_known = std::ranges::find(places, i) != places.end();
        const auto prices = [&](const std::vector<double>& slopes) { return slopes[i] != 0; };
        if (!is_known && std::ranges::any_of(cuts.slopes, prices)) {
            return i;
        }
    }
    return std::nullopt;
}

}  // namespace

sddp::StageCuts read_boundary(const std::filesystem::path& directory,
                              bool is_strict,
                              const sddp::Problem& problem,
                              Problems& problems) {
    const std::string file = (directory / manifest_name).string();
    const io::Json manifest = read_manifest(directory);
    const auto stage = stage_that_ends(manifest, to_iso(problem.calendar.stages.back().end), file);
    const auto found = state_names(manifest, file);
    const auto places = match(state_names(state_dictionary(problem), file), found, file);
    const CutRows cuts = read_cut_rows(directory, stage, found.size());
    if (const auto i = find_unmodelled(cuts, places, found.size())) {
        const auto message =
            fmt::format("the policy prices {}, which is no state of the study", found[*i]);
        if (is_strict) {
            throw InputError(fmt::format("{}: {}", file, message));
        }
        problems.add(ProblemKind::model_quality,
                     "config.json",
                     "policy.boundary",
                     message + ": its price is left out");
    }
    sddp::StageCuts out;
    out.slopes = sddp::CutSlopes(problem.states());
    for (std::size_t cut = 0; cut < cuts.intercept.size(); ++cut) {
        std::vector<double> slopes;
        for (const auto place : places) {
            slopes.push_back(cuts.slopes[cut][place]);
        }
        out.slopes.add(slopes);
    }
    out.intercept = cuts.intercept;
    out.iteration.assign(cuts.intercept.size(), 0);
    out.trajectory.assign(cuts.intercept.size(), 0);
    out.active.assign(cuts.intercept.size(), 1);
    return out;
}

}  // namespace lockstep::formats::cobre
