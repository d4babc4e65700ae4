#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "conformance/comm/backends.hpp"

namespace lockstep::comm {

class CommunicatorTest : public testing::TestWithParam<Backend> {
protected:
    [[nodiscard]] static int ranks() { return GetParam().ranks; }
    static void on_all_ranks(const std::function<void(Communicator&)>& body) {
        GetParam().run(body);
    }
};

inline std::string name_of_backend(const testing::TestParamInfo<Backend>& info) {
    return info.param.name;
}

/// Message of the CommError that `call` throws; "" when it throws none.
inline std::string comm_error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const CommError& error) {
        return error.what();
    }
    return "";
}

/// Goes many rounds. Where ranks share cores with much else each call may take as long as the
/// others keep the core, so after two seconds the ranks agree to go no further.
inline void repeat(Communicator& comm,
                   std::uint64_t rounds,
                   const std::function<void(std::uint64_t round)>& body) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(2);
    const auto between_looks = std::max<std::uint64_t>(rounds / 50, 1);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        body(round);
        if ((round + 1) % between_looks == 0 &&
            comm.allreduce(Clock::now() > end ? 1 : 0, ReduceOp::max) == 1) {
            return;
        }
    }
}

/// Tries again until `is_done`; a test that waits for what never comes fails after a while.
/// @throws std::runtime_error  20 s went by
inline void wait_until(const std::function<bool()>& is_done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!is_done()) {
        if (std::chrono::steady_clock::now() > end) {
            throw std::runtime_error("what the test waits for does not come");
        }
        std::this_thread::yield();
    }
}

/// Of three ranks, rank 2 goes and `absent` neither comes to recover() nor dies; the third says so.
/// Every rank calls it.
/// @param has_given_up  shared by the ranks
inline void expect_no_meeting(Communicator& comm,
                              int absent,
                              std::atomic<bool>& has_given_up,
                              const testing::Matcher<std::string>& says) {
    comm.barrier();
    if (comm.rank() == 2) {
        return;
    }
    if (comm.rank() == absent) {
        wait_until([&] { return has_given_up.load(); });
        return;
    }
    EXPECT_THAT(comm_error_of([&] { comm.recover(); }), says);
    EXPECT_TRUE(comm.is_broken());
    has_given_up = true;
}

/// The next message, waited for.
inline Message next_message(Mailbox& mailbox) {
    std::optional<Message> message;
    wait_until([&] {
        message = mailbox.poll();
        return message.has_value();
    });
    return std::move(*message);
}

}  // namespace lockstep::comm
