#include "sddp/passes/failure.hpp"

#include <array>
#include <string_view>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/lp/conflict.hpp"

namespace lockstep::sddp {

namespace {

Failure describe(lp::Status status,
                 const UnitName& unit,
                 const StageSolver& solver,
                 const SolverSetup& setup) {
    Failure failure{
        unit.phase, unit.iteration, unit.stage, unit.scenario, unit.opening, status, {}, {}};
    const auto model = solver.present_model();
    const auto columns = solver.column_names();
    const auto rows = solver.row_names();
    failure.mps = lp::to_mps(model, columns, rows);
    if (status == lp::Status::infeasible) {
        const auto conflict = lp::find_conflict(model, setup.kind, setup.tolerances);
        for (const int row : conflict.rows) {
            failure.conflicting_rows.push_back(rows[at(row)]);
        }
        for (const int column : conflict.column_lower) {
            failure.conflicting_rows.push_back("lower bound of " + columns[at(column)]);
        }
        for (const int column : conflict.column_upper) {
            failure.conflicting_rows.push_back("upper bound of " + columns[at(column)]);
        }
    }
    return failure;
}

// Texts of a failure as one, each behind its length.
std::string pack(const Failure& failure) {
    std::string text;
    const auto put = [&](std::string_view part) {
        text.append(std::to_string(part.size())).append(":").append(part);
    };
    put(failure.mps);
    for (const auto& row : failure.conflicting_rows) {
        put(row);
    }
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
    failure.mps = take();
    while (!text.empty()) {
        failure.conflicting_rows.push_back(take());
    }
}

Failure broadcast(comm::Communicator& ranks, const Failure& mine, int root) {
    std::array<std::int64_t, 7> numbers{static_cast<std::int64_t>(mine.phase),
                                        mine.iteration,
                                        mine.stage,
                                        mine.scenario,
                                        mine.opening,
                                        static_cast<std::int64_t>(mine.status),
                                        0};
    auto text = ranks.rank() == root ? pack(mine) : std::string();
    numbers.back() = static_cast<std::int64_t>(text.size());
    ranks.broadcast(std::span<std::int64_t>(numbers), root);
    text.resize(static_cast<std::size_t>(numbers.back()));
    ranks.broadcast(std::span<char>(text), root);
    Failure failure;
    failure.phase = static_cast<Phase>(numbers[0]);
    failure.iteration = static_cast<int>(numbers[1]);
    failure.stage = static_cast<int>(numbers[2]);
    failure.scenario = static_cast<int>(numbers[3]);
    failure.opening = static_cast<int>(numbers[4]);
    failure.status = static_cast<lp::Status>(numbers[5]);
    unpack(text, failure);
    return failure;
}

}  // namespace

std::string_view to_string(Phase phase) {
    switch (phase) {
        case Phase::forward:
            return "forward";
        case Phase::backward:
            return "backward";
        case Phase::lower_bound:
            return "lower_bound";
        case Phase::policy_cost:
            return "policy_cost";
        case Phase::simulation:
            return "simulation";
    }
    throw AssertionError("to_string: unknown sddp::Phase");
}

void require_optimal(lp::Status status,
                     const UnitName& unit,
                     const StageSolver& solver,
                     const SolverSetup& setup) {
    if (status != lp::Status::optimal) {
        throw StageFailure(describe(status, unit, solver, setup));
    }
}

std::optional<Failure> exchange_failure(comm::Communicator& ranks,
                                        const std::optional<Failure>& mine,
                                        std::int64_t item,
                                        std::int64_t first) {
    if (first == no_item) {
        return std::nullopt;
    }
    const auto root =
        ranks.allreduce(item == first ? ranks.rank() : ranks.size(), comm::ReduceOp::min);
    return broadcast(ranks, mine.value_or(Failure{}), root);
}

}  // namespace lockstep::sddp
