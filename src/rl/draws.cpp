#include "lockstep/rl/draws.hpp"

#include "lockstep/base/digest.hpp"

namespace lockstep::rl {

Streams::Streams(std::uint64_t seed, std::string_view purpose) {
    DigestBuilder builder;
    builder.add(seed);
    builder.add(purpose);
    key_ = builder.digest()[0];
}

}  // namespace lockstep::rl
