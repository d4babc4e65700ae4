#include "sddp/passes/runs/training_snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "sddp/passes/runs/basis_bytes.hpp"
#include "sddp/passes/runs/state_checks.hpp"

namespace lockstep::sddp {

namespace {

// Every figure of a report but those by rank and by place, in order.
template <typename Report, typename F>
void visit(Report& report, F&& f) {
    f(report.iteration);
    f(report.lower_bound);
    f(report.upper_bound);
    f(report.upper_bound_std);
    f(report.half_width_95);
    f(report.gap);
    f(report.inner_bound);
    f(report.policy_cost);
    f(report.policy_cost_half_width_95);
    f(report.cuts_added);
    f(report.cuts_active);
    f(report.mean_cuts_in_lp);
    f(report.forward);
    f(report.backward);
    f(report.bound);
    f(report.inner_seconds);
    f(report.policy_cost_seconds);
    f(report.wall_seconds);
    f(report.elapsed_seconds);
}

void pack(const IterationReport& report, ByteWriter& out) {
    visit(report, [&](const auto& figure) { out.add(figure); });
    out.add_array(report.ranks);
    out.add_array(report.selection);
    out.add_array(report.work.bytes());
}

IterationReport unpack_report(ByteReader& in) {
    IterationReport report;
    visit(report,
          [&](auto& figure) { figure = in.read<std::remove_reference_t<decltype(figure)>>(); });
    report.ranks = in.read_array<RankReport>();
    report.selection = in.read_array<SelectionReport>();
    report.work = WorkTable(in.read_array<std::byte>());
    return report;
}

void must_end(const ByteReader& in) {
    if (!in.at_end()) {
        throw InputError("it is longer than what it holds");
    }
}

/// Runs a check or a reading of a part; its message says which.
template <typename F>
void within_part(const runtime::EngineState& state, int part, F&& body) {
    try {
        body();
    } catch (const InputError& error) {
        throw InputError(
            fmt::format("part {} of the checkpoint of iteration {} is not what training writes: {}",
                        part,
                        state.iteration(),
                        error.what()));
    }
}

History unpack_history(ByteReader in, LowerBound& lower_bound, Trajectories& trajectories) {
    History history;
    history.elapsed_seconds = in.read<double>();
    history.earlier_bounds = in.read_array<double>();
    const auto count = in.read<std::uint64_t>();
    for (std::uint64_t i = 0; i < count; ++i) {
        history.iterations.push_back(unpack_report(in));
    }
    for (auto& basis : lower_bound.starts()) {
        basis = unpack_basis(in);
    }
    const auto starts = in.read_array<double>();
    check_slopes(std::as_bytes(std::span(starts)));
    if (starts.size() != trajectories.cycle_starts().size()) {
        throw InputError("states at which trajectories go on are of another problem");
    }
    trajectories.cycle_starts() = starts;
    must_end(in);
    return history;
}

/// Fills an engine from a state that the first rank of each node reads.
class Restore {
public:
    Restore(const runtime::EngineState& state, Engine& engine)
        : state_(state), engine_(engine), ranks_(engine.team.ranks), node_(engine.team.node()) {
        comm::agree(ranks_, [&] { must_fit(); });
        engine_.cut_memory.begin(node_);
    }

    // The slopes, nearly all of a part, go from there to where the node holds them.
    void node(int t, Trajectories& trajectories) {
        std::vector<std::byte> part;
        std::span<const std::byte> slopes;
        if (engine_.graph().is_leaf(t) && engine_.pools[at(t)].size() > 0) {
            return leaf(t, trajectories);
        }
        const auto rest = read([&] {
            part = state_.part(t);
            ByteReader in(part);
            within_part(state_, t, [&] {
                slopes = in.view_array<double>();
                check_slopes(slopes);
            });
            return std::vector<std::byte>(in.rest().begin(), in.rest().end());
        });
        auto& pool = engine_.pools[at(t)];
        comm::agree(ranks_, [&] {
            within_part(state_, t, [&] {
                unpack_node(ByteReader(rest), t, trajectories);
                if (is_reader() && slopes.size() != at(pool.size()) * row_bytes(pool)) {
                    throw InputError("its cuts are of other states");
                }
            });
        });
        engine_.cut_memory.fill(pool, slopes);
    }

    // A leaf with the cuts of the boundary, which the problem has: only bases are read.
    void leaf(int node, Trajectories& trajectories) {
        const auto bytes = read([&] { return state_.part(node); });
        comm::agree(ranks_, [&] {
            within_part(state_, node, [&] {
                ByteReader in(bytes);
                auto& pool = engine_.pools[at(node)];
                in.view_array<double>();
                if (CutPool::unpack(in, pool.slopes().states()).size() != pool.size()) {
                    throw InputError("the boundary has another number of cuts");
                }
                unpack_starts(in, node, pool.size(), trajectories);
                if (engine_.bounds_apart()) {
                    CutPool::unpack(in, pool.slopes().states());
                    in.view_array<double>();
                }
                must_end(in);
            });
        });
    }

