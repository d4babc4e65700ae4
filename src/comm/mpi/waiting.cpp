#include "comm/mpi/waiting.hpp"

#include <utility>

namespace lockstep::comm {

double MpiWaiting::accelerate(Similar& similar, double seconds) noexcept {
    const double before = std::exchange(similar.fastest, seconds);
    const auto others = static_cast<double>(similar.calls - 1);
    return others > 0 ? others * (before - seconds) : 0.0;
}

}  // namespace lockstep::comm
