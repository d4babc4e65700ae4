#include "lockstep/app/sddp/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/runtime/fixed_sum.hpp"

#include "app/sddp/evaluate/state_text.hpp"
#include "app/sddp/prepare.hpp"

namespace lockstep::app {
namespace {

namespace cobre = formats::cobre;
namespace fs = std::filesystem;

constexpr const char* manifest = "manifest.bin";

/// The folder that holds the policy, and the output directory around it.
struct Found {
    fs::path policy;
    fs::path output;
};

Found find_policy(const fs::path& place) {
    if (io::is_there(place / manifest)) {
        return {place, fs::absolute(place).lexically_normal().parent_path()};
    }
    if (io::is_there(place / "policy" / manifest)) {
        return {place / "policy", place};
    }
    throw IoError(
        fmt::format(
            "{}: no policy is here: neither {} nor policy/{}", place.string(), manifest, manifest),
        IoError::Direction::read);
}

fs::path case_of(const fs::path& output) {
    const auto path = output / "training" / "metadata.json";
    if (io::is_there(path)) {
        const auto metadata = io::read_json(path);
        const auto* directory = metadata.find("case_directory");
        if (directory != nullptr && directory->if_string() != nullptr) {
            return *directory->if_string();
        }
    }
    throw InputError(
        fmt::format("{}: nothing here tells of which case the policy is: give it with --case",
                    output.string()));
}

/// What one hm³ makes on its way to the sea [MWh].
double energy_per_hm3(const sddp::System& system, int hydro, int stage) {
    constexpr double m3s_hours_per_hm3 = 1 / sddp::hm3_per_m3s_hour;
    double productivity = 0;
    for (int plant = hydro; plant >= 0; plant = system.hydros[at(plant)].downstream) {
        const auto& below = system.hydros[at(plant)].equivalent_productivity;
        productivity += at(stage) < below.size() ? below[at(stage)] : 0;
    }
    return productivity * m3s_hours_per_hm3;
}

/// What no future costs less than: 0, unless something earns money.
double least_cost(const sddp::Problem& problem) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    if (problem.boundary.size() > 0) {
        return none;
    }
    for (const auto& contract : problem.system.contracts) {
        for (int t = 0; t < problem.stage_count(); ++t) {
            const auto blocks = std::ssize(problem.calendar.stages[at(t)].blocks);
            for (int block = 0; block < blocks; ++block) {
                if (contract.price(t, block) < 0) {
                    return none;
                }
            }
        }
    }
    return 0;
}

/// Cuts at a state: the largest value, and which of them have it; none where it is the least cost.
struct Priced {
    double cost = 0;
    std::vector<int> binding;
};

Priced priced(const sddp::StageCuts& cuts, std::span<const double> state, double least) {
    constexpr double rounding = 1e-9;
    Priced out{least, {}};
    std::vector<double> value(at(cuts.size()), -std::numeric_limits<double>::infinity());
    for (int cut = 0; cut < cuts.size(); ++cut) {
        if (cuts.active[at(cut)] != 0) {
            value[at(cut)] =
                cuts.intercept[at(cut)] + runtime::fixed_dot(cuts.slopes.row(cut), state);
            out.cost = std::max(out.cost, value[at(cut)]);
        }
    }
    const double slack = rounding * std::max(1.0, std::abs(out.cost));
    for (int cut = 0; cut < cuts.size(); ++cut) {
        if (value[at(cut)] >= out.cost - slack) {
            out.binding.push_back(cut);
        }
    }
    return out;
}

/// -slope by a state: least and largest over cuts.
std::pair<double, double> worth(const sddp::StageCuts& cuts,
                                const std::vector<int>& binding,
                                int state) {
    if (binding.empty()) {
        return {0, 0};
    }
    std::pair range(std::numeric_limits<double>::infinity(),
                    -std::numeric_limits<double>::infinity());
    for (const int cut : binding) {
        const auto value = 0 - cuts.slopes.row(cut)[at(state)];
        range = {std::min(range.first, value), std::max(range.second, value)};
    }
    return range;
}

}  // namespace

