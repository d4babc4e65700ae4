#include "sddp/model/model.hpp"

namespace lockstep::sddp {

std::vector<double> Model::probabilities_after(int node) const {
    std::vector<double> probabilities;
    for (const auto& arc : graph().after(node)) {
        const int count = outcomes(arc.to);
        probabilities.insert(
            probabilities.end(), at(count), arc.probability / static_cast<double>(count));
    }
    return probabilities;
}

}  // namespace lockstep::sddp
