#include "xpcs/model/summation.hpp"

#include <algorithm>
#include <utility>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {
namespace {

constexpr std::int64_t least_block = 2048;  // pairs: below it a thread is not worth its waking
constexpr std::int64_t most_blocks = 256;   // so that what is kept does not grow with the data

std::int64_t pairs_a_block(std::int64_t pairs) {
    const std::int64_t even = (pairs + most_blocks - 1) / most_blocks;
    return std::max<std::int64_t>(1, (even + least_block - 1) / least_block) * least_block;
}

int blocks_of(std::int64_t pairs) {
    return static_cast<int>((pairs + pairs_a_block(pairs) - 1) / pairs_a_block(pairs));
}

// Pairs of all angles that make another thread worth its calls: about 0.1 ms of work.
constexpr std::ptrdiff_t least_share = 16384;

PairModel model_of(const Measurement& measurement, Motion motion, ShearTerm shear) {
    return {motion,
            shear,
            {measurement.q, measurement.gap, measurement.dt},
            {measurement.first_frame, measurement.frames},
            measurement.phi};
}

}  // namespace

Summation::Summation(PairModel model, std::int64_t pairs, std::size_t angles)
    : model_(std::move(model)),
      pairs_(pairs),
      blocks_(blocks_of(pairs)),
      pairs_a_block_(pairs_a_block(pairs)),
      data_(angles),
      sums_(angles) {}

Summation::Summation(const Measurement& measurement, Motion motion, ShearTerm shear)
    : Summation(model_of(measurement, motion, shear),
                pair_count(measurement.frames),
                measurement.phi.size()) {
    for (int angle = 0; angle < measurement.angles(); ++angle) {
        data_[at(angle)].c2 =
            std::span(measurement.c2).subspan(measurement.row(angle, 0), at(pairs_));
    }
}

Summation::Summation(const Measurement& measurement,
                     Motion motion,
                     ShearTerm shear,
                     const PairSelection& chosen)
    : Summation(model_of(measurement, motion, shear), chosen.size(), measurement.phi.size()) {
    chosen_ = &chosen;
    for (std::size_t angle = 0; angle < data_.size(); ++angle) {
        data_[angle].c2 = chosen.c2[angle];
    }
}

void Summation::set_loss(nlsq::Loss::Kind kind, std::span<const double> scales) {
    for (std::size_t angle = 0; angle < data_.size(); ++angle) {
        data_[angle].loss = {kind, scales[angle]};
    }
}

void Summation::prepare(std::span<const double> parameters, std::span<const Scale> reference) {
    model_.set(parameters);
    for (std::size_t angle = 0; angle < data_.size(); ++angle) {
        data_[angle].reference = reference[angle];
    }
}

void Summation::add_block(int block,
                          Level level,
                          std::span<AngleSums> sums,
                          PairScratch& scratch) const {
    const std::ptrdiff_t begin = block * pairs_a_block_;
    const std::ptrdiff_t end = std::min(begin + pairs_a_block_, pairs_);
    if (chosen_ != nullptr) {
        model_.add_chosen(*chosen_, begin, end, data_, level, sums, scratch);
    } else {
        model_.add(begin, end, data_, level, sums, scratch);
    }
}

std::span<const AngleSums> Summation::over(runtime::Team* with,
                                           std::span<const double> parameters,
                                           Level level,
                                           std::span<const Scale> reference) {
    if (with == nullptr) {
        return alone(parameters, level, reference);
    }
    runtime::Team& team = *with;
    prepare(parameters, reference);
    const auto mine = runtime::block_of(blocks_, team.ranks.rank(), team.ranks.size());
    add_blocks(mine, level, team.threads);
    share_blocks(team.ranks);
    return added_up(level);
}

std::span<const AngleSums> Summation::over(runtime::ThreadTeam& threads,
                                           std::span<const double> parameters,
                                           Level level,
                                           std::span<const Scale> reference) {
    prepare(parameters, reference);
    add_blocks({0, blocks_}, level, threads);
    return added_up(level);
}

void Summation::add_blocks(runtime::BlockRange blocks, Level level, runtime::ThreadTeam& threads) {
    const std::size_t angles = data_.size();
    slots_.assign(at(blocks_) * angles, AngleSums{});
    scratch_.resize(std::max(scratch_.size(), at(threads.size())));
    for (auto& scratch : scratch_) {
        scratch.reserve(angles);  // now, whenever a thread first has a part
    }
    threads.parallel_for(blocks.size(), [&](std::ptrdiff_t item, int thread) {
        const std::ptrdiff_t block = blocks.begin + item;
        add_block(static_cast<int>(block),
                  level,
                  std::span(slots_).subspan(at(block) * angles, angles),
                  scratch_[at(thread)]);
    });
}

std::span<const AngleSums> Summation::added_up(Level level) {
    std::ranges::fill(sums_, AngleSums{});
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        sums_[slot % data_.size()].add(slots_[slot]);
    }
    return finish(level);
}

std::span<const AngleSums> Summation::finish(Level level) {
    model_.finish(sums_, level);
    if (grid_) {
        grid_->complete(model_, data_, level, sums_);
    }
    return sums_;
}

int Summation::useful_threads() const noexcept {
    const std::ptrdiff_t pairs = pairs_ * std::ssize(data_);
    return static_cast<int>(std::clamp<std::ptrdiff_t>(pairs / least_share, 1, blocks_));
}

void Summation::share_blocks(comm::Communicator& ranks) {
    if (ranks.size() == 1) {
        return;
    }
    const auto layout =
        comm::Layout::blocks(blocks_, static_cast<std::int64_t>(data_.size()), ranks.size());
    const auto mine = std::span<const AngleSums>(slots_).subspan(at(layout.offset(ranks.rank())),
                                                                 at(layout.count(ranks.rank())));
    const std::vector<AngleSums> sent(mine.begin(), mine.end());
    ranks.allgatherv(std::span<const AngleSums>(sent), std::span<AngleSums>(slots_), layout);
}

std::span<const AngleSums> Summation::alone(std::span<const double> parameters,
                                            Level level,
                                            std::span<const Scale> reference) {
    prepare(parameters, reference);
    std::ranges::fill(sums_, AngleSums{});
    slots_.resize(data_.size());
    for (int block = 0; block < blocks_; ++block) {
        std::ranges::fill(slots_, AngleSums{});
        add_block(block, level, slots_, scratch_.front());
        for (std::size_t angle = 0; angle < sums_.size(); ++angle) {
            sums_[angle].add(slots_[angle]);
        }
    }
    return finish(level);
}

}  // namespace lockstep::xpcs
