#include "lockstep/base/waiting.hpp"

#include <climits>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockstep {
namespace {

int operation(int kind, Sleepers sleepers) {
    return sleepers == Sleepers::own_process ? kind | FUTEX_PRIVATE_FLAG : kind;
}

}  // namespace

void sleep_on(const std::atomic<std::uint32_t>& word,
              std::uint32_t value,
              Sleepers sleepers,
              std::chrono::milliseconds limit) {
    const timespec timeout{limit.count() / 1000, limit.count() % 1000 * 1'000'000L};
    const timespec* end = limit == no_time_limit ? nullptr : &timeout;
    syscall(SYS_futex, &word, operation(FUTEX_WAIT, sleepers), value, end, nullptr, 0);
}

void wake_all(const std::atomic<std::uint32_t>& word, Sleepers sleepers) {
    syscall(SYS_futex, &word, operation(FUTEX_WAKE, sleepers), INT_MAX, nullptr, nullptr, 0);
}

std::uint32_t Awaited::wait_while(std::uint32_t old) {
    for (BriefSpin spin; spin.again();) {
        if (value_ != old) {
            return value_;
        }
    }
    ++sleepers_;
    while (value_ == old) {
        sleep_on(value_, old, Sleepers::own_process);
    }
    --sleepers_;
    return value_;
}

}  // namespace lockstep
