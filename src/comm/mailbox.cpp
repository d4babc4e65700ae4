#include "lockstep/comm/mailbox.hpp"

#include <algorithm>

#include "lockstep/base/waiting.hpp"

namespace lockstep::comm {
namespace {

using Clock = BriefSpin::Clock;

// A sender may be killed between its message and its call to wake the receiver.
constexpr std::chrono::milliseconds longest_sleep{100};

std::chrono::milliseconds until(Clock::time_point end) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    return std::min(left, longest_sleep);
}

}  // namespace

std::optional<Message> Mailbox::wait(std::chrono::milliseconds limit) {
    auto message = poll();
    if (message || limit <= limit.zero()) {
        return message;
    }
    const auto end = Clock::now() + limit;
    for (BriefSpin spin; !message && spin.again();) {
        message = poll();
    }
    while (!message && Clock::now() < end) {
        sleep(until(end));
        message = poll();
    }
    return message;
}

}  // namespace lockstep::comm
