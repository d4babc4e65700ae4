#include "comm/numa_interleave.hpp"

#include <bit>

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockstep::comm {
namespace {

// Calls of the kernel: libnuma would add nothing but their names.
constexpr unsigned long bits_of(const NumaNodes& nodes) {
    return nodes.size() * sizeof nodes[0] * 8;
}

bool get_policy(int& mode, NumaNodes& nodes, unsigned long flags) noexcept {
    return syscall(SYS_get_mempolicy, &mode, nodes.data(), bits_of(nodes), nullptr, flags) == 0;
}

bool set_policy(int mode, const NumaNodes& nodes) noexcept {
    return syscall(SYS_set_mempolicy, mode, nodes.data(), bits_of(nodes)) == 0;
}

int count(const NumaNodes& nodes) noexcept {
    int sum = 0;
    for (const auto word : nodes) {
        sum += std::popcount(word);
    }
    return sum;
}

NumaNodes nodes_for(std::size_t bytes) noexcept {
    if (bytes < NumaInterleave::least_bytes) {
        return {};
    }
    const auto usable = usable_numa_nodes();
    return count(usable) > 1 ? usable : NumaNodes{};
}

}  // namespace

NumaNodes usable_numa_nodes() noexcept {
    int mode = 0;
    NumaNodes nodes{};
    return get_policy(mode, nodes, MPOL_F_MEMS_ALLOWED) ? nodes : NumaNodes{};
}

NumaInterleave::NumaInterleave(std::size_t bytes) noexcept : NumaInterleave(nodes_for(bytes)) {}

NumaInterleave::NumaInterleave(const NumaNodes& nodes) noexcept {
    if (count(nodes) > 0 && get_policy(mode_before_, nodes_before_, 0)) {
        has_changed_ = set_policy(MPOL_INTERLEAVE, nodes);
    }
}

NumaInterleave::~NumaInterleave() {
    if (has_changed_) {
        set_policy(mode_before_, nodes_before_);
    }
}

}  // namespace lockstep::comm
