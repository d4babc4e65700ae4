#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {

/// Estimates how long a rank waits for others in its collectives, where the library that makes them
/// does not tell.
///
/// Once all ranks have come, a short collective takes about as long each time. So what it takes
/// beyond the fastest of its kind and size is waiting. The transport of longer ones varies: they
/// count none.
class MpiWaiting {
public:
    /// Bytes a rank up to which a collective is short.
    static constexpr std::int64_t short_bytes = 256;

    MpiWaiting(int rank, int size) : rank_(rank), size_(size) {}

    /// Of one more collective, which took so long.
    /// @returns seconds by which the waiting so far has grown: in this one, and in those before it
    ///          where this one is the fastest
    double add(const CallStamp& stamp, double seconds) noexcept;

private:
    // Collectives of which one should take as long as another.
    struct Similar {
        double fastest = std::numeric_limits<double>::infinity();
        std::int64_t calls = 0;
    };
    static constexpr std::size_t kinds = 5;
    static constexpr std::size_t sizes = 32;  // by powers of two

    [[nodiscard]] std::size_t kind_of(const CallStamp& stamp) const noexcept;

    int rank_;
    int size_;
    std::array<Similar, kinds * sizes> seen_;
};

}  // namespace lockstep::comm
