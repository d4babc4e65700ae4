#include "comm/call_clock.hpp"

#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace lockstep::comm {
namespace {

constexpr std::uint64_t comparison_ns = 1'000'000;

// The processor says that its counter goes at one rate, whatever its frequency, and never stops.
bool has_even_counter() {
#if defined(__x86_64__)
    constexpr unsigned power_leaf = 0x80000007;
    constexpr unsigned invariant_bit = 1U << 8U;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(power_leaf, &a, &b, &c, &d) != 0 && (d & invariant_bit) != 0;
#else
    return false;
#endif
}

}  // namespace

const CallClock& CallClock::shared() {
    static const CallClock clock;
    return clock;
}

CallClock::CallClock() : is_counter_(has_even_counter()) {
    if (!is_counter_) {
        return;
    }
    const Moment first = moment();
    Moment last = first;
    while (last.nanoseconds - first.nanoseconds < comparison_ns) {
        last = moment();
    }
    seconds_per_tick_ = 1e-9 * static_cast<double>(last.nanoseconds - first.nanoseconds) /
                        static_cast<double>(last.ticks - first.ticks);
}

// A pause between the two looks would count on one clock only, so the closest of some pairs.
CallClock::Moment CallClock::moment() const noexcept {
    constexpr int tries = 5;
    Moment closest;
    Ticks least = std::numeric_limits<Ticks>::max();
    for (int i = 0; i < tries; ++i) {
        const Ticks before = now();
        const Moment seen{before, nanoseconds()};
        const Ticks between = now() - before;
        if (between < least) {
            least = between;
            closest = seen;
        }
    }
    return closest;
}

}  // namespace lockstep::comm
