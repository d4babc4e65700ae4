#include "rl/solve/sweeps/workers.hpp"

#include "rl/solve/sweeps/blocks.hpp"

namespace lockstep::rl {

StateRange own_states(int states, int rank, int ranks) {
    const std::int64_t length = states_of_a_long_block(states);
    const std::int64_t blocks = (states + length - 1) / length;
    const runtime::BlockRange own = runtime::block_of(blocks, rank, ranks);
    return {static_cast<int>(std::min<std::int64_t>(states, own.begin * length)),
            static_cast<int>(std::min<std::int64_t>(states, own.end * length))};
}

Workers::Workers(runtime::ThreadTeam& threads, comm::Communicator& ranks, int states)
    : threads_(&threads),
      ranks_(&ranks),
      states_(states),
      own_(own_states(states, ranks.rank(), ranks.size())) {}

comm::Layout Workers::layout_of(int states, int width, int length) const {
    std::vector<std::int64_t> counts;
    for (int rank = 0; rank < ranks_->size(); ++rank) {
        const StateRange own = own_states(states, rank, ranks_->size());
        const std::int64_t items = (std::int64_t{own.end} - own.begin + length - 1) / length;
        counts.push_back(items * width);
    }
    return comm::Layout(counts);
}

}  // namespace lockstep::rl
