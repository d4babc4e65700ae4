#pragma once

#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/sddp/train.hpp"

#include "sddp/stage/stage_solver.hpp"

namespace lockstep::sddp {

/// Carries a stage LP without an answer out of a unit of work; never leaves the engine.
class StageFailure : public std::exception {
public:
    explicit StageFailure(Failure failure) : failure_(std::move(failure)) {}
    [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
    [[nodiscard]] const char* what() const noexcept override { return "a stage LP has no answer"; }

private:
    Failure failure_;
};

/// Where a unit of work is in a run.
struct UnitName {
    Phase phase = Phase::forward;
    int iteration = 0;
    int stage = 0;
    int scenario = 0;
    int opening = -1;
};

/// @throws StageFailure  unless the status is optimal; finds the rows that conflict
void require_optimal(lp::Status status,
                     const UnitName& unit,
                     const StageSolver& solver,
                     const SolverSetup& setup);

constexpr auto no_item = std::numeric_limits<std::int64_t>::max();

/// The failure of the lowest item over all ranks, the same everywhere. Collective.
/// @param item  this rank's lowest failed item, as numbered over all ranks, or no_item
/// @param first  the lowest of all ranks' items
std::optional<Failure> exchange_failure(comm::Communicator& ranks,
                                        const std::optional<Failure>& mine,
                                        std::int64_t item,
                                        std::int64_t first);

}  // namespace lockstep::sddp
