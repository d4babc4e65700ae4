#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace lockstep {

/// Looks of a waiting thread before it sleeps: `for (BriefSpin spin; spin.again();) if (…) return;`
///
/// The limit is about what falling asleep and being woken costs. So a short wait is as fast as
/// spinning makes it, and a long one takes hardly more of the machine than it must.
class BriefSpin {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::microseconds default_limit{50};

    explicit BriefSpin(Clock::duration limit = default_limit) : end_(Clock::now() + limit) {}

    /// Rests the core for a moment.
    /// @returns false when it is time to sleep
    [[nodiscard]] bool again() noexcept {
        for (int i = 0; i < pauses; ++i) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
        return Clock::now() < end_;
    }

private:
    static constexpr int pauses = 4;
    Clock::time_point end_;
};

/// Who sleeps on a word: threads of this process, or of others too that share the memory.
enum class Sleepers { own_process, any_process };

// std::atomic's own wait serves one process only, and yields before it sleeps: on a busy machine a
// thread that yields runs again much later than one that is woken.
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

constexpr std::chrono::milliseconds no_time_limit = std::chrono::milliseconds::max();

/// Sleeps while `word` holds `value`, at most for `limit`. May return early.
void sleep_on(const std::atomic<std::uint32_t>& word,
              std::uint32_t value,
              Sleepers sleepers,
              std::chrono::milliseconds limit = no_time_limit);

/// Wakes all that sleep on `word`.
void wake_all(const std::atomic<std::uint32_t>& word, Sleepers sleepers);

/// A number whose changes threads of this process wait for: they spin briefly, then sleep. To
/// change it costs a call of the system only where somebody sleeps.
class Awaited {
public:
    [[nodiscard]] std::uint32_t value() const noexcept { return value_; }
    void set(std::uint32_t value) {
        value_ = value;
        if (sleepers_ != 0) {
            wake_all(value_, Sleepers::own_process);
        }
    }
    /// Returns once it is not `old`.
    /// @returns what it is then
    std::uint32_t wait_while(std::uint32_t old);

private:
    std::atomic<std::uint32_t> value_ = 0;
    std::atomic<std::uint32_t> sleepers_ = 0;
};

}  // namespace lockstep
