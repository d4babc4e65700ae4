#include "lockstep/xpcs/nlsq/latin_hypercube.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/runtime/random.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

// The numbers 0 … count-1 in random order.
std::vector<std::size_t> shuffled(const runtime::Random& random,
                                  std::size_t count,
                                  std::uint32_t stream) {
    std::vector<double> keys(count);
    for (std::size_t i = 0; i < count; ++i) {
        keys[i] = random.uniform01(i, 0, stream);
    }
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(keys[a], a) < std::pair(keys[b], b);
    });
    return order;
}

}  // namespace

std::vector<double> latin_hypercube(std::uint64_t seed, int count, int dimension) {
    const runtime::Random random(seed, "xpcs.nlsq.latin_hypercube");
    std::vector<double> points(at(count) * at(dimension));
    for (std::size_t d = 0; d < at(dimension); ++d) {
        const auto stream = static_cast<std::uint32_t>(d);
        const std::vector<std::size_t> slice = shuffled(random, at(count), stream);
        for (std::size_t i = 0; i < at(count); ++i) {
            points[i * at(dimension) + d] =
                (static_cast<double>(slice[i]) + random.uniform01(i, 1, stream)) / count;
        }
    }
    return points;
}

}  // namespace lockstep::xpcs::nlsq
