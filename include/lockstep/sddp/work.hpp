#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lockstep/lp/solver.hpp"

namespace lockstep::sddp {

/// Work of one phase over all ranks, and its time on this rank.
struct PhaseReport {
    std::int64_t solves = 0;  ///< LP solves, re-solves after lazy cuts included
    std::int64_t units = 0;   ///< (opening, state) pairs that were answered
    std::int64_t pivots = 0;
    std::int64_t resident_cuts = 0;  ///< cut rows of the LPs, summed over units
    double solve_seconds = 0;        ///< inside the solver, summed over threads
    double wall_seconds = 0;
    /// Solves by the number of further attempts that they took: [0] one, [1] two …
    std::array<std::int64_t, lp::most_retries> retried{};
    std::int64_t warm_starts = 0;  ///< LPs that were given a stored basis to start from
    // Summed over threads:
    double load_seconds = 0;    ///< loading stage LPs and the cuts that they start with
    double bounds_seconds = 0;  ///< setting right-hand sides and column bounds
    double basis_seconds = 0;   ///< giving a stored basis to the solver
};

/// Work of a pass at one stage; in the backward pass, at one opening of it.
struct WorkRow {
    enum class Pass { forward, backward };
    Pass pass = Pass::forward;
    std::int32_t stage = 0;     ///< index
    std::int32_t opening = -1;  ///< -1: all that the pass drew
    /// As in a PhaseReport, but for wall_seconds, units and resident_cuts, which are 0: those are
    /// known of whole phases.
    PhaseReport work;
};

/// The rows of an iteration, in few bytes. Times are rounded to 0.1 microseconds.
class WorkTable {
public:
    WorkTable() = default;
    explicit WorkTable(std::span<const WorkRow> rows);
    /// What bytes() of another gave.
    explicit WorkTable(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

    /// In the order of the pass: stages ascending, then backward; openings ascending.
    /// @throws InputError  the bytes are not those of a table
    [[nodiscard]] std::vector<WorkRow> rows() const;
    [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

}  // namespace lockstep::sddp
