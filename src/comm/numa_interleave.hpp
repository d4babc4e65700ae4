#pragma once

#include <array>
#include <cstddef>

namespace lockstep::comm {

/// NUMA nodes by the kernel's numbers, a bit each, as its calls take them.
using NumaNodes = std::array<unsigned long, 16>;

/// Nodes whose memory this process may use; none where the kernel knows of no nodes.
NumaNodes usable_numa_nodes() noexcept;

/// While it lives, memory that this thread is the first to touch is dealt to the nodes page by
/// page: a region that the ranks of all nodes read is then not held up by the memory of one.
///
/// Only hints: where the kernel refuses, memory lies where it would have.
class NumaInterleave {
public:
    /// From here on one node's memory is what holds up the readers of a region, and no cache helps.
    static constexpr std::size_t least_bytes = std::size_t{5} << 30;

    /// For a region of `bytes`: all usable nodes for a large one; a small one stays near its
    /// writer.
    explicit NumaInterleave(std::size_t bytes) noexcept;
    /// Over `nodes`; none: nothing changes.
    explicit NumaInterleave(const NumaNodes& nodes) noexcept;
    ~NumaInterleave();
    NumaInterleave(const NumaInterleave&) = delete;
    NumaInterleave& operator=(const NumaInterleave&) = delete;

private:
    int mode_before_ = 0;
    NumaNodes nodes_before_{};
    bool has_changed_ = false;
};

}  // namespace lockstep::comm
