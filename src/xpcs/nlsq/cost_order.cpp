#include "xpcs/nlsq/cost_order.hpp"

#include <algorithm>
#include <numeric>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs::nlsq {

std::vector<int> order_by_cost(std::span<const double> costs) {
    std::vector<int> order(costs.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [costs](int a, int b) {
        return comparable(costs[at(a)]) < comparable(costs[at(b)]);
    });
    return order;
}

}  // namespace lockstep::xpcs::nlsq
