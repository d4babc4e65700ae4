#pragma once

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace lockstep::comm {

/// Times calls of less than a microsecond: a look at the time-stamp counter takes half as long as
/// one at the system's clock. Where the processor does not promise an even counter it is the
/// system's clock.
class CallClock {
public:
    using Ticks = std::uint64_t;

    /// The one of this process; the first call takes a millisecond to compare the clocks.
    static const CallClock& shared();

    [[nodiscard]] Ticks now() const noexcept {
#if defined(__x86_64__)
        if (is_counter_) {
            return __rdtsc();
        }
#endif
        return nanoseconds();
    }
    [[nodiscard]] double seconds_since(Ticks start) const noexcept {
        return static_cast<double>(now() - start) * seconds_per_tick_;
    }

private:
    /// What both clocks say.
    struct Moment {
        Ticks ticks = 0;
        Ticks nanoseconds = 0;
    };

    CallClock();
    [[nodiscard]] Moment moment() const noexcept;
    [[nodiscard]] static Ticks nanoseconds() noexcept {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return static_cast<Ticks>(std::chrono::nanoseconds(now).count());
    }

    bool is_counter_;
    double seconds_per_tick_ = 1e-9;
};

}  // namespace lockstep::comm
