#include "sddp/passes/failure.hpp"

#include <array>
#include <string_view>

#include "lockstep/lp/conflict.hpp"

namespace lockstep::sddp {

namespace {

Failure describe(lp::Status status,
                 const UnitName& unit,
                 const StageSolver& solver,
                 const SolverSetup& setup) {
    Failure failure{unit.phase,
                    unit.iteration,
                    unit.stage,
                    unit.scenario,
                    unit.opening,
                    std::string(lp::to_string(status)),
                    {},
                    {}};
    const auto model = solver.present_model();
    const auto columns = solver.column_names();
    const auto rows = solver.row_names();
    failure.mps = lp::to_mps(model, columns, rows);
    if (status == lp::Status::infeasible) {
        const auto conflict = lp::find_conflict(model, setup.kind, setup.tolerances);
        for (const int row : conflict.rows)
            failure.conflicting_rows.push_back(rows[static_cast<std::size_t>(row)]);
        for (const int column : conflict.column_lower)
            failure.conflicting_rows.push_back("lower bound of " +
                                               columns[static_cast<std::size_t>(column)]);
        for (const int column : conflict.column_upper)
            failure.conflicting_rows.push_back("upper bound of " +
                                               columns[static_cast<std::size_t>(column)]);
    }
    return failure;
}

// Texts of a failure as one, each behind its length.
std::string pack(const Failure& failure) {
    std::string text;
    const auto put = [&](std::string_view part) {
        text.append(std::to_string(part.size())).append(":").append(part);
    };
    put(failure.phase);
    put(failure.status);
    put(failure.mps);
    for (const auto& row : failure.conflicting_rows)
        put(row);
    return text;
}

void unpack(std::string_view text, Failure& failure) {
    const auto take = [&] {
        const auto colon = text.find(':');
        const auto length =
            static_cast<std::size_t>(std::stoull(std::string(text.substr(0, colon))));
        std::string part(text.substr(colon + 1, length));
        text.remove_prefix(colon + 1 + length);
        return part;
    };
    failure.phase = take();
    failure.status = take();
    failure.mps = take();
    while (!text.empty())
        failure.conflicting_rows.push_back(take());
}

Failure broadcast(comm::Communicator& ranks, const Failure& mine, int root) {
    std::array<std::int64_t, 5> numbers{mine.iteration, mine.stage, mine.scenario, mine.opening, 0};
    auto text = ranks.rank() == root ? pack(mine) : std::string();
    numbers[4] = static_cast<std::int64_t>(text.size());
    ranks.broadcast(std::span<std::int64_t>(numbers), root);
    text.resize(static_cast<std::size_t>(numbers[4]));
    ranks.broadcast(std::span<char>(text), root);
    Failure failure;
    failure.iteration = static_cast<int>(numbers[0]);
    failure.stage = static_cast<int>(numbers[1]);
    failure.scenario = static_cast<int>(numbers[2]);
    failure.opening = static_cast<int>(numbers[3]);
    unpack(text, failure);
    return failure;
}

}  // namespace

void require_optimal(lp::Status status,
                     const UnitName& unit,
                     const StageSolver& solver,
                     const SolverSetup& setup) {
    if (status != lp::Status::optimal)
        throw StageFailure(describe(status, unit, solver, setup));
}

std::optional<Failure> exchange_failure(comm::Communicator& ranks,
                                        const std::optional<Failure>& mine,
                                        std::int64_t item,
                                        std::int64_t first) {
    if (first == no_item)
        return std::nullopt;
    const auto root =
        ranks.allreduce(item == first ? ranks.rank() : ranks.size(), comm::ReduceOp::min);
    return broadcast(ranks, mine.value_or(Failure{}), root);
}

}  // namespace lockstep::sddp
