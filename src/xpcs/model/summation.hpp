#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lockstep/runtime/team.hpp"
#include "lockstep/xpcs/model/measurement.hpp"

#include "xpcs/model/grid_diagonal.hpp"
#include "xpcs/model/pair_sums.hpp"

namespace lockstep::xpcs {

/// Sums of the model's products over all pairs of a measurement, in an order that the measurement
/// alone gives: pairs make blocks, and the sums of blocks are added in their order.
class Summation {
public:
    /// The measurement is referred to and has to outlive this.
    Summation(const Measurement& measurement, Motion motion, ShearTerm shear);

    /// Of chosen pairs alone, which have to outlive this; the measurement needs no data of its own.
    Summation(const Measurement& measurement,
              Motion motion,
              ShearTerm shear,
              const PairSelection& chosen);

    /// How residuals count from now on.
    /// @param scales  [angles]: of the loss, in the unit of c2
    void set_loss(nlsq::Loss::Kind kind, std::span<const double> scales);

    /// From now on over whole matrices with their diagonals, as GridDiagonal has it.
    void count_grid(GridDiagonal grid) { grid_ = std::move(grid); }

    [[nodiscard]] const PairModel& model() const noexcept { return model_; }
    [[nodiscard]] int blocks() const noexcept { return blocks_; }

    /// By the ranks and threads of a team, collective; without one by the calling thread alone,
    /// with the same bits. Valid until the next call.
    /// @param reference  [angles]: what the residuals are taken from
    std::span<const AngleSums> over(runtime::Team* team,
                                    std::span<const double> parameters,
                                    Level level,
                                    std::span<const Scale> reference);

    /// By threads of this rank, with the same bits. Allocates nothing but the first time.
    std::span<const AngleSums> over(runtime::ThreadTeam& threads,
                                    std::span<const double> parameters,
                                    Level level,
                                    std::span<const Scale> reference);
    /// With how many threads that is fastest.
    [[nodiscard]] int useful_threads() const noexcept;

    std::span<const AngleSums> alone(std::span<const double> parameters,
                                     Level level,
                                     std::span<const Scale> reference);

private:
    Summation(PairModel model, std::int64_t pairs, std::size_t angles);
    void prepare(std::span<const double> parameters, std::span<const Scale> reference);
    void add_block(int block, Level level, std::span<AngleSums> sums, PairScratch& scratch) const;
    void add_blocks(runtime::BlockRange blocks, Level level, runtime::ThreadTeam& threads);
    void share_blocks(comm::Communicator& ranks);
    std::span<const AngleSums> added_up(Level level);
    std::span<const AngleSums> finish(Level level);

    PairModel model_;
    const PairSelection* chosen_ = nullptr;
    std::optional<GridDiagonal> grid_;
    std::ptrdiff_t pairs_;  // of an angle
    int blocks_;
    std::ptrdiff_t pairs_a_block_;
    std::vector<AngleData> data_;                                     // [angles]
    std::vector<AngleSums> slots_;                                    // [blocks, angles]
    std::vector<AngleSums> sums_;                                     // [angles]
    std::vector<PairScratch> scratch_ = std::vector<PairScratch>(1);  // [threads]
};

}  // namespace lockstep::xpcs
