#include "lockstep/formats/cobre/policy_files.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"

#include "formats/cobre/policy/manifest_file.hpp"
#include "formats/cobre/policy/policy_checks.hpp"
#include "formats/cobre/policy/pool_file.hpp"
#include "formats/cobre/policy/states_file.hpp"
#include "formats/cobre/write/output_files.hpp"

namespace lockstep::formats::cobre {

using namespace out;

namespace {

namespace fs = std::filesystem;

void check_cuts(const sddp::StageCuts& cuts, int state_size, std::size_t stage) {
    const std::size_t n = cuts.intercept.size();
    const bool fits = cuts.iteration.size() == n && cuts.trajectory.size() == n &&
                      cuts.active.size() == n && cuts.slopes.size() == cuts.size() &&
                      (cuts.outcome.empty() || cuts.outcome.size() == n);
    if (!fits || (n > 0 && cuts.slopes.width() != state_size)) {
        throw AssertionError(fmt::format("cuts of stage {} do not fit the problem", stage));
    }
}

/// The cuts after a node; leaves, which are the last nodes, share a pool without any.
Pool pool_of(const sddp::Problem& problem, const sddp::Policy& policy, int node, int number) {
    const int stage = problem.stage_of(node);
    const auto& calendar = problem.calendar;
    const bool is_shared = problem.is_leaf(node) && !problem.graph.is_chain();
    Pool pool;
    pool.number = number;
    pool.node_id = is_shared ? -1 : problem.node_id(node);
    pool.stage_id = calendar.stages[at(stage)].id;
    pool.date = calendar.stages[at(stage)].end;
    const auto slots = slots_after(problem, stage);
    pool.dimension = static_cast<int>(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (is_in_cuts(slots[i], problem, stage)) {
            pool.slots.push_back(slots[i]);
            pool.places.push_back(i);
        }
    }
    if (!problem.is_leaf(node) && at(node) < policy.stages.size()) {
        pool.cuts = policy.stages[at(node)];
    }
    if (!problem.is_leaf(node) && at(node) < policy.bounding.size()) {
        pool.bounds = policy.bounding[at(node)];
    }
    return pool;
}

/// Those of leaves, after which nothing comes, are not kept.
/// @return how many there are
std::uint64_t write_visited(const fs::path& directory,
                            const sddp::Problem& problem,
                            const sddp::Policy& policy) {
    std::uint64_t states = 0;
    for (std::size_t t = 0; t < policy.visited.size(); ++t) {
        const int node = static_cast<int>(t);
        const auto path = states_path(directory, t);
        if (!problem.is_leaf(node)) {
            write_states(
                path,
                {node, problem.node_id(node), slots_after(problem, problem.stage_of(node)), {}},
                policy.visited[t]);
            states += static_cast<std::uint64_t>(policy.visited[t].states.size());
        }
    }
    return states;
}

/// Reads the pools of a policy of a problem.
class Reader {
public:
    Reader(const fs::path& directory, const sddp::Problem& problem)
        : directory_(directory), problem_(problem), manifest_(read_manifest(directory)) {
        const std::string file = (directory / manifest_name).string();
        check_graph(manifest_, problem, file);
        check_seasons(manifest_, problem, file);
    }

    sddp::Policy read() const {
        sddp::Policy policy;
        for (int node = 0; node < problem_.node_count(); ++node) {
            const auto number = at(manifest_.nodes[at(node)].pool);
            const auto file = pool_path(directory_, number);
            add_cuts(file, node, number, policy);
        }
        policy.starts = manifest_.starts;
        return policy;
    }

private:
    void add_cuts(const fs::path& file, int node, std::size_t number, sddp::Policy& policy) const {
        const Pool pool = read_pool(file);
        const auto name = file.string();
        check_place(pool, problem_, node, name);
        const auto places = check_state(pool, problem_, problem_.stage_of(node), name);
        const auto& counts = manifest_.cuts;
        if (counts && number < counts->size() && pool.cuts.size() != (*counts)[number]) {
            throw InputError(fmt::format("{}: {} cuts, the policy was written with {}",
                                         name,
                                         pool.cuts.size(),
                                         (*counts)[number]));
        }
        if (problem_.is_leaf(node)) {
            policy.stages.emplace_back();
            return;
        }
        policy.stages.push_back(rearranged(pool.cuts, places, problem_.states()));
        if (pool.bounds) {
            policy.bounding.resize(at(node));
            policy.bounding.push_back(rearranged(*pool.bounds, places, problem_.states()));
            policy.bounding.back().active = policy.stages.back().active;
        }
    }

    const fs::path& directory_;
    const sddp::Problem& problem_;
    Manifest manifest_;
};

}  // namespace

void write_policy(const fs::path& directory,
                  const sddp::Problem& problem,
                  const sddp::Policy& policy,
                  const PolicyInfo& info) {
    remove_file(directory / manifest_name);
    Manifest manifest = manifest_of(problem);
    manifest.info = info;
    for (std::size_t t = 0; t < policy.stages.size(); ++t) {
        check_cuts(policy.stages[t], problem.state_size(), t);
        manifest.has_single_outcomes =
            manifest.has_single_outcomes || !policy.stages[t].outcome.empty();
    }
    manifest.cuts.emplace();
    manifest.starts = policy.starts;
    std::vector<std::uint32_t> earlier;
    for (int number = 0, node = 0; number < manifest.pools; ++number, ++node) {
        const Pool pool = pool_of(problem, policy, node, number);
        write_pool(pool_path(directory, at(number)), pool);
        remove_file(directory / "basis" / fmt::format("{:03d}.bin", number));  // of Cobre's LPs
        remove_file(states_path(directory, at(number)));
        manifest.cuts->push_back(pool.cuts.size());
        earlier.push_back(static_cast<std::uint32_t>(std::ranges::count(pool.cuts.iteration, 0)));
    }
    manifest.visited_states = write_visited(directory, problem, policy);
    io::make_folder(directory / "basis");  // without bases, but Cobre wants it
    write_manifest(directory, manifest, problem, earlier);
}

sddp::Policy read_policy(const fs::path& directory, const sddp::Problem& problem) {
    return Reader(directory, problem).read();
}

PolicyInfo read_policy_info(const fs::path& directory) {
    return read_manifest(directory).info;
}

}  // namespace lockstep::formats::cobre
