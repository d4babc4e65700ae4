#include "lockstep/runtime/sample_statistics.hpp"

#include <cmath>
#include <vector>

#include "lockstep/runtime/fixed_sum.hpp"

namespace lockstep::runtime {

Sample sample_of(std::span<const double> costs) {
    Sample sample;
    if (costs.empty()) {
        return sample;
    }
    const auto n = static_cast<double>(costs.size());
    sample.mean = runtime::tree_sum(costs) / n;
    if (costs.size() < 2) {
        return sample;
    }
    std::vector<double> squares;
    squares.reserve(costs.size());
    for (const double cost : costs) {
        squares.push_back((cost - sample.mean) * (cost - sample.mean));
    }
    sample.std = std::sqrt(runtime::tree_sum(squares) / (n - 1));
    sample.half_width_95 = 1.96 * sample.std / std::sqrt(n);
    return sample;
}

}  // namespace lockstep::runtime