struct PolicyReader::Inside {
    Prepared prepared;
    sddp::Policy policy;
    std::unique_ptr<StateNames> names;
    double least = 0;

    [[nodiscard]] const sddp::Problem& problem() const { return prepared.problem; }
    [[nodiscard]] int node_of(const PolicyState& state) const;
    [[nodiscard]] const sddp::StageCuts& all_cuts_after(int node) const {
        return problem().is_leaf(node) ? problem().boundary : policy.stages[lockstep::at(node)];
    }
    [[nodiscard]] const sddp::StageCuts& cuts_after(int node) const;
    [[nodiscard]] std::vector<double> values(const PolicyState& state, int node) const {
        return read_state_text(state.values, problem(), *names, problem().stage_of(node));
    }
};

int PolicyReader::Inside::node_of(const PolicyState& state) const {
    const auto& stages = problem().calendar.stages;
    if (!problem().graph.is_chain()) {
        const auto& nodes = problem().graph.nodes;
        const auto found = std::ranges::find(
            nodes, state.node.value_or(nodes.front().id), &sddp::PolicyGraph::Node::id);
        if (state.stage && !state.node) {
            throw InputError("the case has a policy graph: give a node, not a stage");
        }
        if (found == nodes.end()) {
            throw InputError(fmt::format("the policy graph has no node {}", *state.node));
        }
        return static_cast<int>(found - nodes.begin());
    }
    const int id = state.node ? *state.node : state.stage.value_or(stages.front().id);
    const auto found = std::ranges::find(stages, id, &sddp::Stage::id);
    if (found == stages.end()) {
        throw InputError(fmt::format("the case has no stage {}; its stages are {} to {}",
                                     id,
                                     stages.front().id,
                                     stages.back().id));
    }
    return static_cast<int>(found - stages.begin());
}

const sddp::StageCuts& PolicyReader::Inside::cuts_after(int node) const {
    const int stage = problem().stage_of(node);
    const bool is_leaf = problem().is_leaf(node);
    const auto& cuts = all_cuts_after(node);
    if (std::ranges::count(cuts.active, 0) == cuts.size()) {
        throw InputError(fmt::format("the policy has no cuts after {}{}",
                                     stage_name(problem().calendar, stage),
                                     is_leaf ? ", the last one: nothing comes after it" : ""));
    }
    return cuts;
}

PolicyReader::PolicyReader(const PolicyPlace& place) {
    const auto [policy, output] = find_policy(place.policy);
    const auto directory = place.case_directory.empty() ? case_of(output) : place.case_directory;
    auto inside = std::make_unique<Inside>();
    Problems problems;
    inside->prepared = prepare(directory, place.settings, problems);
    problems.throw_if_errors(directory.string());
    inside->policy = cobre::read_policy(policy, inside->problem());
    for (const auto& cuts : inside->policy.stages) {
        if (!cuts.outcome.empty()) {
            throw InputError(
                "the policy's cuts are of single outcomes (training.multi_cut): what they say of a "
                "state is told of cuts of all together only");
        }
    }
    inside->names = std::make_unique<StateNames>(inside->problem());
    inside->least = least_cost(inside->problem());
    inside_ = std::move(inside);
}

PolicyReader::~PolicyReader() = default;

