#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/comm/communicator.hpp"

#include "sddp/cut_pool.hpp"

namespace lockstep::sddp {

/// Which cuts of a pool supported an optimum: a bit a cut, a map a thread. Union does not depend on
/// order.
class ActivityMap {
public:
    ActivityMap(int threads, int cuts)
        : words_((static_cast<std::size_t>(cuts) + 63) / 64),
          bits_(words_ * static_cast<std::size_t>(threads)) {}

    std::span<std::uint64_t> of(int thread) noexcept {
        return {bits_.data() + static_cast<std::size_t>(thread) * words_, words_};
    }

    /// Marks what any thread of any rank saw as active in `iteration`. Collective.
    void merge_into(CutPool& pool, int iteration, comm::Communicator& ranks) {
        if (words_ == 0)
            return;
        auto all = of(0);
        for (std::size_t i = words_; i < bits_.size(); ++i)
            all[i % words_] |= bits_[i];
        ranks.allreduce(all, comm::ReduceOp::bit_or);
        for (int cut = 0; cut < pool.size(); ++cut)
            if ((all[static_cast<std::size_t>(cut / 64)] >> (cut % 64) & 1) != 0)
                pool.mark_active(cut, iteration);
    }

private:
    std::size_t words_;
    std::vector<std::uint64_t> bits_;
};

}  // namespace lockstep::sddp
