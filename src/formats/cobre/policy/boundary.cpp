#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

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

/// A variable of the state as manifests name it: type, entity, lag.
using Slot = std::tuple<std::string, std::int64_t, std::int64_t>;

std::string text_of(const Slot& slot) {
    const auto& [type, entity, lag] = slot;
    return lag == 0 ? fmt::format("{} of {}", type, entity)
                    : fmt::format("{} {} of {}", type, lag, entity);
}

std::vector<Slot> slots_of(const io::Json& dictionary, const std::string& file) {
    const io::Json* variables = dictionary.find("state_variables");
    if (variables == nullptr || variables->if_array() == nullptr) {
        throw InputError(fmt::format("{}: \"state_variables\" is missing", file));
    }
    const auto integer = [](const io::Json& variable, const char* key) -> std::int64_t {
        const io::Json* value = variable.find(key);
        return value != nullptr && value->if_integer() != nullptr ? *value->if_integer() : 0;
    };
    std::vector<Slot> slots;
    for (const io::Json& variable : *variables->if_array()) {
        const io::Json* type = variable.find("type");
        const bool is_named = type != nullptr && type->if_string() != nullptr;
        slots.emplace_back(is_named ? *type->if_string() : "",
                           integer(variable, "entity_id"),
                           integer(variable, "lag_index") + integer(variable, "slot_index"));
    }
    return slots;
}

/// Number of the cut file whose cuts are of the end of the study.
std::size_t find_stage(const io::Json& manifest, const std::string& end, const std::string& file) {
    const io::Json* stages = manifest.find("stages");
    if (stages == nullptr || stages->if_array() == nullptr) {
        throw InputError(fmt::format("{}: \"stages\" is missing", file));
    }
    if (manifest.find("nodes") != nullptr) {
        throw InputError(
            fmt::format("{}: the policy is one of a graph, whose nodes do not tell "
                        "which of them prices the end of a study",
                        file));
    }
    const auto& list = *stages->if_array();
    for (std::size_t t = 0; t + 1 < list.size(); ++t) {
        const io::Json* date = list[t].find("end_date");
        if (date != nullptr && date->if_string() != nullptr && *date->if_string() == end) {
            return t;
        }
    }
    throw InputError(fmt::format(
        "{}: no stage with cuts ends on {}, where the study ends: it cannot price that state",
        file,
        end));
}

/// For each variable of the study its place in the source.
std::vector<std::size_t> match(const std::vector<Slot>& wanted,
                               const std::vector<Slot>& found,
                               const std::string& file) {
    std::map<Slot, std::size_t> place;
    for (std::size_t i = 0; i < found.size(); ++i) {
        place.emplace(found[i], i);
    }
    std::vector<std::size_t> places;
    for (const Slot& slot : wanted) {
        const auto at = place.find(slot);
        if (at == place.end()) {
            throw InputError(
                fmt::format("{}: {} is a state of the study that the policy does not price",
                            file,
                            text_of(slot)));
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
    const auto stage = find_stage(manifest, to_iso(problem.calendar.stages.back().end), file);
    const auto found = slots_of(manifest, file);
    const auto places = match(slots_of(state_dictionary(problem), file), found, file);
    const CutRows cuts = read_cut_rows(directory, stage, found.size());
    if (const auto i = find_unmodelled(cuts, places, found.size())) {
        const auto message =
            fmt::format("the policy prices {}, which is no state of the study", text_of(found[*i]));
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
