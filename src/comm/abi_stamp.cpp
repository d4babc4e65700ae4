#include "comm/abi_stamp.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/build_info.hpp"
#include "lockstep/base/digest.hpp"
#include "lockstep/comm/launch.hpp"

namespace lockstep::comm {
namespace {

/// A stamp as it travels; what follows the text is 0.
using Travelling = std::array<char, 256>;

Travelling pack(std::string_view stamp) {
    Travelling packed{};
    std::ranges::copy(stamp.substr(0, packed.size()), packed.begin());
    return packed;
}

std::string unpack(const Travelling& packed) {
    return {packed.begin(), std::ranges::find(packed, '\0')};
}

// Flags are long, so that they are told by a fingerprint; it comes early, where nothing is cut off.
std::string build_stamp() {
    const auto& build = build_info();
    DigestBuilder builder;
    for (const auto* text : {&build.version, &build.commit, &build.compiler, &build.flags}) {
        builder.add(*text);
    }
    return fmt::format("build {:016x} of lockstep {} ({}, {})",
                       builder.digest()[0],
                       build.version,
                       build.commit,
                       build.compiler);
}

}  // namespace

std::string raw_layout() {
    return fmt::format("wire {}, {}-endian, {}-byte pointers, {}-byte doubles",
                       wire_version,
                       std::endian::native == std::endian::little ? "little" : "big",
                       sizeof(void*),
                       sizeof(double));
}

std::string program_stamp() {
    return fmt::format("{}, {}", raw_layout(), build_stamp());
}

void check_same_program(Communicator& communicator, std::string_view own) {
    const int size = communicator.size();
    const Travelling packed = pack(own);
    std::vector<Travelling> all(static_cast<std::size_t>(size));
    communicator.do_allgatherv({.kind = CallStamp::Kind::allgatherv,
                                .width = sizeof(Travelling),
                                .sequence = 0,
                                .length = size,
                                .detail = 0},
                               std::as_bytes(std::span(&packed, 1)),
                               std::as_writable_bytes(std::span(all)),
                               Layout::blocks(size, 1, size));
    const auto other =
        std::ranges::find_if(all, [&](const auto& stamp) { return stamp != all[0]; });
    if (other != all.end()) {
        throw WrongProgram(
            fmt::format("rank {} runs another program than rank 0, but all must run the same; rank "
                        "0: {}; rank {}: {}",
                        other - all.begin(),
                        unpack(all[0]),
                        other - all.begin(),
                        unpack(*other)));
    }
}

}  // namespace lockstep::comm
