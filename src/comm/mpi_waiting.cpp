#include "comm/mpi_waiting.hpp"

#include <algorithm>
#include <bit>

namespace lockstep::comm {

double MpiWaiting::add(const CallStamp& stamp, double seconds) noexcept {
    const std::int64_t bytes = stamp.length * stamp.width;
    const bool is_gather = stamp.kind == CallStamp::Kind::allgatherv;
    if (bytes > short_bytes * (is_gather ? size_ : 1))
        return 0;
    const auto size_class =
        static_cast<std::size_t>(std::bit_width(static_cast<std::size_t>(bytes)));
    Similar& similar = seen_[kind_of(stamp) * sizes + std::min(size_class, sizes - 1)];
    ++similar.calls;
    if (seconds >= similar.fastest)
        return seconds - similar.fastest;
    const double faster_by = similar.calls > 1 ? similar.fastest - seconds : 0.0;
    similar.fastest = seconds;
    return faster_by * static_cast<double>(similar.calls - 1);
}

// The root of a broadcast waits for nobody.
std::size_t MpiWaiting::kind_of(const CallStamp& stamp) const noexcept {
    const bool is_own = stamp.kind == CallStamp::Kind::broadcast &&
                        stamp.detail == static_cast<std::uint64_t>(rank_);
    return is_own ? kinds - 1 : static_cast<std::size_t>(stamp.kind);
}

}  // namespace lockstep::comm
