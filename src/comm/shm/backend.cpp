#include <cstdlib>
#include <utility>

#include "comm/backends.hpp"
#include "comm/shm/communicator.hpp"
#include "comm/shm/single_copy.hpp"
#include "comm/shm/start.hpp"

namespace lockstep::comm {
namespace {

constexpr CallStamp start_call{
    .kind = CallStamp::Kind::barrier, .width = 1, .sequence = 0, .length = 0, .detail = 0};

// A choice that differed between ranks would leave some waiting, so all must be able to.
bool agree_on_single_copy(const std::shared_ptr<ShmRoom>& room, const ShmConfig& config) {
    const bool own = config.single_copy && can_read_all_ranks(*room);
    room->slot(config.rank).reads_others = own ? 1 : 0;
    ShmBarrier(room, config.spin).wait(start_call);
    bool all = true;
    for (int rank = 0; rank < room->size(); ++rank) {
        all = all && room->slot(rank).reads_others == 1;
    }
    return all;
}

}  // namespace

std::unique_ptr<Communicator> make_shm(const ShmConfig& config) {
    auto room = meet_at_start(config);
    const bool single_copy = agree_on_single_copy(room, config);
    return std::make_unique<ShmCommunicator>(
        std::move(room), config, single_copy, ShmCommunicator::Role::run);
}

}  // namespace lockstep::comm
