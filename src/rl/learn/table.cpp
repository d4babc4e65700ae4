#include "lockstep/rl/learn/table.hpp"

namespace lockstep::rl {

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