    History history(LowerBound& lower_bound, Trajectories& trajectories) {
        const auto bytes = read([&] { return state_.part(engine_.node_count()); });
        History history;
        comm::agree(ranks_, [&] {
            within_part(state_, engine_.node_count(), [&] {
                history = unpack_history(ByteReader(bytes), lower_bound, trajectories);
                check_earlier(history.earlier_bounds, state_.iteration());
                check_history(history.iterations,
                              static_cast<int>(history.earlier_bounds.size()),
                              state_.iteration(),
                              engine_.model);
                for (const auto& basis : lower_bound.starts()) {
                    check_basis(basis, engine_.model.lp(0), engine_.pools.front().size());
                }
            });
        });
        return history;
    }

private:
    static void unpack_rows(ByteReader& in, std::string_view what, CutPool& pool) {
        auto found = CutPool::unpack(in, pool.slopes().states());
        const auto rows = in.read_array<double>();
        const auto width = at(found.slopes().width());
        if (rows.size() != at(found.size()) * width) {
            throw InputError(fmt::format("the {} of a part are of other states", what));
        }
        check_slopes(std::as_bytes(std::span(rows)));
        found.slopes().reserve(found.size());
        for (std::size_t first = 0; first < rows.size(); first += width) {
            found.slopes().add({rows.data() + first, width});
        }
        pool = std::move(found);
    }

    void unpack_starts(ByteReader& in, int node, int cuts, Trajectories& trajectories) {
        for (int number = 0; number < trajectories.starts_a_node(); ++number) {
            auto& start = trajectories.start(node, number);
            start = unpack_basis(in);
            check_basis(start, engine_.model.lp(node), cuts);
        }
    }

    void unpack_node(ByteReader in, int t, Trajectories& trajectories) {
        auto& pool = engine_.pools[at(t)];
        pool = CutPool::unpack(in, pool.slopes().states());
        check_cuts(pool, state_.iteration(), engine_.graph().is_leaf(t));
        check_outcomes(pool, engine_.model.lp(t));
        unpack_starts(in, t, pool.size(), trajectories);
        if (engine_.bounds_apart()) {
            auto& bounding = engine_.bounding_pools[at(t)];
            unpack_rows(in, "bounding cuts", bounding);
            check_outcomes(bounding, engine_.model.lp(t));
            if (bounding.size() != pool.size()) {
                throw InputError("a part has another number of bounding cuts than of cuts");
            }
        }
        if (engine_.keeps_states() && !engine_.graph().is_leaf(t)) {
            auto& visited = engine_.visited[at(t)];
            unpack_rows(in, "visited states", visited);
            check_cuts(visited, state_.iteration(), false);
        }
        if (!engine_.inner_values.empty() && !engine_.graph().is_leaf(t)) {
            auto& values = engine_.inner_values[at(t)];
            values = in.read_array<double>();
            if (values.size() > at(engine_.visited[at(t)].size()) ||
                std::ranges::any_of(values, [](double v) { return std::isnan(v); })) {
                throw InputError("the values of visited states are not those of a part");
            }
        }
        must_end(in);
    }

    [[nodiscard]] bool is_reader() const noexcept { return node_->rank() == 0; }
    static std::size_t row_bytes(const CutPool& pool) noexcept {
        return at(pool.slopes().width()) * sizeof(double);
    }

    void must_fit() const {
        if (state_.parts() != engine_.node_count() + 1) {
            throw InputError(fmt::format("the checkpoint has {} stages, the problem {}",
                                         state_.parts() - 1,
                                         engine_.node_count()));
        }
    }

    template <typename F>
    std::vector<std::byte> read(F&& body) {
        std::vector<std::byte> bytes;
        comm::agree(ranks_, [&] {
            if (is_reader()) {
                bytes = body();
            }
        });
        comm::broadcast_list(*node_, bytes, 0);
        return bytes;
    }

    const runtime::EngineState& state_;
    Engine& engine_;
    comm::Communicator& ranks_;
    std::shared_ptr<comm::Communicator> node_;
};

}  // namespace

std::vector<std::byte> TrainingSnapshot::part(int index) const {
    ByteWriter out;
    if (index < engine_.node_count()) {
        const auto& pool = engine_.pools[at(index)];
        out.add_array(pool.slopes().rows());  // first: not every rank reads them back
        pool.pack(out);
        for (int number = 0; number < trajectories_.starts_a_node(); ++number) {
            pack(trajectories_.start(index, number), out);
        }
        if (engine_.bounds_apart()) {
            const auto& bounding = engine_.bounding_pools[at(index)];
            bounding.pack(out);
            out.add_array(bounding.slopes().rows());
        }
        if (engine_.keeps_states() && !engine_.graph().is_leaf(index)) {
            const auto& visited = engine_.visited[at(index)];
            visited.pack(out);
            out.add_array(visited.slopes().rows());
        }
        if (!engine_.inner_values.empty() && !engine_.graph().is_leaf(index)) {
            out.add_array(engine_.inner_values[at(index)]);
        }
        return out.take();
    }
    out.add(elapsed_seconds_);
    out.add_array(so_far_.earlier_bounds);
    out.add(static_cast<std::uint64_t>(so_far_.iterations.size()));
    for (const auto& report : so_far_.iterations) {
        pack(report, out);
    }
    for (const auto& basis : lower_bound_.starts()) {
        pack(basis, out);
    }
    out.add_array(trajectories_.cycle_starts());
    return out.take();
}

History restore_state(const runtime::EngineState& state,
                      Engine& engine,
                      Trajectories& trajectories,
                      LowerBound& lower_bound) {
    Restore restore(state, engine);
    for (int node = 0; node < engine.node_count(); ++node) {
        restore.node(node, trajectories);
    }
    auto history = restore.history(lower_bound, trajectories);
    for (auto& report : history.iterations) {
        report.is_upper_bound_exact = trajectories.is_enumerated();
    }
    return history;
}

}  // namespace lockstep::sddp
