#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/base/error.hpp"

#include "comm/launch_registry.hpp"
#include "comm/tcp/handshake.hpp"
#include "comm/tcp/socket.hpp"

namespace lockstep::comm::tcp {

constexpr auto first_pause = std::chrono::milliseconds(50);
constexpr auto longest_pause = std::chrono::milliseconds(1000);

/// Tries until it works or time is over, with pauses that grow. Who was refused does not try again.
/// @throws what the last attempt threw
template <typename F>
auto retry(Deadline deadline, F&& attempt) {
    for (auto pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
        try {
            return attempt();
        } catch (const Rejected&) {
            throw;
        } catch (const EndedEarly&) {
            throw;
        } catch (const CommError&) {
            if (Clock::now() + pause >= deadline) {
                throw;
            }
            std::this_thread::sleep_for(pause);
        }
    }
}

/// The first address that answers.
/// @throws Disconnected  none does
Socket connect_to_any(const std::vector<Address>& addresses, Deadline deadline);

}  // namespace lockstep::comm::tcp
