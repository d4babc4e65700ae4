#include "lockstep/rl/learn/table.hpp"

#include <limits>

namespace lockstep::rl {

std::string_view to_string(Precision precision) {
    return precision == Precision::f32 ? "f32" : "f64";
}

const std::vector<Precision>& precisions() {
    static const std::vector<Precision> all{Precision::f64, Precision::f32};
    return all;
}

double largest_of(Precision precision) {
    return precision == Precision::f32 ? double{std::numeric_limits<float>::max()}
                                       : std::numeric_limits<double>::max();
}

Digest digest_of(const QTable& table) {
    DigestBuilder digest;
    digest.add(std::string_view("rl.table"));
    digest.add(std::int32_t{table.states});
    digest.add(std::int32_t{table.actions});
    digest.add(table.values);
    digest.add(table.visits);
    return digest.digest();
}

}  // namespace lockstep::rl
