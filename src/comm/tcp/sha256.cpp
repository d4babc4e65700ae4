#include "comm/tcp/sha256.hpp"

#include <algorithm>
#include <bit>

namespace lockstep::comm {
namespace {

// First 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using Schedule = std::array<std::uint32_t, 64>;

Schedule schedule_of(const std::array<std::byte, 64>& block) {
    Schedule w{};
    for (std::size_t i = 0; i < 64; ++i) {
        w[i / 4] = w[i / 4] << 8 | std::to_integer<std::uint32_t>(block[i]);
    }
    for (std::size_t i = 16; i < 64; ++i) {
        const auto s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        const auto s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    return w;
}

}  // namespace

void Sha256::add(std::span<const std::byte> bytes) {
    length_ += bytes.size();
    while (!bytes.empty()) {
        const auto part = std::min(bytes.size(), block_.size() - filled_);
        std::copy_n(bytes.begin(), part, block_.begin() + static_cast<std::ptrdiff_t>(filled_));
        bytes = bytes.subspan(part);
        filled_ += part;
        if (filled_ == block_.size()) {
            compress();
            filled_ = 0;
        }
    }
}

Sha256Digest Sha256::finish() {
    const std::uint64_t bits = 8 * length_;
    const std::byte one{0x80};
    add({&one, 1});
    const std::byte zero{0};
    while (filled_ != 56) {
        add({&zero, 1});
    }
    std::array<std::byte, 8> length{};
    for (std::size_t i = 0; i < 8; ++i) {
        length[i] = static_cast<std::byte>(bits >> (56 - 8 * i));
    }
    add(length);

    Sha256Digest digest{};
    for (std::size_t i = 0; i < digest.size(); ++i) {
        digest[i] = static_cast<std::byte>(state_[i / 4] >> (24 - 8 * (i % 4)));
    }
    return digest;
}

// The letters are those of the standard.
void Sha256::compress() {
    const Schedule w = schedule_of(block_);
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
        const auto sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const auto choice = (e & f) ^ (~e & g);
        const auto t1 = h + sum1 + choice + round_constants[i] + w[i];
        const auto sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const auto majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + sum0 + majority;
    }
    const std::array<std::uint32_t, 8> change{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state_.size(); ++i) {
        state_[i] += change[i];
    }
}

Sha256Digest sha256(std::span<const std::byte> bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.finish();
}

Sha256Digest hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> message) {
    std::array<std::byte, 64> padded{};
    const Sha256Digest hashed = sha256(key);
    if (key.size() > padded.size()) {
        std::ranges::copy(hashed, padded.begin());
    } else {
        std::ranges::copy(key, padded.begin());
    }

    const auto keyed = [&padded](std::byte pad, std::span<const std::byte> text) {
        auto block = padded;
        for (auto& byte : block) {
            byte ^= pad;
        }
        Sha256 hash;
        hash.add(block);
        hash.add(text);
        return hash.finish();
    };
    return keyed(std::byte{0x5c}, keyed(std::byte{0x36}, message));
}

bool are_equal(const Sha256Digest& a, const Sha256Digest& b) noexcept {
    std::byte difference{0};
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference |= a[i] ^ b[i];
    }
    return difference == std::byte{0};
}

}  // namespace lockstep::comm
