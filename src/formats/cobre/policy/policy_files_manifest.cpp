#include "formats/cobre/policy/policy_files_manifest.hpp"

#include <utility>

#include <fmt/format.h>

#include "lockstep/base/build_info.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"

#include "formats/cobre/write/output_dictionaries.hpp"
#include "formats/cobre/write/output_files.hpp"

namespace lockstep::formats::cobre::out {
namespace {

using io::Json;

constexpr std::string_view format_name = "lockstep-sddp-policy";
constexpr std::int64_t format_version = 2;  // 2: cuts name their stage

Json stage_entries(const sddp::Problem& problem, const sddp::Policy& policy) {
    Json stages = Json::array();
    for (std::size_t t = 0; t < problem.calendar.stages.size(); ++t) {
        const sddp::Stage& stage = problem.calendar.stages[t];
        const bool is_pool = problem.graph.is_chain() && t < policy.stages.size();
        const int cuts = is_pool ? policy.stages[t].size() : 0;
        stages.push(Json::Object{{"id", stage.id},
                                 {"start_date", to_iso(stage.start)},
                                 {"end_date", to_iso(stage.end)},
                                 {"discount_factor", stage.discount_factor()},
                                 {"cuts", cuts}});
    }
    return stages;
}

// Where the study is no chain.
Json node_entries(const sddp::Problem& problem, const sddp::Policy& policy) {
    Json nodes = Json::array();
    for (std::size_t n = 0; n < problem.graph.nodes.size(); ++n) {
        const auto& node = problem.graph.nodes[n];
        const int cuts = n < policy.stages.size() ? policy.stages[n].size() : 0;
        nodes.push(Json::Object{{"id", node.id},
                                {"stage_id", problem.calendar.stages[at(node.stage)].id},
                                {"cuts", cuts}});
    }
    return nodes;
}

Json arc_entries(const sddp::Problem& problem) {
    Json arcs = Json::array();
    for (const auto& arc : problem.graph.arcs) {
        arcs.push(Json::Object{{"source_id", problem.node_id(arc.from)},
                               {"target_id", problem.node_id(arc.to)},
                               {"probability", arc.probability}});
    }
    return arcs;
}

const Json& member(const Json& object, std::string_view key, std::string_view file) {
    const Json* value = object.find(key);
    if (value == nullptr) {
        throw InputError(fmt::format("{}: \"{}\" is missing", file, key));
    }
    return *value;
}

[[noreturn]] void wrong_type(std::string_view file,
                             std::string_view key,
                             const Json& found,
                             std::string_view allowed) {
    throw InputError(
        fmt::format("{}: \"{}\" is of type {}, must be {}", file, key, found.type_name(), allowed));
}

std::int64_t integer(const Json& object, std::string_view key, std::string_view file) {
    const Json& value = member(object, key, file);
    if (const std::int64_t* found = value.if_integer()) {
        return *found;
    }
    wrong_type(file, key, value, "an integer");
}

/// A number of things, or of an iteration.
int count(const Json& object, std::string_view key, std::string_view file) {
    const std::int64_t found = integer(object, key, file);
    if (found < 0 || !std::in_range<int>(found)) {
        throw InputError(fmt::format(
            "{}: \"{}\" is {}, must be an integer from 0 to 2147483647", file, key, found));
    }
    return static_cast<int>(found);
}

double number(const Json& object, std::string_view key, std::string_view file) {
    const Json& value = member(object, key, file);
    if (const auto found = value.if_number()) {
        return *found;
    }
    wrong_type(file, key, value, "a number");
}

const std::string& text(const Json& object, std::string_view key, std::string_view file) {
    const Json& value = member(object, key, file);
    if (const std::string* found = value.if_string()) {
        return *found;
    }
    wrong_type(file, key, value, "a string");
}

const Json::Array& array(const Json& object, std::string_view key, std::string_view file) {
    const Json& value = member(object, key, file);
    if (const Json::Array* found = value.if_array()) {
        return *found;
    }
    wrong_type(file, key, value, "an array");
}

Digest digest(const Json& object, std::string_view file) {
    if (const auto found = parse_digest(text(object, "input_digest", file))) {
        return *found;
    }
    throw InputError(fmt::format("{}: \"input_digest\" must be 32 hexadecimal digits", file));
}

std::string stage_text(const sddp::Stage& stage) {
    return fmt::format("{} ({} to {})", stage.id, to_iso(stage.start), to_iso(stage.end));
}

std::string stage_text(const Json& stage, std::string_view file) {
    return fmt::format("{} ({} to {})",
                       integer(stage, "id", file),
                       text(stage, "start_date", file),
                       text(stage, "end_date", file));
}

void check_stages(const Json& manifest, const sddp::Calendar& calendar, std::string_view file) {
    const Json::Array& stages = array(manifest, "stages", file);
    if (stages.size() != calendar.stages.size()) {
        throw InputError(fmt::format("{}: the policy has {} stages, the case has {}",
                                     file,
                                     stages.size(),
                                     calendar.stages.size()));
    }
    for (std::size_t t = 0; t < stages.size(); ++t) {
        if (const auto found = stage_text(stages[t], file);
            found != stage_text(calendar.stages[t])) {
            throw InputError(fmt::format("{}: stage {} of the policy is {}, of the case {}",
                                         file,
                                         t,
                                         found,
                                         stage_text(calendar.stages[t])));
        }
    }
}

std::string slot_text(const Json& slot, std::string_view file) {
    std::string name = fmt::format("{} of {} {}",
                                   text(slot, "type", file),
                                   text(slot, "entity_type", file),
                                   integer(slot, "entity_id", file));
    if (slot.find("lag_index") != nullptr) {
        name += fmt::format(" (lag {})", integer(slot, "lag_index", file));
    }
    if (slot.find("slot_index") != nullptr) {
        name += fmt::format(" (slot {})", integer(slot, "slot_index", file));
    }
    return name;
}

void check_state(const Json& manifest, const sddp::Problem& problem, std::string_view file) {
    const auto wanted = state_names(state_dictionary(problem), file);
    const auto found = state_names(manifest, file);
    for (std::size_t i = 0; i < std::min(wanted.size(), found.size()); ++i) {
        if (found[i] != wanted[i]) {
            throw InputError(
                fmt::format("{}: state variable {} of the policy is {}, of the case {}",
                            file,
                            i,
                            found[i],
                            wanted[i]));
        }
    }
    if (wanted.size() != found.size()) {
        throw InputError(fmt::format("{}: the policy has {} state variables, the case has {}",
                                     file,
                                     found.size(),
                                     wanted.size()));
    }
}

void check_graph(const Json& manifest, const sddp::Problem& problem, std::string_view file) {
    const Json* nodes = manifest.find("nodes");
    if ((nodes == nullptr) != problem.graph.is_chain()) {
        throw InputError(fmt::format("{}: the policy has {}nodes, the case {}",
                                     file,
                                     nodes == nullptr ? "no " : "",
                                     nodes == nullptr ? "has" : "has none"));
    }
    if (nodes == nullptr) {
        return;
    }
    const Json::Array& found = array(manifest, "nodes", file);
    if (found.size() != problem.graph.nodes.size()) {
        throw InputError(fmt::format("{}: the policy has {} nodes, the case {}",
                                     file,
                                     found.size(),
                                     problem.graph.nodes.size()));
    }
    for (std::size_t n = 0; n < found.size(); ++n) {
        if (const auto id = integer(found[n], "id", file); id != problem.graph.nodes[n].id) {
            throw InputError(fmt::format("{}: node {} of the policy is {}, of the case {}",
                                         file,
                                         n,
                                         id,
                                         problem.graph.nodes[n].id));
        }
    }
}

void check_format(const Json& manifest, std::string_view file) {
    const std::string& format = text(manifest, "format", file);
    if (format != format_name) {
        throw InputError(
            fmt::format("{}: \"format\" is \"{}\", must be \"{}\"", file, format, format_name));
    }
    const std::int64_t version = integer(manifest, "format_version", file);
    if (version != format_version) {
        throw InputError(fmt::format(
            "{}: \"format_version\" is {}, this program reads {}", file, version, format_version));
    }
}

}  // namespace

std::vector<std::string> state_names(const Json& dictionary, std::string_view file) {
    std::vector<std::string> names;
    for (const Json& slot : array(dictionary, "state_variables", file)) {
        names.push_back(slot_text(slot, file));
    }
    return names;
}

std::size_t stage_that_ends(const Json& manifest, const std::string& date, std::string_view file) {
    if (manifest.find("nodes") != nullptr) {
        throw InputError(
            fmt::format("{}: the policy is one of a graph, whose nodes do not tell "
                        "which of them prices the end of a study",
                        file));
    }
    const Json::Array& stages = array(manifest, "stages", file);
    for (std::size_t t = 0; t + 1 < stages.size(); ++t) {
        if (text(stages[t], "end_date", file) == date) {
            return t;
        }
    }
    throw InputError(fmt::format(
        "{}: no stage with cuts ends on {}, where the study ends: it cannot price that state",
        file,
        date));
}

std::filesystem::path cuts_path(const std::filesystem::path& directory, std::size_t stage) {
    return directory / "cuts" / fmt::format("{:03d}.parquet", stage);
}

std::filesystem::path start_path(const std::filesystem::path& directory, std::size_t stage) {
    return directory / "starts" / fmt::format("{:03d}.bin", stage);
}

bool has_starts(const Json& manifest) {
    const Json* starts = manifest.find("starts");
    return starts != nullptr && starts->if_bool() != nullptr && *starts->if_bool();
}

Json to_manifest(const sddp::Problem& problem, const sddp::Policy& policy, const PolicyInfo& info) {
    const Json dictionary = state_dictionary(problem);
    Json history = Json::array();
    for (const double bound : info.lower_bound_history) {
        history.push(bound);
    }
    Json manifest = Json::Object{
        {"format", format_name},
        {"format_version", format_version},
        {"software", "lockstep"},
        {"software_version", build_info().version},
        {"created_at", info.created_at},
        {"input_digest", to_string(info.input_digest)},
        {"completed_iterations", info.completed_iterations},
        {"forward_passes", info.forward_passes},
        {"tree_seed", info.tree_seed},
        {"final_lower_bound", info.lower_bound},
        {"final_upper_bound", info.upper_bound ? Json(*info.upper_bound) : Json()},
        {"lower_bound_history", history},
        {"cost_unit", "$"},
        {"starts", !policy.starts.empty()},
        {"state_variables", *dictionary.find("state_variables")},
        {"stages", stage_entries(problem, policy)},
    };
    if (!problem.graph.is_chain()) {
        manifest.set("nodes", node_entries(problem, policy));
        manifest.set("transitions", arc_entries(problem));
    }
    return manifest;
}

Json read_manifest(const std::filesystem::path& directory) {
    const std::filesystem::path path = directory / manifest_name;
    Json manifest = io::read_json(path);
    check_format(manifest, path.string());
    return manifest;
}

PolicyInfo to_info(const Json& manifest, std::string_view file) {
    PolicyInfo info;
    info.created_at = text(manifest, "created_at", file);
    info.completed_iterations = count(manifest, "completed_iterations", file);
    info.forward_passes = count(manifest, "forward_passes", file);
    info.tree_seed = integer(manifest, "tree_seed", file);
    info.lower_bound = number(manifest, "final_lower_bound", file);
    info.upper_bound = member(manifest, "final_upper_bound", file).if_number();
    for (const Json& bound : array(manifest, "lower_bound_history", file)) {
        if (!bound.if_number()) {
            wrong_type(file, "lower_bound_history", bound, "numbers");
        }
        info.lower_bound_history.push_back(*bound.if_number());
    }
    info.input_digest = digest(manifest, file);
    return info;
}

std::vector<std::int64_t> cut_counts(const Json& manifest, std::string_view file) {
    std::vector<std::int64_t> counts;
    const bool is_chain = manifest.find("nodes") == nullptr;
    for (const Json& pool : array(manifest, is_chain ? "stages" : "nodes", file)) {
        counts.push_back(count(pool, "cuts", file));
    }
    return counts;
}

void check_manifest(const Json& manifest, const sddp::Problem& problem, std::string_view file) {
    check_stages(manifest, problem.calendar, file);
    check_graph(manifest, problem, file);
    check_state(manifest, problem, file);
}

}  // namespace lockstep::formats::cobre::out
