#include "comm/shm/recovery.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/base/error.hpp"

#include "comm/backends.hpp"

namespace lockstep::comm {
namespace {

constexpr int poll_ms = 10;

using Clock = std::chrono::steady_clock;

/// One survivor's way from a broken room into a new one.
///
/// The lowest rank that lives makes a room for all that live, publishes its attempt and waits for
/// them there. The phase of the new room decides for all of them whether the attempt succeeds: it
/// fails when one of them dies before all have come, and then the lowest that lives makes another
/// one. Nobody leaves the old room before an attempt has succeeded, so who is gone there is lost.
class Recovery {
public:
    Recovery(ShmRoom& old, const ShmConfig& settings)
        : old_(old),
          settings_(settings),
          deadline_(Clock::now() + std::chrono::milliseconds(settings.recover_timeout_ms)) {}

    ShmSurvival run() {
        old_.slot(old_.rank()).recovers = 1;
        wake();
        std::uint32_t tried = 0;
        for (;;) {
            check_time();
            const auto published = old_.header().decision.load();
            std::shared_ptr<ShmRoom> room;
            if (published != tried) {
                tried = published;
                room = follow(published);
            } else if (is_leader()) {
                tried = ++old_.header().attempts;
                room = lead(tried);
            } else {
                futex_wait(old_.header().decision, published, poll_ms);
            }
            // Who aborts says so before it is gone.
            check_abort();
            if (room) {
                return {std::move(room), ranks_without(tried)};
            }
        }
    }

private:
    void check_abort() const {
        const auto cause = old_.cause();
        if (cause.kind == ShmCause::Kind::aborted) {
            throw CommError(
                fmt::format("aborted by rank {} on {} with code {} while rank {} recovers",
                            cause.rank,
                            own_host(),
                            cause.code,
                            old_.rank()));
        }
    }
    void check_time() const {
        if (Clock::now() < deadline_) {
            return;
        }
        const auto missing =
            select([&](int rank) { return old_.slot(rank).recovers == 0 && !old_.is_gone(rank); });
        throw CommError(fmt::format(
            "recover: the survivors did not meet within {} ms "
            "(LOCKSTEP_SHM_RECOVER_TIMEOUT_MS); not dead, and not there: {}",
            settings_.recover_timeout_ms,
            missing.empty() ? "none" : fmt::format("rank {}", fmt::join(missing, ", "))));
    }

    void wake() { futex_wake(old_.header().decision); }

    // The lowest rank that lives, once all others are here or gone.
    [[nodiscard]] bool is_leader() const {
        for (int rank = 0; rank < old_.size(); ++rank) {
            const bool is_below = rank < old_.rank();
            if ((is_below || old_.slot(rank).recovers == 0) && !old_.is_gone(rank)) {
                return false;
            }
        }
        return true;
    }

    std::shared_ptr<ShmRoom> lead(std::uint32_t attempt) {
        // A leader that was killed while it made a room did not tell anybody of it.
        for (std::uint32_t earlier = 1; earlier < attempt; ++earlier) {
            ShmSegment::remove(name_of(earlier));
        }
        int size = 0;
        for (int rank = 0; rank < old_.size(); ++rank) {
            if (!old_.is_gone(rank)) {
                old_.slot(rank).invitation = attempt;
                ++size;
            }
        }
        auto room = ShmRoom::create(name_of(attempt), {size, settings_.buffer_bytes});
        if (!room) {
            return nullptr;
        }
        old_.header().decision = attempt;
        wake();
        return met(attempt, std::move(room));
    }

    std::shared_ptr<ShmRoom> follow(std::uint32_t attempt) {
        const auto invited = ranks_with(attempt);
        const auto own = std::ranges::find(invited, old_.rank());
        if (own == invited.end()) {
            return nullptr;
        }
        auto room = ShmRoom::join(name_of(attempt),
                                  static_cast<int>(own - invited.begin()),
                                  {static_cast<int>(invited.size()), settings_.buffer_bytes});
        return room ? met(attempt, std::move(room)) : nullptr;
    }

    std::shared_ptr<ShmRoom> met(std::uint32_t attempt, std::shared_ptr<ShmRoom> room) {
        const ShmNameGuard guard(name_of(attempt));
        const auto invited = ranks_with(attempt);
        // Who has come there already may be gone there alone.
        const auto gives_up = [&] {
            return Clock::now() > deadline_ || room->has_losses() ||
                   std::ranges::any_of(invited, [&](int rank) { return old_.is_gone(rank); });
        };
        return room->meet(name_of(attempt), gives_up) ? std::move(room) : nullptr;
    }

    [[nodiscard]] std::string name_of(std::uint32_t attempt) const {
        return old_.name_of(settings_.name, 'e', attempt);
    }
    [[nodiscard]] std::vector<int> ranks_with(std::uint32_t attempt) const {
        return select([&](int rank) { return old_.slot(rank).invitation == attempt; });
    }
    [[nodiscard]] std::vector<int> ranks_without(std::uint32_t attempt) const {
        return select([&](int rank) { return old_.slot(rank).invitation != attempt; });
    }
    template <typename F>
    [[nodiscard]] std::vector<int> select(F&& is_selected) const {
        std::vector<int> ranks;
        for (int rank = 0; rank < old_.size(); ++rank) {
            if (is_selected(rank)) {
                ranks.push_back(rank);
            }
        }
        return ranks;
    }

    ShmRoom& old_;
    const ShmConfig& settings_;
    Clock::time_point deadline_;
};

}  // namespace

ShmSurvival meet_survivors(ShmRoom& old, const ShmConfig& settings) {
    if (!old.is_present()) {
        throw CommError(
            fmt::format("rank {} could not recover before: it has left the survivors", old.rank()));
    }
    try {
        return Recovery(old, settings).run();
    } catch (...) {
        old.leave();  // the others go on without this rank
        throw;
    }
}

}  // namespace lockstep::comm
