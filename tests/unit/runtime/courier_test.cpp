#include "lockstep/runtime/courier.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

using std::chrono::milliseconds;

std::vector<std::byte> pattern(std::size_t length) {
    std::vector<std::byte> bytes(length);
    for (std::size_t i = 0; i < length; ++i) {
        bytes[i] = static_cast<std::byte>(i * 5 + i / 251);
    }
    return bytes;
}

TEST(CourierTest, CarriesMessagesOfAnyLengthInTheirOrder) {
    comm::run_in_process(2, [](comm::Communicator& ranks) {
        Courier courier(ranks);
        const std::vector<std::size_t> lengths{3'000'000, 0, 65'536, 65'537, 1};
        if (ranks.rank() == 0) {
            for (std::size_t i = 0; i < lengths.size(); ++i) {
                courier.send(1, static_cast<std::uint32_t>(i), pattern(lengths[i]));
            }
            while (courier.has_output()) {
                courier.flush();
            }
        } else {
            for (std::size_t i = 0; i < lengths.size();) {
                if (const auto received = courier.wait(milliseconds(100))) {
                    EXPECT_EQ(received->from, 0);
                    EXPECT_EQ(received->kind, i);
                    EXPECT_EQ(received->payload, pattern(lengths[i]));
                    ++i;
                }
            }
        }
        ranks.barrier();
    });
}

}  // namespace
}  // namespace lockstep::runtime
