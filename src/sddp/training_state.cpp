#include "sddp/training_state.hpp"

#include <fmt/format.h>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "sddp/basis_bytes.hpp"

namespace lockstep::sddp {

namespace {

// Every figure of a report but those by rank, in order.
template <typename Report, typename F>
void visit(Report& report, F&& f) {
    f(report.iteration);
    f(report.lower_bound);
    f(report.upper_bound);
    f(report.upper_bound_std);
    f(report.half_width_95);
    f(report.gap);
    f(report.cuts_added);
    f(report.cuts_active);
    f(report.mean_cuts_in_lp);
    f(report.forward);
    f(report.backward);
    f(report.bound);
    f(report.wall_seconds);
    f(report.elapsed_seconds);
}

void pack(const IterationReport& report, ByteWriter& out) {
    visit(report, [&](const auto& figure) { out.add(figure); });
    out.add_array(report.ranks);
}

IterationReport unpack_report(ByteReader& in) {
    IterationReport report;
    visit(report,
          [&](auto& figure) { figure = in.read<std::remove_reference_t<decltype(figure)>>(); });
    report.ranks = in.read_array<RankReport>();
    return report;
}

void must_end(const ByteReader& in) {
    if (!in.at_end())
        throw InputError("a part is longer than what it holds");
}

void restore_stage(ByteReader in, int stage, Engine& engine, Trajectories& trajectories) {
    const auto& problem = engine.problem;
    engine.pools[at(stage)] =
        CutPool::unpack(in, problem.hydro_count(), problem.process.inflow.lags);
    for (int trajectory = 0; trajectory < trajectories.total(); ++trajectory)
        trajectories.start(stage, trajectory) = unpack_basis(in);
    must_end(in);
}

History restore_history(ByteReader in, LowerBound& lower_bound) {
    History history;
    history.elapsed_seconds = in.read<double>();
    const auto count = in.read<std::uint64_t>();
    for (std::uint64_t i = 0; i < count; ++i)
        history.iterations.push_back(unpack_report(in));
    for (auto& basis : lower_bound.starts())
        basis = unpack_basis(in);
    must_end(in);
    return history;
}

}  // namespace

std::vector<std::byte> LiveState::part(int index) const {
    ByteWriter out;
    if (index < engine_.stage_count()) {
        engine_.pools[at(index)].pack(out);
        for (int trajectory = 0; trajectory < trajectories_.total(); ++trajectory)
            pack(trajectories_.start(index, trajectory), out);
        return out.take();
    }
    out.add(elapsed_seconds_);
    out.add(static_cast<std::uint64_t>(iterations_.size()));
    for (const auto& report : iterations_)
        pack(report, out);
    for (const auto& basis : lower_bound_.starts())
        pack(basis, out);
    return out.take();
}

History restore_state(const TrainState& state,
                      Engine& engine,
                      Trajectories& trajectories,
                      LowerBound& lower_bound) {
    if (state.parts() != engine.stage_count() + 1)
        throw InputError(fmt::format("the checkpoint has {} stages, the problem {}",
                                     state.parts() - 1,
                                     engine.stage_count()));
    for (int t = 0; t < engine.stage_count(); ++t) {
        const auto bytes = state.part(t);
        restore_stage(ByteReader(bytes), t, engine, trajectories);
    }
    const auto bytes = state.part(engine.stage_count());
    auto history = restore_history(ByteReader(bytes), lower_bound);
    if (history.iterations.empty() || history.iterations.back().iteration != state.iteration())
        throw InputError("the checkpoint's history does not end with its iteration");
    return history;
}

}  // namespace lockstep::sddp
