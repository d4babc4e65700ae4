#include "comm/tcp/reach.hpp"

#include <cstddef>

namespace lockstep::comm::tcp {

Socket connect_to_any(const std::vector<Address>& addresses, Deadline deadline) {
    for (std::size_t i = 0; i + 1 < addresses.size(); ++i) {
        try {
            return Socket::connect(addresses[i], deadline);
        } catch (const Disconnected&) {
            continue;
        }
    }
    return Socket::connect(addresses.back(), deadline);
}

}  // namespace lockstep::comm::tcp