PolicyValue PolicyReader::at(const PolicyState& state) const {
    using lockstep::at;
    const auto& problem = inside_->problem();
    const int node = inside_->node_of(state);
    const int stage = problem.stage_of(node);
    const auto& cuts = inside_->cuts_after(node);
    const auto values = inside_->values(state, node);
    const auto at_state = priced(cuts, values, inside_->least);
    PolicyValue out;
    out.stage_id = problem.calendar.stages[at(stage)].id;
    out.node_id = problem.node_id(node);
    out.stage = stage_name(problem.calendar, stage);
    out.cost_to_go = at_state.cost;
    for (int h = 0; h < problem.hydro_count(); ++h) {
        const auto& hydro = problem.system.hydros[at(h)];
        const auto [low, high] = worth(cuts, at_state.binding, h);
        out.water.push_back({hydro.id,
                             hydro.name,
                             values[at(h)],
                             low,
                             high,
                             energy_per_hm3(problem.system, h, stage)});
    }
    for (const int cut : at_state.binding) {
        out.binding.push_back(
            {cut, cuts.iteration[at(cut)], cuts.trajectory[at(cut)], cuts.intercept[at(cut)]});
    }
    const auto slopes = at_state.binding.empty() ? std::vector<double>(values.size())
                                                 : cuts.slopes.row(at_state.binding.front());
    const auto& names = inside_->names->numbers();
    for (std::size_t i = 0; i < values.size(); ++i) {
        out.state.push_back({names[i].name, values[i], names[i].unit, slopes[i]});
    }
    return out;
}

CostGrid PolicyReader::grid(const PolicyState& state,
                            const std::vector<std::string>& plants,
                            int points) const {
    using lockstep::at;
    const auto& problem = inside_->problem();
    const int node = inside_->node_of(state);
    const int stage = problem.stage_of(node);
    const auto& cuts = inside_->cuts_after(node);
    auto values = inside_->values(state, node);
    CostGrid out;
    out.stage = stage_name(problem.calendar, stage);
    std::vector<int> places;
    for (const auto& plant : plants) {
        places.push_back(inside_->names->find_hydro(plant));
        const auto& hydro = problem.system.hydros[at(places.back())];
        const auto low = hydro.min_storage_hm3[at(stage)];
        const auto high = hydro.max_storage_hm3[at(stage)];
        if (!(low < high)) {
            throw InputError(fmt::format("{} (hydro {}) has no storage to vary: {} to {} hm3",
                                         hydro.name,
                                         hydro.id,
                                         low,
                                         high));
        }
        auto& axis = out.axes.emplace_back(CostGrid::Axis{hydro.id, hydro.name, {}});
        for (int k = 0; k < points; ++k) {
            axis.storage_hm3.push_back(low + (high - low) * k / (points - 1));
        }
    }
    out.water_value.resize(places.size());
    const int rows = places.size() == 2 ? points : 1;
    for (int point = 0; point < rows * points; ++point) {
        values[at(places.front())] =
            out.axes.front().storage_hm3[at(rows > 1 ? point / points : point)];
        if (rows > 1) {
            values[at(places.back())] = out.axes.back().storage_hm3[at(point % points)];
        }
        const auto there = priced(cuts, values, inside_->least);
        out.cost.push_back(there.cost);
        for (std::size_t axis = 0; axis < places.size(); ++axis) {
            out.water_value[axis].push_back(worth(cuts, there.binding, places[axis]).first);
        }
    }
    return out;
}

PolicyShape PolicyReader::shape() const {
    const auto& problem = inside_->problem();
    PolicyShape out;
    out.least_cost = inside_->least;
    out.has_graph = !problem.graph.is_chain();
    for (int node = 0; node < problem.node_count(); ++node) {
        const int stage = problem.stage_of(node);
        const int id = problem.calendar.stages[lockstep::at(stage)].id;
        out.nodes.push_back({id,
                             out.has_graph ? problem.node_id(node) : id,
                             stage_name(problem.calendar, stage),
                             problem.is_leaf(node),
                             &inside_->all_cuts_after(node)});
    }
    const auto& names = inside_->names->numbers();
    const auto start = inside_->values({}, 0);
    for (std::size_t i = 0; i < start.size(); ++i) {
        out.state.push_back({names[i].name, start[i], names[i].unit, 0});
    }
    for (const auto& hydro : problem.system.hydros) {
        out.hydros.emplace_back(hydro.id, hydro.name);
    }
    return out;
}

io::Table PolicyReader::cuts() const {
    return cobre::cut_matrix(inside_->problem(), inside_->policy);
}

}  // namespace lockstep::app
