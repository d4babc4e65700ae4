#include "rl/solve/equations/couplings.hpp"

namespace lockstep::rl {

Couplings joined(std::vector<Couplings>& parts) {
    Couplings all;
    std::size_t rows = 0;
    std::size_t entries = 0;
    for (const Couplings& part : parts) {
        rows += part.weight.size();
        entries += part.next.size();
    }
    all.first.reserve(rows + 1);
    all.weight.reserve(rows);
    all.next.reserve(entries);
    all.factor.reserve(entries);
    for (Couplings& part : parts) {
        const std::int64_t base = all.first.back();
        for (std::size_t i = 1; i < part.first.size(); ++i) {
            all.first.push_back(base + part.first[i]);
        }
        all.next.insert(all.next.end(), part.next.begin(), part.next.end());
        all.factor.insert(all.factor.end(), part.factor.begin(), part.factor.end());
        all.weight.insert(all.weight.end(), part.weight.begin(), part.weight.end());
        part = {};
    }
    return all;
}

}  // namespace lockstep::rl
