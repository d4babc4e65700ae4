#include "comm/shm/start.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/base/error.hpp"

#include "comm/launch_registry.hpp"

namespace lockstep::comm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A room is in the making for milliseconds; one that stays so was left by a dead process.
constexpr milliseconds making_time{1000};

void check(const ShmConfig& config) {
    if (config.name.size() < 2 || config.name.size() > 200 || config.name[0] != '/' ||
        config.name.find('/', 1) != std::string::npos) {
        throw CommError(fmt::format(
            "shm: name is '{}', must be a '/' and then up to 199 characters without '/'",
            config.name));
    }
    if (config.size < 1 || config.size > 4096) {
        throw CommError(fmt::format("shm: size is {}, must be 1 to 4096", config.size));
    }
    if (config.rank < 0 || config.rank >= config.size) {
        throw CommError(
            fmt::format("shm: rank is {}, must be 0 to {}", config.rank, config.size - 1));
    }
}

ShmRoom::Shape shape_of(const ShmConfig& config) {
    return {config.size, config.buffer_bytes};
}

std::shared_ptr<ShmRoom> make_room(const ShmConfig& config, Clock::time_point deadline) {
    using Holder = ShmRoom::Holder;
    const auto made_by = std::min(deadline, Clock::now() + making_time);
    for (;;) {
        if (auto room = ShmRoom::create(config.name, shape_of(config))) {
            return room;
        }
        const auto holder = ShmRoom::holder_of(config.name);
        if (holder == Holder::alive || holder == Holder::foreign) {
            throw CommError(fmt::format(
                "shared memory '{}' is in use{}: every run needs a name of its own",
                config.name,
                holder == Holder::alive ? " by another rank 0" : " by another program"));
        }
        if (holder == Holder::dead || Clock::now() > made_by) {
            ShmSegment::remove(config.name);
        } else {
            std::this_thread::sleep_for(milliseconds(10));
        }
    }
}

std::shared_ptr<ShmRoom> find_room(const ShmConfig& config, Clock::time_point deadline) {
    for (milliseconds pause(1);; pause = std::min(2 * pause, milliseconds(50))) {
        if (auto room = ShmRoom::join(config.name, config.rank, shape_of(config))) {
            return room;
        }
        check_nobody_ended(config.launch_registry, config.rank);
        if (Clock::now() > deadline) {
            throw CommError(fmt::format(
                "rank {}: rank 0 did not come to shared memory '{}' within {} ms; all ranks must "
                "be started with the same name (LOCKSTEP_SHM_NAME)",
                config.rank,
                config.name,
                config.timeout_ms));
        }
        std::this_thread::sleep_for(pause);
    }
}

std::vector<int> ranks_that(const ShmRoom& room, ShmPresence presence) {
    std::vector<int> ranks;
    for (int rank = 0; rank < room.size(); ++rank) {
        if (room.presence(rank) == presence) {
            ranks.push_back(rank);
        }
    }
    return ranks;
}

std::string why_not_all(const ShmRoom& room, const ShmConfig& config) {
    const auto missing = ranks_that(room, ShmPresence::awaited);
    const auto died = ranks_that(room, ShmPresence::died);
    const auto left = ranks_that(room, ShmPresence::left);
    auto why = fmt::format("rank {}: {} of {} ranks came to shared memory '{}' within {} ms",
                           config.rank,
                           config.size - static_cast<int>(missing.size()),
                           config.size,
                           config.name,
                           config.timeout_ms);
    if (!missing.empty()) {
        why += fmt::format("; missing: {}", fmt::join(missing, ", "));
    }
    if (!died.empty()) {
        why += fmt::format("; died meanwhile: {}", fmt::join(died, ", "));
    }
    if (!left.empty()) {
        why += fmt::format("; gave up: {}", fmt::join(left, ", "));
    }
    return why;
}

}  // namespace

std::shared_ptr<ShmRoom> meet_at_start(const ShmConfig& config) {
    check(config);
    const auto deadline = Clock::now() + milliseconds(config.timeout_ms);
    auto room = config.rank == 0 ? make_room(config, deadline) : find_room(config, deadline);
    const bool is_complete = room->meet(config.name, [&] {
        return Clock::now() > deadline || room->has_losses() || ended_rank(config.launch_registry);
    });
    if (is_complete) {
        return room;
    }
    const auto why = why_not_all(*room, config);
    if (config.rank == 0 || room->presence(0) == ShmPresence::died) {
        ShmSegment::remove(config.name);
    }
    check_nobody_ended(config.launch_registry, config.rank);
    throw CommError(why);
}

}  // namespace lockstep::comm
