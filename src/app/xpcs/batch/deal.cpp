#include "app/xpcs/batch/deal.hpp"

#include <algorithm>
#include <cstdint>

#include "lockstep/base/index.hpp"

namespace lockstep::app {

std::vector<const BatchItem*> share_of(std::span<const BatchItem* const> items,
                                       int rank,
                                       int ranks) {
    std::vector<std::size_t> order(items.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        order[k] = k;
    }
    std::ranges::stable_sort(order,
                             [&](auto a, auto b) { return items[a]->bytes > items[b]->bytes; });
    std::vector<std::int64_t> loads(at(ranks));
    std::vector<std::size_t> mine;
    for (const auto k : order) {
        const auto least = std::ranges::min_element(loads);
        *least += items[k]->bytes;
        if (least - loads.begin() == rank) {
            mine.push_back(k);
        }
    }
    std::ranges::sort(mine);
    std::vector<const BatchItem*> share;
    for (const auto k : mine) {
        share.push_back(items[k]);
    }
    return share;
}

}  // namespace lockstep::app
