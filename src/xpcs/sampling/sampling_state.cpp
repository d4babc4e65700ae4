#include "xpcs/sampling/sampling_state.hpp"

#include <fmt/format.h>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"

namespace lockstep::xpcs {
namespace {

constexpr std::uint32_t format_version = 1;

}  // namespace

std::vector<std::byte> SamplingSnapshot::part(int) const {
    ByteWriter writer;
    writer.add(format_version);
    writer.add(state_.rounds);
    writer.add_array(state_.weighed);
    writer.add(static_cast<std::uint64_t>(state_.chains.size()));
    for (const auto& chain : state_.chains) {
        writer.add_array(chain);
    }
    writer.add_array(state_.described);
    return writer.take();
}

SamplingState restored(const runtime::EngineState& checkpoint) {
    const auto bytes = checkpoint.part(0);
    ByteReader reader(bytes);
    if (const auto version = reader.read<std::uint32_t>(); version != format_version) {
        throw InputError(fmt::format(
            "the checkpoint of a sampling has format {}: must be {}", version, format_version));
    }
    SamplingState state;
    state.rounds = reader.read<int>();
    state.weighed = reader.read_array<double>();
    const auto chains = reader.read<std::uint64_t>();
    for (std::uint64_t chain = 0; chain < chains; ++chain) {
        state.chains.push_back(reader.read_array<std::byte>());
    }
    state.described = reader.read_array<double>();
    if (!reader.at_end()) {
        throw InputError("the checkpoint of a sampling has bytes left over");
    }
    return state;
}

}  // namespace lockstep::xpcs
