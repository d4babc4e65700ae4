#include "lockstep/base/digest.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace lockstep {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are hashed as they lie in memory");

using State = std::array<std::uint64_t, 4>;

// One SipRound, figure 2.1.
void mix(State& v) {
    v[0] += v[1];
    v[1] = std::rotl(v[1], 13) ^ v[0];
    v[0] = std::rotl(v[0], 32);
    v[2] += v[3];
    v[3] = std::rotl(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = std::rotl(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = std::rotl(v[1], 17) ^ v[2];
    v[2] = std::rotl(v[2], 32);
}

void compress(State& v, std::uint64_t word) {
    v[3] ^= word;
    mix(v);
    mix(v);
    v[0] ^= word;
}

std::uint64_t squeeze(State& v) {
    for (int round = 0; round < 4; ++round) {
        mix(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

std::uint64_t load_word(const std::byte* bytes, std::size_t count = 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, count);
    return word;
}

// 32 digits, the bytes of the hash in the order in which SipHash writes them.
std::uint64_t byte_swapped(std::uint64_t word) {
    return __builtin_bswap64(word);
}

}  // namespace

std::string to_string(const Digest& digest) {
    return fmt::format("{:016x}{:016x}", byte_swapped(digest[0]), byte_swapped(digest[1]));
}

std::optional<Digest> parse_digest(std::string_view text) {
    std::array<std::uint8_t, sizeof(Digest)> bytes{};
    if (text.size() != 2 * bytes.size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto* first = text.data() + 2 * i;
        const auto [end, error] = std::from_chars(first, first + 2, bytes[i], 16);
        if (error != std::errc() || end != first + 2) {
            return std::nullopt;
        }
    }
    Digest digest{};
    std::memcpy(digest.data(), bytes.data(), bytes.size());
    return digest;
}

void DigestBuilder::add_bytes(std::span<const std::byte> bytes) {
    const std::size_t pending = length_ % 8;
    length_ += bytes.size();
    if (pending > 0) {
        const std::size_t taken = std::min(8 - pending, bytes.size());
        std::copy_n(bytes.begin(), taken, tail_.begin() + static_cast<std::ptrdiff_t>(pending));
        bytes = bytes.subspan(taken);
        if (pending + taken < 8) {
            return;
        }
        compress(state_, load_word(tail_.data()));
    }
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
        compress(state_, load_word(bytes.data()));
    }
    std::copy(bytes.begin(), bytes.end(), tail_.begin());
}

void DigestBuilder::add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    add_bytes(std::as_bytes(std::span<const char>(text)));
}

Digest DigestBuilder::digest() const {
    State state = state_;
    compress(state, length_ << 56 | load_word(tail_.data(), length_ % 8));
    state[2] ^= 0xee;
    const std::uint64_t first = squeeze(state);
    state[1] ^= 0xdd;
    return {first, squeeze(state)};
}

}  // namespace lockstep
