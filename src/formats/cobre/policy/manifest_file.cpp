#include "formats/cobre/policy/manifest_file.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "lockstep/base/build_info.hpp"
#include "lockstep/base/index.hpp"

#include "formats/cobre/policy/buffer.hpp"
#include "formats/cobre/policy/slot_table.hpp"

namespace lockstep::formats::cobre::out {

namespace {

// Cobre reads what a program of its name and of exactly its version wrote.
constexpr const char* software = "cobre";
constexpr const char* software_version = "0.18.0";
constexpr std::uint32_t format_version = 3;
constexpr double cost_scale = 1e6;

int cycle_code(const sddp::Calendar& calendar) {
    switch (calendar.seasons.empty() ? sddp::SeasonCycle::none : calendar.cycle) {
        case sddp::SeasonCycle::monthly:
            return 0;
        case sddp::SeasonCycle::weekly:
            return 1;
        case sddp::SeasonCycle::custom:
            return 2;
        case sddp::SeasonCycle::none:
            return 255;
    }
    return 255;
}

/// Of the stages that have each season; 0 where none has it.
std::vector<int> orders_of(const sddp::Problem& problem, std::size_t hydro) {
    const auto& calendar = problem.calendar;
    std::vector<int> orders(calendar.seasons.size());
    for (std::size_t t = 0; t < calendar.stages.size(); ++t) {
        const auto place =
            std::ranges::find(calendar.seasons, calendar.stages[t].season, &sddp::Season::id) -
            calendar.seasons.begin();
        const auto& order = problem.process.inflow.stages[t].order;
        if (at(place) < orders.size() && hydro < order.size()) {
            orders[at(place)] = order[hydro];
        }
    }
    return orders;
}

void add_seasons(const sddp::Problem& problem, Manifest& out) {
    out.cycle = cycle_code(problem.calendar);
    if (out.cycle == 255) {
        return;
    }
    out.seasons = static_cast<int>(problem.calendar.seasons.size());
    for (std::size_t h = 0; h < problem.system.hydros.size(); ++h) {
        out.orders.push_back({problem.system.hydros[h].id, orders_of(problem, h)});
    }
}

using Builder = flatbuffers::FlatBufferBuilder;

template <typename To, typename From>
std::vector<To> converted(const std::vector<From>& values) {
    std::vector<To> out;
    std::ranges::transform(
        values, std::back_inserter(out), [](From value) { return static_cast<To>(value); });
    return out;
}

auto add_nodes(Builder& out, const Manifest& manifest) {
    std::vector<flatbuffers::Offset<flat::GraphNode>> nodes;
    for (const auto& node : manifest.nodes) {
        nodes.push_back(flat::CreateGraphNode(
            out, node.id, node.stage_id, static_cast<std::uint32_t>(node.pool)));
    }
    return out.CreateVector(nodes);
}

auto add_arcs(Builder& out, const Manifest& manifest) {
    std::vector<flatbuffers::Offset<flat::GraphEdge>> arcs;
    for (const auto& arc : manifest.arcs) {
        arcs.push_back(flat::CreateGraphEdge(out, arc.source_id, arc.target_id, arc.probability));
    }
    return out.CreateVector(arcs);
}

auto add_seasons(Builder& out, const Manifest& manifest) {
    std::vector<flatbuffers::Offset<flat::HydroOrders>> orders;
    for (const auto& entry : manifest.orders) {
        orders.push_back(flat::CreateHydroOrders(
            out, entry.hydro_id, out.CreateVector(converted<std::uint32_t>(entry.orders))));
    }
    return flat::CreateSeasonManifest(out,
                                      static_cast<std::uint8_t>(manifest.cycle),
                                      static_cast<std::uint32_t>(manifest.seasons),
                                      out.CreateVector(orders));
}

auto add_origin(Builder& out, const Manifest& manifest) {
    const auto version = out.CreateString(std::string(build_info().version));
    const auto digest = out.CreateString(lockstep::to_string(manifest.info.input_digest));
    const auto cuts =
        out.CreateVector(converted<std::uint32_t>(manifest.cuts.value_or(std::vector<int>())));
    return flat::CreateOrigin(out, version, digest, cuts);
}

auto add_starts(Builder& out, const std::vector<std::vector<std::byte>>& starts) {
    std::vector<flatbuffers::Offset<flat::Bytes>> lists;
    for (const auto& start : starts) {
        lists.push_back(flat::CreateBytes(
            out,
            out.CreateVector(reinterpret_cast<const std::uint8_t*>(start.data()), start.size())));
    }
    return out.CreateVector(lists);
}

/// "parallel", "chronological", or one for each stage where they differ.
std::vector<std::string> block_modes(const sddp::Calendar& calendar) {
    std::vector<std::string> modes;
    for (const auto& stage : calendar.stages) {
        modes.emplace_back(stage.is_chronological ? "chronological" : "parallel");
    }
    return modes;
}

double finite(double value, std::string_view what, const std::string& file) {
    if (!std::isfinite(value)) {
        throw InputError(fmt::format("{}: {} is {}, must be a finite number", file, what, value));
    }
    return value;
}

void check_format(const Buffer<flat::CheckpointManifest>& root) {
    if (root->format_version() != format_version) {
        throw InputError(fmt::format("{}: the format version is {}, this program reads {}",
                                     root.file(),
                                     root->format_version(),
                                     format_version));
    }
}

template <typename List, typename F>
void for_each(const List* list, F&& f) {
    for (std::size_t i = 0; i < size_of(list); ++i) {
        f(*list->Get(static_cast<flatbuffers::uoffset_t>(i)));
    }
}

PolicyInfo info_of(const Buffer<flat::CheckpointManifest>& root) {
    const auto& file = root.file();
    PolicyInfo info;
    info.created_at = root->created_at() == nullptr ? "" : root->created_at()->str();
    info.completed_iterations =
        count_of(root->completed_iterations(), "the number of iterations", file);
    info.forward_passes = count_of(root->forward_passes(), "the number of passes", file);
    info.lower_bound = finite(root->final_lower_bound(), "the lower bound", file);
    info.upper_bound = finite(root->best_upper_bound(), "the upper bound", file);
    info.tree_seed = static_cast<std::int64_t>(root->rng_seed());
    for (std::size_t i = 0; i < size_of(root->lower_bound_history()); ++i) {
        const auto bound = root->lower_bound_history()->Get(static_cast<flatbuffers::uoffset_t>(i));
        info.lower_bound_history.push_back(finite(bound, "a lower bound", file));
    }
    return info;
}

void read_origin(const flat::Origin& origin, const std::string& file, Manifest& out) {
    const auto digest = origin.input_digest() == nullptr
                            ? std::nullopt
                            : parse_digest(origin.input_digest()->str());
    if (!digest) {
        throw InputError(
            fmt::format("{}: the digest of the input must be 32 hexadecimal digits", file));
    }
    out.info.input_digest = *digest;
    auto& cuts = out.cuts.emplace();
    for (std::size_t i = 0; i < size_of(origin.cuts()); ++i) {
        const auto count = origin.cuts()->Get(static_cast<flatbuffers::uoffset_t>(i));
        cuts.push_back(count_of(count, "a number of cuts", file));
    }
}

Manifest manifest_in(const Buffer<flat::CheckpointManifest>& root) {
    check_format(root);
    const auto& file = root.file();
    Manifest out;
    out.stages = count_of(root->num_stages(), "the number of stages", file);
    out.pools = count_of(root->n_pools(), "the number of pools", file);
    for_each(root->nodes(), [&](const flat::GraphNode& node) {
        const int pool = count_of(node.pool_id(), "the pool of a node", file);
        if (pool >= out.pools) {
            throw InputError(fmt::format(
                "{}: node {} has pool {}, there are {}", file, node.id(), pool, out.pools));
        }
        out.nodes.push_back({node.id(), node.stage_id(), pool});
    });
    for_each(root->edges(), [&](const flat::GraphEdge& edge) {
        out.arcs.push_back({edge.source_id(), edge.target_id(), edge.probability()});
    });
    if (const auto* seasons = root->season_manifest()) {
        out.cycle = seasons->cycle_code();
        out.seasons = count_of(seasons->n_seasons(), "the number of seasons", file);
        for_each(seasons->hydro_orders(), [&](const flat::HydroOrders& entry) {
            Manifest::Orders orders{entry.hydro_id(), {}};
            for (std::size_t i = 0; i < size_of(entry.orders()); ++i) {
                orders.orders.push_back(
                    static_cast<int>(entry.orders()->Get(static_cast<flatbuffers::uoffset_t>(i))));
            }
            out.orders.push_back(std::move(orders));
        });
    }
    out.info = info_of(root);
    if (const auto* origin = root->origin()) {
        read_origin(*origin, file, out);
    }
    for_each(root->starts(), [&](const flat::Bytes& start) {
        const auto* bytes = reinterpret_cast<const std::byte*>(
            start.bytes() == nullptr ? nullptr : start.bytes()->data());
        out.starts.emplace_back(bytes, bytes + size_of(start.bytes()));
    });
    return out;
}

}  // namespace

Manifest manifest_of(const sddp::Problem& problem) {
    Manifest out;
    out.stages = problem.stage_count();
    int leaves = 0;
    for (int node = 0; node < problem.node_count(); ++node) {
        const int stage = problem.stage_of(node);
        leaves += stage + 1 == out.stages ? 1 : 0;
        out.pools += stage + 1 < out.stages || leaves == 1 ? 1 : 0;
        out.nodes.push_back(
            {problem.node_id(node), problem.calendar.stages[at(stage)].id, out.pools - 1});
    }
    for (const auto& arc : problem.graph.arcs) {
        out.arcs.push_back({problem.node_id(arc.from), problem.node_id(arc.to), arc.probability});
    }
    for (int stage = 0; problem.graph.is_chain() && stage + 1 < out.stages; ++stage) {
        out.arcs.push_back({stage, stage + 1, 1});
    }
    add_seasons(problem, out);
    return out;
}

void write_manifest(const std::filesystem::path& directory,
                    const Manifest& manifest,
                    const sddp::Problem& problem,
                    const std::vector<std::uint32_t>& earlier_cuts) {
    const auto& info = manifest.info;
    auto modes = block_modes(problem.calendar);
    const bool is_mixed =
        std::ranges::adjacent_find(modes, std::ranges::not_equal_to()) != modes.end();
    const std::string mode = is_mixed || modes.empty() ? "mixed" : modes.front();
    if (!is_mixed) {
        modes.clear();
    }
    Builder out;
    out.ForceDefaults(true);
    // Of another version to Cobre, where it would misread the cuts.
    const auto version = out.CreateString(std::string(software_version) +
                                          (manifest.has_single_outcomes ? "+multi_cut" : ""));
    const auto created = out.CreateString(info.created_at);
    const auto nodes = add_nodes(out, manifest);
    const auto arcs = add_arcs(out, manifest);
    const auto earlier = out.CreateVector(earlier_cuts);
    const auto block_mode = out.CreateString(mode);
    const auto by_stage = out.CreateVectorOfStrings(modes);
    const auto seasons = add_seasons(out, manifest);
    const auto writer = out.CreateString(software);
    const auto history = out.CreateVector(info.lower_bound_history);
    const auto origin = add_origin(out, manifest);
    const auto starts = add_starts(out, manifest.starts);
    flat::CheckpointManifestBuilder root(out);
    root.add_format_version(format_version);
    root.add_software_version(version);
    root.add_created_at(created);
    root.add_num_stages(static_cast<std::uint32_t>(manifest.stages));
    root.add_n_pools(static_cast<std::uint32_t>(manifest.pools));
    root.add_nodes(nodes);
    root.add_edges(arcs);
    root.add_completed_iterations(static_cast<std::uint32_t>(info.completed_iterations));
    root.add_final_lower_bound(info.lower_bound);
    root.add_best_upper_bound(info.upper_bound.value_or(0));
    root.add_max_iterations(static_cast<std::uint32_t>(info.completed_iterations));
    root.add_forward_passes(static_cast<std::uint32_t>(info.forward_passes));
    root.add_warm_start_cuts(std::accumulate(earlier_cuts.begin(), earlier_cuts.end(), 0U));
    root.add_warm_start_counts(earlier);
    root.add_rng_seed(static_cast<std::uint64_t>(info.tree_seed));
    root.add_total_visited_states(manifest.visited_states);
    root.add_training_block_mode(block_mode);
    root.add_training_block_mode_per_stage(by_stage);
    root.add_cost_scale_factor(cost_scale);
    root.add_season_manifest(seasons);
    root.add_software(writer);
    root.add_lower_bound_history(history);
    root.add_origin(origin);
    root.add_starts(starts);
    write_buffer(directory / manifest_name, out, root.Finish());
}

Manifest read_manifest(const std::filesystem::path& directory) {
    return manifest_in(Buffer<flat::CheckpointManifest>(directory / manifest_name));
}

Manifest parse_manifest(std::string bytes, const std::string& file) {
    return manifest_in(Buffer<flat::CheckpointManifest>(std::move(bytes), file));
}

}  // namespace lockstep::formats::cobre::out
