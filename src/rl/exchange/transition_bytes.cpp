#include "rl/exchange/transition_bytes.hpp"

#include <cstdint>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/varint.hpp"

namespace lockstep::rl {
namespace {

enum Flag : std::uint8_t {
    ends = 1,          // terminated
    follows = 2,       // the state is the next one of the transition before
    pays_nothing = 4,  // the reward is +0
    is_short = 8,      // the reward is exact in 4 bytes
};

template <typename T>
void append(const T& value, std::vector<std::byte>& bytes) {
    const auto part = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), part.begin(), part.end());
}

bool is_plus_zero(double value) {
    return value == 0 && 1 / value > 0;
}

void append_reward(double reward, std::uint8_t flags, std::vector<std::byte>& bytes) {
    if ((flags & pays_nothing) != 0) {
        return;
    }
    if ((flags & is_short) != 0) {
        append(static_cast<float>(reward), bytes);
    } else {
        append(reward, bytes);
    }
}

double take_reward(std::uint8_t flags, std::span<const std::byte>& bytes) {
    if ((flags & pays_nothing) != 0) {
        return 0;
    }
    ByteReader reader(bytes);
    const double reward =
        (flags & is_short) != 0 ? static_cast<double>(reader.read<float>()) : reader.read<double>();
    bytes = reader.rest();
    return reward;
}

std::int32_t take_below(std::span<const std::byte>& bytes, int limit) {
    const auto number = take_varint(bytes);
    if (number >= static_cast<std::uint64_t>(limit)) {
        throw InputError(
            "transitions of an actor are damaged: a state or action that does not exist");
    }
    return static_cast<std::int32_t>(number);
}

}  // namespace

std::vector<std::byte> encode(std::span<const Transition> transitions, std::size_t environments) {
    std::vector<std::byte> bytes;
    bytes.reserve(transitions.size() * 10);
    for (std::size_t i = 0; i < transitions.size(); ++i) {
        const Transition& one = transitions[i];
        const bool is_next = i >= environments && transitions[i - environments].next == one.state &&
                             transitions[i - environments].terminated == 0;
        const bool is_exact = static_cast<double>(static_cast<float>(one.reward)) == one.reward;
        const auto flags = static_cast<std::uint8_t>(
            (one.terminated != 0 ? ends : 0) | (is_next ? follows : 0) |
            (is_plus_zero(one.reward) ? pays_nothing : 0) | (is_exact ? is_short : 0));
        append(flags, bytes);
        if (!is_next) {
            put_varint(static_cast<std::uint64_t>(one.state), bytes);
        }
        put_varint(static_cast<std::uint64_t>(one.action), bytes);
        put_varint(static_cast<std::uint64_t>(one.next), bytes);
        append_reward(one.reward, flags, bytes);
    }
    return bytes;
}

std::vector<Transition> decode(std::span<const std::byte> bytes,
                               std::size_t count,
                               std::size_t environments,
                               int states,
                               int actions) {
    if (count > bytes.size()) {
        throw InputError("transitions of an actor are cut off");
    }
    std::vector<Transition> transitions(count);
    for (std::size_t i = 0; i < count; ++i) {
        ByteReader head(bytes);
        const auto flags = head.read<std::uint8_t>();
        bytes = head.rest();
        if ((flags & follows) != 0 && i < environments) {
            throw InputError("transitions of an actor are damaged: the first follows none");
        }
        Transition& one = transitions[i];
        one.terminated = (flags & ends) != 0 ? 1 : 0;
        one.state =
            (flags & follows) != 0 ? transitions[i - environments].next : take_below(bytes, states);
        one.action = take_below(bytes, actions);
        one.next = take_below(bytes, states);
        one.reward = take_reward(flags, bytes);
    }
    if (!bytes.empty()) {
        throw InputError("transitions of an actor are damaged: more than were asked for");
    }
    return transitions;
}

}  // namespace lockstep::rl
