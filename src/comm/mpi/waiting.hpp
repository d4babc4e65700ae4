#pragma once

#include <array>
#include <bit>
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

    MpiWaiting(int rank, int size) : rank_(rank), short_gather_(short_bytes * size) {}

    /// Of one more collective, which took so long.
    /// @returns seconds by which the waiting so far has grown: in this one, and in those before it
    ///          where this one is the fastest
    double add(const CallStamp& stamp, double seconds) noexcept {
        const std::int64_t bytes = stamp.length * stamp.width;
        const bool is_gather = stamp.kind == CallStamp::Kind::allgatherv;
        if (bytes > (is_gather ? short_gather_ : short_bytes)) {
            return 0;
        }
        Similar& similar = similar_to(stamp, static_cast<std::uint32_t>(bytes));
        ++similar.calls;
        return seconds < similar.fastest ? accelerate(similar, seconds) : seconds - similar.fastest;
    }

private:
    // Collectives of which one should take as long as another.
    struct Similar {
        double fastest = std::numeric_limits<double>::infinity();
        std::int64_t calls = 0;
    };
    static constexpr std::size_t kinds = 5;
    static constexpr std::size_t sizes = 33;  // by powers of two

    Similar& similar_to(const CallStamp& stamp, std::uint32_t bytes) noexcept {
        const auto kind = static_cast<std::size_t>(stamp.kind);
        return seen_[(is_own_broadcast(stamp) ? kinds - 1 : kind) * sizes +
                     static_cast<std::size_t>(std::bit_width(bytes))];
    }
    // Its root waits for nobody.
    [[nodiscard]] bool is_own_broadcast(const CallStamp& stamp) const noexcept {
        return stamp.kind == CallStamp::Kind::broadcast &&
               stamp.detail == static_cast<std::uint64_t>(rank_);
    }
    static double accelerate(Similar& similar, double seconds) noexcept;

    int rank_;
    std::int64_t short_gather_;
    std::array<Similar, kinds * sizes> seen_;
};

}  // namespace lockstep::comm
