#include "sddp/passes/trajectories.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::sddp {

namespace {

// Until what comes weighs little in the costs from the start.
int passages_that_count(const Engine& engine) {
    constexpr double little = 0.05;
    constexpr int most = 50;
    const auto& graph = engine.graph();
    double factor = 1;  // of a passage
    for (int t = graph.stage_after(graph.stages() - 1); t < graph.stages(); ++t) {
        factor *= engine.model.lp(graph.first(t)).discount;
    }
    int passages = 1;
    for (double weight = factor; weight > little && passages < most; weight *= factor) {
        ++passages;
    }
    return passages;
}

}  // namespace

Trajectories::Trajectories(const Engine& engine, int trajectories)
    : graph_(engine.graph()),
      total_(trajectories),
      state_size_(engine.state_size()),
      first_{0},
      own_(at(graph_.stages())),
      states_(own_.size()),
      starts_(at(graph_.nodes()) * at(starts_a_node())) {
    for (int t = 0; t < graph_.stages(); ++t) {
        first_.push_back(first_.back() + at(total(t)));
    }
    nodes_.resize(is_enumerated() ? 0 : first_.back());
    found_.resize(first_.back());
    if (graph_.is_cyclic()) {
        passages_ = passages_that_count(engine);
        for (int trajectory = 0; trajectory < total_; ++trajectory) {
            const auto& initial = engine.initial_state();
            cycle_starts_.insert(cycle_starts_.end(), initial.begin(), initial.end());
        }
    }
    repartition(engine.team.ranks);
}

void Trajectories::repartition(const comm::Communicator& ranks) {
    partition_.clear();
    for (int t = 0; t < graph_.stages(); ++t) {
        partition_.emplace_back(total(t), ranks.size());
    }
    resize(ranks.rank());
}

void Trajectories::learn(std::span<const double> seconds, int rank) {
    auto learned = partition_.front();
    if (!is_enumerated() && learned.learn(seconds)) {
        std::fill(partition_.begin(), partition_.end(), learned);
        resize(rank);
    }
}

void Trajectories::resize(int rank) {
    for (int t = 0; t < graph_.stages(); ++t) {
        own_[at(t)] = partition_[at(t)].of(rank);
        const auto held = is_enumerated() ? at(total(t)) : at(own(t).size());
        states_[at(t)].resize(held * state_size_);
    }
    costs_.resize(is_enumerated() ? at(graph_.nodes()) : at(own(0).size()));
}

void Trajectories::choose_nodes(const Model& model, int iteration) {
    if (is_enumerated()) {
        return;
    }
    for (int trajectory = 0; trajectory < total_; ++trajectory) {
        int node = 0;
        nodes_[index(0, trajectory)] = node;
        for (int t = 1; t < graph_.stages(); ++t) {
            node = model.next_node(iteration, trajectory, node);
            nodes_[index(t, trajectory)] = node;
        }
    }
}

const StoredBasis& Trajectories::start_after(int node, std::ptrdiff_t point) noexcept {
    const int stage = graph_.stage(node);
    if (is_enumerated()) {
        return found(stage, node - graph_.first(stage));
    }
    return this->node(stage, point) == node ? found(stage, point) : start(node, point);
}

void Trajectories::share_found(comm::Communicator& ranks, int stage) {
    if (!is_enumerated()) {
        gather_bases(ranks, partition(0).layout(1), found_);
        return;
    }
    gather_bases(ranks,
                 partition(stage).layout(1),
                 std::span(found_).subspan(first_[at(stage)], at(total(stage))));
}

void Trajectories::commit() noexcept {
    cycle_starts_.swap(cycle_ends_);
    for (int t = 0; t < graph_.stages(); ++t) {
        for (int point = 0; point < total(t); ++point) {
            std::swap(start_of(t, point), found(t, point));
        }
    }
}

std::span<const double> Trajectories::enter(int stage,
                                            int iteration,
                                            std::ptrdiff_t trajectory,
                                            std::span<const double> left) const noexcept {
    if (!graph_.is_cyclic() || stage != graph_.stage_after(graph_.stages() - 1) ||
        (iteration - 1 + trajectory) % passages_ == 0) {
        return left;
    }
    return std::span(cycle_starts_).subspan(at(trajectory) * state_size_, state_size_);
}

void Trajectories::share_ends(comm::Communicator& ranks) {
    if (graph_.is_cyclic()) {
        cycle_ends_ = gather_states(ranks, graph_.stages() - 1);
    }
}

std::vector<double> Trajectories::gather_states(comm::Communicator& ranks, int stage) const {
    if (is_enumerated()) {
        return states_[at(stage)];
    }
    std::vector<double> all(at(total_) * state_size_);
    ranks.allgatherv(std::span<const double>(states_[at(stage)]),
                     std::span<double>(all),
                     partition(stage).layout(static_cast<std::int64_t>(state_size_)));
    return all;
}

std::vector<double> Trajectories::gather_costs(comm::Communicator& ranks) const {
    std::vector<double> all(at(total_));
    ranks.allgatherv(
        std::span<const double>(costs_), std::span<double>(all), partition(0).layout(1));
    return all;
}

}  // namespace lockstep::sddp
